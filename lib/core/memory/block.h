/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * block: the memory that holds the versions of an object, with its reference count.
 *
 * From low to high addresses a block consists of the finder, this header, an array of `capacity` entries, and their
 * text. The finder is an index from a key to the entries that may have it (core/log/log.h): an array of one byte per
 * entry, or a hash table of 32-bit places.
 *
 *     finder | header | entry 0 | entry 1 | ... | text
 *
 * Each object whose root is in the block has a reference, and so has each open snapshot. The thread that drops the last
 * one does not free the block, because readers may still be looking at it: that reference passes to the retired block,
 * and core/memory/reclaim.h drops it when no reader can have the block any more.
 *
 * A reader that has loaded a root of the block, but has not yet said the version, shows only the slot that it reads
 * (core/memory/reader.h). So the block has a mark, which records the objects that have left it: the slot, if there was
 * one such object, or that there were several. The mark is in `refcount`, above the count, so that the thread that
 * drops the last reference sees both. It also shows that an object left the block while others kept it: if a block that
 * has waited is marked when its last reference is to be dropped, readers of that object may have arrived during the
 * wait.
 *
 * Inside a read section, a block whose version was loaded from a root may be referenced by a plain increment: the
 * object's own reference, or that of the retired block, outlives the section.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/order.h"

/* Of a function that may drop a last reference: the caller has to retire the block. */
#define RCUINFO__LAST __attribute__((warn_unused_result))

struct rcuinfo__block;

/* One write: a key was set or deleted. Immutable once a version that contains it is published. */
struct rcuinfo__entry {
    uint32_t hash;         /* of the key */
    uint32_t text;         /* offset of "key\0value\0" from the header */
    uint16_t value_length; /* without the NUL */
    uint8_t key_length;
    uint8_t flags;     /* core/log/log.h */
    uint32_t position; /* in the block */
    uint32_t pairs;    /* number of pairs in the version that ends here */
    uint32_t rank;     /* 0, 1, ... in the order in which keys were first set in this block */
};

struct rcuinfo__block {
    _Atomic uint64_t refcount;   /* [P6] field: mark << 32, references */
    struct rcuinfo__block *next; /* in a list of core/memory/arena.h, while retired or free */
    uint64_t base;               /* of the version numbers: rcuinfo__log_version */
    uint32_t capacity;           /* size of the array of entries */
    uint32_t extent;             /* offset of the end of the text from the header; the finder is below the header */
    uint32_t mask;               /* number of places in the finder - 1; 0: the finder consists of bytes */
    uint32_t mark;               /* while retired: the mark, i.e. the slots whose readers may have the block */
};

/* Marks other than the index of a slot. */
#define RCUINFO__BLOCK_UNMARKED 0U        /* slot 0 is never used */
#define RCUINFO__BLOCK_MANY     INT32_MAX /* several objects have left the block, or it has waited and is in use again */

/* Where the block's free text begins. Kept by its writer: every reader loads the cache line of the header. */
struct rcuinfo__end {
    uint32_t text; /* offset of the free text from the header */
    uint32_t live; /* bytes of text that the last version still uses */
};

/* A version that is being written (core/log/log.h). */
struct rcuinfo__writing {
    struct rcuinfo__block *block;
    struct rcuinfo__entry *last; /* of the version with the edits so far; NULL: the block has no entry yet */
    struct rcuinfo__end end;
    uint32_t skipped; /* `skipped` of the entries to be appended */
    bool removed;     /* a pair was removed in place, so the entries have gaps */
    bool published;   /* readers may see the block */
};

_Static_assert(sizeof(struct rcuinfo__entry) == 24, "no padding");
_Static_assert(sizeof(void *) < sizeof(uint64_t) || sizeof(struct rcuinfo__block) == 40, "no padding");

#define RCUINFO__BLOCK_SMALL 64U /* blocks of up to this many entries have a finder of bytes, larger ones of places */
#define RCUINFO__BLOCK_GROUP 16U /* bytes that one comparison covers */

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

/* Adds n references. False when there are 2^31 already: a program that never closes its snapshots. */
static inline bool rcuinfo__block_take(struct rcuinfo__block *block, uint32_t n)
{
    if (block == &rcuinfo__empty.block)
        return true;

    uint64_t before = atomic_fetch_add_explicit(&block->refcount, n, RCUINFO__REFS_TAKE);
    if (__builtin_expect((uint32_t)before < UINT32_C(1) << 31, 1))
        return true;

    /* It takes 2^31 / n threads here at once to overflow the count before it is put right. */
    atomic_fetch_sub_explicit(&block->refcount, n, RCUINFO__REFS_TAKE);
    return false;
}

/*
 * Drops a reference: that of an object in `slot`, whose root has left the block or whose handle is stale; or that of a
 * snapshot (UNMARKED). Returns true if it was the last one: it then remains, and the caller retires the block
 * (core/memory/reclaim.h). Always false for the block of the empty version.
 */
RCUINFO__LAST bool rcuinfo__block_drop(struct rcuinfo__block *block, uint32_t slot);

/* Drops n references of a snapshot or an arena, which are not the last. */
static inline void rcuinfo__block_drop_some(struct rcuinfo__block *block, uint32_t n)
{
    atomic_fetch_sub_explicit(&block->refcount, n, RCUINFO__REFS_DROP); /* [P6] publish */
}

/* Whether a block has one reference and no mark. A retired one is then free if no reader can have it. One in use then
 * belongs to a single object, has never waited, and no other object has left it, so only readers of that object can
 * have it. */
static inline bool rcuinfo__block_is_sole(const struct rcuinfo__block *block)
{
    return atomic_load_explicit(&block->refcount, RCUINFO__REFS_SOLE) == 1 && /* [P6] acquire */
           block != &rcuinfo__empty.block;
}

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

/* Initializes an empty block with one reference in `size` bytes of memory, at least rcuinfo__block_size.
 * Surplus memory becomes room for further entries of average text. */
struct rcuinfo__block *rcuinfo__block_init(void *memory, uint32_t size, const struct rcuinfo__shape *shape);

/* Initializes a free block again, as it is. */
void rcuinfo__block_renew(struct rcuinfo__block *block);

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
    return (size_t)block->extent + rcuinfo__block_finder_of(block);
}

static inline void *rcuinfo__block_memory(struct rcuinfo__block *block)
{
    return (char *)block - rcuinfo__block_finder_of(block);
}
