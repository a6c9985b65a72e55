/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys that a lookup could confuse: of one hash, of one fingerprint, and of the fingerprint that the padding has; and
 * the check of a block's invariant, which finds damage. White box: looks for such keys with the library's hash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rcuinfo/rcuinfo.h>

#include "core/handle.h"
#include "support/random.h"
#include "support/twins.h"

static void assert_value(rcuinfo_t info, const char *key, const char *wanted)
{
    char value[RCUINFO_MAX_VALUE];
    int flag = 77;
    assert_int_equal(rcuinfo_get(info, key, sizeof value - 1, value, &flag), RCUINFO_SUCCESS);
    assert_int_equal(flag, wanted != NULL);
    if (wanted)
        assert_string_equal(value, wanted);
}

/* In objects of `others` other pairs: set, found, updated and deleted each by itself. */
static void twins_in(int others, const char *first, const char *second)
{
    const rcuinfo_change_t both[] = {{first, "3"}, {second, "4"}};
    rcuinfo_t info;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int i = 0; i < others; i++) {
        char key[TWINS_KEY_BYTES];
        (void)snprintf(key, sizeof key, "other%d", i);
        assert_int_equal(rcuinfo_set(info, key, ""), RCUINFO_SUCCESS);
    }
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
    assert_true(twins_find(first, second));
    twins_in(0, first, second);
    twins_in(RCUINFO__SCANNED - 2, first, second);
    twins_in(RCUINFO__SCANNED - 1, first, second);
    twins_in(2 * RCUINFO__SCANNED, first, second);
}

/* Both ways of looking at 16 hashes at a time find what a loop finds. They are random words of few values, so that
 * none, one and several match, in any place, also where the top bits are set. */
static void both_scans_agree(void **state)
{
    struct random rng = {1};
    char bytes[16];
    uint32_t words[16];
    (void)state;
    for (int round = 0; round < 100000; round++) {
        uint32_t spread = 1 + random_below(&rng, 40), number = (uint32_t)random_next(&rng), byte_bits = 0,
                 word_bits = 0;
        uint32_t wanted = number + random_below(&rng, spread);
        for (unsigned i = 0; i < 16; i++) {
            words[i] = number + random_below(&rng, spread);
            if (i % 5 == 3) /* only the low half is the same, as where halves are packed */
                words[i] ^= (uint32_t)random_below(&rng, 3) << 16;
            bytes[i] = (char)(uint8_t)words[i];
            word_bits |= (uint32_t)(words[i] == wanted) << i;
            byte_bits |= (uint32_t)((uint8_t)words[i] == (uint8_t)wanted) << i;
        }
        assert_int_equal(rcuinfo__text_among16(bytes, (uint8_t)wanted), byte_bits);
        assert_int_equal(rcuinfo__text_among16_plain(bytes, (uint8_t)wanted), byte_bits);
        assert_int_equal(rcuinfo__text_hashes16(words, wanted), word_bits);
        assert_int_equal(rcuinfo__text_hashes16_plain(words, wanted), word_bits);
    }
}

/* A fingerprint of 0 meets every byte of the padding behind the last pair, where no entries are. */
static void key_of_the_paddings_fingerprint(void **state)
{
    char key[TWINS_KEY_BYTES];
    uint32_t number = 0;
    rcuinfo_t info;
    (void)state;
    do {
        twins_key(key, number++);
    } while (rcuinfo__text_fingerprint(rcuinfo__text_hash(key, strlen(key))) != 0);
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_value(info, key, NULL);
    for (int i = 0; i < RCUINFO__SCANNED; i++) {
        char other[TWINS_KEY_BYTES];
        (void)snprintf(other, sizeof other, "other%d", i);
        assert_int_equal(rcuinfo_set(info, other, ""), RCUINFO_SUCCESS);
        assert_value(info, key, NULL);
    }
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

/* A copy of the object's version in which one byte is changed, or one added to the text, is not valid. */
static void damaged(const struct rcuinfo__snapshot *sound, size_t at)
{
    struct rcuinfo__snapshot *copy = malloc(sound->bytes);
    assert_non_null(copy);
    memcpy(copy, sound, sound->bytes);
    assert_true(rcuinfo__snapshot_valid(copy));
    ((char *)copy)[at] ^= 1;
    assert_false(rcuinfo__snapshot_valid(copy));
    free(copy);
}

static size_t offset(const struct rcuinfo__snapshot *s, const void *at)
{
    return (size_t)((const char *)at - (const char *)s);
}

/* The byte of a number that changes it least. */
static size_t low(size_t at, size_t bytes)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? at + bytes - 1 : at;
}

static void damage_is_found(void **state)
{
    static const int SIZES[] = {2, RCUINFO__SCANNED + 1};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        rcuinfo_t info;
        assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
        for (int n = 0; n < SIZES[i]; n++) {
            char key[TWINS_KEY_BYTES];
            twins_key(key, (uint32_t)n);
            assert_int_equal(rcuinfo_set(info, key, "value"), RCUINFO_SUCCESS);
        }
        const struct rcuinfo__snapshot *s = &rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS)->snapshot;
        const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(s, 1);
        const char *value = rcuinfo__snapshot_value(s, entry);
        damaged(s, low(offset(s, &entry->hash), sizeof entry->hash));
        damaged(s, low(offset(s, &entry->text), sizeof entry->text));
        damaged(s, low(offset(s, &entry->key_length), sizeof entry->key_length));
        damaged(s, low(offset(s, &entry->value_length), sizeof entry->value_length));
        damaged(s, offset(s, rcuinfo__snapshot_key(s, entry)));
        damaged(s, offset(s, value - 1));
        damaged(s, offset(s, value + entry->value_length));
        damaged(s, low(offsetof(struct rcuinfo__snapshot, bytes), sizeof s->bytes));
        damaged(s, low(offsetof(struct rcuinfo__snapshot, count), sizeof s->count));
        damaged(s, s->mask ? low(s->index + (entry->hash & s->mask) * sizeof(uint32_t), sizeof(uint32_t))
                           : RCUINFO__SNAPSHOT_EMPTY + 1);
        assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_scans_agree),
        cmocka_unit_test(keys_of_one_hash),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(key_of_the_paddings_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
