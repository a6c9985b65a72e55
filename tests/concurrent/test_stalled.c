/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reader that stands still inside a read section, for two seconds: what awaits a grace period stays within the hard
 * limit and one block for each writer, other readers go on, writers wait rather than grow, and all is reclaimed when
 * the reader goes on.
 *
 * The main thread decides when the reader stops and goes on, by the sync point that lies in the read section.
 */
#include <semaphore.h>
#include <time.h>

#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "core/reclaim.h"
#include "core/recycle.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/threads.h"

enum { WRITERS = 3, READERS = 2, READS = SCALED(200000), STALL_S = 2, VALUE = 1000 };

/* The largest block here, rounded up generously, and the steps in which the stripes of the retire list count. */
#define BLOCK_BYTES ((size_t)8192)
#define BEYOND      (WRITERS * BLOCK_BYTES + RCUINFO__RECYCLE_STRIPES * RCUINFO__RECYCLE_STEP)
#define MOST_BYTES  (RCUINFO__RECLAIM_HARD_LIMIT + BEYOND)

static rcuinfo_t stalled_on, info;
static _Thread_local int stalls; /* this thread stops at the next sync point in a read section */
static sem_t stopped, go_on;
static atomic_int finished;
static atomic_ulong reads, writes;

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        continue;
}

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (point != RCUINFO__SYNC_READ || !stalls)
        return;
    stalls = 0;
    CHECK(sem_post(&stopped) == 0);
    wait_for(&go_on);
}

/* Overwritten a thousand times over while this thread stands still, and still what it was. */
static void stall(void)
{
    stalls = 1;
    CHECK_VALUE(stalled_on, "key", "before the stall");
    CHECK(!stalls);
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

static size_t retired(void)
{
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    CHECKF(stats.retired <= MOST_BYTES && stats.peak_retired <= MOST_BYTES, "%llu bytes are retired, %llu at the peak",
           (unsigned long long)stats.retired, (unsigned long long)stats.peak_retired);
    return (size_t)stats.retired;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* At least two seconds, and until the writers have come to the limit and the readers far enough. */
static void watch(void)
{
    struct timespec start;
    rcuinfo_stats_t at_limit, later;
    unsigned long read_before = atomic_load(&reads), written;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &start) == 0);
    while (retired() < RCUINFO__RECLAIM_HARD_LIMIT)
        sched_yield();
    rcuinfo_store_stats(&at_limit);
    /* From here on the writers wait: each may fill the blocks that it is at, and comes to wait in its next step. */
    written = atomic_load(&writes);
    while (seconds_since(&start) < (double)STALL_S || atomic_load(&reads) < read_before + READS) {
        (void)retired();
        sched_yield();
    }
    written = atomic_load(&writes) - written;
    rcuinfo_store_stats(&later);
    CHECK(later.grace_periods == at_limit.grace_periods);
    CHECKF(written * VALUE <= BEYOND, "%lu writes past the limit", written);
    printf("%lu reads, %lu writes past the limit, %llu bytes at the peak\n", atomic_load(&reads) - read_before, written,
           (unsigned long long)later.peak_retired);
}

static void body(unsigned index, void *argument)
{
    unsigned long before;
    (void)argument;
    if (index == 1) {
        stall();
    } else if (index >= 2 && index < 2 + WRITERS) {
        wait_for(&stopped);
        CHECK(sem_post(&stopped) == 0);
        write_on(index);
    } else if (index >= 2 + WRITERS) {
        read_on();
    } else {
        wait_for(&stopped);
        CHECK(sem_post(&stopped) == 0);
        watch();
        before = atomic_load(&writes);
        CHECK(sem_post(&go_on) == 0);
        /* The writers go on too: each of them was waiting. */
        while (atomic_load(&writes) < before + SCALED(20000))
            (void)retired();
        atomic_store(&finished, 1);
    }
}

int main(void)
{
    CHECK(sem_init(&stopped, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
    info = OBJECT("key", "value");
    stalled_on = OBJECT("key", "before the stall");
    team_run(2 + WRITERS + READERS, body, NULL);
    CHECK(rcuinfo_store_drain() == 0);
    CHECK_OK(rcuinfo_free(&info));
    CHECK_OK(rcuinfo_free(&stalled_on));
    CHECK(rcuinfo_store_drain() == 0);
    CHECK(retired() == 0);
    return 0;
}
