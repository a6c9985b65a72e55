/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log: the history of an object in a block, and its versions. No locks, no allocation.
 *
 * A version is named by its last entry, and consists of the entries of the block up to that one: its prefix. Each entry
 * sets a key or deletes one; the newest entry of a key in the prefix is what the version says of it. Entries beyond the
 * prefix belong to later versions and are not looked at. So a writer appends where no reader looks, and a version stays
 * as it is while the object goes on in the same block.
 *
 * The finder leads from the hash of a key to its entries. It is shared by all versions in the block, and written while
 * they are read, by atomics:
 *  - up to RCUINFO__BLOCK_SCANNED entries, a byte of the hash for each entry; the reader compares 16 at a time, newest
 *    first, and masks those beyond its prefix.
 *  - above that, open addressing over places, one for each key. A place holds the position + 1 of the newest entry of
 * its key. Where that is beyond the prefix, the reader follows the links to older entries of the key.
 *
 * Links lie in front of an entry's text, for those entries that need them. `jump` leads several entries of the same key
 * back, as in a skip list, so a reader of an old version comes to its entry in a logarithmic number of steps however
 * often the key was set since.
 *
 * A pair keeps the rank that its key got when it was set first. A deleted key leaves a hole; the entry of a delete has
 * the ranks of all holes as its value, ascending, so the nth pair is found by two binary searches.
 *
 * Invariant (rcuinfo__log_valid): see there. An entry, its text and its links are written once, before a root or a
 * place of the finder names them. Callers owe: one writer at a time appends to a block, behind the last entry that was
 * ever written there.
 */
#ifndef RCUINFO_CORE_LOG_H
#define RCUINFO_CORE_LOG_H

#include <rcuinfo/snapshot.h>

#include "core/block.h"
#include "core/text.h"

enum {
    RCUINFO__ENTRY_FIRST = 1,   /* the key was not there before, and has a rank of its own */
    RCUINFO__ENTRY_DELETED = 2, /* the key is not there from here on */
    RCUINFO__ENTRY_LINKED = 4   /* links lie in front of the text */
};

struct rcuinfo__links {
    uint32_t previous; /* position + 1 of the entry before of the same key; 0: none in this block */
    uint32_t jump;     /* position + 1 of one before that, or the same */
    uint32_t depth;    /* entries of the same key before this one */
    uint32_t deletes;  /* position + 1 of the last delete up to this entry; 0: none */
    uint32_t skipped;  /* entries up to this one with which no version ended, since entry 0 */
};

/* What one call wants to do to one key; a NULL value deletes. Lengths and hash are those of key and value. */
struct rcuinfo__edit {
    const char *key;
    const char *value;
    uint32_t key_length;
    uint32_t value_length;
    uint32_t hash;
};

/* The seed of all hashes of keys, so that nobody can know which keys collide; 0 until the first edit. */
extern _Atomic uint64_t rcuinfo__log_seed;

static inline __attribute__((always_inline)) uint32_t rcuinfo__log_hash(const char *key, size_t length)
{
    /* Who has a version with pairs has the seed: it was there before the first was published. */
    return rcuinfo__text_hash(key, length, atomic_load_explicit(&rcuinfo__log_seed, RCUINFO__COUNT));
}

static inline const char *rcuinfo__log_key(const struct rcuinfo__entry *entry)
{
    return (const char *)rcuinfo__block_of(entry) + entry->text;
}

static inline const char *rcuinfo__log_value(const struct rcuinfo__entry *entry)
{
    return rcuinfo__log_key(entry) + entry->key_length + 1;
}

/* Of an entry without links: none. */
extern const struct rcuinfo__links rcuinfo__log_unlinked;
static inline const struct rcuinfo__links *rcuinfo__log_links(const struct rcuinfo__entry *entry)
{
    if (!(entry->flags & RCUINFO__ENTRY_LINKED))
        return &rcuinfo__log_unlinked;
    return (const struct rcuinfo__links *)(const void *)rcuinfo__log_key(entry) - 1;
}

/* The number of a version. */
static inline uint64_t rcuinfo__log_version(const struct rcuinfo__entry *last)
{
    return rcuinfo__block_of(last)->version + last->position - rcuinfo__log_links(last)->skipped;
}

static inline bool rcuinfo__log_is(const struct rcuinfo__block *block, const struct rcuinfo__entry *entry,
                                   const char *key, size_t length)
{
    return entry->key_length == length && rcuinfo__text_equal((const char *)block + entry->text, key, length);
}

/* Bits of the 16 entries of a group whose byte in the finder is the wanted one. */
static inline uint32_t rcuinfo__log_group(const struct rcuinfo__block *block, uint32_t group, uint8_t wanted)
{
    const _Atomic uint64_t *words = (const _Atomic uint64_t *)(const void *)block - 2 * (group + 1);
    return rcuinfo__text_among16(atomic_load_explicit(words, RCUINFO__COUNT),
                                 atomic_load_explicit(words + 1, RCUINFO__COUNT), wanted);
}

/* [P9] field: a place of the finder; written under the lock of the one who may append, read in read sections. */
static inline const _Atomic uint32_t *rcuinfo__log_place(const struct rcuinfo__block *block, uint32_t place)
{
    return (const _Atomic uint32_t *)(const void *)block - (place + 1);
}

/* The newest entry of a key in the prefix where the finder is bytes, or NULL. */
static inline __attribute__((always_inline)) const struct rcuinfo__entry *
rcuinfo__log_scan(const struct rcuinfo__block *block, uint32_t prefix, const char *key, size_t length, uint32_t hash)
{
    uint8_t wanted = rcuinfo__text_fingerprint(hash);
    uint32_t bits = rcuinfo__log_group(block, 0, wanted);
    if (prefix > RCUINFO__BLOCK_GROUP)
        bits |= rcuinfo__log_group(block, 1, wanted) << RCUINFO__BLOCK_GROUP;
    bits &= UINT32_MAX >> (RCUINFO__BLOCK_SCANNED - prefix); /* e.g. of a prefix of 3: 0b111 */
    while (bits) {
        uint32_t newest = 31 - (uint32_t)__builtin_clz(bits);
        const struct rcuinfo__entry *entry = rcuinfo__block_entry(block, newest);
        if (rcuinfo__log_is(block, entry, key, length))
            return entry;
        bits ^= UINT32_C(1) << newest;
    }
    return NULL;
}
_Static_assert(RCUINFO__BLOCK_SCANNED == 2 * RCUINFO__BLOCK_GROUP && RCUINFO__BLOCK_SCANNED == 32,
               "a bit for each entry");

/* Of an entry of the right key that is beyond the prefix: the newest that is within, or NULL. */
const struct rcuinfo__entry *rcuinfo__log_older(const struct rcuinfo__entry *entry, uint32_t prefix);

/* The same as rcuinfo__log_scan where the finder is places. */
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

/* The newest entry of a key in a version, which may be a delete; NULL: it has none. */
static inline __attribute__((always_inline)) const struct rcuinfo__entry *
rcuinfo__log_find(const struct rcuinfo__entry *last, const char *key, size_t length, uint32_t hash)
{
    const struct rcuinfo__block *block = rcuinfo__block_of(last);
    uint32_t prefix = last->position + 1;
    return block->mask ? rcuinfo__log_probe(block, prefix, key, length, hash)
                       : rcuinfo__log_scan(block, prefix, key, length, hash);
}

static inline rcuinfo_pair_t rcuinfo__log_pair(const struct rcuinfo__entry *entry)
{
    return (rcuinfo_pair_t){.key = rcuinfo__log_key(entry),
                            .value = rcuinfo__log_value(entry),
                            .key_length = entry->key_length,
                            .value_length = entry->value_length};
}

/* The pair of a key; false when there is none. */
static inline __attribute__((always_inline)) bool rcuinfo__log_get(const struct rcuinfo__entry *last, const char *key,
                                                                   size_t length, rcuinfo_pair_t *pair)
{
    const struct rcuinfo__entry *entry = last;
    if (last->pairs == 1 && !(last->flags & RCUINFO__ENTRY_LINKED)) {
        /* Nothing was deleted and there is one key, so the last entry is its newest: a hash costs more than comparing.
         */
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

/* The entry that set the key of the nth pair first, and the newest entry of that pair; n < last->pairs. */
const struct rcuinfo__entry *rcuinfo__log_nth_search(const struct rcuinfo__entry *last, uint32_t n);

static inline const struct rcuinfo__entry *rcuinfo__log_nth_key(const struct rcuinfo__entry *last, uint32_t n)
{
    /* As a rule nothing was deleted, and the first entries of a block are the pairs that were copied, in order. */
    const struct rcuinfo__entry *entry = rcuinfo__block_entry(rcuinfo__block_of(last), n);
    bool copied = entry->rank == n && entry->flags & RCUINFO__ENTRY_FIRST && !(last->flags & RCUINFO__ENTRY_LINKED);
    return __builtin_expect(copied, 1) ? entry : rcuinfo__log_nth_search(last, n);
}

static inline const struct rcuinfo__entry *rcuinfo__log_nth(const struct rcuinfo__entry *last, uint32_t n)
{
    const struct rcuinfo__entry *entry = rcuinfo__log_nth_key(last, n);
    if (last->position + 1 == last->pairs) /* each entry is a pair */
        return entry;
    return rcuinfo__log_find(last, rcuinfo__log_key(entry), entry->key_length, entry->hash);
}

/* Bytes of "key\0value\0": of a pair, of an entry, and of all pairs of a version. */
static inline uint32_t rcuinfo__log_pair_bytes(uint32_t key_length, uint32_t value_length)
{
    return key_length + 1 + value_length + 1;
}

static inline uint32_t rcuinfo__log_bytes(const struct rcuinfo__entry *entry)
{
    return rcuinfo__log_pair_bytes(entry->key_length, entry->value_length);
}

uint64_t rcuinfo__log_text(const struct rcuinfo__entry *last);

/* The `jump` of the entry that comes behind `newest`, of the same key. */
uint32_t rcuinfo__log_jump(const struct rcuinfo__entry *newest);

/* The ranks of the keys that a version lacks, ascending: bytes that need not be aligned. */
struct rcuinfo__holes {
    const char *ranks;
    uint32_t n;
};

struct rcuinfo__holes rcuinfo__log_holes(const struct rcuinfo__entry *last);

static inline uint32_t rcuinfo__log_hole(const struct rcuinfo__holes *holes, uint32_t i)
{
    return rcuinfo__text_load32(holes->ranks + i * sizeof(uint32_t));
}

/* How many holes come before that rank. */
uint32_t rcuinfo__log_holes_before(const struct rcuinfo__holes *holes, uint32_t rank);

/*
 * The shape of a block for the pairs of a version and n edits more. `sets`: how often the object was written to; the
 * more, the more room there is for what comes next. `end`: that of the version's block, or NULL where it is not known.
 */
struct rcuinfo__shape rcuinfo__log_shape(const struct rcuinfo__entry *last, const struct rcuinfo__end *end,
                                         const struct rcuinfo__edit *edits, size_t n, uint32_t sets);

/*
 * Writing. _continue begins behind the last entry of a version whose block's end is the caller's, for `entries` more.
 * _copy begins in an empty block that is large enough, with all pairs of a version. Then the edits, one after another;
 * `last` is the version with those so far. _finish gives it its number, and only then it may be published.
 *
 * Nobody sees a block that is not published, so there an edit changes the pair in place, or takes it out.
 */
struct rcuinfo__writing {
    struct rcuinfo__block *block;
    struct rcuinfo__entry *last; /* NULL: there is none yet */
    struct rcuinfo__end end;
    uint32_t skipped; /* of the entries that are appended; see struct rcuinfo__links */
    uint32_t holes;   /* pairs taken out of a block that is not published */
    bool published;   /* readers may see the block */
};

void rcuinfo__log_continue(struct rcuinfo__writing *writing, const struct rcuinfo__entry *last, struct rcuinfo__end end,
                           size_t entries);
void rcuinfo__log_copy(struct rcuinfo__writing *writing, struct rcuinfo__block *block,
                       const struct rcuinfo__entry *from);

enum rcuinfo__wrote { RCUINFO__WROTE, RCUINFO__NO_KEY, RCUINFO__NO_ROOM };

/* NO_KEY: the edit deletes what is not there. NO_ROOM: the block is full, or has so many holes that it is time to copy.
 * Then nothing was written. `newest`: what rcuinfo__log_find says of the key, NULL for none; of one who continues. */
enum rcuinfo__wrote rcuinfo__log_write(struct rcuinfo__writing *writing, const struct rcuinfo__edit *edit,
                                       const struct rcuinfo__entry *newest);

/* The same for one edit that sets, behind `last`, whose block's end is the caller's. Returns the new last entry, to be
 * published as it is; NULL: there is no room. */
const struct rcuinfo__entry *rcuinfo__log_append(const struct rcuinfo__entry *last, struct rcuinfo__end *end,
                                                 const struct rcuinfo__edit *edit, const struct rcuinfo__entry *newest);

/* The newest entry of the edit's key in what is written so far, or NULL. */
const struct rcuinfo__entry *rcuinfo__log_written(const struct rcuinfo__writing *writing,
                                                  const struct rcuinfo__edit *edit);

const struct rcuinfo__entry *rcuinfo__log_finish(struct rcuinfo__writing *writing, uint64_t version);

/* Whether the invariant holds; for tests, and for builds with RCUINFO_CHECKS. */
bool rcuinfo__log_valid(const struct rcuinfo__entry *last);

#endif
