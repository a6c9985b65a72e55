/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork while another thread stands still inside a read section: the child, which does not have it, does not wait for
 * it. In a program that registers liburcu-bp's handlers itself, also while another thread stands in the middle of
 * reclaiming, which such a fork does not wait for: the child reclaims by itself as soon as the soft limit is passed.
 *
 * usage: test_fork_beside [own]        own: as that of test_fork.c
 */
#include <urcu/urcu-bp.h>

#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "core/reclaim.h"
#include "support/objects.h"
#include "support/spawn.h"
#include "support/threads.h"

enum { VALUE = 1000 };

static rcuinfo_t info;
static _Thread_local enum rcuinfo__sync_point stops = RCUINFO__SYNC_POINTS; /* this thread stops there once */
static atomic_bool stopped, goes_on;

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (point != stops)
        return;
    stops = RCUINFO__SYNC_POINTS;
    atomic_store(&stopped, true);
    team_wait(&goes_on);
}

/* Much more than the soft limit, which is never passed by half of the way to the hard one. */
static _Noreturn void live_on(void)
{
    char value[VALUE + 1];
    rcuinfo_stats_t before, stats;
    CHECK_VALUE(info, "key", "before");
    rcuinfo_store_stats(&before);
    memset(value, 'v', VALUE);
    value[VALUE] = '\0';
    for (size_t bytes = 0; bytes < 2 * RCUINFO__RECLAIM_HARD_LIMIT; bytes += VALUE) {
        value[bytes % VALUE] ^= 1;
        CHECK_OK(rcuinfo_set(info, "key", value));
        rcuinfo_store_stats(&stats);
        CHECKF(stats.retired < (RCUINFO__RECLAIM_MOST_SOFT + RCUINFO__RECLAIM_HARD_LIMIT) / 2,
               "nothing is reclaimed before the hard limit");
    }
    CHECK(stats.grace_periods > before.grace_periods);
    CHECK_VALUE(info, "key", value);
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
    _exit(0);
}

static void body(unsigned index, void *argument)
{
    enum rcuinfo__sync_point point = *(const enum rcuinfo__sync_point *)argument;
    if (index == 1) {
        stops = point;
        if (point == RCUINFO__SYNC_READ)
            CHECK_VALUE(info, "key", "before");
        else
            CHECK(rcuinfo_store_drain() == 0);
        CHECK(stops == RCUINFO__SYNC_POINTS);
        return;
    }
    team_wait(&stopped);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        live_on();
    spawn_wait(child, "child");
    atomic_store(&goes_on, true);
}

static void fork_beside(enum rcuinfo__sync_point point)
{
    atomic_store(&stopped, false);
    atomic_store(&goes_on, false);
    team_run(2, body, &point);
    CHECK(rcuinfo_store_drain() == 0);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        CHECK(strcmp(argv[1], "own") == 0);
        CHECK(pthread_atfork(urcu_bp_before_fork, urcu_bp_after_fork_parent, urcu_bp_after_fork_child) == 0);
    }
    info = OBJECT("key", "before");
    fork_beside(RCUINFO__SYNC_READ);
    if (argc > 1) {
        fork_beside(RCUINFO__SYNC_DETACHED);
        fork_beside(RCUINFO__SYNC_PASSED);
    }
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
