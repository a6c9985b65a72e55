/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two threads fork a thousand times while others write. The parent goes on, and so does the child: it reads, writes,
 * creates, frees, drains and forks again, with the same objects to which other threads of the parent were writing.
 *
 * usage: test_fork [own]
 * own: the program registers liburcu-bp's fork handlers itself, and RCUINFO_ATFORK is "no".
 */
#include <urcu/urcu-bp.h>

#include <rcuinfo/rcuinfo.h>

#include "stress/selfcheck.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/threads.h"

enum { FORKERS = 2, WRITERS = 2, OBJECTS = 4, FORKS = TEST_SANITIZED ? 40 : 1000, CHILD_WRITES = 100 };

static rcuinfo_t objects[OBJECTS];
static atomic_uint forking = FORKERS;
static atomic_ulong writes;

static void write_one(unsigned writer, unsigned long i)
{
    char value[SELFCHECK_MAX + 1], key[16];
    (void)snprintf(key, sizeof key, "key%lu", i % 6);
    selfcheck_make(value, writer, i, SELFCHECK_MIN + i % 50);
    CHECK_OK(rcuinfo_set(objects[(i + writer) % OBJECTS], key, value));
    if (i % 7 == 0) {
        rcuinfo_t copy = object_dup(objects[i % OBJECTS]);
        CHECK_OK(rcuinfo_set(copy, "mine", "x"));
        object_free(copy);
    }
    atomic_fetch_add_explicit(&writes, 1, memory_order_relaxed);
}

/* Checks that no value of any object is torn. */
static void read_all(void)
{
    for (unsigned n = 0; n < OBJECTS; n++) {
        const rcuinfo_snapshot_t *snapshot = object_open(objects[n]);
        for (size_t i = 0; i < rcuinfo_snapshot_count(snapshot); i++) {
            rcuinfo_pair_t pair;
            CHECK_OK(rcuinfo_snapshot_nth(snapshot, i, &pair));
            CHECKF(selfcheck_whole(pair.value), "torn: \"%s\"", pair.value);
        }
        rcuinfo_snapshot_close(snapshot);
    }
}

static void use_the_store(void)
{
    read_all();
    for (unsigned long i = 0; i < CHILD_WRITES; i++)
        write_one(7, i);
    read_all();
    object_free(OBJECT("key", "value"));
}

/* Runs in a child, and in its descendants down to generation `last`. Of the parent's threads it has only this one. */
static _Noreturn void live_on(int generation, int last)
{
    use_the_store();
    while (generation < last) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child != 0) {
            spawn_wait(child, "grandchild");
            write_one(7, 1);
            _exit(0);
        }
        generation++;
        use_the_store();
    }
    for (unsigned n = 0; n < OBJECTS; n++)
        object_free(objects[n]);
    if (last > 1) /* not always: it touches, and so copies, all memory of the pools */
        CHECK(rcuinfo_store_drain() == 0);
    if (TEST_SANITIZED) /* LeakSanitizer would look for threads that the child does not have */
        _exit(0);
    exit(0); /* runs the destructors */
}

static void fork_on(void)
{
    for (int i = 0; i < FORKS / FORKERS; i++) {
        unsigned long before = atomic_load(&writes);
        TEAM_UNTIL(atomic_load(&writes) >= before + 20); /* fork while others write */
        pid_t child = gate_fork();
        CHECK(child >= 0);
        if (child == 0)
            live_on(1, i % 10 ? 1 : 3);
        gate_enter();
        read_all();
        gate_leave();
        spawn_wait(child, "child");
    }
    atomic_fetch_sub(&forking, 1);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index < FORKERS) {
        fork_on();
        return;
    }
    for (unsigned long i = 0; atomic_load(&forking) > 0; i++) {
        gate_enter();
        write_one(index, i);
        gate_leave();
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        CHECK(strcmp(argv[1], "own") == 0);
        CHECK(pthread_atfork(urcu_bp_before_fork, urcu_bp_after_fork_parent, urcu_bp_after_fork_child) == 0);
    }
    for (unsigned n = 0; n < OBJECTS; n++)
        objects[n] = object_empty();
    team_run(FORKERS + WRITERS, body, NULL);
    read_all();
    for (unsigned n = 0; n < OBJECTS; n++)
        object_free(objects[n]);
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
