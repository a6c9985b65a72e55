/* SPDX-License-Identifier: BSD-3-Clause */
/* store: the counters of the whole process, and their report at its end. */
#include <rcuinfo/store.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "core/handle.h"
#include "core/rcu.h"
#include "core/reclaim.h"
#include "core/start.h"
#include "core/stats.h"

#define LEAKS_SHOWN 10

/* A copy of the standard error output as it was at load: the program may close its own, or open a file in its place. */
static int report_to = -1;

static uint64_t count_live(void)
{
    uint64_t live = 0;
    uint32_t index = 0;
    bool read_only;
    rcuinfo__rcu_read_lock();
    while (rcuinfo__handle_next(&index, &read_only))
        live += !read_only;
    rcuinfo__rcu_read_unlock();
    return live;
}

void rcuinfo_store_stats(rcuinfo_stats_t *stats)
{
    *stats = (rcuinfo_stats_t){
        .live = count_live(),
        .gets = rcuinfo__stats_sum(RCUINFO__COUNT_GETS),
        .sets = rcuinfo__stats_sum(RCUINFO__COUNT_SETS),
        .dups = rcuinfo__stats_sum(RCUINFO__COUNT_DUPS),
        .conversions = rcuinfo__stats_sum(RCUINFO__COUNT_CONVERSIONS),
        .left_out = rcuinfo__stats_sum(RCUINFO__COUNT_LEFT_OUT),
        .grace_periods = rcuinfo__reclaim_grace_periods(),
        .retired = rcuinfo__reclaim_waiting(),
        .peak_retired = rcuinfo__reclaim_peak(),
        .reused_slots = rcuinfo__handle_reused(),
    };
}

size_t rcuinfo_store_drain(void)
{
    if (rcuinfo__reclaim_flush())
        rcuinfo__pool_trim();
    return rcuinfo__reclaim_waiting();
}

static void report_leaks(long process)
{
    uint32_t index = 0;
    bool read_only;
    rcuinfo_t info;
    rcuinfo__rcu_read_lock();
    for (int shown = 0; shown < LEAKS_SHOWN && (info = rcuinfo__handle_next(&index, &read_only));) {
        const struct rcuinfo__cell *cell = read_only ? NULL : rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS);
        if (!cell)
            continue;
        const struct rcuinfo__snapshot *s = &cell->snapshot;
        struct rcuinfo__pair first = {.key = ""};
        if (s->count)
            rcuinfo__snapshot_nth(s, 0, &first);
        dprintf(report_to, "rcuinfo: process %ld: leak: %" PRIu32 " pairs, first key \"%s\"\n", process, s->count,
                first.key);
        shown++;
    }
    rcuinfo__rcu_read_unlock();
}

__attribute__((destructor)) static void report(void)
{
    rcuinfo_stats_t stats;
    long process = (long)getpid();
    if (!atomic_load_explicit(&rcuinfo__stats_on, RCUINFO__COUNT))
        return;
    rcuinfo_store_stats(&stats);
    dprintf(report_to,
            "rcuinfo: process %ld: live %" PRIu64 ", gets %" PRIu64 ", sets %" PRIu64 ", dups %" PRIu64
            ", conversions %" PRIu64 ", left out %" PRIu64 ", grace periods %" PRIu64 ", peak retired %" PRIu64
            " bytes\n",
            process, stats.live, stats.gets, stats.sets, stats.dups, stats.conversions, stats.left_out,
            stats.grace_periods, stats.peak_retired);
    report_leaks(process);
}

__attribute__((constructor)) static void switch_on(void)
{
    const char *wanted = rcuinfo__start_variable("RCUINFO_STATS");
    bool on = wanted && wanted[0] && !(wanted[0] == '0' && !wanted[1]);
    if (on)
        report_to = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
    atomic_store_explicit(&rcuinfo__stats_on, on, RCUINFO__COUNT);
}
