/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork in a signal handler that interrupts malloc in a set. glibc's own fork handlers may then wait for ever, for the
 * malloc that was interrupted. Here a handler of the program's stands for them, which comes after ours. Meanwhile
 * other threads use the store, wait for grace periods, and take signals.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "support/hints.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/spawn.h"
#include "support/threads.h"

static bool armed;
static pid_t child;
static atomic_bool waits, goes_on; /* in fork; no more */

static void *interrupted(void *memory)
{
    if (armed) {
        armed = false;
        CHECK(raise(SIGUSR1) == 0);
    }
    return memory;
}

#define malloc(bytes) interrupted(malloc(bytes))
#include "core/memory/alloc.c"
#undef malloc

static void wait_in_fork(void)
{
    atomic_store(&waits, true);
    team_wait(&goes_on);
}

/* Before those of the library, so that it is called after them. */
__attribute__((constructor(101))) static void register_first(void)
{
    CHECK(pthread_atfork(wait_in_fork, NULL, NULL) == 0);
}

static void on_signal(int signal)
{
    (void)signal;
    CHECK((child = fork()) >= 0);
}

static void go_on(void)
{
    sigset_t mask;
    for (int i = 0; i < 20000; i++) { /* versions enough for a grace period */
        rcuinfo_t info = OBJECT("key", "value");
        CHECK_OK(rcuinfo_hint_set_impose(hints, "number", i % 2 ? "1" : "2"));
        object_free(info);
    }
    CHECK(left_stats().grace_periods > 0);
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0 && !sigismember(&mask, SIGTERM));
    (void)rcuinfo_store_drain();
}

static void work(unsigned index, void *unused)
{
    (void)unused;
    if (index == 1) {
        team_wait(&waits);
        go_on();
        atomic_store(&goes_on, true);
        return;
    }
    rcuinfo_t info = object_empty();
    CHECK_EQUAL(rcuinfo_store_drain(), 0); /* the set needs malloc */
    armed = true;
    CHECK_OK(rcuinfo_set(info, "key", "value"));
    CHECK(!armed);
    CHECK_VALUE(info, "key", "value");
    object_free(info);
    if (child == 0)
        _exit(0);
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    hints_begin();
    team_run(2, work, NULL);
    spawn_wait(child, "child");
    hints_end();
    left_nothing();
    return 0;
}
