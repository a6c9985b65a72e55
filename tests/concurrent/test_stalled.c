/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reader stops inside a read section for two seconds. The memory that awaits a grace period stays within the hard
 * limit plus one block per writer, other readers continue, writers wait instead of using more memory, and everything is
 * reclaimed when the reader continues.
 */
#include <time.h>

#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "core/reclaim.h"
#include "core/recycle.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/threads.h"

enum { WRITERS = 3, READERS = 2, READS = SCALED(200000), STALL_S = 2, VALUE = 1000 };

/* The largest block here, generously rounded up, and the steps in which the stripes of the retire list count. */
#define BLOCK_BYTES ((size_t)8192)
#define BEYOND      (WRITERS * BLOCK_BYTES + RCUINFO__RECYCLE_STRIPES * RCUINFO__RECYCLE_STEP)
#define MOST_BYTES  (RCUINFO__RECLAIM_HARD_LIMIT + BEYOND)

static rcuinfo_t stalled_on, info;
static _Thread_local bool stalls; /* this thread stops at the next sync point in a read section */
static atomic_bool stopped, goes_on, finished;
static atomic_ulong reads, writes;

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (point != RCUINFO__SYNC_READ || !stalls)
        return;
    stalls = false;
    atomic_store(&stopped, true);
    team_wait(&goes_on);
}

static void write_on(unsigned writer)
{
    char value[VALUE + 1];
    memset(value, 'a' + (int)writer, VALUE);
    value[VALUE] = '\0';
    while (!atomic_load(&finished)) {
        CHECK_OK(rcuinfo_set(info, "key", value));
        CHECK_OK(rcuinfo_set(stalled_on, "key", value));
        atomic_fetch_add(&writes, 2);
    }
}

static void read_on(void)
{
    char value[RCUINFO_MAX_VALUE];
    int flag = 0;
    while (!atomic_load(&finished)) {
        CHECK_OK(rcuinfo_get(info, "key", RCUINFO_MAX_VALUE - 1, value, &flag));
        CHECK(flag == 1);
        atomic_fetch_add(&reads, 1);
    }
}

static rcuinfo_stats_t watched(void)
{
    rcuinfo_stats_t stats = left_stats();
    CHECKF(stats.retired <= MOST_BYTES && stats.peak_retired <= MOST_BYTES, "%llu bytes are retired, %llu at the peak",
           (unsigned long long)stats.retired, (unsigned long long)stats.peak_retired);
    sched_yield();
    return stats;
}

/* Waits at least two seconds, until the writers have reached the limit and the readers have read enough. */
static void watch(void)
{
    time_t start = time(NULL);
    unsigned long read_before = atomic_load(&reads), written;
    while (watched().retired < RCUINFO__RECLAIM_HARD_LIMIT)
        continue;
    /* From now on the writers wait: each may fill its present blocks, and waits in its next step. */
    uint64_t grace_periods = watched().grace_periods;
    written = atomic_load(&writes);
    while (time(NULL) <= start + STALL_S || atomic_load(&reads) < read_before + READS)
        (void)watched();
    written = atomic_load(&writes) - written;
    CHECK(watched().grace_periods == grace_periods);
    CHECKF(written * VALUE <= BEYOND, "%lu writes past the limit", written);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0) { /* its version is unchanged, though it was replaced a thousand times */
        stalls = true;
        CHECK_VALUE(stalled_on, "key", "before the stall");
        CHECK(!stalls);
        return;
    }
    if (index > 1 + WRITERS) {
        read_on();
        return;
    }
    team_wait(&stopped);
    if (index <= WRITERS) {
        write_on(index);
        return;
    }
    watch();
    unsigned long before = atomic_load(&writes);
    atomic_store(&goes_on, true);
    /* The writers continue, too: each of them was waiting. */
    while (atomic_load(&writes) < before + SCALED(20000))
        (void)watched();
    atomic_store(&finished, true);
}

int main(void)
{
    info = OBJECT("key", "value");
    stalled_on = OBJECT("key", "before the stall");
    team_run(2 + WRITERS + READERS, body, NULL);
    CHECK(rcuinfo_store_drain() == 0);
    object_free(info);
    object_free(stalled_on);
    left_nothing();
    CHECK(watched().retired == 0);
    return 0;
}
