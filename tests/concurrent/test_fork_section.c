/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork with an open read section, of this thread or of another one, or while another thread scans. Parent and child
 * continue, and both reclaim: nobody waits for a thread that does not exist in the child.
 *
 * usage: test_fork_section own|beside [own_handlers]
 * own: the section is the program's own, of liburcu-bp, while another thread is in a grace period and has liburcu's
 * locks; the child never uses liburcu again. beside: another thread is stopped in rcuinfo_get, or in a scan, with the
 * locks that a scan has. own_handlers: the program registers liburcu-bp's handlers itself, and RCUINFO_ATFORK is "no".
 */
#include <urcu/static/urcu-bp.h>
#include <urcu/urcu-bp.h>

#include <linux/membarrier.h>

#include <rcuinfo/rcuinfo.h>

#include "core/memory/reclaim.h"
#include "support/hints.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/sync.h"
#include "support/system_call.h"

enum { NEWCOMERS = 3, VALUE = 1000 };

static rcuinfo_t info;
static pid_t child;
static bool inside, abandoned; /* this process was forked inside a section; of liburcu-bp */

static void fork_here(void)
{
    CHECK((child = fork()) >= 0);
    if (child > 0)
        atomic_store(&sync_goes_on, true);
}

static _Thread_local bool stops_in_barrier; /* this thread stops where liburcu calls membarrier, with its locks held */

static void at_system_call(long number)
{
    if (stops_in_barrier && number == SYS_membarrier) {
        stops_in_barrier = false;
        sync_stop();
    }
}

static void use_the_store(const char *value)
{
    CHECK_VALUE(info, "key", value);
    rcuinfo_t made = OBJECT("key", "made");
    rcuinfo_t copy = object_dup(made);
    object_free(made);
    CHECK_VALUE(copy, "key", "made");
    object_free(copy);
    CHECK_OK(rcuinfo_hint_set_impose(hints, "number", "6"));
    CHECK_OK(rcuinfo_hint_set_impose(hints, "number", "7"));
    int64_t number;
    CHECK_OK(rcuinfo_hint_set_read(hints, 0, &number));
    CHECK_RANGE(number, 6, 7); /* other threads impose, too */
}

/* More blocks than the hard limit. */
static void set_past_the_limit(char *value)
{
    memset(value, 'v', VALUE);
    value[VALUE] = '\0';
    for (size_t bytes = 0; bytes < 2 * RCUINFO__RECLAIM_HARD_LIMIT; bytes += VALUE) {
        value[bytes % VALUE] ^= 1;
        CHECK_OK(rcuinfo_set(info, "key", value));
    }
    CHECKF(left_stats().retired < RCUINFO__RECLAIM_HARD_LIMIT / 2, "%llu bytes wait",
           (unsigned long long)left_stats().retired);
    /* Versions of hint sets wait for liburcu. */
    CHECK((rcuinfo_store_drain() == 0) == !abandoned);
}

static void newcomer(unsigned index, void *value)
{
    (void)index;
    use_the_store(value);
    CHECK((rcuinfo_store_drain() == 0) == !abandoned || inside); /* another thread may retire something */
}

/* Ends the process after the thread that forked, the first thread of the child, has ended. */
static void *outlive(void *unused)
{
    (void)unused;
    team_outlive_first();
    CHECK_VALUE(info, "key", "the end");
    _exit(0);
}

/* One thread goes on reading; the other reclaims what it has replaced. */
static void reclaim_beside_a_reader(unsigned index, void *unused)
{
    static atomic_bool reads, done;
    (void)unused;
    while (index == 1 && !atomic_load(&done)) {
        CHECK_VALUE(info, "key", "before");
        atomic_store(&reads, true);
    }
    if (index == 1)
        return;
    team_wait(&reads);
    uint64_t scans = left_stats().grace_periods;
    for (int i = 0; i < 100; i++) /* until the block is full */
        CHECK_OK(rcuinfo_set(info, "key", "before"));
    (void)rcuinfo_store_drain();
    CHECK(left_stats().grace_periods > scans);
    atomic_store(&done, true);
}

static void live_on(void)
{
    pthread_t last;
    char value[VALUE + 1];
    if (!TEST_THREAD_SANITIZER)
        team_run(2, reclaim_beside_a_reader, NULL);
    use_the_store("before");
    set_past_the_limit(value);
    use_the_store(value);
    if (TEST_THREAD_SANITIZER) /* it does not let a child start threads */
        _exit(0);
    inside = true;
    team_run(NEWCOMERS, newcomer, value);
    CHECK((child = fork()) >= 0);
    team_run(NEWCOMERS, newcomer, value);
    if (child > 0)
        spawn_wait(child, "grandchild");
    CHECK_OK(rcuinfo_set(info, "key", "the end"));
    CHECK(pthread_create(&last, NULL, outlive, NULL) == 0);
}

static void fork_in_own(unsigned index, void *unused)
{
    static atomic_bool begun;
    (void)unused;
    if (index == 1) {
        team_wait(&begun);
        stops_in_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0) & MEMBARRIER_CMD_PRIVATE_EXPEDITED;
        atomic_store(&sync_stands, !stops_in_barrier);
        urcu_bp_synchronize_rcu();
        return;
    }
    urcu_bp_read_lock();
    atomic_store(&begun, true);
    team_wait(&sync_stands);
    fork_here();
    abandoned = child == 0;
    use_the_store("before");
    urcu_bp_read_unlock();
    if (child == 0)
        live_on();
}

static void fork_beside(unsigned index, void *point)
{
    if (index == 1) {
        sync_at(*(const enum rcuinfo__sync_point *)point, 1, sync_stop);
        bool reads = sync_now.point <= RCUINFO__SYNC_READ;
        if (reads)
            urcu_bp_read_lock(); /* of which the child must know nothing either */
        CHECK_VALUE(info, "key", "before");
        if (reads)
            urcu_bp_read_unlock();
        (void)rcuinfo_store_drain();
        CHECK_EQUAL(sync_now.visits, 0);
        return;
    }
    CHECK_VALUE(info, "key", "before"); /* so that a scan has somebody to look for */
    team_wait(&sync_stands);
    fork_here();
    if (child == 0)
        live_on();
}

static void run(unsigned threads, void (*body)(unsigned index, void *point), enum rcuinfo__sync_point point)
{
    sync_reset();
    info = OBJECT("key", "before"); /* a new one, on which no help has a reference */
    team_run(threads, body, &point);
    spawn_wait(child, "child");
    use_the_store("before");
    object_free(info);
    CHECK(rcuinfo_store_drain() == 0);
}

int main(int argc, char **argv)
{
    if (argc == 3)
        CHECK(pthread_atfork(urcu_bp_before_fork, urcu_bp_after_fork_parent, urcu_bp_after_fork_child) == 0);
    /* A thread without reads: liburcu would end the process if it had no memory for a reader. */
    CHECK((child = fork()) >= 0 && !URCU_TLS(urcu_bp_reader));
    if (child == 0)
        _exit(0);
    spawn_wait(child, "first child");

    hints_begin();
    if (strcmp(argv[1], "own") == 0) {
        run(2, fork_in_own, RCUINFO__SYNC_POINTS);
    } else {
        static const enum rcuinfo__sync_point points[] = {RCUINFO__SYNC_MATCHED, RCUINFO__SYNC_LOADED,
                                                          RCUINFO__SYNC_READ, RCUINFO__SYNC_DETACHED,
                                                          RCUINFO__SYNC_PASSED};
        /* With our handlers a fork waits for the thread that reclaims versions of hint sets, not for a scan. */
        for (size_t i = 0; i < sizeof points / sizeof *points; i++)
            run(2, fork_beside, points[i]);
    }
    hints_end();
    left_nothing();
    return 0;
}
