/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * snapshot: one version of an object. Hides how it is laid out: as one flat block of bytes, or, above some 16 KiB, as a
 * block with the roots of trees (core/tree.h). No locks, no allocation.
 *
 * Owns the flat layout. A block holds, in this order: this header; fingerprints, one byte a pair, up to 32 pairs;
 * entries in insertion order; above 32 pairs an open-addressing index of positions + 1, at most half full; the text,
 * "key\0value\0" of each pair in insertion order. Offsets are in bytes from the start of the block, but for those of an
 * entry, which count from the start of the text. A large version has the tree behind its header.
 *
 * Invariant (rcuinfo__snapshot_valid): keys are distinct; the text has no gaps; entry i lies before entry i + 1. A
 * large version would take RCUINFO__FLAT_LEAST bytes at least if it were flat.
 * Callers owe: a block that is aligned to 8 bytes and as large as rcuinfo__snapshot_plan said, and that nobody changes
 * a block once others can see it. Where it says flat, the snapshot is.
 */
#ifndef RCUINFO_CORE_SNAPSHOT_H
#define RCUINFO_CORE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text.h"
#include "core/tree.h"

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
    uint32_t mask; /* places in the index - 1; 0: no index, scan the fingerprints; RCUINFO__LARGE: a tree follows */
    uint32_t text;
};

/* A pair as it lies in a version. */
struct rcuinfo__pair {
    const char *key;
    const char *value;
    uint32_t key_length;
    uint32_t value_length;
    uint32_t hash;
};

#define RCUINFO__SCANNED    32 /* most pairs that are found by their fingerprints */
#define RCUINFO__NOT_FOUND  UINT32_MAX
#define RCUINFO__LARGE      UINT32_MAX
#define RCUINFO__FLAT_MOST  16384 /* bytes of a flat block above which a version becomes large */
#define RCUINFO__FLAT_LEAST 8192  /* and below which it becomes flat again */

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

static inline bool rcuinfo__snapshot_large(const struct rcuinfo__snapshot *s)
{
    return __builtin_expect(s->mask == RCUINFO__LARGE, 0);
}

static inline const struct rcuinfo__tree *rcuinfo__snapshot_tree(const struct rcuinfo__snapshot *s)
{
    return (const struct rcuinfo__tree *)(const void *)(s + 1);
}

/* In a flat snapshot of up to RCUINFO__SCANNED pairs, position of a key whose hash is known, or RCUINFO__NOT_FOUND. */
static inline __attribute__((always_inline)) uint32_t
rcuinfo__snapshot_scan(const struct rcuinfo__snapshot *s, const char *key, size_t length, uint32_t hash)
{
    const char *fingerprints = rcuinfo__snapshot_fingerprints(s);
    uint8_t wanted = rcuinfo__text_fingerprint(hash);
    for (uint32_t first = 0; first < s->count; first += 16) {
        uint32_t bits = rcuinfo__text_among16(fingerprints + first, wanted);
        for (; bits; bits &= bits - 1) {
            uint32_t position = first + (uint32_t)__builtin_ctz(bits);
            /* The padding behind the last fingerprint can match too. */
            if (position < s->count && rcuinfo__snapshot_is(s, position, key, length))
                return position;
        }
    }
    return RCUINFO__NOT_FOUND;
}

/* The same in one of more pairs. */
static inline __attribute__((always_inline)) uint32_t
rcuinfo__snapshot_probe(const struct rcuinfo__snapshot *s, const char *key, size_t length, uint32_t hash)
{
    const uint32_t *index = (const uint32_t *)(const void *)((const char *)s + s->index);
    for (uint32_t place = hash & s->mask; index[place]; place = (place + 1) & s->mask) {
        uint32_t position = index[place] - 1;
        if (rcuinfo__snapshot_entry(s, position)->hash == hash && rcuinfo__snapshot_is(s, position, key, length))
            return position;
    }
    return RCUINFO__NOT_FOUND;
}

/* The same in any flat one. */
static inline __attribute__((always_inline)) uint32_t
rcuinfo__snapshot_find_hashed(const struct rcuinfo__snapshot *s, const char *key, size_t length, uint32_t hash)
{
    return s->mask ? rcuinfo__snapshot_probe(s, key, length, hash) : rcuinfo__snapshot_scan(s, key, length, hash);
}

/* In a flat snapshot, position of a key, or RCUINFO__NOT_FOUND. */
static inline __attribute__((always_inline)) uint32_t rcuinfo__snapshot_find(const struct rcuinfo__snapshot *s,
                                                                             const char *key, size_t length)
{
    if (s->count == 1) /* a hash costs more than the comparison */
        return rcuinfo__snapshot_is(s, 0, key, length) ? 0 : RCUINFO__NOT_FOUND;
    return rcuinfo__snapshot_find_hashed(s, key, length, rcuinfo__text_hash(key, length));
}

/* The pair at a position of a flat snapshot. */
static inline void rcuinfo__snapshot_pair(const struct rcuinfo__snapshot *s, uint32_t position,
                                          struct rcuinfo__pair *pair)
{
    const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(s, position);
    pair->key = rcuinfo__snapshot_key(s, entry);
    pair->value = rcuinfo__snapshot_value(s, entry);
    pair->key_length = entry->key_length;
    pair->value_length = entry->value_length;
    pair->hash = entry->hash;
}

static inline void rcuinfo__snapshot_item(const struct rcuinfo__item *item, struct rcuinfo__pair *pair)
{
    pair->key = item->text;
    pair->value = rcuinfo__item_value(item);
    pair->key_length = item->node.key_length;
    pair->value_length = item->node.value_length;
    pair->hash = item->hash;
}

/* The pair of a key; false when there is none. */
static inline __attribute__((always_inline)) bool
rcuinfo__snapshot_get(const struct rcuinfo__snapshot *s, const char *key, size_t length, struct rcuinfo__pair *pair)
{
    uint32_t position;
    uint32_t hash;
    if (s->count == 1) { /* a hash costs more than the comparison */
        position = rcuinfo__snapshot_is(s, 0, key, length) ? 0 : RCUINFO__NOT_FOUND;
    } else if (hash = rcuinfo__text_hash(key, length), !s->mask) {
        position = rcuinfo__snapshot_scan(s, key, length, hash);
    } else if (!rcuinfo__snapshot_large(s)) {
        position = rcuinfo__snapshot_probe(s, key, length, hash);
    } else {
        const struct rcuinfo__item *item = rcuinfo__tree_find(rcuinfo__snapshot_tree(s), key, length, hash);
        if (item)
            rcuinfo__snapshot_item(item, pair);
        return item;
    }
    if (position == RCUINFO__NOT_FOUND)
        return false;
    rcuinfo__snapshot_pair(s, position, pair);
    return true;
}

/* The pair that n others come before; there is one. */
static inline void rcuinfo__snapshot_nth(const struct rcuinfo__snapshot *s, uint32_t n, struct rcuinfo__pair *pair)
{
    if (rcuinfo__snapshot_large(s))
        rcuinfo__snapshot_item(rcuinfo__tree_nth(rcuinfo__snapshot_tree(s), n), pair);
    else
        rcuinfo__snapshot_pair(s, n, pair);
}

/* Bytes of all "key\0value\0". */
static inline uint64_t rcuinfo__snapshot_text(const struct rcuinfo__snapshot *s)
{
    return rcuinfo__snapshot_large(s) ? rcuinfo__snapshot_tree(s)->text : s->bytes - s->text;
}

/* Makes `block` (RCUINFO__SNAPSHOT_EMPTY bytes) an empty snapshot of version 0. */
void rcuinfo__snapshot_init(struct rcuinfo__snapshot *block);

/*
 * Bytes of the flat block that `edit` makes of `old`, which is flat, where `position` is that of the edit's key in
 * `old` or RCUINFO__NOT_FOUND (then the edit is no delete). More than UINT32_MAX: too large to be built.
 */
uint64_t rcuinfo__snapshot_plan(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edit,
                                uint32_t position);

/* Builds in `block` what rcuinfo__snapshot_plan has sized. The version is one more than that of `old`. */
void rcuinfo__snapshot_apply(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edit, uint32_t position,
                             struct rcuinfo__snapshot *block);

/*
 * Several edits at once, of a snapshot of either layout. rcuinfo__snapshot_plan_all: an upper bound of the bytes of the
 * flat block, and of the scratch memory (aligned to 8 bytes) in *scratch; more than UINT32_MAX: too large.
 * rcuinfo__snapshot_apply_all: builds the flat block as one version; returns n, or the index of the first edit that
 * deletes what is not there (the block is then garbage).
 */
uint64_t rcuinfo__snapshot_plan_all(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edits, size_t n,
                                    uint64_t *scratch);
size_t rcuinfo__snapshot_apply_all(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edits, size_t n,
                                   void *scratch, struct rcuinfo__snapshot *block);

/* The header of a large version, whose tree, behind it, is finished. */
void rcuinfo__snapshot_head(struct rcuinfo__snapshot *block, uint64_t version);

/* Bytes that a version of so many pairs and so much text takes when it is flat. */
uint64_t rcuinfo__snapshot_size(uint64_t count, uint64_t text);

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
 * zeroed fingerprints. rcuinfo__snapshot_fill_index: from the entries.
 */
void rcuinfo__snapshot_frame(struct rcuinfo__snapshot *block, uint32_t count, uint32_t text, uint64_t version);
void rcuinfo__snapshot_fill_index(struct rcuinfo__snapshot *block);

#endif
