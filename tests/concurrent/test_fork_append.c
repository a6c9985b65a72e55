/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread forks while another has stopped in the middle of a change, with the lock held: its entries are written, or
 * the finder leads to them, or the version is published. The child reads and writes the object. It finds what was
 * published and nothing else, in the object, in copies and in snapshots, and its first write begins a new block. The
 * parent is not affected. (If the thread that makes the change forks itself, in a signal handler, the child completes
 * the change: test_signal.c.)
 */
#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "core/calls/object.h"
#include "support/hints.h"
#include "support/inside.h"
#include "support/model.h"
#include "support/objects.h"
#include "support/spawn.h"
#include "support/sync.h"

enum { FEW = 8, MANY = 200 };

/* The changes. `of_copy`: of a dup, which may not append to its block. */
static const struct {
    size_t n;
    rcuinfo_change_t changes[5];
    bool of_copy;
} cases[] = {
    {1, {{"key3", "changed"}}, false},
    {1, {{"new", "added"}}, false},
    {1, {{"key3", NULL}}, false},
    {5, {{"key3", "1"}, {"new", "2"}, {"key4", NULL}, {"key3", "3"}, {"key0", "4"}}, false},
    {1, {{"key3", "changed"}}, true},
    {3, {{"key3", "1"}, {"key4", NULL}, {"new", "2"}}, true},
};
enum { CASES = sizeof cases / sizeof *cases };

static const enum rcuinfo__sync_point points[] = {RCUINFO__SYNC_WRITTEN, RCUINFO__SYNC_LOCKED, RCUINFO__SYNC_PUBLISHED};
enum { POINTS = sizeof points / sizeof *points };

static struct modelled before; /* the object, with its model before the change */
static struct modelled after;  /* the same object, with its model after the change */
static size_t which;           /* index of the case, or one of these: */
enum { ENV = CASES, HINTS };   /* a change of the read-only object; of a hint set */
static pid_t child;

static void check(const struct modelled *m)
{
    struct kept now = {.snapshot = NULL};
    modelled_check(m);
    kept_open(&now, m);
    kept_close(&now);
}

static void set(struct modelled *m, const char *key, const char *value)
{
    CHECK_OK(modelled_set(m, key, value));
    check(m);
}

/* Writes of all kinds, with the keys of the interrupted change and with others. */
static void write_all(struct modelled *m)
{
    const rcuinfo_change_t changes[] = {{"key5", NULL}, {"key6", "again"}, {"key5", "back"}, {"new", "news"}};
    char key[16];
    set(m, "key5", "another");
    set(m, "key3", "mine");
    set(m, "new", "mine, too");
    CHECK_OK(modelled_update(m, changes, 4));
    check(m);
    CHECK_OK(modelled_delete(m, "key3"));
    check(m);
    for (int i = 0; i < 2 * MANY; i++) { /* past the end of the block */
        (void)snprintf(key, sizeof key, "key%d", i % 9);
        CHECK_OK(modelled_set(m, key, i % 2 ? "odd" : "even"));
    }
    check(m);
}

/* Runs in the child, where the lock was left behind, and in a child of that. */
static _Noreturn void live_on(struct modelled *m)
{
    struct kept kept = {.snapshot = NULL};
    struct modelled copy;
    check(m);
    modelled_dup(&copy, m);
    kept_open(&kept, m);
    pid_t next = fork();
    CHECK(next >= 0);

    const struct rcuinfo__block *block = block_of(m->info);
    set(m, "key6", "first");
    CHECKF(block_of(m->info) != block, "the first write goes on in a block whose end is not known");
    CHECK(rcuinfo__handle_slot(m->info)->appends);
    write_all(m);
    check(&copy);
    kept_check(&kept, NULL);
    set(&copy, "key7", "mine");
    check(m);
    kept_close(&kept);
    modelled_free(&copy);
    modelled_free(m);
    CHECK(rcuinfo_store_drain() == 0);
    if (next > 0)
        spawn_wait(next, "grandchild");
    _exit(0);
}

static void update_env(const char *host)
{
    const rcuinfo_change_t one = {"host", host};
    CHECK_OK(rcuinfo__object_update(rcuinfo_env(), &one, 1));
    CHECK_VALUE(rcuinfo_env(), "host", host);
}

/* Calls that are refused on the read-only object must not hide that its lock was left behind. */
static _Noreturn void live_on_with_env(void)
{
    rcuinfo_t env = rcuinfo_env();
    const struct rcuinfo__block *block = block_of(env);
    CHECK_VALUE(env, "host", "before");
    CHECK_STATUS(rcuinfo_free(&env), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_set(env, "host", "mine"), RCUINFO_ERR_INFO);
    update_env("mine");
    CHECK(block_of(env) != block);
    _exit(0);
}

/* The set's lock was left behind. */
static _Noreturn void live_on_with_hints(void)
{
    int64_t number = 0;
    for (int64_t i = 5; i < 20; i++) {
        char text[8];
        CHECK_OK(rcuinfo_hint_set_read(hints, 0, &number));
        CHECK_EQUAL(number, i);
        (void)snprintf(text, sizeof text, "%d", (int)i + 1);
        CHECK_OK(rcuinfo_hint_set_impose(hints, "number", text));
    }
    hints_end();
    CHECK(rcuinfo_store_drain() == 0);
    _exit(0);
}

static void change(void)
{
    if (which == ENV) {
        update_env("changed");
        return;
    }
    if (which == HINTS) {
        CHECK_OK(rcuinfo_hint_set_impose(hints, "number", "4"));
        return;
    }
    const rcuinfo_change_t *first = cases[which].changes;
    if (cases[which].n > 1)
        CHECK_OK(rcuinfo_update(before.info, first, cases[which].n, NULL));
    else if (first->value)
        CHECK_OK(rcuinfo_set(before.info, first->key, first->value));
    else
        CHECK_OK(rcuinfo_delete(before.info, first->key));
}

static void body(unsigned index, void *argument)
{
    enum rcuinfo__sync_point point = *(const enum rcuinfo__sync_point *)argument;
    if (index == 0) {
        sync_at(point, 1, sync_stop);
        change();
        CHECK_EQUAL(sync_now.visits, 0);
        return;
    }
    team_wait(&sync_stands);
    CHECK((child = fork()) >= 0);
    if (child == 0 && which == ENV)
        live_on_with_env();
    if (child == 0 && which == HINTS)
        live_on_with_hints();
    if (child == 0)
        live_on(point == RCUINFO__SYNC_PUBLISHED ? &after : &before);
    atomic_store(&sync_goes_on, true);
}

static void run(enum rcuinfo__sync_point point)
{
    sync_reset();
    team_run(2, body, &point);
    spawn_wait(child, "child");
}

/* Forks in the middle of a change of an object of `pairs` pairs, whose block has room for any of the changes. */
static void fork_in_change(int pairs, enum rcuinfo__sync_point point)
{
    struct modelled original;
    size_t failed;
    char key[16];
    modelled_create(&before);
    for (int i = 0; i < pairs; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        CHECK_OK(modelled_set(&before, key, "value"));
    }
    while (block_of(before.info)->capacity - root_of(before.info)->position - 1 < 8)
        CHECK_OK(modelled_set(&before, "key1", "other"));
    CHECK((block_of(before.info)->mask == 0) == (pairs == FEW)); /* few: the finder consists of bytes */
    if (cases[which].of_copy) {
        original = before;
        modelled_dup(&before, &original);
    }
    after.info = before.info;
    model_copy(&after.model, &before.model);
    CHECK_OK(model_update(&after.model, cases[which].changes, cases[which].n, &failed));
    run(point);
    check(&after);
    write_all(&after);
    modelled_free(&after);
    model_clear(&before.model);
    if (cases[which].of_copy)
        modelled_free(&original);
}

int main(void)
{
    for (which = 0; which < CASES; which++) {
        for (int point = 0; point < POINTS; point++) {
            fork_in_change(FEW, points[point]);
            fork_in_change(MANY, points[point]);
        }
    }
    update_env("before"); /* from here on the object may append to its block */
    run(RCUINFO__SYNC_LOCKED);
    which = HINTS;
    hints_begin();
    run(RCUINFO__SYNC_LOCKED);
    hints_end();
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
