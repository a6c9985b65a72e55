/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Large versions in the store: when a version becomes large and flat again, and that each node is counted by just those
 * that own it, whatever was changed, dupped, opened, closed, freed and reclaimed in what order. White box: walks the
 * trees of all versions that are left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/change.h"
#include "core/handle.h"
#include "core/reclaim.h"
#include "core/text.h"
#include "support/model.h"
#include "support/random.h"
#include "support/scale.h"

enum { OBJECTS = 4, SNAPSHOTS = 6, KEYS = 700, MOST_CHANGES = 40, KEY_BYTES = 16, VALUE_BYTES = 96 };

static struct random rng;

static const struct rcuinfo__cell *cell_of(rcuinfo_t info)
{
    return rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS); /* one thread, so it stays */
}

static uint64_t flat_size(rcuinfo_t info)
{
    const struct rcuinfo__snapshot *s = &cell_of(info)->snapshot;
    return rcuinfo__snapshot_size(s->count, rcuinfo__snapshot_text(s));
}

static void set_value(rcuinfo_t info, struct model *m, unsigned key, unsigned length)
{
    char name[KEY_BYTES], value[VALUE_BYTES];
    (void)snprintf(name, sizeof name, "key%u", key);
    memset(value, (int)('a' + random_below(&rng, 26)), length);
    value[length] = '\0';
    assert_int_equal(rcuinfo_set(info, name, value), RCUINFO_SUCCESS);
    assert_int_equal(model_set(m, name, value), RCUINFO_SUCCESS);
}

static void delete_at(rcuinfo_t info, struct model *m, size_t place)
{
    char name[KEY_BYTES];
    (void)strcpy(name, m->pairs[place].key);
    assert_int_equal(rcuinfo_delete(info, name), RCUINFO_SUCCESS);
    assert_int_equal(model_delete(m, name), RCUINFO_SUCCESS);
}

/* Large from the set on that takes a flat block above the upper bound, until a delete takes it below the lower one. */
static void layout_follows_the_size(void **state)
{
    struct model m;
    rcuinfo_t info;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    model_init(&m);
    for (int round = 0; round < 3; round++) {
        while (flat_size(info) <= 2 * RCUINFO__FLAT_MOST) {
            bool was = cell_of(info)->large;
            set_value(info, &m, random_below(&rng, KEYS), random_below(&rng, VALUE_BYTES));
            assert_int_equal(cell_of(info)->large,
                             flat_size(info) > RCUINFO__FLAT_MOST || (was && flat_size(info) >= RCUINFO__FLAT_LEAST));
            assert_true(rcuinfo__snapshot_valid(&cell_of(info)->snapshot));
        }
        assert_int_equal(model_differs_from_object(&m, info), 0);
        while (flat_size(info) > RCUINFO__FLAT_LEAST / 2) {
            delete_at(info, &m, random_below(&rng, (unsigned)m.count));
            assert_int_equal(cell_of(info)->large, flat_size(info) >= RCUINFO__FLAT_LEAST);
            assert_true(rcuinfo__snapshot_valid(&cell_of(info)->snapshot));
        }
        assert_int_equal(model_differs_from_object(&m, info), 0);
    }
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    model_clear(&m);
}

/* An update goes from one layout to the other, and past both bounds in one step. */
static void updates_choose_the_layout(void **state)
{
    static char keys[KEYS][KEY_BYTES];
    static rcuinfo_change_t changes[2 * KEYS];
    rcuinfo_t info;
    struct model m;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    model_init(&m);
    for (unsigned i = 0; i < KEYS; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "key%u", i);
        changes[i] = (rcuinfo_change_t){keys[i], "some value of a length"};
        changes[KEYS + i] = (rcuinfo_change_t){keys[i], NULL};
    }
    static const struct {
        unsigned from, n;
        bool large;
    } steps[] = {
        {0, KEYS, true}, /* flat, empty */
        {KEYS, KEYS - 10, false},
        {0, KEYS, true},
        {KEYS, KEYS - 300, true},
        {2 * KEYS - 300, 300, false}, /* all */
        {0, 2 * KEYS, false},         /* as many as before, through a large one */
        {0, KEYS + 20, true},
        {0, KEYS + 20, true},          /* deletes what it sets */
        {KEYS + 20, KEYS - 20, false}, /* all */
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        size_t failed = 77;
        assert_int_equal(rcuinfo_update(info, changes + steps[i].from, steps[i].n, &failed), RCUINFO_SUCCESS);
        assert_int_equal(model_update(&m, changes + steps[i].from, steps[i].n, &failed), RCUINFO_SUCCESS);
        assert_int_equal(model_differs_from_object(&m, info), 0);
        assert_int_equal(cell_of(info)->large, steps[i].large);
        assert_true(rcuinfo__snapshot_valid(&cell_of(info)->snapshot));
    }
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    model_clear(&m);
}

static struct {
    rcuinfo_t info;
    struct model model;
} objects[OBJECTS];

static struct {
    const rcuinfo_snapshot_t *snapshot;
    struct model model;
} views[SNAPSHOTS];

/* Nodes that were met, and the parents that were met of each. */
static struct {
    struct rcuinfo__node *node;
    uint32_t parents;
} met[1 << 16];
static unsigned met_n;

static void meet(struct rcuinfo__node *node)
{
    size_t place = (uintptr_t)node / 8 * 2654435761U % (sizeof met / sizeof *met);
    while (met[place].node && met[place].node != node)
        place = (place + 1) % (sizeof met / sizeof *met);
    met[place].parents++;
    if (met[place].node)
        return;
    met[place].node = node;
    met_n++;
    if (node->kind == RCUINFO__NODE_BUCKET) {
        for (uint32_t i = 0; i < node->n; i++)
            meet(&rcuinfo__node_bucket(node)->item[i]->node);
        if (rcuinfo__node_bucket(node)->next)
            meet(&rcuinfo__node_bucket(node)->next->node);
    } else if (node->kind != RCUINFO__NODE_ITEM) {
        struct rcuinfo__node *const *child = rcuinfo__node_inner(node)->child;
        for (uint32_t i = 0; i < node->n; i++) {
            if (child[i] && (i == 0 || child[i] != child[i - 1]))
                meet(child[i]);
        }
    }
}

static void meet_version(const struct rcuinfo__cell *cell, const struct rcuinfo__cell **cells, unsigned *n)
{
    for (unsigned i = 0; i < *n; i++) {
        if (cells[i] == cell)
            return;
    }
    cells[(*n)++] = cell;
    if (!cell->large)
        return;
    meet(rcuinfo__snapshot_tree(&cell->snapshot)->sequence);
    meet(rcuinfo__snapshot_tree(&cell->snapshot)->trie);
}

/* Once all is settled, each node has as many owners as there are parents of it in the versions that are left. */
static void assert_counted(void)
{
    const struct rcuinfo__cell *cells[OBJECTS + SNAPSHOTS];
    unsigned n = 0;
    assert_int_equal(rcuinfo_store_drain(), 0);
    memset(met, 0, sizeof met);
    met_n = 0;
    for (unsigned i = 0; i < OBJECTS; i++)
        meet_version(cell_of(objects[i].info), cells, &n);
    for (unsigned i = 0; i < SNAPSHOTS; i++) {
        if (views[i].snapshot)
            meet_version((const struct rcuinfo__cell *)(const void *)views[i].snapshot, cells, &n);
    }
    assert_true(met_n < sizeof met / sizeof *met / 2);
    for (size_t place = 0; place < sizeof met / sizeof *met; place++) {
        if (met[place].node)
            assert_int_equal(met[place].node->refs, met[place].parents);
    }
}

static void object_make(unsigned i, unsigned pairs)
{
    assert_int_equal(rcuinfo_create(&objects[i].info), RCUINFO_SUCCESS);
    model_init(&objects[i].model);
    for (unsigned key = 0; key < pairs; key++)
        set_value(objects[i].info, &objects[i].model, key, 24);
}

static void object_update(unsigned i)
{
    static char keys[MOST_CHANGES][KEY_BYTES];
    rcuinfo_change_t changes[MOST_CHANGES];
    size_t n = 1 + random_below(&rng, MOST_CHANGES), failed = 77, wanted_failed = 77;
    for (size_t c = 0; c < n; c++) {
        (void)snprintf(keys[c], KEY_BYTES, "key%u", random_below(&rng, KEYS));
        changes[c] = (rcuinfo_change_t){keys[c], random_below(&rng, 40) ? "value" : NULL};
    }
    rcuinfo_status_t wanted = model_update(&objects[i].model, changes, n, &wanted_failed);
    assert_int_equal(rcuinfo_update(objects[i].info, changes, n, &failed), wanted);
    assert_int_equal(failed, wanted == RCUINFO_SUCCESS ? 77 : wanted_failed);
}

static void object_dup(unsigned i, unsigned from)
{
    assert_int_equal(rcuinfo_free(&objects[i].info), RCUINFO_SUCCESS);
    model_clear(&objects[i].model);
    if (i == from) {
        object_make(i, KEYS / 2);
        return;
    }
    assert_int_equal(rcuinfo_dup(objects[from].info, &objects[i].info), RCUINFO_SUCCESS);
    model_copy(&objects[i].model, &objects[from].model);
}

static void view_turn(unsigned i, unsigned from)
{
    if (views[i].snapshot) {
        assert_int_equal(model_differs_from_snapshot(&views[i].model, views[i].snapshot), 0);
        rcuinfo_snapshot_close(views[i].snapshot);
        views[i].snapshot = NULL;
        model_clear(&views[i].model);
        return;
    }
    assert_int_equal(rcuinfo_snapshot_open(objects[from].info, &views[i].snapshot), RCUINFO_SUCCESS);
    model_copy(&views[i].model, &objects[from].model);
}

static void act(void)
{
    unsigned i = random_below(&rng, OBJECTS);
    unsigned choice = random_below(&rng, 1000);
    if (choice < 550)
        set_value(objects[i].info, &objects[i].model, random_below(&rng, KEYS), random_below(&rng, VALUE_BYTES));
    else if (choice < 800 && objects[i].model.count)
        delete_at(objects[i].info, &objects[i].model, random_below(&rng, (unsigned)objects[i].model.count));
    else if (choice < 850)
        object_update(i);
    else if (choice < 950)
        view_turn(random_below(&rng, SNAPSHOTS), i);
    else if (choice < 970)
        object_dup(i, random_below(&rng, OBJECTS));
    else if (choice < 980)
        assert_true(rcuinfo__reclaim_flush());
    else if (choice < 990)
        assert_counted();
    else
        assert_int_equal(model_differs_from_object(&objects[i].model, objects[i].info), 0);
}

static void nodes_are_counted_by_their_owners(void **state)
{
    (void)state;
    for (unsigned i = 0; i < OBJECTS; i++)
        object_make(i, KEYS / 2);
    for (unsigned i = 0; i < SCALED(40000); i++)
        act();
    assert_counted();
    for (unsigned i = 0; i < OBJECTS; i++) {
        assert_int_equal(rcuinfo_free(&objects[i].info), RCUINFO_SUCCESS);
        model_clear(&objects[i].model);
    }
    assert_int_equal(rcuinfo_store_drain(), 0);
    for (unsigned i = 0; i < SNAPSHOTS; i++) {
        if (views[i].snapshot)
            view_turn(i, 0);
    }
    assert_int_equal(rcuinfo_store_drain(), 0);
}

/* What others have too does not wait when an object ends; what it has alone does, and is counted. */
static void bytes_are_counted_where_they_wait(void **state)
{
    enum { PAIRS = 3000 };
    rcuinfo_t info, copy;
    rcuinfo_stats_t stats;
    char key[KEY_BYTES];
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int i = 0; i < PAIRS; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        assert_int_equal(rcuinfo_set(info, key, "a value of some length"), RCUINFO_SUCCESS);
    }
    assert_int_equal(rcuinfo_store_drain(), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rcuinfo_dup(info, &copy), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_set(copy, "key7", "another"), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_free(&copy), RCUINFO_SUCCESS);
        rcuinfo_store_stats(&stats);
        assert_true(stats.retired > 0 && stats.retired < PAIRS * 10);
        assert_int_equal(rcuinfo_store_drain(), 0);
    }
    uint64_t bytes = rcuinfo__snapshot_tree(&cell_of(info)->snapshot)->bytes;
    assert_true(bytes > PAIRS * 64);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    rcuinfo_store_stats(&stats);
    assert_true(stats.retired >= bytes && stats.retired < 2 * bytes);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

static uint64_t bytes_in(const struct rcuinfo__stock *stock)
{
    uint64_t bytes = 0;
    for (uint32_t pool = 0; pool < RCUINFO__STOCK_POOLS; pool++)
        bytes += rcuinfo__stock_count(stock, pool) * rcuinfo__pool_bytes(pool);
    return bytes;
}

/* What it takes to plan and make an update: attempts, and bytes beyond those of the nodes that it makes. */
static void assert_update_is_cheap(rcuinfo_t info, struct rcuinfo__change *change)
{
    const struct rcuinfo__snapshot *old = &cell_of(info)->snapshot;
    struct rcuinfo__plan plan;
    struct rcuinfo__stock stock;
    struct rcuinfo__snapshot *block = NULL;
    unsigned attempts = 0;
    uint64_t taken = 0, left = 0;
    rcuinfo__change_plan(&plan, old, change);
    rcuinfo__stock_init(&stock);
    do {
        assert_true(plan.large);
        assert_in_range(++attempts, 1, 3);
        assert_true(rcuinfo__stock_fill(&stock, &plan.need));
        taken = bytes_in(&stock);
        free(block);
        block = malloc((size_t)plan.bytes);
        assert_non_null(block);
    } while (!rcuinfo__change_make(&plan, old, change, false, NULL, &stock, block));
    left = bytes_in(&stock);
    assert_false(plan.missing);
    assert_true(rcuinfo__snapshot_valid(block));
    assert_true(taken <= 6 * (taken - left));
    assert_true(plan.bytes <= taken);
    /* Never published: settled by hand, and dropped. */
    rcuinfo__tree_share(rcuinfo__snapshot_tree(old));
    rcuinfo__tree_settle(rcuinfo__snapshot_tree(block), NULL);
    rcuinfo__tree_drop(rcuinfo__snapshot_tree(block), NULL);
    rcuinfo__stock_release(&stock);
    free(block);
}

/* Of many keys, on an object that is large by its bytes and has no branch, fork or second bucket yet; and once more, on
 * what it has become. */
static void updates_of_many_keys_need_few_attempts(void **state)
{
    enum { MOST = SCALED(30000) };
    static char keys[MOST][KEY_BYTES];
    static struct rcuinfo__edit edits[MOST];
    char value[RCUINFO_MAX_VALUE], key[KEY_BYTES];
    rcuinfo_t info;
    (void)state;
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int i = 0; i < 20; i++) {
        (void)snprintf(key, sizeof key, "first%d", i);
        assert_int_equal(rcuinfo_set(info, key, value), RCUINFO_SUCCESS);
    }
    for (int i = 0; i < 10; i++) {
        (void)snprintf(key, sizeof key, "first%d", i);
        assert_int_equal(rcuinfo_delete(info, key), RCUINFO_SUCCESS);
    }
    for (unsigned i = 0; i < MOST; i++) {
        int length = snprintf(keys[i], sizeof keys[i], "key%u", i);
        edits[i] = (struct rcuinfo__edit){.key = keys[i], .value = "12345678", .value_length = 8};
        edits[i].key_length = (uint32_t)length;
        edits[i].hash = rcuinfo__text_hash(keys[i], edits[i].key_length);
    }
    assert_int_equal(rcuinfo__snapshot_tree(&cell_of(info)->snapshot)->sequence->kind, RCUINFO__NODE_LEAF);
    for (size_t n = 2; n <= MOST; n *= 3)
        assert_update_is_cheap(info, &(struct rcuinfo__change){.edits = edits, .n = n});
    for (unsigned i = 0; i < MOST / 30; i++)
        assert_int_equal(rcuinfo_set(info, keys[i * 17], "x"), RCUINFO_SUCCESS);
    for (size_t n = 2; n <= MOST; n *= 3)
        assert_update_is_cheap(info, &(struct rcuinfo__change){.edits = edits, .n = n});
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_follows_the_size),
        cmocka_unit_test(updates_choose_the_layout),
        cmocka_unit_test(nodes_are_counted_by_their_owners),
        cmocka_unit_test(bytes_are_counted_where_they_wait),
        cmocka_unit_test(updates_of_many_keys_need_few_attempts),
    };
    rng.state = 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
