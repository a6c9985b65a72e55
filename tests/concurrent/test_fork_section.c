/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork with an open read section, of this thread or of another one. Parent and child continue.
 *
 * usage: test_fork_section handler|own [listed]
 * The section is this thread's, that of rcuinfo_get (a signal handler forks) or the program's own, while another thread
 * waits for the grace period that the section delays. fork does not wait for that thread, and the child reclaims
 * nothing, even beyond the hard limit. It makes every call, starts threads, and forks again, and the thread that forked
 * can end. listed: the other thread holds the lock of liburcu's list of readers at that moment.
 *
 * usage: test_fork_section beside [own_handlers]
 * The section is that of another thread, which is stopped in it. The child, which lacks that thread, does not wait for
 * it, and reclaims. own_handlers: the program registers liburcu-bp's handlers itself, and RCUINFO_ATFORK is "no". Then
 * also with another thread stopped while it reclaims; such a fork does not wait for it, and the child reclaims by
 * itself as soon as the soft limit is exceeded.
 */
#include <urcu/static/urcu-bp.h>
#include <urcu/urcu-bp.h>

#include <errno.h>
#include <semaphore.h>
#include <signal.h>

#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "core/reclaim.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/system_call.h"
#include "support/threads.h"

enum { NEWCOMERS = 3, VALUE = 1000 };

static bool own, listed;
static rcuinfo_t info;
static pid_t child;
static bool abandoned;                 /* this process was forked inside a read section */
static _Thread_local bool interrupted; /* a signal comes at its next sync point in a read section */
static _Thread_local enum rcuinfo__sync_point stops = RCUINFO__SYNC_POINTS; /* this thread stops here once */
static sem_t reading;                                                       /* the section is open */
static atomic_bool reclaims;                                                /* the other thread is about to wait */
static atomic_bool stands, goes_on; /* the other thread has stopped; it may continue */

static void fork_here(bool inside)
{
    CHECK((child = fork()) >= 0);
    if (child > 0)
        atomic_store(&goes_on, true);
    else
        abandoned = inside;
}

/* Forks while the other thread holds liburcu's lock for grace periods: in the second half of a grace period, which a
 * change of the counter shows, it waits for this section. */
static void fork_inside(void)
{
    unsigned long counter = *(volatile unsigned long *)&urcu_bp_gp.ctr;
    CHECK(sem_post(&reading) == 0);
    TEAM_UNTIL(listed ? atomic_load(&stands) : *(volatile unsigned long *)&urcu_bp_gp.ctr != counter);
    fork_here(true);
}

static void on_signal(int signal)
{
    int saved_errno = errno;
    (void)signal;
    fork_inside();
    errno = saved_errno;
}

static void stand(void)
{
    atomic_store(&stands, true);
    team_wait(&goes_on);
}

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (point == RCUINFO__SYNC_READ && interrupted) {
        interrupted = false;
        CHECK(raise(SIGUSR1) == 0);
    }
    if (point == RCUINFO__SYNC_DETACHED)
        atomic_store(&reclaims, true);
    if (point == stops) {
        stops = RCUINFO__SYNC_POINTS;
        stand();
    }
}

/* liburcu's first call of membarrier is made with its list locked. */
static void at_system_call(long number)
{
    if (number == SYS_membarrier && listed && atomic_exchange(&reclaims, false))
        stand();
}

static void use_the_store(const char *value)
{
    CHECK_VALUE(info, "key", value);
    rcuinfo_t made = OBJECT("key", "made");
    rcuinfo_t copy = object_dup(made);
    object_free(made);
    CHECK_VALUE(copy, "key", "made");
    object_free(copy);
}

/* Threads reclaim at the soft limit, which is never raised beyond half the distance to the hard one. */
static void set_past_the_limit(char *value)
{
    uint64_t grace_periods = left_stats().grace_periods;
    memset(value, 'v', VALUE);
    value[VALUE] = '\0';
    for (size_t bytes = 0; bytes < 2 * RCUINFO__RECLAIM_HARD_LIMIT; bytes += VALUE) {
        value[bytes % VALUE] ^= 1;
        CHECK_OK(rcuinfo_set(info, "key", value));
        CHECKF(abandoned || left_stats().retired < (RCUINFO__RECLAIM_MOST_SOFT + RCUINFO__RECLAIM_HARD_LIMIT) / 2,
               "nothing is reclaimed before the hard limit");
    }
    rcuinfo_stats_t stats = left_stats();
    CHECKF((stats.retired > RCUINFO__RECLAIM_HARD_LIMIT) == abandoned, "%llu bytes wait",
           (unsigned long long)stats.retired);
    CHECK((stats.grace_periods == grace_periods) == abandoned);
    CHECK(abandoned ? rcuinfo_store_drain() >= stats.retired : rcuinfo_store_drain() == 0);
}

static void newcomer(unsigned index, void *value)
{
    (void)index;
    use_the_store(value);
    CHECK(rcuinfo_store_drain() > 0);
}

/* Ends the process after the thread that forked, the first thread of the child, has ended. */
static void *outlive(void *unused)
{
    (void)unused;
    team_outlive_first();
    CHECK_VALUE(info, "key", "the end");
    _exit(0);
}

static void live_on(void)
{
    pthread_t last;
    char value[VALUE + 1];
    use_the_store("before");
    set_past_the_limit(value);
    use_the_store(value);
    if (!abandoned || TEST_THREAD_SANITIZER) /* neither it nor emulators let a child start threads */
        _exit(0);
    team_run(NEWCOMERS, newcomer, value);
    CHECK((child = fork()) >= 0);
    team_run(NEWCOMERS, newcomer, value);
    CHECK(rcuinfo_store_drain() > 0);
    if (child > 0)
        spawn_wait(child, "grandchild");
    CHECK_OK(rcuinfo_set(info, "key", "the end"));
    CHECK(pthread_create(&last, NULL, outlive, NULL) == 0);
}

static void inside(unsigned index, void *unused)
{
    (void)unused;
    if (index == 1) {
        CHECK(sem_wait(&reading) == 0);
        CHECK(rcuinfo_store_drain() == 0);
        return;
    }
    if (own) {
        urcu_bp_read_lock();
        fork_inside();
        if (child == 0)
            use_the_store("before");
        urcu_bp_read_unlock();
    } else {
        interrupted = true;
        CHECK_VALUE(info, "key", "before");
    }
    if (child == 0)
        live_on();
}

static void beside(unsigned index, void *point)
{
    if (index == 1) {
        stops = *(const enum rcuinfo__sync_point *)point;
        CHECK_VALUE(info, "key", "before");
        (void)rcuinfo_store_drain();
        CHECK(stops == RCUINFO__SYNC_POINTS);
        return;
    }
    team_wait(&stands);
    fork_here(false);
    if (child == 0)
        live_on();
}

static void run(void (*body)(unsigned index, void *point), enum rcuinfo__sync_point point)
{
    atomic_store(&stands, false);
    atomic_store(&goes_on, false);
    team_run(2, body, &point);
    spawn_wait(child, "child");
    use_the_store("before");
    CHECK(rcuinfo_store_drain() == 0);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    bool is_beside = strcmp(argv[1], "beside") == 0, own_handlers = is_beside && argc == 3;
    own = strcmp(argv[1], "own") == 0;
    listed = !is_beside && argc == 3;
    if (listed && !urcu_bp_has_sys_membarrier) {
        puts("skipped: liburcu-bp calls no membarrier here");
        return 77;
    }
    if (own_handlers)
        CHECK(pthread_atfork(urcu_bp_before_fork, urcu_bp_after_fork_parent, urcu_bp_after_fork_child) == 0);
    /* A thread without reads: liburcu would end the process if it had no memory for a reader. */
    CHECK((child = fork()) >= 0 && !URCU_TLS(urcu_bp_reader));
    if (child == 0)
        _exit(0);
    spawn_wait(child, "first child");

    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(sem_init(&reading, 0, 0) == 0);
    info = OBJECT("key", "before");
    run(is_beside ? beside : inside, RCUINFO__SYNC_READ);
    if (own_handlers) {
        run(beside, RCUINFO__SYNC_DETACHED);
        run(beside, RCUINFO__SYNC_PASSED);
    }
    object_free(info);
    left_nothing();
    return 0;
}
