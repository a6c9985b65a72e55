/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reader stops inside a read section, at each of its steps, until many times the hard limit has been written: to the
 * object that it reads, and to others. Nobody waits for it. The memory that waits stays within the limits, and the
 * block that it reads stays as it is. Then it continues, with a version that was current while it was in the call. Also
 * inside views: nested ones, and more than a record has room for, which then keep counted references.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/memory/arena.h"
#include "core/memory/reclaim.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/sync.h"

enum { WRITERS = 3, READERS = 2, VALUE = 1000, VIEWS = 6 };

/* Blocks of at most so many bytes are written until this many bytes are. */
#define BLOCK_BYTES ((size_t)8192)
#define WRITTEN     ((unsigned long)(8 * RCUINFO__RECLAIM_HARD_LIMIT / VALUE / (TEST_SANITIZED ? 8 : 1)))

/* G6 of lib/DESIGN.md. */
#define MOST_BYTES                                                                                                     \
    (RCUINFO__RECLAIM_HARD_LIMIT + rcuinfo__arena_count * RCUINFO__RECLAIM_STEP +                                      \
     (2 * WRITERS + READERS + VIEWS) * BLOCK_BYTES)

static rcuinfo_t stalled_on, info;
static enum rcuinfo__sync_point where;
static atomic_bool finished;
static atomic_ulong reads, writes, scans;

static void count_scans(enum rcuinfo__sync_point point)
{
    if (point != RCUINFO__SYNC_PASSED)
        return;
    CHECK(!rcuinfo__arena_inside); /* a thread that is preempted in the fence must hold no arena */
    atomic_fetch_add(&scans, 1);
}

static void make_value(char value[VALUE + 1], unsigned writer)
{
    memset(value, 'a' + (int)writer, VALUE);
    value[VALUE] = '\0';
}

static void write_on(unsigned writer)
{
    char value[VALUE + 1], other[VALUE + 1];
    make_value(value, writer);
    make_value(other, WRITERS + 1 + writer); /* not to be seen in the first object, whose blocks the second may reuse */
    while (!atomic_load(&finished)) {
        CHECK_OK(rcuinfo_set(info, "key", other));
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

static void watch(void)
{
    team_wait(&sync_stands);
    unsigned long before = atomic_load(&writes), read_before = atomic_load(&reads);
    while (atomic_load(&writes) < before + WRITTEN || atomic_load(&reads) < read_before + 1000) {
        rcuinfo_stats_t stats = left_stats();
        CHECKF(stats.retired <= MOST_BYTES, "%llu bytes are retired", (unsigned long long)stats.retired);
        sched_yield();
    }
    CHECK(atomic_load(&scans) > 0);
    atomic_store(&sync_goes_on, true);
    atomic_store(&finished, true);
}

/* The value of a version that was current during the call: of one writer, or the first. */
static void check_whole(const char *value, size_t length)
{
    char expected[VALUE + 1];
    if (strcmp(value, "before the stall") == 0)
        return;
    CHECK_EQUAL(length, VALUE);
    make_value(expected, (unsigned)(value[0] - 'a'));
    CHECK(strcmp(value, expected) == 0 && value[0] <= 'a' + WRITERS);
}

static void stall_in_get(void)
{
    char value[RCUINFO_MAX_VALUE];
    int flag = 0;
    CHECK(rcuinfo__reader_number() > 0);
    /* After many sections: it says only the lower 43 bits of the number. */
    atomic_fetch_add(&rcuinfo__reader_self->sections[0], UINT64_C(1) << 56);
    sync_at(where, 1, sync_stop);
    CHECK_OK(rcuinfo_get(stalled_on, "key", RCUINFO_MAX_VALUE - 1, value, &flag));
    CHECK(sync_now.visits == 0 && flag == 1);
    check_whole(value, strlen(value));
    if (where == RCUINFO__SYNC_READ) /* it had said its version, which was replaced a thousand times */
        CHECK_TEXT(value, "before the stall");
}

/* A dup that was stopped before its reference: it has the version that it was helped to. */
static void stall_in_dup(void)
{
    sync_at(where, 1, sync_stop);
    rcuinfo_t copy = object_dup(stalled_on);
    rcuinfo_pair_t pair;
    const rcuinfo_snapshot_t *snapshot = object_open(copy);
    CHECK_OK(rcuinfo_snapshot_find(snapshot, "key", &pair));
    check_whole(pair.value, pair.value_length);
    rcuinfo_snapshot_close(snapshot);
    object_free(copy);
}

static void stall_in_views(void)
{
    rcuinfo_view_t views[VIEWS];
    rcuinfo_pair_t pair;
    int nkeys;
    for (int i = 0; i < VIEWS; i++)
        CHECK_OK(rcuinfo_view_begin(stalled_on, &views[i]));
    sync_stop();
    for (int i = 0; i < VIEWS; i++) { /* in the order in which they began */
        CHECK_OK(rcuinfo_snapshot_find(views[i].snapshot, "key", &pair));
        CHECK_TEXT(pair.value, "before the stall");
        rcuinfo_view_end(&views[i]);
        CHECK_OK(rcuinfo_get_nkeys(stalled_on, &nkeys));
    }
}

static void body(unsigned index, void *argument)
{
    void (*stall)(void) = *(void (**)(void))argument;
    sync_now.each = count_scans;
    if (index == 0)
        stall();
    else if (index > 1 + WRITERS)
        read_on();
    else if (index > WRITERS)
        watch();
    else {
        team_wait(&sync_stands);
        write_on(index);
    }
}

static void run(void (*stall)(void), enum rcuinfo__sync_point point)
{
    where = point;
    sync_reset();
    atomic_store(&finished, false);
    atomic_store(&scans, 0);
    CHECK_OK(rcuinfo_set(stalled_on, "key", "before the stall"));
    team_run(2 + WRITERS + READERS, body, &stall);
    CHECK(rcuinfo_store_drain() == 0);
}

int main(void)
{
    info = OBJECT("key", "value");
    stalled_on = object_empty();
    run(stall_in_get, RCUINFO__SYNC_MATCHED);
    run(stall_in_get, RCUINFO__SYNC_LOADED);
    run(stall_in_get, RCUINFO__SYNC_READ);
    run(stall_in_dup, RCUINFO__SYNC_LOADED);
    run(stall_in_dup, RCUINFO__SYNC_HOLD);
    run(stall_in_views, RCUINFO__SYNC_POINTS);
    object_free(info);
    object_free(stalled_on);
    left_nothing();
    return 0;
}
