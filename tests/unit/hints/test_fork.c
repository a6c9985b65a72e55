/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork while other threads change a hint set: the child, in which nobody else is left who could give its lock back,
 * sees one version of it, sets it, and goes on; so does the parent. Some forks fall into accept, some are made by it.
 *
 * usage: test_fork [own]        own: as that of tests/concurrent/test_fork.c
 */
#include <urcu/urcu-bp.h>

#include "hints/both.h"
#include "support/gate.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/threads.h"

enum { WRITERS = 2, FORKS = TEST_SANITIZED ? 20 : 300 };

static atomic_int forking = 1;
static atomic_ulong sets;

static _Noreturn void live_on(void)
{
    long number = both_read(FIRST);
    both_check(number);
    for (int i = 1; i <= 20; i++) {
        both_set(number + i, FIRST);
        both_check(number + i);
    }
    rcuinfo_hint_set_free(&both);
    both_make(NULL);
    both_set(7, FIRST);
    both_check(7);
    rcuinfo_hint_set_free(&both);
    both_end();
    _exit(0);
}

/* Has the lock for a while, so that forks fall into it. */
static int linger(void *context, size_t row, const char *value, int64_t number, int creating)
{
    (void)context, (void)row, (void)value, (void)number, (void)creating;
    sched_yield();
    return 1;
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0) {
        for (int i = 0; i < FORKS; i++) {
            unsigned long before = atomic_load(&sets);
            unsigned spins = 0;
            while (atomic_load(&sets) < before + 10)
                team_relax(&spins);
            pid_t child = gate_fork();
            if (child == 0)
                live_on();
            CHECK(child > 0);
            spawn_wait(child, "child");
        }
        atomic_store(&forking, 0);
        return;
    }
    for (long i = 1; atomic_load(&forking); i++) {
        gate_enter();
        both_set(i, FIRST);
        atomic_fetch_add(&sets, 1);
        gate_leave();
    }
}

static pid_t forked;

static int fork_in_accept(void *context, size_t row, const char *value, int64_t number, int creating)
{
    (void)context, (void)value, (void)creating;
    if (row == 0 && number == 1) {
        forked = fork();
        CHECK(forked >= 0);
    }
    return 1;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        CHECK(strcmp(argv[1], "own") == 0);
        CHECK(pthread_atfork(urcu_bp_before_fork, urcu_bp_after_fork_parent, urcu_bp_after_fork_child) == 0);
    }
    both_make(linger);
    team_run(1 + WRITERS, body, NULL);
    both_check(both_read(FIRST));
    rcuinfo_hint_set_free(&both);
    CHECK(rcuinfo_store_drain() == 0);
    /* Both processes return from accept, and from the set. */
    both_make(fork_in_accept);
    both_set(1, FIRST);
    both_check(1);
    if (forked == 0)
        live_on();
    spawn_wait(forked, "child of accept");
    both_set(2, FIRST);
    both_check(2);
    rcuinfo_hint_set_free(&both);
    both_end();
    return 0;
}
