/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork by one thread while another stands in the middle of a change: its entries are written, or the finder names them,
 * or the version is published, and it has the lock. The child reads and writes the object, and finds what was published
 * and nothing else, in the object, in copies and in snapshots; its first write begins a block of its own. The parent
 * goes on as if nothing had happened. Where the thread that makes the change forks by itself, in a signal handler, the
 * child ends it.
 */
#include <signal.h>
#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "core/handle.h"
#include "core/object.h"
#include "support/model.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/threads.h"

enum { FEW = 8, MANY = 200, RESERVED = 7 };

/* The changes. The copy's block is not its own; the filled one's has no room for all. */
static const struct {
    const char *name;
    size_t n;
    rcuinfo_change_t changes[5];
    bool of_copy;
} cases[] = {
    {"override", 1, {{"key3", "changed"}}, false},
    {"add", 1, {{"new", "added"}}, false},
    {"delete", 1, {{"key3", NULL}}, false},
    {"update", 5, {{"key3", "1"}, {"new", "2"}, {"key4", NULL}, {"key3", "3"}, {"key0", "4"}}, false},
    {"copy", 1, {{"key3", "changed"}}, true},
    {"update a copy", 3, {{"key3", "1"}, {"key4", NULL}, {"new", "2"}}, true},
};
enum { CASES = sizeof cases / sizeof *cases };

static const enum rcuinfo__sync_point points[] = {RCUINFO__SYNC_WRITTEN, RCUINFO__SYNC_LOCKED, RCUINFO__SYNC_PUBLISHED};
enum { POINTS = sizeof points / sizeof *points };

static rcuinfo_t info;
static struct model before, after;
static size_t which;
static _Thread_local enum rcuinfo__sync_point stops = RCUINFO__SYNC_POINTS; /* this thread stops there once */
static bool by_itself;
static pid_t child;
static atomic_bool stopped, goes_on;

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (point != stops)
        return;
    stops = RCUINFO__SYNC_POINTS;
    if (by_itself) {
        CHECK(raise(SIGUSR1) == 0);
        return;
    }
    atomic_store(&stopped, true);
    team_wait(&goes_on);
}

static void on_signal(int signal)
{
    (void)signal;
    child = fork();
    CHECK(child >= 0);
}

static void check(rcuinfo_t object, const struct model *wanted)
{
    const rcuinfo_snapshot_t *snapshot;
    CHECK(model_differs_from_object(wanted, object) == 0);
    CHECK_OK(rcuinfo_snapshot_open(object, &snapshot));
    CHECK(model_differs_from_snapshot(wanted, snapshot) == 0);
    rcuinfo_snapshot_close(snapshot);
}

static void set(struct model *m, const char *key, const char *value)
{
    CHECK(model_set(m, key, value) == RCUINFO_SUCCESS);
    CHECK_OK(rcuinfo_set(info, key, value));
    check(info, m);
}

static const struct rcuinfo__block *block_of(rcuinfo_t object)
{
    return rcuinfo__block_of(rcuinfo__handle_root(object, RCUINFO__NATIVE_BITS));
}

/* Writes of all kinds, of the keys of the change that was left and of others. */
static void write_all(struct model *m)
{
    const rcuinfo_change_t changes[] = {{"key5", NULL}, {"key6", "again"}, {"key5", "back"}, {"new", "news"}};
    char key[16];
    size_t failed;
    set(m, "key5", "another");
    set(m, "key3", "mine");
    set(m, "new", "mine, too");
    CHECK(model_update(m, changes, 4, &failed) == RCUINFO_SUCCESS);
    CHECK_OK(rcuinfo_update(info, changes, 4, NULL));
    check(info, m);
    CHECK(model_delete(m, "key3") == RCUINFO_SUCCESS);
    CHECK_OK(rcuinfo_delete(info, "key3"));
    check(info, m);
    for (int i = 0; i < 2 * MANY; i++) { /* past the end of the block */
        (void)snprintf(key, sizeof key, "key%d", i % 9);
        CHECK(model_set(m, key, i % 2 ? "odd" : "even") == RCUINFO_SUCCESS);
        CHECK_OK(rcuinfo_set(info, key, i % 2 ? "odd" : "even"));
    }
    check(info, m);
}

/* With the lock left behind, and in a child of the child. */
static _Noreturn void live_on(const struct model *published, bool left)
{
    const rcuinfo_snapshot_t *snapshot;
    struct model m;
    rcuinfo_t copy;
    check(info, published);
    CHECK_OK(rcuinfo_dup(info, &copy));
    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
    model_init(&m);
    model_copy(&m, published);
    pid_t next = fork();
    CHECK(next >= 0);

    const struct rcuinfo__block *block = block_of(info);
    set(&m, "key6", "first");
    CHECKF(!left || block_of(info) != block, "the first write goes on in a block whose end is not known");
    CHECK(rcuinfo__handle_slot(info)->appends);
    write_all(&m);
    check(copy, published);
    CHECK(model_differs_from_snapshot(published, snapshot) == 0);
    CHECK_OK(rcuinfo_set(copy, "key7", "mine"));
    check(info, &m);
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_free(&copy));
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
    if (next > 0)
        spawn_wait(next, "grandchild");
    _exit(0);
}

static void change(enum rcuinfo__sync_point point)
{
    stops = point;
    if (cases[which].n > 1)
        CHECK_OK(rcuinfo_update(info, cases[which].changes, cases[which].n, NULL));
    else if (cases[which].changes[0].value)
        CHECK_OK(rcuinfo_set(info, cases[which].changes[0].key, cases[which].changes[0].value));
    else
        CHECK_OK(rcuinfo_delete(info, cases[which].changes[0].key));
    CHECK(stops == RCUINFO__SYNC_POINTS);
}

static void body(unsigned index, void *argument)
{
    enum rcuinfo__sync_point point = *(const enum rcuinfo__sync_point *)argument;
    if (index == 0) {
        change(point);
        return;
    }
    team_wait(&stopped);
    child = fork();
    CHECK(child >= 0);
    if (child == 0)
        live_on(point == RCUINFO__SYNC_PUBLISHED ? &after : &before, true);
    atomic_store(&goes_on, true);
}

/* An object of so many pairs, which owns its block's end, with room behind it for any of the changes. */
static void make_object(int pairs)
{
    char key[16];
    model_init(&before);
    CHECK_OK(rcuinfo_create(&info));
    for (int i = 0; i < pairs; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        CHECK(model_set(&before, key, "value") == RCUINFO_SUCCESS);
        CHECK_OK(rcuinfo_set(info, key, "value"));
    }
    for (uint32_t room = 0; room < 8;) {
        const struct rcuinfo__entry *last = rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS);
        room = rcuinfo__block_of(last)->capacity - last->position - 1;
        if (room < 8) {
            CHECK(model_set(&before, "key1", "other") == RCUINFO_SUCCESS);
            CHECK_OK(rcuinfo_set(info, "key1", "other"));
        }
    }
}

static void fork_in_change(int pairs, enum rcuinfo__sync_point point)
{
    rcuinfo_t original = RCUINFO_NULL;
    size_t failed;
    make_object(pairs);
    CHECK((block_of(info)->mask == 0) == (pairs == FEW)); /* the finder is bytes */
    if (cases[which].of_copy) {
        original = info;
        CHECK_OK(rcuinfo_dup(original, &info));
    }
    model_init(&after);
    model_copy(&after, &before);
    CHECK(model_update(&after, cases[which].changes, cases[which].n, &failed) == RCUINFO_SUCCESS);

    atomic_store(&stopped, false);
    atomic_store(&goes_on, false);
    if (by_itself) {
        change(point);
        if (child == 0)
            live_on(&after, false);
    } else {
        team_run(2, body, &point);
    }
    check(info, &after);
    spawn_wait(child, cases[which].name);
    write_all(&after);
    CHECK_OK(rcuinfo_free(&info));
    if (original != RCUINFO_NULL)
        CHECK_OK(rcuinfo_free(&original));
    model_clear(&before);
    model_clear(&after);
}

/* A read-only object, as MPI_INFO_ENV is: the calls that are refused in the child do not hide that its lock was left.
 */
static void update_reserved(rcuinfo_t reserved, const char *key, const char *value)
{
    const rcuinfo_change_t one = {key, value};
    CHECK(model_set(&after, key, value) == RCUINFO_SUCCESS);
    CHECK_OK(rcuinfo__object_update(reserved, &one, 1));
}

static void reserved_body(unsigned index, void *argument)
{
    rcuinfo_t reserved = *(const rcuinfo_t *)argument;
    if (index == 0) {
        stops = RCUINFO__SYNC_LOCKED;
        update_reserved(reserved, "key3", "left");
        return;
    }
    team_wait(&stopped);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        rcuinfo_t given = reserved;
        model_copy(&after, &before);
        check(reserved, &after);
        CHECK_STATUS(rcuinfo_free(&given), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_set(reserved, "key3", "mine"), RCUINFO_ERR_INFO);
        update_reserved(reserved, "key4", "mine");
        check(reserved, &after);
        _exit(0);
    }
    atomic_store(&goes_on, true);
}

static void fork_in_change_of_reserved(void)
{
    const struct rcuinfo__entry *version;
    make_object(MANY);
    CHECK_OK(rcuinfo__object_hold(info, RCUINFO__NATIVE_BITS, &version));
    CHECK_OK(rcuinfo__object_reserve(RESERVED, version));
    rcuinfo_t reserved = rcuinfo__object_reserved(RESERVED);
    model_init(&after);
    model_copy(&after, &before);
    update_reserved(reserved, "key1", "own"); /* from here on the block is its own */
    model_clear(&before);
    model_copy(&before, &after);
    atomic_store(&stopped, false);
    atomic_store(&goes_on, false);
    team_run(2, reserved_body, &reserved);
    check(reserved, &after);
    spawn_wait(child, "child");
    CHECK_OK(rcuinfo_free(&info));
    model_clear(&before);
    model_clear(&after);
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    for (int own = 0; own <= !TEST_THREAD_SANITIZER; own++) {
        by_itself = own;
        for (which = 0; which < CASES; which++) {
            for (int point = 0; point < POINTS; point++) {
                fork_in_change(FEW, points[point]);
                fork_in_change(MANY, points[point]);
            }
        }
    }
    by_itself = false;
    fork_in_change_of_reserved();
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
