/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork while other threads change a hint set: the child, in which nobody else is left who could give its lock back,
 * sees one version of it, sets it, and goes on; so does the parent. Some forks fall into accept, some are made by it.
 *
 * usage: test_fork [own]        own: as that of tests/concurrent/test_fork.c
 */
#include <urcu/urcu-bp.h>

#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/spawn.h"
#include "support/threads.h"

enum { WRITERS = 2, FORKS = TEST_SANITIZED ? 20 : 300 };

static const rcuinfo_hint_t rows[2] = {{.key = "first", .type = RCUINFO_HINT_INT, .initial = "0"},
                                       {.key = "second", .type = RCUINFO_HINT_INT, .initial = "0"}};

static rcuinfo_schema_t *schema;
static rcuinfo_hints_t *hints;
static atomic_int forking = 1;
static atomic_ulong sets;

/* As in tests/concurrent/test_fork.c: the sanitizers' allocators do not survive a fork in the middle of a call. */
static pthread_rwlock_t gate = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void set_both(long number)
{
    char text[32];
    rcuinfo_t info;
    (void)snprintf(text, sizeof text, "%ld", number);
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_set(info, "first", text));
    CHECK_OK(rcuinfo_set(info, "second", text));
    CHECK_OK(rcuinfo_hints_set(hints, info));
    CHECK_OK(rcuinfo_free(&info));
}

/* Numbers and text, of both hints, are those of one version, since this thread is alone. */
static long read_all(void)
{
    long number = -1;
    for (size_t row = 0; row < 2; row++) {
        char text[32], got[32];
        int buflen = sizeof text, flag = 0;
        int64_t read;
        rcuinfo_t info;
        CHECK_OK(rcuinfo_hints_read(hints, row, &read));
        CHECK_OK(rcuinfo_hints_read_string(hints, row, &buflen, text));
        CHECK_OK(rcuinfo_hints_get(hints, &info));
        CHECK_OK(rcuinfo_get(info, rows[row].key, sizeof got - 1, got, &flag));
        CHECK_OK(rcuinfo_free(&info));
        CHECKF(flag && strtol(text, NULL, 10) == read && strcmp(text, got) == 0, "%ld, %s, %s", (long)read, text, got);
        CHECKF(number < 0 || number == read, "torn: %ld and %ld", number, (long)read);
        number = (long)read;
    }
    return number;
}

static _Noreturn void live_on(void)
{
    long number = read_all();
    for (int i = 1; i <= 20; i++) {
        set_both(number + i);
        CHECK(read_all() == number + i);
    }
    rcuinfo_hints_free(&hints);
    CHECK_OK(rcuinfo_hints_create(schema, RCUINFO_NULL, NULL, NULL, &hints));
    set_both(7);
    CHECK(read_all() == 7);
    rcuinfo_hints_free(&hints);
    CHECK(rcuinfo_store_drain() == 0);
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
            if (TEST_SANITIZED)
                CHECK(pthread_rwlock_wrlock(&gate) == 0);
            pid_t child = fork();
            if (child == 0)
                live_on();
            if (TEST_SANITIZED)
                CHECK(pthread_rwlock_unlock(&gate) == 0);
            CHECK(child > 0);
            spawn_wait(child, "child");
        }
        atomic_store(&forking, 0);
        return;
    }
    for (long i = 1; atomic_load(&forking); i++) {
        if (TEST_SANITIZED)
            CHECK(pthread_rwlock_rdlock(&gate) == 0);
        set_both(i);
        atomic_fetch_add(&sets, 1);
        if (TEST_SANITIZED)
            CHECK(pthread_rwlock_unlock(&gate) == 0);
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
    CHECK_OK(rcuinfo_schema_create(NULL, rows, 2, &schema, NULL));
    CHECK_OK(rcuinfo_hints_create(schema, RCUINFO_NULL, linger, NULL, &hints));
    team_run(1 + WRITERS, body, NULL);
    (void)read_all();
    rcuinfo_hints_free(&hints);
    CHECK(rcuinfo_store_drain() == 0);
    /* Both processes return from accept, and from the set. */
    CHECK_OK(rcuinfo_hints_create(schema, RCUINFO_NULL, fork_in_accept, NULL, &hints));
    set_both(1);
    CHECK(read_all() == 1);
    if (forked == 0)
        live_on();
    spawn_wait(forked, "child of accept");
    set_both(2);
    CHECK(read_all() == 2);
    rcuinfo_hints_free(&hints);
    rcuinfo_schema_free(&schema);
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
