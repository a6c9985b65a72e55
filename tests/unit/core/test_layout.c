/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys that a lookup could confuse: with the same hash, with the same place in the finder, with the fingerprint of an
 * unused entry, or with texts that differ in one byte. Without knowing the seed, such keys cannot be constructed. Also
 * tests that the check of a version's invariant finds damage. White box: searches for keys with the library's hash.
 */
#include <stddef.h>

#include "support/guard.h"
#include "support/inside.h"
#include "support/model.h"
#include "support/objects.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/test.h"
#include "support/twins.h"

static uint64_t seed; /* of the hashes of keys */

static void find_seed(void)
{
    rcuinfo_t info = OBJECT("a", "b");
    CHECK_OK(rcuinfo_free(&info));
    seed = rcuinfo__log_seed;
    CHECK(seed != 0);
}

/* Keys with the same hash are set, found, updated and deleted independently, in objects with 0 to 64 other pairs. */
TEST(keys_of_one_hash)
{
    char first[TWINS_KEY_BYTES], second[TWINS_KEY_BYTES];
    CHECK(twins_find(seed, first, second));
    const rcuinfo_change_t both[] = {{first, "3"}, {second, "4"}};
    for (unsigned others = 0; others <= 2 * RCUINFO__BLOCK_SCANNED; others++) {
        struct modelled m;
        modelled_create(&m);
        for (unsigned i = 0; i < others; i++)
            CHECK_OK(modelled_set(&m, (char[]){(char)('0' + i), '\0'}, ""));

        CHECK_OK(modelled_set(&m, first, "1"));
        CHECK_VALUE(m.info, second, NULL);
        CHECK_OK(modelled_set(&m, second, "2"));
        modelled_check(&m);
        CHECK_OK(modelled_update(&m, both, 2));
        modelled_check(&m);
        CHECK_OK(modelled_delete(&m, first));
        CHECK_VALUE(m.info, first, NULL);
        modelled_check(&m);
        modelled_free(&m);
    }
}

/* Up to 300 keys with the same fingerprint and, in finders of at most 256 places, the same place. The first n are used,
 * and none of the others is ever found. */
TEST(keys_of_one_place)
{
    enum { CROWD = TEST_SCALE > 4 ? 80 : 300, ROUNDS = SCALED(1500) };
    static char keys[CROWD][TWINS_CROWD_BYTES];
    struct random rng = {1};
    twins_crowd(seed, 0xff0000ff, 0x5a0000fe, keys, CROWD); /* the last place but one: searches wrap around */
    for (unsigned n = 4; n < CROWD; n *= 4) {
        struct kept kept = {0};
        struct modelled m;
        modelled_create(&m);
        for (unsigned i = 0; i < ROUNDS; i++) {
            const char *key = keys[random_below(&rng, n)];
            char value[16];
            (void)snprintf(value, sizeof value, "%u", random_below(&rng, 1000));
            (void)(random_below(&rng, 3) ? modelled_set(&m, key, value) : modelled_delete(&m, key));
            CHECK_VALUE(m.info, keys[n + random_below(&rng, CROWD - n)], NULL);
            if (i % 50 == 0) {
                modelled_check(&m);
                kept_open(&kept, &m);
            }
        }
        kept_close(&kept);
        modelled_free(&m);
    }
}

/* Both functions that search 16 bytes agree with a loop. The bytes are random with few values, so that none, one or
 * several match, at any position, also with the top bit set. */
TEST(both_scans_agree)
{
    struct random rng = {1};
    for (int round = 0; round < 100000; round++) {
        uint32_t spread = 1 + random_below(&rng, 40), number = random_below(&rng, 256), bits = 0;
        uint8_t wanted = (uint8_t)(number + random_below(&rng, spread));
        uint64_t words[2] = {0};
        for (unsigned i = 0; i < 16; i++) {
            uint8_t byte = (uint8_t)(number + random_below(&rng, spread));
            words[i / 8] |= (uint64_t)byte << 8 * (i % 8);
            bits |= (uint32_t)(byte == wanted) << i;
        }
        CHECK_EQUAL(rcuinfo__text_among16(words[0], words[1], wanted), bits);
        CHECK_EQUAL(rcuinfo__text_among16_plain(words[0], words[1], wanted), bits);
    }
}

/* Texts of every length, with each byte changed in turn. Reading beyond one ends the process, beyond the other ASan. */
TEST(every_byte_of_a_text_is_compared)
{
    enum { LONGEST = 80 };
    char text[LONGEST];
    struct random rng = {1};

    for (size_t i = 0; i < LONGEST; i++)
        text[i] = (char)random_below(&rng, 256);
    for (size_t length = 0; length <= LONGEST; length++) {
        char *other = guard_page_copy(text, length), *same = guard_new(length);
        memcpy(same, text, length);
        CHECK(rcuinfo__text_equal(other, same, length));
        CHECK_EQUAL(rcuinfo__text_hash(other, length, 1), rcuinfo__text_hash(same, length, 1));
        for (size_t at = 0; at < length; at++) {
            other[at] ^= 1;
            CHECK(!rcuinfo__text_equal(other, same, length));
            CHECK(!rcuinfo__text_equal(same, other, length));
            other[at] ^= 1;
        }
        guard_page_free(other, length);
        guard_free(same);
    }
}

/* A fingerprint of 0 equals the byte of every unused entry, which must not count. */
TEST(key_of_the_fingerprint_of_nothing)
{
    char key[1][TWINS_CROWD_BYTES];
    twins_crowd(seed, 0xff000000, 0, key, 1);
    rcuinfo_t info = object_empty();
    for (unsigned i = 0; i <= RCUINFO__BLOCK_SCANNED; i++) {
        CHECK_VALUE(info, key[0], NULL);
        object_fill(info, "other", i, "");
    }
    CHECK_OK(rcuinfo_free(&info));
}

/* Without a seed, these keys share all 64 bits of their hash. XXH3 multiplies the first 8 bytes by the next 8, and
 * those by the last 8, each after an XOR with a constant. Here the first and last 8 are their constants, so both
 * products are 0. With a seed, they are not. */
TEST(keys_made_to_collide_do_not)
{
    char keys[2][24];
    for (int i = 0; i < 2; i++) {
        memcpy(keys[i], XXH3_kSecret, 8);
        memset(keys[i] + 8, 'a' + i, 8);
        memcpy(keys[i] + 16, XXH3_kSecret + 24, 8);
    }
    CHECK(XXH3_64bits(keys[0], 24) == XXH3_64bits(keys[1], 24));
    for (uint64_t other = 1; other < 100; other++)
        CHECK(rcuinfo__text_hash(keys[0], 24, other) != rcuinfo__text_hash(keys[1], 24, other));
}

/* The offset of the least significant byte of a 32-bit number. */
enum { LOW = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 3 : 0 };

/* Flips the bits up to `highest` of each of these bytes, one at a time. Each must make the version invalid. */
static void damage(const struct rcuinfo__entry *last, const void *from, size_t bytes, int highest)
{
    char *memory = (char *)(uintptr_t)from;
    for (size_t i = 0; i < bytes; i++) {
        for (int bit = 1; bit <= highest; bit *= 2) {
            memory[i] ^= (char)bit;
            CHECK(!rcuinfo__log_valid(last));
            memory[i] ^= (char)bit;
        }
    }
}

static void damage_entry(const struct rcuinfo__entry *last, const struct rcuinfo__entry *entry)
{
    const struct rcuinfo__block *block = rcuinfo__block_of(last);
    uint32_t group = entry->position / RCUINFO__BLOCK_GROUP, byte = entry->position % RCUINFO__BLOCK_GROUP;
    damage(last, entry, offsetof(struct rcuinfo__entry, position), 1);
    damage(last, &entry->flags, 1, RCUINFO__ENTRY_LINKED);
    if (entry != last) /* whose position leads to the block */
        damage(last, &entry->position, sizeof entry->position, 1);
    damage(last, &entry->pairs, sizeof entry->pairs, 1);
    damage(last, &entry->rank, sizeof entry->rank, 1);
    damage(last, rcuinfo__log_key(entry), entry->key_length + 1U, 1);
    damage(last, rcuinfo__log_value(entry) + entry->value_length, 1, 1);
    if (entry->flags & RCUINFO__ENTRY_LINKED)
        damage(last, rcuinfo__log_links(entry), sizeof(struct rcuinfo__links), 1);

    if (!block->mask) {
        const _Atomic uint64_t *word = (const _Atomic uint64_t *)(const void *)block - 2 * (group + 1) + byte / 8;
        damage(last, (const char *)word + (LOW ? 7 - byte % 8 : byte % 8), 1, 1);
    }
    for (uint32_t place = 0; block->mask && place <= block->mask; place++) {
        if (*rcuinfo__log_place(block, place) == entry->position + 1)
            damage(last, (const char *)rcuinfo__log_place(block, place) + LOW, 1, 1);
    }
}

/* Damages versions whose entries were copied, set, overridden, deleted and set again, by single calls and an update. */
TEST(damage_is_found)
{
    static const unsigned SIZES[] = {2, 2 * RCUINFO__BLOCK_SCANNED};
    static const rcuinfo_change_t changes[] = {{"new", "1"}, {"other1", "back"}, {"other0", "2"}};
    for (size_t i = 0; i < 2; i++) {
        const struct rcuinfo__block *block;
        rcuinfo_t info = object_empty();
        object_fill(info, "other", SIZES[i], "");
        do {
            block = block_of(info);
            CHECK_OK(rcuinfo_set(info, "other0", "again"));
        } while (block_of(info) == block || rcuinfo__handle_slot(info)->sets < 50);

        CHECK_OK(rcuinfo_delete(info, "other1"));
        CHECK_OK(rcuinfo_update(info, changes, 3, NULL));
        CHECK_OK(rcuinfo_delete(info, "new"));
        const struct rcuinfo__entry *last = root_of(info);
        block = rcuinfo__block_of(last);
        CHECK_EQUAL(block->mask != 0, i);
        CHECK_EQUAL(last->position, SIZES[i] - 1 + 5); /* the copied pairs, and 5 edits after that */

        CHECK(rcuinfo__log_valid(last));
        for (uint32_t n = 0; n <= last->position; n++)
            damage_entry(last, rcuinfo__block_entry(block, n));
        damage(last, rcuinfo__log_value(last) + LOW, 1, 1); /* the rank of a hole */
        CHECK(rcuinfo__log_valid(last));
        memcpy((char *)(uintptr_t)rcuinfo__log_value(last) + last->value_length, "\xff\xff\xff\xff", 5); /* no key's */
        ((struct rcuinfo__entry *)(uintptr_t)last)->value_length += 4;
        CHECK(rcuinfo__log_bytes(last) <= block->bytes - last->text);
        CHECK(!rcuinfo__log_valid(last));
        CHECK_OK(rcuinfo_free(&info));
    }
}

static void each_process_has_a_seed_of_its_own(void)
{
    char mine[32], other[32] = "";
    (void)snprintf(mine, sizeof mine, "%llx", (unsigned long long)seed);
    spawn_self("seed", other, sizeof other);
    CHECK(*other && strcmp(mine, other) != 0);
}

int main(int argc, char *argv[])
{
    find_seed();
    if (argc > 1 && strcmp(argv[1], "seed") == 0)
        printf("%llx", (unsigned long long)seed);
    else if (argc > 1) /* a test of its own, because it runs this program again */
        each_process_has_a_seed_of_its_own();
    else
        test_run(NULL);
    return 0;
}
