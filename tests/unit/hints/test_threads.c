/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hint set of two numbers that are always set together, to the same number. Readers do not wait for writers; threads
 * that set hints reclaim old versions. After a fork while other threads change the set, the child, which has no thread
 * that could release the set's lock, sees one version, and can set hints; so can the parent. hints.histories tests what
 * threads read while others set.
 *
 * usage: test_threads [own]        own: see tests/concurrent/test_fork.c; tests only fork
 */
#include <urcu/urcu-bp.h>

#include "support/gate.h"
#include "support/objects.h"
#include "support/spawn.h"
#include "support/threads.h"

enum { FIRST, SECOND, ROWS, WRITERS = 2, FORKS = TEST_SANITIZED ? 20 : 100 };
enum { SETS = SCALED(40000) };

static const rcuinfo_hint_t rows[ROWS] = {{.key = "first", .type = RCUINFO_TYPE_INT, .initial = "0"},
                                          {.key = "second", .type = RCUINFO_TYPE_INT, .initial = "0"}};

static rcuinfo_schema_t *schema;
static rcuinfo_hint_set_t *both;

static void make(rcuinfo_hint_accept_t *accept)
{
    CHECK_OK(rcuinfo_hint_set_create(schema, RCUINFO_NULL, accept, NULL, &both));
}

/* Sets both hints to `number`, by an info that has `row` first. */
static void set(long number, long row)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%ld", number);
    rcuinfo_t info = OBJECT(rows[row].key, text, rows[!row].key, text);
    CHECK_OK(rcuinfo_hint_set_merge(both, info));
    object_free(info);
}

static long read_number(size_t row)
{
    int64_t number = -1;
    CHECK_OK(rcuinfo_hint_set_read(both, row, &number));
    return (long)number;
}

/* Checks that every way of reading returns `number`. No other thread may change the set meanwhile. */
static void check(long number)
{
    char text[32];
    size_t length;
    rcuinfo_t info;
    CHECK_OK(rcuinfo_hint_set_get_info(both, &info));
    CHECK(object_count(info) == ROWS);
    for (size_t row = 0; row < ROWS; row++) {
        int64_t got = -1;
        CHECK_OK(rcuinfo_get_int64(info, rows[row].key, &got, NULL));
        CHECK_OK(rcuinfo_hint_set_read_string(both, row, text, sizeof text, &length));
        CHECK(got == number && read_number(row) == number && strtol(text, NULL, 10) == number);
    }
    object_free(info);
}

static void end(void)
{
    rcuinfo_hint_set_free(&both);
    CHECK(!both);
    CHECK(rcuinfo_store_drain() == 0);
}

static atomic_bool asked, answered;

static int block(void *context, size_t row, const char *value, int64_t number, int creating)
{
    (void)context, (void)row, (void)value, (void)number, (void)creating;
    atomic_store(&asked, true);
    team_wait(&answered);
    return 1;
}

/* One thread is blocked in accept until the other has read the old hints in every way. */
static void stalled(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0) {
        set(5, FIRST);
        return;
    }
    team_wait(&asked);
    for (int i = 0; i < 1000; i++)
        check(0);
    atomic_store(&answered, true);
}

static atomic_int forking = 1;
static atomic_ulong sets;

/* What a child does: it uses the set, frees it and creates another one. */
static _Noreturn void live_on(void)
{
    long number = read_number(FIRST);
    check(number);
    for (int i = 1; i <= 20; i++) {
        set(number + i, FIRST);
        check(number + i);
    }
    rcuinfo_hint_set_free(&both);
    make(NULL);
    set(7, FIRST);
    check(7);
    end();
    _exit(0);
}

/* Yields with the lock held, so that forks happen meanwhile. */
static int linger(void *context, size_t row, const char *value, int64_t number, int creating)
{
    (void)context, (void)row, (void)value, (void)number, (void)creating;
    sched_yield();
    return 1;
}

static void fork_beside(unsigned index, void *argument)
{
    (void)argument;
    for (int i = 0; i < FORKS && index == 0; i++) {
        unsigned long before = atomic_load(&sets);
        TEAM_UNTIL(atomic_load(&sets) >= before + 10);
        pid_t child = gate_fork();
        if (child == 0)
            live_on();
        CHECK(child > 0);
        spawn_wait(child, "child");
    }
    if (index == 0)
        atomic_store(&forking, 0);
    for (long i = 1; atomic_load(&forking); i++) {
        gate_enter();
        set(i, FIRST);
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

static void forks(void)
{
    make(linger);
    team_run(1 + WRITERS, fork_beside, NULL);
    check(read_number(FIRST));
    end();
    /* Both processes return from accept, and from the set. */
    make(fork_in_accept);
    set(1, FIRST);
    check(1);
    if (forked == 0)
        live_on();
    spawn_wait(forked, "child of accept");
    set(2, FIRST);
    check(2);
    end();
}

int main(int argc, char **argv)
{
    CHECK_OK(rcuinfo_schema_create(NULL, rows, ROWS, &schema, NULL));
    if (argc > 1) {
        CHECK(strcmp(argv[1], "own") == 0);
        CHECK(pthread_atfork(urcu_bp_before_fork, urcu_bp_after_fork_parent, urcu_bp_after_fork_child) == 0);
    } else {
        make(block);
        team_run(2, stalled, NULL);
        check(5);
        end();
    }
    forks();
    rcuinfo_schema_free(&schema);
    return 0;
}
