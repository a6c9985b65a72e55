/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every version of an object, the newest and all that are kept by snapshots, is what it was when it was made, whatever
 * came behind it in its block, in the block of a dup, or in an update that failed; and old versions and large ones are
 * read in few steps. White box: looks at the entries of the log.
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
#include "core/build.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/recycle.h"
#include "support/model.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/workload.h"

static struct random rng = {1};

static const struct rcuinfo__entry *root_of(rcuinfo_t info)
{
    return rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS); /* one thread, so it stays */
}

/* The object is what its model is, and knows where its block ends, if that is its own, and what of it is in use. */
static void check_object(rcuinfo_t info, const struct model *model)
{
    const struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    const struct rcuinfo__entry *last = root_of(info);
    assert_int_equal(model_differs_from_object(model, info), 0);
    assert_true(rcuinfo__log_valid(last));
    if (!slot->appends)
        return;
    assert_int_equal(slot->end.live, rcuinfo__log_text(last));
    assert_true(slot->end.live <= slot->end.text - rcuinfo__block_text(rcuinfo__block_of(last)));
    assert_true(slot->end.text <= rcuinfo__block_of(last)->bytes);
}

/* A version that is kept, and what it has to be. */
struct kept {
    const rcuinfo_snapshot_t *snapshot; /* NULL: none */
    struct model model;
};

static void kept_check(const struct kept *k)
{
    if (k->snapshot)
        assert_int_equal(model_differs_from_snapshot(&k->model, k->snapshot), 0);
}

static void kept_close(struct kept *k)
{
    if (!k->snapshot)
        return;
    kept_check(k);
    assert_true(rcuinfo__log_valid(rcuinfo__object_opened(k->snapshot)));
    rcuinfo_snapshot_close(k->snapshot);
    model_clear(&k->model);
    k->snapshot = NULL;
}

static void kept_open(struct kept *k, rcuinfo_t info, const struct model *model)
{
    kept_close(k);
    assert_int_equal(rcuinfo_snapshot_open(info, &k->snapshot), RCUINFO_SUCCESS);
    model_copy(&k->model, model);
}

/* A key that the version has never had, or has no more, is not found. */
static void kept_check_absent(const struct kept *k, const char *key)
{
    rcuinfo_pair_t pair;
    rcuinfo_status_t wanted = model_find(&k->model, key) < k->model.count ? RCUINFO_SUCCESS : RCUINFO_ERR_NOKEY;
    if (k->snapshot)
        assert_int_equal(rcuinfo_snapshot_find(k->snapshot, key, &pair), wanted);
}

/* One random change, of keys out of so many; `sets` of 100 are sets. */
static void change(rcuinfo_t info, struct model *model, unsigned keys, unsigned sets)
{
    enum { MOST = 6 };
    static char key[MOST][RCUINFO_MAX_KEY], value[MOST][RCUINFO_MAX_VALUE];
    rcuinfo_change_t changes[MOST];
    unsigned n = random_below(&rng, 8) ? 1 : 1 + random_below(&rng, MOST);
    size_t failed = 0;
    for (unsigned i = 0; i < n; i++) {
        workload_key(key[i], random_below(&rng, keys));
        workload_value(value[i], &rng);
        if (model->count && random_below(&rng, 3))
            (void)strcpy(key[i], model->pairs[random_below(&rng, (unsigned)model->count)].key);
        changes[i] = (rcuinfo_change_t){key[i], random_below(&rng, 100) < sets ? value[i] : NULL};
    }
    rcuinfo_status_t wanted = model_update(model, changes, n, &failed);
    if (n > 1)
        assert_int_equal(rcuinfo_update(info, changes, n, NULL), wanted);
    else if (changes[0].value)
        assert_int_equal(rcuinfo_set(info, key[0], value[0]), wanted);
    else
        assert_int_equal(rcuinfo_delete(info, key[0]), wanted);
}

/* As many versions as `kept` has room for are looked at after each change, the newest, and some that stay for long.
 * Returns how many changes led to another block. */
static unsigned history(unsigned keys, size_t most, struct kept *kept, unsigned rounds)
{
    char key[RCUINFO_MAX_KEY];
    struct model model;
    rcuinfo_t info;
    unsigned blocks = 0;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    model_init(&model);
    for (unsigned i = 0; i < keys; i++) {
        workload_key(key, i);
        assert_int_equal(rcuinfo_set(info, key, "first"), model_set(&model, key, "first"));
    }
    for (unsigned i = 0; i < rounds; i++) {
        const struct rcuinfo__block *block = rcuinfo__block_of(root_of(info));
        change(info, &model, 2 * keys, i / (4 * keys + 50) % 2 ? 30 : 85);
        blocks += rcuinfo__block_of(root_of(info)) != block;
        check_object(info, &model);
        workload_key(key, random_below(&rng, 2 * keys));
        for (size_t k = 0; k < most; k++) {
            kept_check(&kept[k]);
            kept_check_absent(&kept[k], key);
        }
        kept_open(&kept[i % 4 ? i % (most / 2) : most / 2 + random_below(&rng, (unsigned)(most / 2))], info, &model);
    }
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    for (size_t k = 0; k < most; k++)
        kept_close(&kept[k]);
    model_clear(&model);
    return blocks;
}

static void versions_stay_as_they_are(void **state)
{
    enum { MOST = 64 };
    static struct kept kept[MOST];
    (void)state;
    unsigned blocks = 0;
    for (unsigned keys = 1; keys <= 5; keys++)
        blocks += history(keys, MOST, kept, SCALED(1500));
    blocks += history(9, MOST, kept, SCALED(1500));
    blocks += history(16, MOST, kept, SCALED(1500));
    blocks += history(40, MOST, kept, SCALED(1500));
    blocks += history(200, MOST / 2, kept, SCALED(800));
    blocks += history(3000, MOST / 8, kept, SCALED(200));
    assert_in_range(blocks, SCALED(500), SCALED(6000)); /* of 13000 changes */
    assert_int_equal(rcuinfo_store_drain(), 0);
}

/* Entry i of a block in which each of so many keys is set in turn: what the version that it ends has to say. */
static void check_version(const struct rcuinfo__entry *last, uint32_t keys)
{
    const uint32_t i = last->position, pairs = i < keys ? i + 1 : keys;
    char key[RCUINFO_MAX_KEY], value[16]; /* as long as any: for less gcc warns of what xxHash does with longer ones */
    rcuinfo_pair_t pair = {0};
    assert_int_equal(last->pairs, pairs);
    assert_int_equal(rcuinfo__log_version(last), i + 1);
    assert_true(rcuinfo__log_valid(last));
    for (uint32_t n = 0; n <= keys; n++) {
        uint32_t length = (uint32_t)snprintf(key, sizeof key, "key%u", n);
        assert_int_equal(rcuinfo__log_get(last, key, length, &pair), n < pairs);
        if (n >= pairs)
            continue;
        (void)snprintf(value, sizeof value, "%u", (i - n) / keys * keys + n); /* the entry that set it last */
        assert_string_equal(pair.key, key);
        assert_string_equal(pair.value, value);
        assert_string_equal(rcuinfo__log_key(rcuinfo__log_nth_key(last, n)), key);
        assert_string_equal(rcuinfo__log_value(rcuinfo__log_nth(last, n)), value);
    }
}

/* Filled to the last entry, with as many keys as that, or with few. */
static void blocks_of_every_capacity(void **state)
{
    (void)state;
    for (uint32_t entries = 1; entries <= 100; entries++) {
        for (uint32_t keys = 1; keys <= entries; keys = 4 * keys + 1) {
            const struct rcuinfo__shape shape = {entries, UINT64_C(60) * entries, 60};
            struct rcuinfo__block *block = rcuinfo__recycle_alloc(&shape);
            struct rcuinfo__writing writing;
            struct rcuinfo__edit edit;
            char key[RCUINFO_MAX_KEY], value[16];
            assert_non_null(block);
            assert_int_equal(rcuinfo__build_edit(&edit, "key0", "0", RCUINFO__NATIVE_LIMITS), RCUINFO_SUCCESS);
            rcuinfo__log_copy(&writing, block, RCUINFO__EMPTY);
            assert_int_equal(rcuinfo__log_write(&writing, &edit, NULL), RCUINFO__WROTE);
            struct rcuinfo__end end = writing.end;
            const struct rcuinfo__entry *last = rcuinfo__log_finish(&writing, 1), *next = last;
            for (uint32_t i = 1; next; i++) {
                last = next;
                (void)snprintf(key, sizeof key, "key%u", i % keys);
                (void)snprintf(value, sizeof value, "%u", i);
                assert_int_equal(rcuinfo__build_edit(&edit, key, value, RCUINFO__NATIVE_LIMITS), RCUINFO_SUCCESS);
                next = rcuinfo__log_append(last, &end, &edit, rcuinfo__log_find(last, key, edit.key_length, edit.hash));
            }
            assert_int_equal(last->position + 1, block->capacity);
            for (uint32_t i = 0; i < block->capacity; i++)
                check_version(rcuinfo__block_entry(block, i), keys);
            rcuinfo__recycle_free(block);
        }
    }
}

/* The way from the newest entry of a key to that of an older version takes each jump that leads there: it is found also
 * where the entries on that way do not name the one before. Returns the steps. */
static unsigned follow_jumps(const struct rcuinfo__entry *last, const struct rcuinfo__entry *version)
{
    enum { MOST = 64 };
    const struct rcuinfo__block *block = rcuinfo__block_of(last);
    struct rcuinfo__links *cut[MOST];
    uint32_t previous[MOST];
    unsigned cuts = 0, steps = 0;
    for (const struct rcuinfo__entry *entry = last; entry->position > version->position; steps++) {
        struct rcuinfo__links *links = (struct rcuinfo__links *)(uintptr_t)rcuinfo__log_links(entry);
        uint32_t older = links->previous;
        if (links->jump > version->position + 1) {
            assert_true(cuts < MOST);
            cut[cuts] = links;
            previous[cuts++] = links->previous;
            older = links->jump;
            links->previous = 0;
        }
        entry = rcuinfo__block_entry(block, older - 1);
    }
    assert_ptr_equal(rcuinfo__log_older(last, version->position + 1), version);
    while (cuts--)
        cut[cuts]->previous = previous[cuts];
    return steps;
}

/* A block with a few keys, and one of them set so often; the last entries of all versions, and what it takes to come
 * from the newest entry of the key to that of each. */
static void old_versions_are_few_steps_away(void **state)
{
    enum { SETS = 100000, OTHERS = 40, TEXT = 60 };
    static const struct rcuinfo__shape shape = {SETS + OTHERS, (uint64_t)TEXT * (SETS + OTHERS), TEXT};
    struct rcuinfo__block *block = rcuinfo__recycle_alloc(&shape);
    struct rcuinfo__writing writing;
    struct rcuinfo__edit edit;
    char key[16], value[16];
    unsigned most = 0;
    (void)state;
    assert_non_null(block);
    rcuinfo__log_copy(&writing, block, RCUINFO__EMPTY);
    for (unsigned i = 0; i < OTHERS; i++) {
        (void)snprintf(key, sizeof key, "key%u", i);
        assert_int_equal(rcuinfo__build_edit(&edit, key, "", RCUINFO__NATIVE_LIMITS), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo__log_write(&writing, &edit, NULL), RCUINFO__WROTE);
    }
    const struct rcuinfo__entry *last = rcuinfo__log_finish(&writing, 1);
    for (unsigned i = 0; i < SETS; i++) {
        (void)snprintf(value, sizeof value, "%u", i);
        assert_int_equal(rcuinfo__build_edit(&edit, "key7", value, RCUINFO__NATIVE_LIMITS), RCUINFO_SUCCESS);
        rcuinfo__log_continue(&writing, last, writing.end, 1);
        assert_int_equal(rcuinfo__log_write(&writing, &edit, rcuinfo__log_written(&writing, &edit)), RCUINFO__WROTE);
        last = writing.last;
    }
    for (unsigned i = 0; i < SETS; i++) {
        const struct rcuinfo__entry *version = rcuinfo__block_entry(block, OTHERS + i);
        unsigned steps = follow_jumps(last, version);
        most = steps > most ? steps : most;
        assert_ptr_equal(rcuinfo__log_find(version, "key7", 4, edit.hash), version);
        assert_int_equal(atoi(rcuinfo__log_value(version)), i);
        assert_int_equal(rcuinfo__log_version(version), i + 2);
    }
    assert_in_range(most, 1, 3 * 17); /* 2^17 are more than all of them */
    assert_true(rcuinfo__log_valid(rcuinfo__block_entry(block, 1000)));
    rcuinfo__recycle_free(block);
}

/* The same through as many blocks as it takes. */
static void snapshots_are_held_all_along(void **state)
{
    enum { SETS = 100000, HELD = 1000, OTHERS = 40 };
    static const rcuinfo_snapshot_t *held[HELD];
    rcuinfo_t info;
    rcuinfo_pair_t pair;
    char text[16];
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int i = 0; i < OTHERS; i++) {
        (void)snprintf(text, sizeof text, "key%d", i);
        assert_int_equal(rcuinfo_set(info, text, text), RCUINFO_SUCCESS);
    }
    for (int i = 0; i < SETS; i++) {
        (void)snprintf(text, sizeof text, "%d", i);
        assert_int_equal(rcuinfo_set(info, "key7", text), RCUINFO_SUCCESS);
        if (i % (SETS / HELD) == 0)
            assert_int_equal(rcuinfo_snapshot_open(info, &held[i / (SETS / HELD)]), RCUINFO_SUCCESS);
    }
    for (int i = 0; i < HELD; i++) {
        assert_int_equal(rcuinfo_snapshot_find(held[i], "key7", &pair), RCUINFO_SUCCESS);
        assert_int_equal(atoi(pair.value), i * (SETS / HELD));
        assert_int_equal(rcuinfo_snapshot_count(held[i]), OTHERS);
        assert_int_equal(rcuinfo_snapshot_version(held[i]), OTHERS + i * (SETS / HELD) + 1);
        for (size_t n = 0; n < OTHERS; n++) {
            (void)snprintf(text, sizeof text, "key%zu", n);
            assert_int_equal(rcuinfo_snapshot_nth(held[i], n, &pair), RCUINFO_SUCCESS);
            assert_string_equal(pair.key, text);
            assert_true(n == 7 || strcmp(pair.value, text) == 0);
        }
        rcuinfo_snapshot_close(held[i]);
    }
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

enum { MANY = 65536 / TEST_SCALE };

/* The object has these keys, in this order, and of the others none. */
static void check_keys(rcuinfo_t info, const unsigned *order, unsigned n)
{
    static bool there[MANY];
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    char key[16];
    memset(there, 0, sizeof there);
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_snapshot_count(snapshot), n);
    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(key, sizeof key, "key%u", order[i]);
        there[order[i]] = true;
        assert_int_equal(rcuinfo_snapshot_nth(snapshot, i, &pair), RCUINFO_SUCCESS);
        assert_string_equal(pair.key, key);
        assert_string_equal(pair.value, key);
    }
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(key, sizeof key, "key%u", i);
        assert_int_equal(rcuinfo_snapshot_find(snapshot, key, &pair), there[i] ? RCUINFO_SUCCESS : RCUINFO_ERR_NOKEY);
    }
    rcuinfo_snapshot_close(snapshot);
}

static void set_key(rcuinfo_t info, unsigned key)
{
    char text[16];
    (void)snprintf(text, sizeof text, "key%u", key);
    assert_int_equal(rcuinfo_set(info, text, text), RCUINFO_SUCCESS);
}

static void delete_key(rcuinfo_t info, unsigned key)
{
    char text[16];
    (void)snprintf(text, sizeof text, "key%u", key);
    assert_int_equal(rcuinfo_delete(info, text), RCUINFO_SUCCESS);
}

enum end { FRONT, BACK, ANYWHERE, ENDS };

/*
 * Takes all keys out, from one end, or at random; looks at what is left now and then. A delete lists no more than about
 * two square roots of the pairs, and so many of them are between two copies: all of it is no square of the pairs.
 */
static void empty(rcuinfo_t info, unsigned *order, enum end end)
{
    uint64_t copies = 0;
    for (unsigned n = MANY; n; n--) {
        unsigned place = end == FRONT ? 0 : end == BACK ? n - 1 : random_below(&rng, n);
        const struct rcuinfo__block *block = rcuinfo__block_of(root_of(info));
        delete_key(info, order[place]);
        const struct rcuinfo__entry *last = root_of(info);
        uint64_t holes = last->flags & RCUINFO__ENTRY_DELETED ? last->value_length / sizeof(uint32_t) : 0;
        assert_true(holes * holes <= 2 * (8 * 8 + 2 * 2 * (uint64_t)n));
        copies += rcuinfo__block_of(last) != block;
        memmove(&order[place], &order[place + 1], (n - 1 - place) * sizeof *order);
        if (n % (MANY / 8) == 1 || n < 8)
            check_keys(info, order, n - 1);
    }
    assert_true(copies * copies <= 4 * MANY);
}

/* And is filled again, in another order, while a snapshot has it as it was. */
static void large_objects_are_emptied_and_refilled(void **state)
{
    static unsigned order[MANY], before[MANY];
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    char key[16];
    (void)state;
    for (enum end end = FRONT; end < ENDS; end++) {
        rcuinfo_t info;
        assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
        for (unsigned i = 0; i < MANY; i++)
            set_key(info, before[i] = order[i] = i * 7919 % MANY);
        assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
        empty(info, order, end);
        for (unsigned i = 0; i < MANY; i++)
            set_key(info, order[i] = i * 6143 % MANY);
        check_keys(info, order, MANY);
        for (unsigned i = 0; i < MANY; i += 7) {
            (void)snprintf(key, sizeof key, "key%u", before[i]);
            assert_int_equal(rcuinfo_snapshot_nth(snapshot, i, &pair), RCUINFO_SUCCESS);
            assert_string_equal(pair.key, key);
        }
        rcuinfo_snapshot_close(snapshot);
        assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    }
    assert_int_equal(rcuinfo_store_drain(), 0);
}

/* What two objects, one of which began as a dup of the other, may do one after another. */
enum step {
    SET_FIRST,
    SET_SECOND,
    DELETE_FIRST,
    UPDATE_SECOND,
    FAIL_FIRST, /* an update whose second change deletes what is not there */
    NO_MEMORY_SECOND,
    DUP_FIRST, /* the second is freed, and is a dup of the first from here on */
    DUP_SECOND,
    OPEN_FIRST,
    STEPS
};

struct object {
    rcuinfo_t info;
    struct model model;
};

static void take_step(enum step step, unsigned number, struct object objects[2], struct kept *kept)
{
    struct object *o =
        &objects[step == SET_SECOND || step == UPDATE_SECOND || step == NO_MEMORY_SECOND || step == DUP_SECOND];
    struct object *other = &objects[o == objects];
    char value[16];
    rcuinfo_change_t changes[] = {{"a", value}, {"b", step == FAIL_FIRST ? NULL : value}, {"c", NULL}};
    size_t failed = 77, wanted_failed = 77;
    (void)snprintf(value, sizeof value, "%u", number);
    switch (step) {
    case SET_FIRST:
    case SET_SECOND:
        changes[0].key = number % 2 ? "a" : "b";
        assert_int_equal(rcuinfo_set(o->info, changes[0].key, value), RCUINFO_SUCCESS);
        assert_int_equal(model_set(&o->model, changes[0].key, value), RCUINFO_SUCCESS);
        break;
    case DELETE_FIRST: {
        rcuinfo_status_t wanted = model_delete(&o->model, "a");
        assert_int_equal(rcuinfo_delete(o->info, "a"), wanted);
        break;
    }
    case UPDATE_SECOND:
    case FAIL_FIRST: {
        rcuinfo_status_t wanted = model_update(&o->model, changes, 2 + (step == FAIL_FIRST), &wanted_failed);
        assert_int_equal(rcuinfo_update(o->info, changes, 2 + (step == FAIL_FIRST), &failed), wanted);
        assert_int_equal(failed, wanted ? wanted_failed : 77);
        break;
    }
    case NO_MEMORY_SECOND:
        rcuinfo__alloc_fail_at(1 + (int)number % 2);
        if (rcuinfo_update(o->info, changes, 2, NULL) == RCUINFO_SUCCESS)
            assert_int_equal(model_update(&o->model, changes, 2, &failed), RCUINFO_SUCCESS);
        rcuinfo__alloc_fail_at(0);
        break;
    case DUP_FIRST:
    case DUP_SECOND:
        assert_int_equal(rcuinfo_free(&other->info), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_dup(o->info, &other->info), RCUINFO_SUCCESS);
        model_clear(&other->model);
        model_copy(&other->model, &o->model);
        break;
    case OPEN_FIRST:
    case STEPS:
        kept_open(&kept[number % 2], o->info, &o->model);
        break;
    }
}

/* All sequences of so many steps, from an object in whose block there is room for `room` entries. */
static void every_sequence(unsigned steps, uint32_t room)
{
    unsigned long sequences = 1;
    for (unsigned i = 0; i < steps; i++)
        sequences *= STEPS;
    for (unsigned long sequence = 0; sequence < sequences; sequence++) {
        struct object objects[2] = {0};
        struct kept kept[2] = {0};
        unsigned long rest = sequence;
        assert_int_equal(rcuinfo_create(&objects[0].info), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_create(&objects[1].info), RCUINFO_SUCCESS);
        do {
            assert_int_equal(rcuinfo_set(objects[0].info, "a", "0"), RCUINFO_SUCCESS);
            assert_int_equal(model_set(&objects[0].model, "a", "0"), RCUINFO_SUCCESS);
        } while (rcuinfo__block_of(root_of(objects[0].info))->capacity > root_of(objects[0].info)->position + 1 + room);
        take_step(DUP_FIRST, 0, objects, kept);
        for (unsigned i = 0; i < steps; i++, rest /= STEPS) {
            take_step((enum step)(rest % STEPS), i, objects, kept);
            for (unsigned k = 0; k < 2; k++) {
                check_object(objects[k].info, &objects[k].model);
                kept_check(&kept[k]);
            }
        }
        for (unsigned k = 0; k < 2; k++) {
            kept_close(&kept[k]);
            model_clear(&objects[k].model);
            assert_int_equal(rcuinfo_free(&objects[k].info), RCUINFO_SUCCESS);
        }
    }
}

static void only_one_appends(void **state)
{
    (void)state;
    for (uint32_t room = 0; room < 6; room++)
        every_sequence(TEST_SCALE > 1 ? 3 : 4, room);
    every_sequence(TEST_SCALE > 1 ? 4 : 5, 100);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

/* Each is a dup of the one before, changed and freed in any order. */
static void chains_of_dups(void **state)
{
    enum { CHAIN = 12, KEYS = 40 };
    (void)state;
    for (unsigned round = 0; round < SCALED(300); round++) {
        static struct object chain[CHAIN];
        unsigned keys = 1 + random_below(&rng, KEYS), order[CHAIN];
        for (unsigned i = 0; i < CHAIN; i++) {
            struct object *o = &chain[i];
            if (i == 0) {
                assert_int_equal(rcuinfo_create(&o->info), RCUINFO_SUCCESS);
                model_init(&o->model);
            } else {
                assert_int_equal(rcuinfo_dup(o[-1].info, &o->info), RCUINFO_SUCCESS);
                model_copy(&o->model, &o[-1].model);
            }
            for (unsigned n = random_below(&rng, 10); n; n--) {
                unsigned which = random_below(&rng, i + 1);
                change(chain[which].info, &chain[which].model, keys, 70);
            }
            order[i] = i;
        }
        for (unsigned left = CHAIN; left; left--) {
            unsigned place = random_below(&rng, left), which = order[place];
            order[place] = order[left - 1];
            assert_int_equal(rcuinfo_free(&chain[which].info), RCUINFO_SUCCESS);
            model_clear(&chain[which].model);
            for (unsigned i = 0; i < left - 1; i++) {
                change(chain[order[i]].info, &chain[order[i]].model, keys, 50);
                check_object(chain[order[i]].info, &chain[order[i]].model);
            }
        }
        if (round % 16 == 0)
            assert_int_equal(rcuinfo_store_drain(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_stay_as_they_are),
        cmocka_unit_test(blocks_of_every_capacity),
        cmocka_unit_test(old_versions_are_few_steps_away),
        cmocka_unit_test(snapshots_are_held_all_along),
        cmocka_unit_test(large_objects_are_emptied_and_refilled),
        cmocka_unit_test(only_one_appends),
        cmocka_unit_test(chains_of_dups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
