/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * snapshot: one version of an object as one flat block of bytes. Pure: no atomics, no locks, no allocation.
 *
 * Owns the layout. A block holds, in this order: this header; fingerprints, one byte a pair, up to 32 pairs; entries in
 * insertion order; above 32 pairs an open-addressing index of positions + 1, at most half full; the text,
 * "key\0value\0" of each pair in insertion order. Offsets are in bytes from the start of the block, but for those of an
 * entry, which count from the start of the text.
 *
 * Invariant (rcuinfo__snapshot_valid): keys are distinct; the text has no gaps; entry i lies before entry i + 1.
 * Callers owe: a block that is aligned to 8 bytes and as large as rcuinfo__snapshot_plan said, and that nobody changes
 * a block once others can see it.
 */
#ifndef RCUINFO_CORE_SNAPSHOT_H
#define RCUINFO_CORE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/text.h"

struct rcuinfo__entry {
    uint32_t hash;
    uint32_t text; /* offset of the key in the text; the value follows its NUL */
    uint16_t value_length;
    uint8_t key_length;
    uint8_t unused;
};

struct rcuinfo__snapshot {
    uint64_t version;
    uint32_t count; /* pairs */
    uint32_t bytes; /* of the whole block */
    uint32_t entries;
    uint32_t index;
    uint32_t mask; /* places in the index - 1; 0: no index, scan the fingerprints */
    uint32_t text;
};

/* A change of one pair; a NULL value deletes. Lengths and hash are those of key and value. */
struct rcuinfo__edit {
    const char *key;
    const char *value;
    uint32_t key_length;
    uint32_t value_length;
    uint32_t hash;
};

#define RCUINFO__SCANNED   32 /* most pairs that are found by their fingerprints */
#define RCUINFO__NOT_FOUND UINT32_MAX

/* Bytes of an empty block. */
#define RCUINFO__SNAPSHOT_EMPTY sizeof(struct rcuinfo__snapshot)

static inline const char *rcuinfo__snapshot_fingerprints(const struct rcuinfo__snapshot *s)
{
    return (const char *)(s + 1);
}

static inline const struct rcuinfo__entry *rcuinfo__snapshot_entry(const struct rcuinfo__snapshot *s, uint32_t position)
{
    return (const struct rcuinfo__entry *)(const void *)((const char *)s + s->entries) + position;
}

static inline const char *rcuinfo__snapshot_key(const struct rcuinfo__snapshot *s, const struct rcuinfo__entry *entry)
{
    return (const char *)s + s->text + entry->text;
}

static inline const char *rcuinfo__snapshot_value(const struct rcuinfo__snapshot *s, const struct rcuinfo__entry *entry)
{
    return rcuinfo__snapshot_key(s, entry) + entry->key_length + 1;
}

static inline bool rcuinfo__snapshot_is(const struct rcuinfo__snapshot *s, uint32_t position, const char *key,
                                        size_t length)
{
    const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(s, position);
    return entry->key_length == length && rcuinfo__text_equal(rcuinfo__snapshot_key(s, entry), key, length);
}

/* Bit i is set where fingerprint i of 16 equals the one looked for. */
static inline uint32_t rcuinfo__snapshot_match16(const char *fingerprints, uint8_t wanted)
{
#ifdef __SSE2__
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)fingerprints);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8((char)wanted)));
#else
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 16; i++)
        bits |= (uint32_t)((uint8_t)fingerprints[i] == wanted) << i;
    return bits;
#endif
}

/* Position of a key whose hash is known, or RCUINFO__NOT_FOUND. */
static inline __attribute__((always_inline)) uint32_t
rcuinfo__snapshot_find_hashed(const struct rcuinfo__snapshot *s, const char *key, size_t length, uint32_t hash)
{
    if (!s->mask) {
        const char *fingerprints = rcuinfo__snapshot_fingerprints(s);
        uint8_t wanted = rcuinfo__text_fingerprint(hash);
        for (uint32_t first = 0; first < s->count; first += 16) {
            uint32_t bits = rcuinfo__snapshot_match16(fingerprints + first, wanted);
            for (; bits; bits &= bits - 1) {
                uint32_t position = first + (uint32_t)__builtin_ctz(bits);
                /* The padding behind the last fingerprint can match too. */
                if (position < s->count && rcuinfo__snapshot_is(s, position, key, length))
                    return position;
            }
        }
        return RCUINFO__NOT_FOUND;
    }
    const uint32_t *index = (const uint32_t *)(const void *)((const char *)s + s->index);
    for (uint32_t place = hash & s->mask; index[place]; place = (place + 1) & s->mask) {
        uint32_t position = index[place] - 1;
        if (rcuinfo__snapshot_entry(s, position)->hash == hash && rcuinfo__snapshot_is(s, position, key, length))
            return position;
    }
    return RCUINFO__NOT_FOUND;
}

/* Position of a key, or RCUINFO__NOT_FOUND. */
static inline __attribute__((always_inline)) uint32_t rcuinfo__snapshot_find(const struct rcuinfo__snapshot *s,
                                                                             const char *key, size_t length)
{
    if (s->count == 1) /* a hash costs more than the comparison */
        return rcuinfo__snapshot_is(s, 0, key, length) ? 0 : RCUINFO__NOT_FOUND;
    return rcuinfo__snapshot_find_hashed(s, key, length, rcuinfo__text_hash(key, length));
}

/* Makes `block` (RCUINFO__SNAPSHOT_EMPTY bytes) an empty snapshot of version 0. */
void rcuinfo__snapshot_init(struct rcuinfo__snapshot *block);

/*
 * Bytes of the block that `edit` makes of `old`, where `position` is that of the edit's key in `old` or
 * RCUINFO__NOT_FOUND (then the edit is no delete). More than UINT32_MAX: too large to be built.
 */
uint64_t rcuinfo__snapshot_plan(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edit,
                                uint32_t position);

/* Builds in `block` what rcuinfo__snapshot_plan has sized. The version is one more than that of `old`. */
void rcuinfo__snapshot_apply(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edit, uint32_t position,
                             struct rcuinfo__snapshot *block);

/*
 * Several edits at once. rcuinfo__snapshot_plan_all: an upper bound of the bytes of the block, and of the scratch
 * memory (aligned to 8 bytes) in *scratch; more than UINT32_MAX: too large. rcuinfo__snapshot_apply_all: builds the
 * block as one version; returns n, or the index of the first edit that deletes what is not there (the block is then
 * garbage).
 */
uint64_t rcuinfo__snapshot_plan_all(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edits, size_t n,
                                    uint64_t *scratch);
size_t rcuinfo__snapshot_apply_all(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edits, size_t n,
                                   void *scratch, struct rcuinfo__snapshot *block);

/* Whether the invariant holds; for tests, and for builds with RCUINFO_CHECKS. */
bool rcuinfo__snapshot_valid(const struct rcuinfo__snapshot *s);

/* For snapshot.c and edit.c: bytes that a pair takes in the text, and putting it there. */
static inline uint32_t rcuinfo__snapshot_pair_bytes(uint32_t key_length, uint32_t value_length)
{
    return key_length + 1 + value_length + 1;
}

static inline void rcuinfo__snapshot_put_pair(char *at, const char *key, size_t key_length, const char *value,
                                              size_t value_length)
{
    rcuinfo__text_copy(at, key, key_length);
    at[key_length] = '\0';
    rcuinfo__text_copy(at + key_length + 1, value, value_length);
    at[key_length + 1 + value_length] = '\0';
}

/*
 * For snapshot.c and edit.c. rcuinfo__snapshot_frame: writes a header for `count` pairs and `text` bytes of text with
 * zeroed fingerprints, and returns the bytes of the block. rcuinfo__snapshot_fill_index: from the entries.
 */
uint64_t rcuinfo__snapshot_size(uint64_t count, uint64_t text);
void rcuinfo__snapshot_frame(struct rcuinfo__snapshot *block, uint32_t count, uint32_t text, uint64_t version);
void rcuinfo__snapshot_fill_index(struct rcuinfo__snapshot *block);

#endif
