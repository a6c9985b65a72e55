/* SPDX-License-Identifier: BSD-3-Clause */
/* counters: the counters of the process, and their report at exit. */
#include <rcuinfo/store.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "core/memory/handle.h"
#include "core/log/log.h"
#include "core/quiet.h"
#include "core/memory/deferred.h"
#include "core/memory/reclaim.h"
#include "core/calls/counters.h"
#include "core/text.h"

#define LEAKS_SHOWN 10
#define STRIPES     64 /* threads count in different stripes, so that they do not share a cache line */

_Atomic bool rcuinfo__counters_on;

static struct {
    _Alignas(64) _Atomic uint64_t counts[RCUINFO__COUNTERS];
} stripes[STRIPES];

static _Atomic unsigned threads;
static _Thread_local unsigned stripe; /* this thread's, from 1 on; 0: not chosen yet */

void rcuinfo__counters_add(enum rcuinfo__counter counter, uint64_t n)
{
    if (!atomic_load_explicit(&rcuinfo__counters_on, RCUINFO__RELAXED))
        return;

    if (!stripe)
        stripe = 1 + atomic_fetch_add_explicit(&threads, 1, RCUINFO__RELAXED) % STRIPES;
    atomic_fetch_add_explicit(&stripes[stripe - 1].counts[counter], n, RCUINFO__RELAXED);
}

/* The sum of a counter over all threads. */
static uint64_t sum_counter(enum rcuinfo__counter counter)
{
    uint64_t n = 0;
    for (int i = 0; i < STRIPES; i++)
        n += atomic_load_explicit(&stripes[i].counts[counter], RCUINFO__RELAXED);
    return n;
}

/* A duplicate of the standard error output at load: the program may close that, or reuse the descriptor for a file. */
static int report_to = -1;

static uint64_t count_live(void)
{
    uint64_t live = 0;
    uint32_t index = 0;
    while (rcuinfo__handle_next(&index))
        live++;
    return live;
}

void rcuinfo_store_stats(rcuinfo_stats_t *stats)
{
    if (!stats)
        return;

    *stats = (rcuinfo_stats_t){
        .live = count_live(),
        .gets = sum_counter(RCUINFO__COUNT_GETS),
        .sets = sum_counter(RCUINFO__COUNT_SETS),
        .dups = sum_counter(RCUINFO__COUNT_DUPS),
        .conversions = sum_counter(RCUINFO__COUNT_CONVERSIONS),
        .left_out = sum_counter(RCUINFO__COUNT_LEFT_OUT),
        .grace_periods = rcuinfo__reclaim_scans() + rcuinfo__deferred_grace_periods(),
        .retired = rcuinfo__reclaim_waiting(),
        .peak_retired = rcuinfo__reclaim_peak(),
        .reused_slots = rcuinfo__handle_reused(),
    };
}

size_t rcuinfo_store_drain(void)
{
    if (rcuinfo__deferred_drain())
        rcuinfo__reclaim_trim();
    return rcuinfo__reclaim_waiting();
}

static void report_leaks(long process)
{
    uint32_t index = 0;
    rcuinfo_t info;
    struct rcuinfo__section section;

    for (int shown = 0; shown < LEAKS_SHOWN && (info = rcuinfo__handle_next(&index));) {
        const struct rcuinfo__entry *version = rcuinfo__handle_read(info, RCUINFO__NATIVE_BITS, &section);
        if (!version)
            continue;

        char first[RCUINFO_MAX_KEY];
        rcuinfo__text_show(version->pairs ? rcuinfo__log_key(rcuinfo__log_nth_key(version, 0)) : "", first,
                           sizeof first);
        dprintf(report_to, "rcuinfo: process %ld: leak: %" PRIu32 " pairs, first key \"%s\"\n", process, version->pairs,
                first);
        rcuinfo__reader_end(&section);
        shown++;
    }
}

__attribute__((destructor)) static void report(void)
{
    rcuinfo_stats_t stats;
    struct rcuinfo__quiet quiet;
    long process = (long)getpid();

    if (!atomic_load_explicit(&rcuinfo__counters_on, RCUINFO__RELAXED))
        return;

    if (!atomic_load_explicit(&rcuinfo__handle_chunks[0], RCUINFO__RELAXED))
        return; /* a process that has made no object, such as a helper of the program */

    rcuinfo_store_stats(&stats);
    rcuinfo__quiet_begin(&quiet);
    dprintf(report_to,
            "rcuinfo: process %ld: live %" PRIu64 ", gets %" PRIu64 ", sets %" PRIu64 ", dups %" PRIu64
            ", conversions %" PRIu64 ", left out %" PRIu64 ", grace periods %" PRIu64 ", peak retired %" PRIu64
            " bytes\n",
            process, stats.live, stats.gets, stats.sets, stats.dups, stats.conversions, stats.left_out,
            stats.grace_periods, stats.peak_retired);
    report_leaks(process);
    rcuinfo__quiet_end(&quiet);
}

void rcuinfo__counters_begin(void)
{
    report_to = rcuinfo__quiet_duplicate(STDERR_FILENO);
    atomic_store_explicit(&rcuinfo__counters_on, true, RCUINFO__RELAXED);
}
