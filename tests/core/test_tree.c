/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trees of large versions by themselves: random edits against an array, with hashes that are chosen to collide;
 * that nothing decays in long runs of set and delete; that an update that fails leaves the stock as it was. White box:
 * each version is settled at once, as if its grace period were over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "core/tree.h"
#include "support/random.h"
#include "support/scale.h"

enum { KEYS = 3000, PLACES = 4096, KEY_BYTES = 16 };

/* A version in the place of one before; the trees that it consists of. */
static struct rcuinfo__tree *tree;
static uint64_t version;
static struct rcuinfo__stock stock;

/* What it should hold: numbers of keys in order, and the numbers that are their values. */
static unsigned order[KEYS];
static unsigned values[KEYS];
static unsigned count;

typedef uint32_t (*hash_function)(unsigned key);

static uint32_t spread(unsigned key)
{
    struct random r = {key};
    return (uint32_t)random_next(&r);
}

/* Few bits differ, the highest first or the lowest; three hashes in all; one hash. */
static uint32_t high_bits(unsigned key)
{
    return key << 26;
}

static uint32_t low_bits(unsigned key)
{
    return key % 64;
}

/* Most share their first bits, and crowd in a place of a fork whose neighbours are almost empty. */
static uint32_t crowded(unsigned key)
{
    uint32_t place = UINT32_C(0x55555555) << (32 - 4 * (1 + key / 16 % 3));
    return key % 16 ? place | spread(key) >> (4 * (1 + key / 16 % 3)) : spread(key);
}

static uint32_t three(unsigned key)
{
    return key % 3 * 0x10000001U;
}

static uint32_t one(unsigned key)
{
    (void)key;
    return 0xabcdef01U;
}

static void edit_of(struct rcuinfo__edit *edit, hash_function hash, unsigned key, int value, char texts[2][KEY_BYTES])
{
    edit->key_length = (uint32_t)snprintf(texts[0], KEY_BYTES, "k%u", key);
    edit->value_length = value < 0 ? 0 : (uint32_t)snprintf(texts[1], KEY_BYTES, "%d", value);
    edit->key = texts[0];
    edit->value = value < 0 ? NULL : texts[1];
    edit->hash = hash(key);
}

static struct rcuinfo__tree *tree_block(void)
{
    struct rcuinfo__tree *block = malloc(sizeof *block + PLACES * sizeof block->replaced[0]);
    assert_non_null(block);
    return block;
}

static void tree_open(void)
{
    struct rcuinfo__build build;
    tree = tree_block();
    version = 0;
    count = 0;
    rcuinfo__stock_init(&stock);
    rcuinfo__tree_begin(&build, tree, NULL, version, &stock, false);
    rcuinfo__tree_finish(&build, tree, false);
}

static void tree_close(void)
{
    if (tree->count)
        rcuinfo__tree_drop(tree, NULL);
    free(tree);
    rcuinfo__stock_release(&stock);
}

/* Makes the edits one version, as long as the deletes find what they delete; else, and nothing may have changed then,
 * returns false. Takes exactly what is said to be needed where it is one edit. */
static bool change(const struct rcuinfo__edit *edits, size_t n)
{
    struct rcuinfo__tree *next = tree_block();
    struct rcuinfo__build build;
    rcuinfo__tree_begin(&build, next, tree, version + 1, &stock, n > 1);
    for (size_t i = 0; i < n; i++) {
        struct rcuinfo__need need;
        struct rcuinfo__item *old = rcuinfo__tree_find(next, edits[i].key, edits[i].key_length, edits[i].hash);
        if (!old && !edits[i].value) {
            rcuinfo__tree_abort(&build, next);
            free(next);
            return false;
        }
        rcuinfo__need_init(&need);
        rcuinfo__tree_need_nodes(next, &edits[i], old, &need);
        if (edits[i].value)
            rcuinfo__tree_need_item(edits[i].key_length, edits[i].value_length, &need);
        if (n == 1)
            rcuinfo__stock_release(&stock);
        assert_true(rcuinfo__stock_fill(&stock, &need));
        uint64_t replaced = build.replaced_n;
        rcuinfo__tree_edit(&build, next, &edits[i], old);
        assert_true(build.replaced_n - replaced <= need.replaced);
    }
    rcuinfo__tree_finish(&build, next, false);
    rcuinfo__tree_settle(next, NULL);
    free(tree);
    tree = next;
    version++;
    return true;
}

static unsigned place_of(unsigned key)
{
    unsigned place = 0;
    while (place < count && order[place] != key)
        place++;
    return place;
}

static bool model_edit(unsigned key, int value)
{
    unsigned place = place_of(key);
    if (value < 0) {
        if (place == count)
            return false;
        count--;
        memmove(&order[place], &order[place + 1], (count - place) * sizeof order[0]);
        return true;
    }
    if (place == count)
        order[count++] = key;
    values[key] = (unsigned)value;
    return true;
}

static void assert_same(hash_function hash)
{
    char texts[2][KEY_BYTES];
    struct rcuinfo__edit edit;
    assert_int_equal(tree->count, count);
    assert_true(rcuinfo__sequence_valid(tree->sequence, count, tree->next));
    assert_true(rcuinfo__trie_valid(tree->trie, count));
    for (unsigned n = 0; n < count; n++) {
        edit_of(&edit, hash, order[n], (int)values[order[n]], texts);
        const struct rcuinfo__item *item = rcuinfo__tree_nth(tree, n);
        assert_string_equal(item->text, edit.key);
        assert_string_equal(rcuinfo__item_value(item), edit.value);
        assert_ptr_equal(rcuinfo__tree_find(tree, edit.key, edit.key_length, edit.hash), item);
        assert_int_equal(item->node.refs, 2); /* leaf and bucket, of one version */
    }
}

/* One edit or several, of which a delete may fail. */
static void random_change(struct random *r, hash_function hash, unsigned keys, unsigned sets)
{
    enum { MOST = 24 };
    static char texts[MOST][2][KEY_BYTES];
    struct rcuinfo__edit edits[MOST];
    static unsigned before[KEYS], before_values[KEYS];
    unsigned n = random_below(r, 4) ? 1 : 1 + random_below(r, MOST);
    unsigned before_count = count;
    bool good = true;
    memcpy(before, order, sizeof order);
    memcpy(before_values, values, sizeof values);
    for (unsigned i = 0; i < n; i++) {
        unsigned key = random_below(r, keys);
        int value = random_below(r, 100) < sets ? (int)random_below(r, 100000) : -1;
        if (value < 0 && count && random_below(r, 20))
            key = order[random_below(r, count)];
        edit_of(&edits[i], hash, key, value, texts[i]);
        good = good && model_edit(key, value);
    }
    assert_int_equal(change(edits, n), good);
    if (!good) {
        memcpy(order, before, sizeof order);
        memcpy(values, before_values, sizeof values);
        count = before_count;
    }
}

static void random_edits(hash_function hash, unsigned keys, unsigned rounds)
{
    struct random r = {keys};
    tree_open();
    for (unsigned round = 0; round < rounds; round++) {
        unsigned sets = round / 500 % 2 ? 20 : 80; /* grows and shrinks */
        random_change(&r, hash, keys, sets);
        if (round % 16 == 0 || count < 40)
            assert_same(hash);
    }
    while (count) {
        char texts[2][KEY_BYTES];
        struct rcuinfo__edit edit;
        edit_of(&edit, hash, order[random_below(&r, count)], -1, texts);
        model_edit((unsigned)atoi(edit.key + 1), -1);
        assert_true(change(&edit, 1));
    }
    assert_null(tree->sequence);
    assert_null(tree->trie);
    assert_int_equal(tree->bytes, 0);
    assert_int_equal(tree->text, 0);
    tree_close();
}

static void edits_are_those_of_the_model(void **state)
{
    (void)state;
    random_edits(spread, 1500, SCALED(6000));
    random_edits(spread, 100, SCALED(3000));
    random_edits(high_bits, 300, SCALED(3000));
    random_edits(low_bits, 300, SCALED(3000));
    random_edits(crowded, 1500, SCALED(6000));
    random_edits(crowded, 100, SCALED(3000));
    random_edits(three, 200, SCALED(2000));
    random_edits(one, 120, SCALED(2000));
}

static void set(unsigned key, int value)
{
    char texts[2][KEY_BYTES];
    struct rcuinfo__edit edit;
    edit_of(&edit, spread, key, value, texts);
    assert_true(change(&edit, 1));
    assert_true(model_edit(key, value));
}

/* Bytes of nodes, and levels of the two trees on the way to the last pair, of a fresh tree with the same pairs. */
struct shape {
    uint64_t bytes;
    unsigned sequence;
    unsigned trie;
};

static struct shape shape_of(const struct rcuinfo__tree *t)
{
    struct shape shape = {t->bytes, t->sequence->level, 0};
    struct rcuinfo__node *node = t->trie;
    for (uint32_t bits = rcuinfo__tree_nth(t, t->count - 1)->hash; node->kind == RCUINFO__NODE_FORK; bits <<= 4) {
        node = rcuinfo__node_inner(node)->child[bits >> 28];
        shape.trie++;
    }
    return shape;
}

static void assert_not_decayed(void)
{
    static unsigned kept[KEYS];
    unsigned left = count;
    assert_same(spread);
    struct shape now = shape_of(tree);
    memcpy(kept, order, sizeof kept);
    tree_close();
    tree_open();
    for (unsigned i = 0; i < left; i++)
        set(kept[i], (int)values[kept[i]]);
    struct shape fresh = shape_of(tree);
    assert_true(now.bytes <= 2 * fresh.bytes);
    assert_true(now.sequence <= fresh.sequence + 1);
    assert_true(now.trie <= fresh.trie + 1);
}

static void long_runs_leave_no_decay(void **state)
{
    struct random r = {7};
    (void)state;
    tree_open(); /* first in, first out */
    for (unsigned i = 0; i < SCALED(20000); i++) {
        set(i % KEYS, 1);
        if (count > 500)
            set(order[0], -1);
    }
    assert_not_decayed();
    for (unsigned i = 0; i < SCALED(20000); i++) { /* at random, then every eighth is left */
        unsigned key = random_below(&r, KEYS);
        set(key, place_of(key) < count && random_below(&r, 3) == 0 ? -1 : 1);
    }
    unsigned most = count;
    for (unsigned place = 0; place < count; place++) {
        for (unsigned i = 0; i < 7 && place < count - 1; i++)
            set(order[place], -1);
    }
    assert_true(count <= most / 8 + 1);
    assert_not_decayed();
    while (count > 20)
        set(order[random_below(&r, count)], -1);
    assert_not_decayed();
    tree_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_those_of_the_model),
        cmocka_unit_test(long_runs_leave_no_decay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
