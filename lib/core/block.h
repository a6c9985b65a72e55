/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * block: the memory that the versions of an object lie in, and the count of those that refer to it.
 *
 * A block is, from low addresses to high: the finder, this header, room for `capacity` entries, their text. The finder
 * says where in the log a key may be (core/log.h): one byte for each entry, or one 32-bit place for each key and more.
 *
 *     ... finder | header | entry 0 | entry 1 | ... | text ...
 *
 * `refcount` counts two things at once. Low 32 bits, references: objects and open snapshots that have not dropped
 * theirs; at 0 the block is free. High 32 bits, owners: those of them that have not announced that they will. An object
 * announces it when it retires its reference, and drops that after a grace period; a snapshot does both at once. When
 * the last owner is gone, the bytes of the block await a grace period and nothing else: that is what the limits of
 * reclaim count.
 *
 * Invariant: owners <= references. Inside a read section a plain increment of both is safe on the block of a version
 * that an object showed there: the object's reference outlives the section.
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

/* Where a record is on its way; only core/recycle.c moves it on. */
enum rcuinfo__record_state {
    RCUINFO__RECORD_IDLE,    /* its owner's */
    RCUINFO__RECORD_RETIRED, /* in the retire list, until that is detached */
    RCUINFO__RECORD_DETACHED /* in the batch whose grace period runs, or has passed */
};

/*
 * A reference that is to be dropped after a grace period. It lies in the block that replaced the dropped one, or in the
 * slot of the object that was freed, so retiring allocates nothing.
 */
struct rcuinfo__record {
    ck_stack_entry_t link;       /* [P4] field: the retire list's while RETIRED, the batch's while DETACHED */
    struct rcuinfo__block *drop; /* NULL: the record is a slot's, and the slot's root names the block */
    uint8_t state;               /* enum rcuinfo__record_state */
    bool owner;                  /* an owner goes with the reference: retiring did not take it */
};

/* One step of an object's history: a key was set, or deleted. Never changed once a version that has it is published. */
struct rcuinfo__entry {
    uint32_t hash;         /* of the key */
    uint32_t text;         /* bytes from the header to the key; a NUL, the value and a NUL follow the key */
    uint16_t value_length; /* without the NUL */
    uint8_t key_length;
    uint8_t flags;     /* core/log.h */
    uint32_t position; /* in the block */
    uint32_t pairs;    /* of the version that ends here */
    uint32_t rank;     /* of the key among those set first in this block: 0, 1, ... */
};

struct rcuinfo__block {
    _Atomic uint64_t refcount;     /* [P6] field: owners << 32 | references; the drop to 0 hands the block over */
    struct rcuinfo__record record; /* of the block that this one replaced */
    uint64_t version;     /* the number of a version is this + its last entry's position - what core/log.h says */
    uint32_t capacity;    /* entries that there is room for */
    uint32_t bytes;       /* from the header to the end of the text */
    uint32_t mask;        /* places of the finder - 1; 0: it is bytes */
    _Atomic uint32_t age; /* how often the memory was taken out of use; for tests */
};

/* What the one who may append to a block knows of it. It is not in the header, whose line all readers load. */
struct rcuinfo__end {
    uint32_t text; /* bytes from the header to free text */
    uint32_t live; /* bytes of text of the pairs that the last version has */
};

_Static_assert(sizeof(struct rcuinfo__entry) == 24, "no holes");
_Static_assert(sizeof(void *) < sizeof(uint64_t) || sizeof(struct rcuinfo__block) == 56, "no holes");

#define RCUINFO__BLOCK_REF (UINT64_C(1) << 32 | 1)

#define RCUINFO__BLOCK_SCANNED 32U /* most entries of a block whose finder is bytes */
#define RCUINFO__BLOCK_GROUP   16U /* bytes that are looked at together */

/* The version of every new object: immortal, and not counted, so that creators share no line that they write to. */
struct rcuinfo__empty {
    uint64_t finder[2];
    struct rcuinfo__block block;
    struct rcuinfo__entry entry;
};
extern struct rcuinfo__empty rcuinfo__empty;
#define RCUINFO__EMPTY (&rcuinfo__empty.entry)

static inline struct rcuinfo__entry *rcuinfo__block_entry(const struct rcuinfo__block *block, uint32_t position)
{
    return (struct rcuinfo__entry *)(uintptr_t)(block + 1) + position;
}

static inline struct rcuinfo__block *rcuinfo__block_of(const struct rcuinfo__entry *entry)
{
    return (struct rcuinfo__block *)(uintptr_t)(entry - entry->position) - 1;
}

/* Adds a reference and an owner; false when there are too many (2^31: a program that never closes its snapshots). */
static inline bool rcuinfo__block_take(struct rcuinfo__block *block)
{
    if (block == &rcuinfo__empty.block)
        return true;
    uint64_t before = atomic_fetch_add_explicit(&block->refcount, RCUINFO__BLOCK_REF, RCUINFO__REFS_TAKE);
    if (__builtin_expect((uint32_t)before < UINT32_C(1) << 31, 1))
        return true;
    atomic_fetch_sub_explicit(&block->refcount, RCUINFO__BLOCK_REF, RCUINFO__REFS_TAKE);
    return false;
}

/*
 * An owner's word that its reference will be dropped by this record after a grace period. Returns the bytes that await
 * the grace period from now on: those of the block when no other owner is left. (A dup that comes in at the same moment
 * can make it one time more or less for this block: the limits are no finer than that.)
 */
size_t rcuinfo__block_announce(struct rcuinfo__block *block, struct rcuinfo__record *record);

/* Drops a reference, and with `owner` an owner; *owners is how many of these are left. True: it was the last reference,
 * and the block is the caller's. Of the empty version's: false. */
bool rcuinfo__block_drop(struct rcuinfo__block *block, bool owner, uint64_t *owners);

/* What a block is to have room for. */
struct rcuinfo__shape {
    uint64_t entries;
    uint64_t text;    /* bytes */
    uint32_t average; /* bytes of text that one more entry takes, for memory that turns out to be larger */
};

/* Bytes of the finder for so many entries. */
uint64_t rcuinfo__block_finder(uint64_t entries);

/* Bytes of the smallest block of that shape; above UINT32_MAX there is none. */
uint64_t rcuinfo__block_size(const struct rcuinfo__shape *shape);

/* Whether a block that is empty can serve as one of that shape. */
bool rcuinfo__block_fits(const struct rcuinfo__block *block, const struct rcuinfo__shape *shape);

/* Makes `size` bytes of memory, at least rcuinfo__block_size, an empty block that is held once. What is more than the
 * shape asks for goes to more entries of average text. */
struct rcuinfo__block *rcuinfo__block_init(void *memory, uint32_t size, const struct rcuinfo__shape *shape);

/* Bytes from the header to the text. */
static inline uint32_t rcuinfo__block_text(const struct rcuinfo__block *block)
{
    return (uint32_t)sizeof *block + block->capacity * (uint32_t)sizeof(struct rcuinfo__entry);
}

/* Bytes of the whole, and where its memory begins. */
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
