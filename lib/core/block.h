/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * block: the memory that holds the versions of an object, with its reference count.
 *
 * From low to high addresses a block consists of the finder, this header, an array of `capacity` entries, and their
 * text. The finder is an index from a key to the entries that may have it (core/log.h): an array of one byte per entry,
 * or a hash table of 32-bit places.
 *
 *     finder | header | entry 0 | entry 1 | ... | text
 *
 * `refcount` holds two counts. The low 32 bits are the references: each object whose root is in the block has one, and
 * so has each open snapshot; at 0 the block is free. The high 32 bits are the owners: the references whose drop has not
 * been announced yet. An object announces the drop when it retires its reference, one grace period before it drops it;
 * a snapshot announces and drops at once. A block without owners is waiting for a grace period and for nothing else,
 * and its bytes count towards the limits of core/reclaim.h. They also count once the only reference is retired: its
 * owner then stays in the count until the drop, which saves a write (`owner` in struct rcuinfo__record).
 *
 * Invariant: owners <= references. Inside a read section, a block whose version was loaded from a root may be
 * referenced by a plain increment of both counts, since the object's own reference outlives the section.
 */
#ifndef RCUINFO_CORE_BLOCK_H
#define RCUINFO_CORE_BLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ck.h"
#include "core/order.h"

struct rcuinfo__block;

/* The state of a record. Only core/recycle.c changes it. */
enum rcuinfo__record_state {
    RCUINFO__RECORD_IDLE,    /* not queued */
    RCUINFO__RECORD_RETIRED, /* in the retire list */
    RCUINFO__RECORD_DETACHED /* in a batch, during or after its grace period */
};

/*
 * A reference to be dropped after a grace period. The record is part of the block that replaced the dropped one, or of
 * the slot of the freed object, so retiring allocates nothing.
 */
struct rcuinfo__record {
    ck_stack_entry_t link;       /* [P4] field: next in the retire list while RETIRED, in the batch while DETACHED */
    struct rcuinfo__block *drop; /* the block; NULL: the record is part of a slot, whose root leads to the block */
    uint8_t state;               /* enum rcuinfo__record_state */
    bool owner;                  /* drop an owner, too: rcuinfo__block_announce has left it in the count */
};

/* One write: a key was set or deleted. Immutable once a version that contains it is published. */
struct rcuinfo__entry {
    uint32_t hash;         /* of the key */
    uint32_t text;         /* offset of "key\0value\0" from the header */
    uint16_t value_length; /* without the NUL */
    uint8_t key_length;
    uint8_t flags;     /* core/log.h */
    uint32_t position; /* in the block */
    uint32_t pairs;    /* number of pairs in the version that ends here */
    uint32_t rank;     /* 0, 1, ... in the order in which keys were first set in this block */
};

struct rcuinfo__block {
    _Atomic uint64_t refcount;     /* [P6] field: owners << 32 | references; who drops the last one frees the block */
    struct rcuinfo__record record; /* retires the block that this one replaced */
    uint64_t version;              /* base of the version numbers: rcuinfo__log_version */
    uint32_t capacity;             /* size of the array of entries */
    uint32_t bytes;                /* from the header to the end of the text */
    uint32_t mask;                 /* number of places in the finder - 1; 0: the finder consists of bytes */
    _Atomic uint32_t age;          /* for tests: how many blocks in this memory have been freed */
};

/* Where the block's free text begins. Kept by its writer: every reader loads the cache line of the header. */
struct rcuinfo__end {
    uint32_t text; /* offset of the free text from the header */
    uint32_t live; /* bytes of text that the last version still uses */
};

_Static_assert(sizeof(struct rcuinfo__entry) == 24, "no padding");
_Static_assert(sizeof(void *) < sizeof(uint64_t) || sizeof(struct rcuinfo__block) == 56, "no padding");

/* One owner and one reference. */
#define RCUINFO__BLOCK_REF (UINT64_C(1) << 32 | 1)

#define RCUINFO__BLOCK_SCANNED 32U /* blocks of at most so many entries have a finder of bytes */
#define RCUINFO__BLOCK_GROUP   16U /* bytes that one comparison covers */

/* A pointer to other memory of the same block, or to the structure around a field: the one place for such casts, which
 * -Wcast-align and -Wcast-qual would warn of. */
#define RCUINFO__BLOCK_CAST(type, pointer) ((type *)(uintptr_t)(pointer))

/* The version of every new object. Never freed and not counted, or all creators would write to one cache line. */
struct rcuinfo__empty {
    uint64_t finder[2];
    struct rcuinfo__block block;
    struct rcuinfo__entry entry;
};
extern struct rcuinfo__empty rcuinfo__empty;
#define RCUINFO__EMPTY (&rcuinfo__empty.entry)

static inline struct rcuinfo__entry *rcuinfo__block_entry(const struct rcuinfo__block *block, uint32_t position)
{
    return RCUINFO__BLOCK_CAST(struct rcuinfo__entry, block + 1) + position;
}

static inline struct rcuinfo__block *rcuinfo__block_of(const struct rcuinfo__entry *entry)
{
    return RCUINFO__BLOCK_CAST(struct rcuinfo__block, entry - entry->position) - 1;
}

/* Adds a reference and an owner. False when there are 2^31 already: a program that never closes its snapshots. */
static inline bool rcuinfo__block_take(struct rcuinfo__block *block)
{
    if (block == &rcuinfo__empty.block)
        return true;

    uint64_t before = atomic_fetch_add_explicit(&block->refcount, RCUINFO__BLOCK_REF, RCUINFO__REFS_TAKE);
    if (__builtin_expect((uint32_t)before < UINT32_C(1) << 31, 1))
        return true;

    /* It takes 2^31 threads here at once to overflow the count before it is put right. */
    atomic_fetch_sub_explicit(&block->refcount, RCUINFO__BLOCK_REF, RCUINFO__REFS_TAKE);
    return false;
}

/*
 * Announces that this record will drop an object's reference after a grace period. Returns the bytes that wait for that
 * grace period from now on: those of the block when this was its last owner, else 0. A concurrent dup may make the
 * block count once too often or too seldom; the limits need not be more precise.
 */
size_t rcuinfo__block_announce(struct rcuinfo__block *block, struct rcuinfo__record *record);

/* Drops a reference, and an owner if `owner` is set; *owners receives the number of owners left. Returns true when it
 * was the last reference: the caller then frees the block. Always false for the block of the empty version. */
bool rcuinfo__block_drop(struct rcuinfo__block *block, bool owner, uint64_t *owners);

/* The room that a block must have. */
struct rcuinfo__shape {
    uint64_t entries;
    uint64_t text;    /* bytes */
    uint32_t average; /* bytes of text per entry; decides how many entries surplus memory is for */
};

/* Bytes of the finder of a block with that many entries. */
uint64_t rcuinfo__block_finder(uint64_t entries);

/* Bytes of the smallest block of that shape; blocks of more than UINT32_MAX bytes do not exist. */
uint64_t rcuinfo__block_size(const struct rcuinfo__shape *shape);

/* Whether an empty block has room for that shape. */
bool rcuinfo__block_fits(const struct rcuinfo__block *block, const struct rcuinfo__shape *shape);

/* Initializes an empty block with one reference and one owner in `size` bytes of memory, at least rcuinfo__block_size.
 * Surplus memory becomes room for further entries of average text. */
struct rcuinfo__block *rcuinfo__block_init(void *memory, uint32_t size, const struct rcuinfo__shape *shape);

/* Offset of the text from the header. */
static inline uint32_t rcuinfo__block_text(const struct rcuinfo__block *block)
{
    return (uint32_t)sizeof *block + block->capacity * (uint32_t)sizeof(struct rcuinfo__entry);
}

/* _finder_of: the bytes of the block's finder; _bytes: those of the whole block; _memory: where its memory begins. */
static inline uint32_t rcuinfo__block_finder_of(const struct rcuinfo__block *block)
{
    return block->mask ? (block->mask + 1) * (uint32_t)sizeof(uint32_t)
                       : (block->capacity + RCUINFO__BLOCK_GROUP - 1) / RCUINFO__BLOCK_GROUP * RCUINFO__BLOCK_GROUP;
}

static inline size_t rcuinfo__block_bytes(const struct rcuinfo__block *block)
{
    return (size_t)block->bytes + rcuinfo__block_finder_of(block);
}

static inline void *rcuinfo__block_memory(struct rcuinfo__block *block)
{
    return (char *)block - rcuinfo__block_finder_of(block);
}

#endif
