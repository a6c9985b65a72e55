/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork inside a read section, while another thread waits for the grace period that this section holds up: fork does not
 * wait for that thread, and parent and child both go on. The child makes every call, and has new threads, and forks
 * again; it reclaims nothing, also past the hard limit; and the thread that forked ends as others do.
 *
 * usage: test_fork_section handler|own [listed]
 * handler: the section is rcuinfo_get's, and a signal handler forks. own: it is the program's, which forks.
 * listed: the other thread has the lock of liburcu's list of readers at that moment.
 */
#include <urcu/static/urcu-bp.h>
#include <urcu/urcu-bp.h>

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "core/reclaim.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/spawn.h"
#include "support/system_call.h"
#include "support/threads.h"

enum { NEWCOMERS = 3, VALUE = 1000 };

static bool own, listed;
static rcuinfo_t info;
static pid_t child = -1;
static _Thread_local bool interrupted; /* by a signal, at its next sync point in a read section */
static sem_t reading;                  /* the section is open */
static atomic_bool reclaims;           /* the other thread is about to wait */
static atomic_bool waits, goes_on;     /* with `listed`: it has the lock; and may give it back */

/* Until the other thread has liburcu's lock of those who wait for grace periods, and keeps it: in the second half of a
 * grace period, of which the change of the counter tells, it waits for this section. */
static void wait_until_the_other_waits(unsigned long counter)
{
    unsigned spins = 0;
    while (listed ? !atomic_load(&waits) : *(volatile unsigned long *)&urcu_bp_gp.ctr == counter)
        team_relax(&spins);
}

static void fork_inside(void)
{
    unsigned long counter = *(volatile unsigned long *)&urcu_bp_gp.ctr;
    CHECK(sem_post(&reading) == 0);
    wait_until_the_other_waits(counter);
    child = fork();
    CHECK(child >= 0);
    if (child > 0)
        atomic_store(&goes_on, true);
}

static void on_signal(int signal)
{
    int saved_errno = errno;
    (void)signal;
    fork_inside();
    errno = saved_errno;
}

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (point == RCUINFO__SYNC_READ && interrupted) {
        interrupted = false;
        CHECK(raise(SIGUSR1) == 0);
    }
    if (point == RCUINFO__SYNC_DETACHED)
        atomic_store(&reclaims, true);
}

/* liburcu calls membarrier first with the lock of its list. */
static void at_system_call(long number)
{
    unsigned spins = 0;
    if (number != SYS_membarrier || !listed || !atomic_exchange(&reclaims, false))
        return;
    atomic_store(&waits, true);
    while (!atomic_load(&goes_on))
        team_relax(&spins);
}

static void use_the_store(const char *value)
{
    CHECK_VALUE(info, "key", value);
    rcuinfo_t made = OBJECT("key", "made");
    rcuinfo_t copy = object_dup(made);
    CHECK_OK(rcuinfo_free(&made));
    CHECK_VALUE(copy, "key", "made");
    CHECK_OK(rcuinfo_free(&copy));
}

static void set_past_the_limit(char *value)
{
    memset(value, 'v', VALUE);
    value[VALUE] = '\0';
    for (size_t bytes = 0; bytes < RCUINFO__RECLAIM_HARD_LIMIT + RCUINFO__RECLAIM_HARD_LIMIT / 2; bytes += VALUE) {
        value[bytes % VALUE] ^= 1;
        CHECK_OK(rcuinfo_set(info, "key", value));
    }
    rcuinfo_stats_t stats = left_stats();
    CHECKF(stats.retired > RCUINFO__RECLAIM_HARD_LIMIT, "only %llu bytes wait", (unsigned long long)stats.retired);
    CHECKF(rcuinfo_store_drain() >= stats.retired, "something was reclaimed");
}

static void newcomer(unsigned index, void *value)
{
    (void)index;
    use_the_store(value);
    CHECK(rcuinfo_store_drain() > 0);
}

/* Ends the process when the thread that forked, the first one in the child, has ended. */
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
    team_run(NEWCOMERS, newcomer, value);
    child = fork();
    CHECK(child >= 0);
    team_run(NEWCOMERS, newcomer, value);
    CHECK(rcuinfo_store_drain() > 0);
    if (child > 0)
        spawn_wait(child, "grandchild");
    CHECK_OK(rcuinfo_set(info, "key", "the end"));
    CHECK(pthread_create(&last, NULL, outlive, NULL) == 0);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index == 1) {
        CHECK(sem_wait(&reading) == 0);
        CHECK(rcuinfo_store_drain() == 0);
        return;
    }
    if (own) {
        urcu_bp_read_lock();
        fork_inside();
        CHECK_VALUE(info, "key", "before");
        urcu_bp_read_unlock();
    } else {
        interrupted = true;
        CHECK_VALUE(info, "key", "before");
    }
    if (child == 0)
        live_on();
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    CHECK(argc == 2 || argc == 3);
    own = strcmp(argv[1], "own") == 0;
    listed = argc == 3;
    if (listed && !urcu_bp_has_sys_membarrier) {
        puts("skipped: liburcu-bp calls no membarrier here");
        return 77;
    }
    /* A thread that has read nothing: liburcu would end the process where it has no memory for one that does. */
    child = fork();
    CHECK(child >= 0 && !URCU_TLS(urcu_bp_reader));
    if (child == 0)
        _exit(0);
    spawn_wait(child, "first child");

    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(sem_init(&reading, 0, 0) == 0);
    info = OBJECT("key", "before");
    team_run(2, body, NULL);
    spawn_wait(child, "child");
    use_the_store("before");
    CHECK(rcuinfo_store_drain() == 0);
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
