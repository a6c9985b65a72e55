/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys that a lookup could confuse: with the same hash, with the same place in the finder, with the fingerprint of an
 * unused entry, or with texts that differ in one byte. Without knowing the seed, such keys cannot be constructed. White
 * box: searches for keys with the library's hash.
 */
#include "stress/random.h"
#include "support/guard.h"
#include "support/inside.h"
#include "support/model.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/test.h"
#include "support/twins.h"

static uint64_t seed; /* of the hashes of keys */

/* Keys with the same hash are set, found, updated and deleted independently, in objects with 0 to 64 other pairs. */
TEST(keys_of_one_hash)
{
    char first[TWINS_KEY_BYTES], second[TWINS_KEY_BYTES];
    twins_find(seed, first, second);
    const rcuinfo_change_t both[] = {{first, "3"}, {second, "4"}};
    for (unsigned others = 0; others <= 2 * RCUINFO__BLOCK_SMALL; others++) {
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
    for (unsigned i = 0; i <= RCUINFO__BLOCK_SMALL; i++) {
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

static void each_process_has_a_seed_of_its_own(void)
{
    char mine[32], other[32] = "";
    (void)snprintf(mine, sizeof mine, "%llx", (unsigned long long)seed);
    spawn_self("seed", other, sizeof other);
    CHECK(*other && strcmp(mine, other) != 0);
}

int main(int argc, char *argv[])
{
    object_free(OBJECT("a", "b")); /* there is a seed from the first key on */
    seed = rcuinfo__log_seed;
    CHECK(seed != 0);
    if (argc > 1 && strcmp(argv[1], "seed") == 0)
        printf("%llx", (unsigned long long)seed);
    else if (argc > 1) /* a test of its own, because it runs this program again */
        each_process_has_a_seed_of_its_own();
    else
        test_run(NULL);
    return 0;
}
