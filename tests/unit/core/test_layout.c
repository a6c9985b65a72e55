/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys that a lookup could confuse: of one hash, of one place in the finder, and of the fingerprint that the bytes have
 * where there is no entry; that nobody can make such keys who does not know the seed; and the check of a version's
 * invariant, which finds damage. White box: looks for such keys with the library's hash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/handle.h"
#include "core/log.h"
#include "support/model.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/twins.h"

static uint64_t seed; /* of the hashes of keys */

static int find_seed(void **state)
{
    rcuinfo_t info;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(info, "a", "b"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    seed = rcuinfo__log_seed;
    return seed == 0;
}

static void assert_value(rcuinfo_t info, const char *key, const char *wanted)
{
    char value[RCUINFO_MAX_VALUE];
    int flag = 77;
    assert_int_equal(rcuinfo_get(info, key, sizeof value - 1, value, &flag), RCUINFO_SUCCESS);
    assert_int_equal(flag, wanted != NULL);
    if (wanted)
        assert_string_equal(value, wanted);
}

static void add_others(rcuinfo_t info, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "other%u", i);
        assert_int_equal(rcuinfo_set(info, key, ""), RCUINFO_SUCCESS);
    }
}

/* In objects of `others` other pairs: set, found, updated and deleted each by itself. */
static void twins_in(unsigned others, const char *first, const char *second)
{
    const rcuinfo_change_t both[] = {{first, "3"}, {second, "4"}};
    rcuinfo_t info;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    add_others(info, others);
    assert_int_equal(rcuinfo_set(info, first, "1"), RCUINFO_SUCCESS);
    assert_value(info, second, NULL);
    assert_int_equal(rcuinfo_set(info, second, "2"), RCUINFO_SUCCESS);
    assert_value(info, first, "1");
    assert_value(info, second, "2");
    assert_int_equal(rcuinfo_update(info, both, 2, NULL), RCUINFO_SUCCESS);
    assert_value(info, first, "3");
    assert_value(info, second, "4");
    assert_int_equal(rcuinfo_delete(info, first), RCUINFO_SUCCESS);
    assert_value(info, first, NULL);
    assert_value(info, second, "4");
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

static void keys_of_one_hash(void **state)
{
    char first[TWINS_KEY_BYTES], second[TWINS_KEY_BYTES];
    (void)state;
    assert_true(twins_find(seed, first, second));
    for (unsigned others = 0; others <= 2 * RCUINFO__BLOCK_SCANNED; others++)
        twins_in(others, first, second);
}

/* One of a crowd is set, deleted, or set again. */
static void change_one(rcuinfo_t info, struct model *model, const char *key, struct random *rng)
{
    char value[16];
    (void)snprintf(value, sizeof value, "%u", random_below(rng, 1000));
    if (random_below(rng, 3)) {
        assert_int_equal(rcuinfo_set(info, key, value), RCUINFO_SUCCESS);
        assert_int_equal(model_set(model, key, value), RCUINFO_SUCCESS);
    } else {
        rcuinfo_status_t wanted = model_delete(model, key);
        assert_int_equal(rcuinfo_delete(info, key), wanted);
    }
}

/* Hundreds of keys of one fingerprint, which in all blocks but large ones belong in one place: those of the first n are
 * used; none of the others is ever found. */
static void keys_of_one_place(void **state)
{
    enum { CROWD = TEST_SCALE > 4 ? 80 : 300, ROUNDS = SCALED(1500) };
    static char keys[CROWD][TWINS_CROWD_BYTES];
    struct random rng = {1};
    (void)state;
    twins_crowd(seed, 0xff0000ff, 0x5a0000fe, keys, CROWD); /* the last place but one, where a search wraps round */
    for (unsigned n = 4; n < CROWD; n *= 4) {
        const rcuinfo_snapshot_t *kept = NULL;
        struct model model, before;
        rcuinfo_t info;
        assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
        model_init(&model);
        model_init(&before);
        for (unsigned i = 0; i < ROUNDS; i++) {
            change_one(info, &model, keys[random_below(&rng, n)], &rng);
            assert_value(info, keys[n + random_below(&rng, CROWD - n)], NULL);
            if (i % 50 == 0) {
                assert_int_equal(model_differs_from_object(&model, info), 0);
                if (kept)
                    assert_int_equal(model_differs_from_snapshot(&before, kept), 0);
                rcuinfo_snapshot_close(kept);
                model_clear(&before);
                model_copy(&before, &model);
                assert_int_equal(rcuinfo_snapshot_open(info, &kept), RCUINFO_SUCCESS);
            }
        }
        rcuinfo_snapshot_close(kept);
        model_clear(&before);
        model_clear(&model);
        assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    }
}

/* Both ways of looking at 16 bytes at a time find what a loop finds. They are random bytes of few values, so that none,
 * one and several match, in any place, also where the top bits are set. */
static void both_scans_agree(void **state)
{
    struct random rng = {1};
    (void)state;
    for (int round = 0; round < 100000; round++) {
        uint32_t spread = 1 + random_below(&rng, 40), number = random_below(&rng, 256), bits = 0;
        uint8_t wanted = (uint8_t)(number + random_below(&rng, spread));
        uint64_t words[2] = {0};
        for (unsigned i = 0; i < 16; i++) {
            uint8_t byte = (uint8_t)(number + random_below(&rng, spread));
            words[i / 8] |= (uint64_t)byte << 8 * (i % 8);
            bits |= (uint32_t)(byte == wanted) << i;
        }
        assert_int_equal(rcuinfo__text_among16(words[0], words[1], wanted), bits);
        assert_int_equal(rcuinfo__text_among16_plain(words[0], words[1], wanted), bits);
    }
}

/* A fingerprint of 0 meets every byte behind the last entry. */
static void key_of_the_fingerprint_of_nothing(void **state)
{
    char key[1][TWINS_CROWD_BYTES];
    rcuinfo_t info;
    (void)state;
    twins_crowd(seed, 0xff000000, 0, key, 1);
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (unsigned i = 0; i <= RCUINFO__BLOCK_SCANNED; i++) {
        assert_value(info, key[0], NULL);
        add_others(info, i);
    }
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

/*
 * Without a seed these keys share all 64 bits of their hash: XXH3 multiplies the first 8 bytes, less a constant, with
 * the next 8, and the last 8 with those as well. With one, whichever, they are like others.
 */
static void keys_made_to_collide_do_not(void **state)
{
    enum { KEYS = 1000, PLACES = 4096 };
    (void)state;
    for (uint64_t other = 1; other < 100; other++) {
        bool seen[PLACES] = {false};
        unsigned places = 0;
        for (unsigned i = 0; i < KEYS; i++) {
            char key[TWINS_KEY_BYTES] = "", middle[9];
            (void)snprintf(middle, sizeof middle, "%08u", i);
            memcpy(key, XXH3_kSecret, 8);
            memcpy(key + 8, middle, 8);
            memcpy(key + 16, XXH3_kSecret + 24, 8);
            assert_true(XXH3_64bits(key, 24) == XXH3_64bits_withSeed(key, 24, 0));
            bool *place = &seen[rcuinfo__text_hash(key, 24, other * UINT64_C(0x9e3779b97f4a7c15)) % PLACES];
            places += !*place;
            *place = true;
        }
        assert_true(places > KEYS * 3 / 4);
    }
}

static const struct rcuinfo__entry *root_of(rcuinfo_t info)
{
    return rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS); /* one thread, so it stays */
}

/* A copy of the version in which the lowest bit, or those of `bits`, is another at `at` is not valid. */
static void damaged_bits(const struct rcuinfo__entry *sound, const void *at, uint8_t bits)
{
    struct rcuinfo__block *block = rcuinfo__block_of(sound);
    size_t bytes = rcuinfo__block_bytes(block);
    const char *from = rcuinfo__block_memory(block);
    char *memory = malloc(bytes);
    assert_non_null(memory);
    memcpy(memory, from, bytes);
    const struct rcuinfo__entry *copy = (const void *)(memory + ((const char *)sound - from));
    assert_true(rcuinfo__log_valid(copy));
    memory[(const char *)at - from] ^= (char)bits;
    assert_false(rcuinfo__log_valid(copy));
    free(memory);
}

static void damaged(const struct rcuinfo__entry *sound, const void *at)
{
    damaged_bits(sound, at, 1);
}

/* The byte of a number that changes it least. */
#define LOW(number) ((const char *)&(number) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(number) - 1 : 0))

static void damage_of_entry(const struct rcuinfo__entry *last, const struct rcuinfo__entry *entry)
{
    const char *key = rcuinfo__log_key(entry), *value = rcuinfo__log_value(entry);
    damaged(last, LOW(entry->hash));
    damaged(last, LOW(entry->text));
    damaged(last, LOW(entry->value_length));
    damaged(last, LOW(entry->key_length));
    damaged_bits(last, &entry->flags, RCUINFO__ENTRY_FIRST);
    damaged_bits(last, &entry->flags, RCUINFO__ENTRY_DELETED);
    damaged_bits(last, &entry->flags, RCUINFO__ENTRY_LINKED);
    if (entry != last) /* which says where the block is */
        damaged(last, LOW(entry->position));
    damaged(last, LOW(entry->pairs));
    damaged(last, LOW(entry->rank));
    damaged(last, key);
    damaged(last, key + entry->key_length);
    damaged(last, value + entry->value_length);
}

static void damage_of_links(const struct rcuinfo__entry *last, const struct rcuinfo__entry *entry)
{
    const struct rcuinfo__links *links = rcuinfo__log_links(entry);
    damaged(last, LOW(links->previous));
    damaged(last, LOW(links->jump));
    damaged(last, LOW(links->depth));
    damaged(last, LOW(links->deletes));
    damaged(last, LOW(links->skipped));
}

static void damage_of_finder(const struct rcuinfo__entry *last, const struct rcuinfo__entry *entry)
{
    const struct rcuinfo__block *block = rcuinfo__block_of(entry);
    uint32_t group = entry->position / RCUINFO__BLOCK_GROUP, byte = entry->position % RCUINFO__BLOCK_GROUP;
    if (!block->mask) {
        const _Atomic uint64_t *word = (const _Atomic uint64_t *)(const void *)block - 2 * (group + 1) + byte / 8;
        damaged(last, (const char *)word + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 7 - byte % 8 : byte % 8));
        return;
    }
    for (uint32_t place = 0; place <= block->mask; place++) {
        if (*rcuinfo__log_place(block, place) == entry->position + 1)
            damaged(last, LOW(*rcuinfo__log_place(block, place)));
    }
}

/* Entries that were copied, set, overridden, deleted and set again, one by one and by an update. */
static void damage_is_found(void **state)
{
    static const unsigned SIZES[] = {2, 2 * RCUINFO__BLOCK_SCANNED};
    static const rcuinfo_change_t changes[] = {{"new", "1"}, {"other1", "back"}, {"other0", "2"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct rcuinfo__block *block;
        rcuinfo_t info;
        assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
        add_others(info, SIZES[i]);
        do {
            block = rcuinfo__block_of(root_of(info));
            assert_int_equal(rcuinfo_set(info, "other0", "again"), RCUINFO_SUCCESS);
        } while (rcuinfo__block_of(root_of(info)) == block || rcuinfo__handle_slot(info)->sets < 50);
        assert_int_equal(rcuinfo_delete(info, "other1"), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_update(info, changes, 3, NULL), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_delete(info, "new"), RCUINFO_SUCCESS);
        const struct rcuinfo__entry *last = root_of(info);
        block = rcuinfo__block_of(last);
        assert_int_equal(block->mask != 0, i);
        assert_int_equal(last->position, SIZES[i] - 1 + 5); /* pairs that were copied, and these */
        for (uint32_t n = 0; n <= last->position; n++) {
            const struct rcuinfo__entry *entry = rcuinfo__block_entry(block, n);
            damage_of_entry(last, entry);
            damage_of_finder(last, entry);
            if (entry->flags & RCUINFO__ENTRY_LINKED)
                damage_of_links(last, entry);
        }
        damaged(last, rcuinfo__log_value(last) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 3 : 0)); /* a hole */
        assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    }
}

static void each_process_has_a_seed_of_its_own(void **state)
{
    char mine[32], other[32] = "", third[32] = "";
    (void)state;
    (void)snprintf(mine, sizeof mine, "%llx", (unsigned long long)seed);
    spawn_self("seed", other, sizeof other);
    spawn_self("seed", third, sizeof third);
    assert_string_not_equal(mine, other);
    assert_string_not_equal(mine, third);
    assert_string_not_equal(other, third);
}

int main(int argc, char *argv[])
{
    if (argc > 1 && strcmp(argv[1], "seed") == 0) {
        int failed = find_seed(NULL);
        printf("%llx", (unsigned long long)seed);
        return failed;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_process_has_a_seed_of_its_own),
        cmocka_unit_test(both_scans_agree),
        cmocka_unit_test(keys_of_one_hash),
        cmocka_unit_test(keys_of_one_place),
        cmocka_unit_test(key_of_the_fingerprint_of_nothing),
        cmocka_unit_test(keys_made_to_collide_do_not),
        cmocka_unit_test(damage_is_found),
    };
    return cmocka_run_group_tests(tests, find_seed, NULL);
}
