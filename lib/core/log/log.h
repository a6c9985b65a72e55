/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log: the entries of a block, and the versions of an object in it. No locks, no allocation.
 *
 * A writer appends one entry to the log for each key that it sets or deletes. A version is a prefix of the log, and is
 * represented by a pointer to the last entry of that prefix. The value of a key in a version is that of the key's
 * newest entry in the prefix. Readers ignore all entries beyond their prefix, so appending does not disturb them.
 *
 *     entry   0      1      2      3      4
 *             a=1    b=2    a=3    del b  c=4
 *             |----- prefix -----|                the version that ends with entry 2: a=3, b=2
 *             |------------ prefix ------------|  the version that ends with entry 4: a=3, c=4
 *
 * The finder leads from the hash of a key to its entries. All versions in the block share it, and it is written while
 * they are read, so it consists of atomics. There are two kinds:
 *  - In blocks of up to RCUINFO__BLOCK_SMALL entries it is an array with one byte of the hash per entry. A reader
 *    compares 16 bytes at once, ignores matches beyond its prefix, and tries the rest, newest first.
 *  - In larger blocks it is a hash table with open addressing. Each place is for one key, and holds the position + 1 of
 *    its newest entry. If that entry is beyond the prefix, the reader follows links to older entries of the key.
 *
 * The links of an entry, if it needs any, precede its text. A reader of an old version takes a step for each time that
 * the key was set since in the same block.
 *
 * Keys are ranked in the order in which they were first set. Overriding a key keeps its rank; deleting it leaves a
 * hole. The value of a delete's entry is the sorted array of the ranks of all holes, so two binary searches find the
 * nth pair.
 *
 * Invariant: see rcuinfo__log_valid. An entry, its text and its links are complete before a root or the finder leads to
 * them, and never change after that. Only one thread at a time may append to a block, and only after the last entry
 * that was ever written there, published or not.
 */
#pragma once

#include <rcuinfo/snapshot.h>

#include "core/memory/block.h"
#include "core/debug.h"
#include "core/text.h"

enum {
    RCUINFO__ENTRY_FIRST = 1,   /* adds the key, with a new rank */
    RCUINFO__ENTRY_DELETED = 2, /* deletes the key */
    RCUINFO__ENTRY_LINKED = 4   /* links precede the text */
};

struct rcuinfo__links {
    uint32_t previous; /* position + 1 of the previous entry of the same key; 0: none in this block */
    uint32_t deletes;  /* position + 1 of the newest delete, this entry included; 0: none */
    uint32_t skipped;  /* sum of n - 1 over the updates of n keys appended so far, this entry's included */
};

/* One key to be set or, with a NULL value, deleted. */
struct rcuinfo__edit {
    const char *key;
    const char *value;
    uint32_t key_length;
    uint32_t value_length;
    uint32_t hash;
    uint32_t change; /* index of the change of an update that this edit was made of */

    /* In an update: the edit before this one that sets or deletes the same key, or NULL. One of both deletes it. */
    const struct rcuinfo__edit *earlier;
};

/* The seed of all hashes, so that nobody can choose keys that collide; 0 until the first edit. */
extern _Atomic uint64_t rcuinfo__log_seed;

static inline __attribute__((always_inline)) uint32_t rcuinfo__log_hash(const char *key, size_t length)
{
    /* Relaxed: the seed was set before the first version with pairs was published, so readers of one see it. */
    return rcuinfo__text_hash(key, length, atomic_load_explicit(&rcuinfo__log_seed, RCUINFO__RELAXED));
}

static inline const char *rcuinfo__log_key(const struct rcuinfo__entry *entry)
{
    return (const char *)rcuinfo__block_of(entry) + entry->text;
}

static inline const char *rcuinfo__log_value(const struct rcuinfo__entry *entry)
{
    return rcuinfo__log_key(entry) + entry->key_length + 1;
}

/* The links of an entry; without any, zeros. */
extern const struct rcuinfo__links rcuinfo__log_unlinked;
static inline const struct rcuinfo__links *rcuinfo__log_links(const struct rcuinfo__entry *entry)
{
    if (!(entry->flags & RCUINFO__ENTRY_LINKED))
        return &rcuinfo__log_unlinked;
    return RCUINFO__BLOCK_CAST(const struct rcuinfo__links, rcuinfo__log_key(entry)) - 1;
}

/* The number of the version that ends with this entry. */
static inline uint64_t rcuinfo__log_version(const struct rcuinfo__entry *last)
{
    return rcuinfo__block_of(last)->base + last->position - rcuinfo__log_links(last)->skipped;
}

/* Whether the entry is of that key. */
static inline bool rcuinfo__log_is(const struct rcuinfo__block *block, const struct rcuinfo__entry *entry,
                                   const char *key, size_t length)
{
    return entry->key_length == length && rcuinfo__text_equal((const char *)block + entry->text, key, length);
}

/* Bit i is set if byte i of a group of 16 in the finder is `wanted`. Group 0 ends at the header, group 1 below it. */
static inline uint32_t rcuinfo__log_group(const struct rcuinfo__block *block, uint32_t group, uint8_t wanted)
{
    const _Atomic uint64_t *words = RCUINFO__BLOCK_CAST(const _Atomic uint64_t, block) - 2 * (group + 1);
    return rcuinfo__text_among16(atomic_load_explicit(words, RCUINFO__RELAXED),
                                 atomic_load_explicit(words + 1, RCUINFO__RELAXED), wanted);
}

/* [P9] field: a place of the finder, counted down from the header. Written by the thread that may append, read in read
 * sections. */
static inline const _Atomic uint32_t *rcuinfo__log_place(const struct rcuinfo__block *block, uint32_t place)
{
    return RCUINFO__BLOCK_CAST(const _Atomic uint32_t, block) - (place + 1);
}

/* Finds the newest entry of a key in the prefix, or NULL, by a finder that consists of bytes. */
static inline __attribute__((always_inline)) const struct rcuinfo__entry *
rcuinfo__log_match(const struct rcuinfo__block *block, uint32_t prefix, const char *key, size_t length, uint32_t hash)
{
    uint8_t wanted = rcuinfo__text_fingerprint(hash);

    /* One bit for each entry that may have the key, and none for entries beyond the prefix. */
    uint64_t bits = rcuinfo__log_group(block, 0, wanted);
    for (uint32_t group = 1; group * RCUINFO__BLOCK_GROUP < prefix; group++)
        bits |= (uint64_t)rcuinfo__log_group(block, group, wanted) << group * RCUINFO__BLOCK_GROUP;
    if (!RCUINFO__DEFECT(BYTES_BEYOND))
        bits &= UINT64_MAX >> (RCUINFO__BLOCK_SMALL - prefix); /* keep the low `prefix` bits, e.g. 0b111 for 3 */

    while (bits) {
        uint32_t newest = 63 - (uint32_t)__builtin_clzll(bits); /* the highest bit that is set */
        const struct rcuinfo__entry *entry = rcuinfo__block_entry(block, newest);
        if (rcuinfo__log_is(block, entry, key, length))
            return entry;
        bits ^= UINT64_C(1) << newest;
    }
    return NULL;
}
_Static_assert(RCUINFO__BLOCK_SMALL == 64, "a bit for each entry");

/* Given an entry beyond the prefix, finds the newest entry of the same key within it, or NULL. */
const struct rcuinfo__entry *rcuinfo__log_older(const struct rcuinfo__entry *entry, uint32_t prefix);

/* Same as rcuinfo__log_match, by a finder that consists of places. */
static inline __attribute__((always_inline)) const struct rcuinfo__entry *
rcuinfo__log_probe(const struct rcuinfo__block *block, uint32_t prefix, const char *key, size_t length, uint32_t hash)
{
    for (uint32_t place = hash & block->mask;; place = (place + 1) & block->mask) {
        /* [P9] acquire */
        uint32_t found = atomic_load_explicit(rcuinfo__log_place(block, place), RCUINFO__PLACE_LOAD);
        if (!found)
            return NULL;

        const struct rcuinfo__entry *entry = rcuinfo__block_entry(block, found - 1);
        if (entry->hash == hash && rcuinfo__log_is(block, entry, key, length))
            return __builtin_expect(found <= prefix, 1) ? entry : rcuinfo__log_older(entry, prefix);
    }
}

/* Finds the newest entry of a key in a version, which may be a delete, or NULL. */
static inline __attribute__((always_inline)) const struct rcuinfo__entry *
rcuinfo__log_find(const struct rcuinfo__entry *last, const char *key, size_t length, uint32_t hash)
{
    const struct rcuinfo__block *block = rcuinfo__block_of(last);
    uint32_t prefix = last->position + 1;
    return block->mask ? rcuinfo__log_probe(block, prefix, key, length, hash)
                       : rcuinfo__log_match(block, prefix, key, length, hash);
}

static inline rcuinfo_pair_t rcuinfo__log_pair(const struct rcuinfo__entry *entry)
{
    return (rcuinfo_pair_t){.key = rcuinfo__log_key(entry),
                            .value = rcuinfo__log_value(entry),
                            .key_length = entry->key_length,
                            .value_length = entry->value_length};
}

/* Gets the pair of a key; false if the version has none. */
static inline __attribute__((always_inline)) bool rcuinfo__log_get(const struct rcuinfo__entry *last, const char *key,
                                                                   size_t length, rcuinfo_pair_t *pair)
{
    const struct rcuinfo__entry *entry = last;

    if (last->pairs == 1 && !(last->flags & RCUINFO__ENTRY_LINKED)) {
        /* There is only one key, and nothing was deleted: its newest entry is the last one. Comparing is faster than
         * hashing. */
        if (!rcuinfo__log_is(rcuinfo__block_of(last), last, key, length))
            return false;
    } else {
        entry = rcuinfo__log_find(last, key, length, rcuinfo__log_hash(key, length));
        if (!entry || entry->flags & RCUINFO__ENTRY_DELETED)
            return false;
    }

    *pair = rcuinfo__log_pair(entry);
    return true;
}

/* The entry that added the key of the nth pair, and that pair's newest entry; n < last->pairs. */
const struct rcuinfo__entry *rcuinfo__log_nth_search(const struct rcuinfo__entry *last, uint32_t n);

static inline const struct rcuinfo__entry *rcuinfo__log_nth_key(const struct rcuinfo__entry *last, uint32_t n)
{
    /* The usual case: nothing was deleted, and entry n is the nth pair, since a copy writes the pairs in order. */
    const struct rcuinfo__entry *entry = rcuinfo__block_entry(rcuinfo__block_of(last), n);
    bool usual = entry->rank == n && entry->flags & RCUINFO__ENTRY_FIRST && !(last->flags & RCUINFO__ENTRY_LINKED);
    return __builtin_expect(usual, 1) ? entry : rcuinfo__log_nth_search(last, n);
}

static inline const struct rcuinfo__entry *rcuinfo__log_nth(const struct rcuinfo__entry *last, uint32_t n)
{
    const struct rcuinfo__entry *entry = rcuinfo__log_nth_key(last, n);
    if (last->position + 1 == last->pairs) /* no key was set twice */
        return entry;
    return rcuinfo__log_find(last, rcuinfo__log_key(entry), entry->key_length, entry->hash);
}

/* Bytes of "key\0value\0" of a pair, of an entry, and of all pairs of a version. */
static inline uint32_t rcuinfo__log_pair_bytes(uint32_t key_length, uint32_t value_length)
{
    return key_length + 1 + value_length + 1;
}

static inline uint32_t rcuinfo__log_bytes(const struct rcuinfo__entry *entry)
{
    return rcuinfo__log_pair_bytes(entry->key_length, entry->value_length);
}

uint64_t rcuinfo__log_text(const struct rcuinfo__entry *last);

/* The ranks of the keys deleted from a version, in ascending order, as uint32_t that need not be aligned. */
struct rcuinfo__holes {
    const char *ranks;
    uint32_t n;
};

struct rcuinfo__holes rcuinfo__log_holes(const struct rcuinfo__entry *last);

static inline uint32_t rcuinfo__log_hole(const struct rcuinfo__holes *holes, uint32_t i)
{
    return rcuinfo__text_load32(holes->ranks + i * sizeof(uint32_t));
}

/* The number of holes with a rank below `limit`; `by_pairs`: with fewer than `limit` pairs before them, i.e. their rank
 * less the holes before them. */
uint32_t rcuinfo__log_holes_before(const struct rcuinfo__holes *holes, uint32_t limit, bool by_pairs);

/*
 * The shape of a block for a copy of a version and n edits. `end` belongs to the version's block; NULL if not known.
 * `sets` is the number of times that the object was set: the more, the more room for further sets.
 */
struct rcuinfo__shape rcuinfo__log_shape(const struct rcuinfo__entry *last, const struct rcuinfo__end *end,
                                         const struct rcuinfo__edit *edits, size_t n, uint32_t sets);

/*
 * Writing a version (core/memory/block.h): begin with one of rcuinfo__log_continue and rcuinfo__log_copy, write the
 * edits, and finish.
 *
 * _continue  appends up to `entries` entries to a version, whose block the caller may append to
 * _copy      copies all pairs of a version to an empty block that is large enough
 * _write     writes one edit
 * _finish    numbers the version and returns its last entry, to be published
 *
 * In a block that is not published yet, an edit of a key that is there changes or removes the pair in place.
 */
void rcuinfo__log_continue(struct rcuinfo__writing *writing, const struct rcuinfo__entry *last, struct rcuinfo__end end,
                           size_t entries);
void rcuinfo__log_copy(struct rcuinfo__writing *writing, struct rcuinfo__block *block,
                       const struct rcuinfo__entry *from);

/* `newest` is the key's newest entry so far, or NULL. Deletes only a key that is there. Returns false, and has written
 * nothing, if the block is full, or has so many holes that it should be copied. */
bool rcuinfo__log_write(struct rcuinfo__writing *writing, const struct rcuinfo__edit *edit,
                        const struct rcuinfo__entry *newest);

/* Same as _continue, _write and _finish for one edit that sets a key. Returns the new last entry, or NULL when there is
 * no room. */
const struct rcuinfo__entry *rcuinfo__log_append(const struct rcuinfo__entry *last, struct rcuinfo__end *end,
                                                 const struct rcuinfo__edit *edit, const struct rcuinfo__entry *newest);

/* The newest entry of the edit's key in the version with the edits so far, or NULL. */
const struct rcuinfo__entry *rcuinfo__log_written(const struct rcuinfo__writing *writing,
                                                  const struct rcuinfo__edit *edit);

const struct rcuinfo__entry *rcuinfo__log_finish(struct rcuinfo__writing *writing, uint64_t version);

/* Whether the invariant holds; of a log that is slow to look at, for every 1024th version only. Not a part of the
 * library but for builds with RCUINFO_CHECKS: core/log/log_valid.c. */
bool rcuinfo__log_valid(const struct rcuinfo__entry *last);
bool rcuinfo__log_may_be_valid(const struct rcuinfo__entry *last);
