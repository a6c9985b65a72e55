/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * twins: keys of one length with the same hash, or the same bits of it, found by a search. White box: uses the
 * library's hash. A schema's seed is 1, that of objects is rcuinfo__log_seed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/text.h"
#include "support/check.h"

/* The number of keys tried first, of which about ten pairs share a hash of 32 bits. Buffers have the size for any key:
 * with smaller ones, gcc warns about code in xxHash for longer keys. */
enum { TWINS_KEYS = 400000, TWINS_KEY_BYTES = 256 };

struct twins_hashed {
    uint32_t hash;
    uint32_t number;
};

/* Makes one of the keys to try. */
static inline void twins_key(char *key, uint32_t number)
{
    (void)snprintf(key, TWINS_KEY_BYTES, "key%010u", number);
}

static inline int twins_by_hash(const void *a, const void *b)
{
    uint32_t left = ((const struct twins_hashed *)a)->hash, right = ((const struct twins_hashed *)b)->hash;
    return left < right ? -1 : left > right;
}

/* Writes two keys that share their hash, of TWINS_KEY_BYTES bytes each at most. With about one seed in 10,000, the
 * first keys have no such pair; then it tries twice as many. */
static inline void twins_find(uint64_t seed, char *first, char *second)
{
    bool found = false;
    for (uint32_t keys = TWINS_KEYS; !found; keys *= 2) {
        struct twins_hashed *hashes = calloc(keys, sizeof *hashes);
        CHECK(hashes);
        for (uint32_t i = 0; i < keys; i++) {
            twins_key(first, i);
            hashes[i] = (struct twins_hashed){rcuinfo__text_hash(first, strlen(first), seed), i};
        }
        qsort(hashes, keys, sizeof *hashes, twins_by_hash);
        for (uint32_t i = 1; i < keys && !found; i++) {
            found = hashes[i].hash == hashes[i - 1].hash;
            twins_key(first, hashes[i - 1].number);
            twins_key(second, hashes[i].number);
        }
        free(hashes);
    }
}

enum { TWINS_CROWD_BYTES = 9 };

/* Writes n keys of 8 letters whose hashes have these bits. Each takes about 2^(bits of mask) attempts. */
static inline void twins_crowd(uint64_t seed, uint32_t mask, uint32_t bits, char (*keys)[TWINS_CROWD_BYTES], size_t n)
{
    char key[TWINS_KEY_BYTES] = "AAAAAAAA";
    for (size_t found = 0; found < n;) {
        size_t letter = 0;
        if ((rcuinfo__text_hash(key, 8, seed) & mask) == bits)
            memcpy(keys[found++], key, TWINS_CROWD_BYTES);
        while (key[letter] == 'z') /* the next key, as if letters were digits */
            key[letter++] = 'A';
        key[letter]++;
    }
}
