/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that gets no more memory from the system (RLIMIT_AS). Threads that have read from the store before
 * continue: writes return RCUINFO_ERR_NO_MEM and have no effect, reads work, and everything works once there is memory
 * again. So do the first reads of threads, for whose records there is no memory; one of them ends inside a view.
 */
#include <malloc.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "stress/selfcheck.h"
#include "support/objects.h"
#include "support/spawn.h"
#include "support/threads.h"

enum {
    THREADS = 4,
    MOST_SETS = 20000,
    NEWCOMERS = 64 /* with the main thread, one more than there are static records */
};

static rcuinfo_t common;
static struct spin_barrier barrier = {.width = THREADS};

static void limit_memory(bool limited)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = limited ? 0 : limit.rlim_max;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

/* Sets one key after the other until memory runs out. Returns the number of keys set. */
static unsigned long fill(rcuinfo_t info, unsigned writer)
{
    char key[32], value[SELFCHECK_MAX + 1];
    for (unsigned long n = 0; n < MOST_SETS; n++) {
        (void)snprintf(key, sizeof key, "key%lu", n);
        selfcheck_make(value, writer, n, SELFCHECK_MAX);
        rcuinfo_status_t status = rcuinfo_set(info, key, value);
        if (status == RCUINFO_SUCCESS)
            continue;
        CHECK_STATUS(status, RCUINFO_ERR_NO_MEM);
        return n;
    }
    CHECKF(false, "%d sets without memory", MOST_SETS);
    return 0;
}

static void check_filled(rcuinfo_t info, unsigned writer, unsigned long count)
{
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_EQUAL(rcuinfo_snapshot_count(snapshot), count);
    CHECK_EQUAL(object_version(info), count);
    for (unsigned long n = 0; n < count; n++) {
        char key[32], value[SELFCHECK_MAX + 1];
        rcuinfo_pair_t pair;
        (void)snprintf(key, sizeof key, "key%lu", n);
        selfcheck_make(value, writer, n, SELFCHECK_MAX);
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, n, &pair));
        CHECK_TEXT(pair.key, key);
        CHECK_TEXT(pair.value, value);
    }
    rcuinfo_snapshot_close(snapshot);
}

/* Each thread fills its own object. Memory that one frees may go to another, so they stop at different sizes. */
static void go_without(unsigned index, void *argument)
{
    unsigned long phase = 0, count;
    (void)argument;
    rcuinfo_t info = object_empty();
    CHECK_EQUAL(object_count(info), 0);
    spin_barrier_wait(&barrier, &phase);
    if (index == 0)
        limit_memory(true);
    spin_barrier_wait(&barrier, &phase);
    count = fill(info, index);
    check_filled(info, index, count);
    CHECK_VALUE(common, "key", "value");
    spin_barrier_wait(&barrier, &phase);
    if (index == 0)
        limit_memory(false);
    spin_barrier_wait(&barrier, &phase);
    check_filled(info, index, count);
    CHECK_OK(rcuinfo_set(info, "after", "all"));
    object_free(info);
}

/* The first reads of many threads, one after the other. All threads live until the end. */
static void come_without(unsigned index, void *argument)
{
    static atomic_uint turn;
    (void)argument;
    TEAM_UNTIL(atomic_load(&turn) == index);
    if (index == 0)
        limit_memory(true);
    for (size_t size = 4096; index == 0 && size >= 16; size /= 2) {
        while (malloc(size)) {
        }
    }
    CHECK_EQUAL(object_count(common), 1);
    rcuinfo_view_t view;
    CHECK_OK(rcuinfo_view_begin(common, &view));
    CHECK_EQUAL(rcuinfo_snapshot_count(view.snapshot), 1);
    if (index < NEWCOMERS - 1)
        rcuinfo_view_end(&view);
    atomic_fetch_add(&turn, 1);
    TEAM_UNTIL(atomic_load(&turn) >= NEWCOMERS);
}

static void new_threads_read_without_memory(void)
{
    team_run(NEWCOMERS, come_without, NULL);
    limit_memory(false);
    object_free(common);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    _exit(0);
}

int main(void)
{
    /* One arena: those of threads would have reserved room, to which the limit does not apply. */
    CHECK(mallopt(M_ARENA_MAX, 1) == 1);
    common = OBJECT("key", "value");
    spawn_child(new_threads_read_without_memory);
    team_run(THREADS, go_without, NULL);
    object_free(common);
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
