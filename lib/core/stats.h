/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stats: counters of calls, kept only when RCUINFO_STATS asked for them at load. Off, a count is one predicted branch.
 */
#ifndef RCUINFO_CORE_STATS_H
#define RCUINFO_CORE_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/layer.h"
#include "core/order.h"

extern _Atomic bool rcuinfo__stats_on;

static inline void rcuinfo__stats_count(enum rcuinfo__counter counter)
{
    if (__builtin_expect(atomic_load_explicit(&rcuinfo__stats_on, RCUINFO__COUNT), 0))
        rcuinfo__stats_add(counter, 1);
}

/* Sum over all threads. */
uint64_t rcuinfo__stats_sum(enum rcuinfo__counter counter);

#endif
