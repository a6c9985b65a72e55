/* SPDX-License-Identifier: BSD-3-Clause */
/* stats: see stats.h. Threads count in stripes of their own, so that counting does not make them share a line. */
#include "core/stats.h"

#define STRIPES 64

_Atomic bool rcuinfo__stats_on;

static struct {
    _Alignas(64) _Atomic uint64_t counts[RCUINFO__COUNTERS];
} stripes[STRIPES];

static _Atomic unsigned threads;
static _Thread_local unsigned stripe; /* 0: not given yet */

void rcuinfo__stats_add(enum rcuinfo__counter counter, uint64_t n)
{
    if (!atomic_load_explicit(&rcuinfo__stats_on, RCUINFO__COUNT))
        return;
    if (!stripe)
        stripe = 1 + atomic_fetch_add_explicit(&threads, 1, RCUINFO__COUNT) % STRIPES;
    atomic_fetch_add_explicit(&stripes[stripe - 1].counts[counter], n, RCUINFO__COUNT);
}

uint64_t rcuinfo__stats_sum(enum rcuinfo__counter counter)
{
    uint64_t sum = 0;
    for (int i = 0; i < STRIPES; i++)
        sum += atomic_load_explicit(&stripes[i].counts[counter], RCUINFO__COUNT);
    return sum;
}
