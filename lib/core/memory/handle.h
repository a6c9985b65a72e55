/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handle: the table of slots, one for each live object, and handles, which name a slot and its generation.
 *
 * A native handle is generation << 20 | slot index, e.g. 0x2a00007 for generation 0x2a of slot 7. Generations start
 * at 1. While a slot has an object, its generation field is the generation with the bit HANDLE_LIVE set. A slot that is
 * free or was never used lacks that bit, so no handle matches it. Slots are allocated in chunks that are never freed,
 * so any number may be looked up at any time.
 *
 * Narrow handles, those of the MPI layers, have a number of 20 + g bits, g being 6 on MPICH. It is a prefix code, so
 * that the slots of a program with few objects have long generations, and may be reused soon:
 *
 *     0 | generation, g + 4 bits | index, 15 bits      slots below RCUINFO__NEAR
 *     1 | generation, g - 1 bits | index, 20 bits      the others, which are far
 *
 * Until another thread reads it, an object has an owner: the thread that created it or, once that has exited, the
 * thread that got its record (core/memory/reader.h). The generation field also has the number of this record. Another
 * thread whose section begins at the slot first shares the object: it clears the owner by a read-modify-write, before
 * it loads the root. So when the owner frees the object, or has replaced its block, it sees whether another thread may
 * have loaded a root. If none may have, and the owner is in no section itself, then nobody reads the slot, nor a block
 * that has never had another reference: both are free at once. A thread that writes need not share the object, since it
 * loads the root under the lock.
 *
 * Invariant: a slot gets its next object only when no read section can be reading it, and after a number of others have
 * become free (RCUINFO__HANDLE_KEEP_NEAR and _FAR). It follows that
 *  - within one read section, a root loaded after the generation has matched is that object's, so the generation need
 *    not be compared again;
 *  - a stale handle matches another object after 2^16 frees at the earliest on MPICH, and later where g is larger.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/memory/block.h"
#include "core/debug.h"
#include "core/limits.h"
#include "core/memory/lock.h"
#include "core/order.h"
#include "core/memory/reader.h"

#define RCUINFO__CHUNK_BITS  12
#define RCUINFO__CHUNK_SLOTS (1U << RCUINFO__CHUNK_BITS)
#define RCUINFO__SLOTS       (1U << RCUINFO__INDEX_BITS)
#define RCUINFO__HANDLE_LIVE (UINT64_C(1) << 63)

#define RCUINFO__HANDLE_READ_ONLY (UINT64_C(1) << 62) /* beside HANDLE_LIVE */

/* A handle that rcuinfo_handle_from_int has made: from bit INTEGER_AT on HANDLE_INTEGER, and in the 4 bits from BITS_AT
 * on, how many bits of the generation it has. No native handle looks like that: its generation would exceed 2^43. Nor
 * does one with a few wrong bits: HANDLE_INTEGER has 24 bits. */
#define RCUINFO__HANDLE_INTEGER    UINT64_C(0xa3d9c6)
#define RCUINFO__HANDLE_INTEGER_AT 40
#define RCUINFO__HANDLE_BITS_AT    36

/* Between these and the generation: the number of the owner's record; 0 once another thread has shared the object. */
#define RCUINFO__HANDLE_OWNERS   ((UINT64_C(1) << 62) - (UINT64_C(1) << RCUINFO__NATIVE_BITS))
#define RCUINFO__HANDLE_OWNED_BY (UINT32_C(1) << (62 - RCUINFO__NATIVE_BITS)) /* owners have smaller numbers */

/* The bytes that a waiting slot counts as: more than its size, so that a scan comes before the near slots run out. */
#define RCUINFO__HANDLE_WAITING ((size_t)256)

/*
 * How many other slots become free between the end of a slot's object and its next one. The handle of a near slot
 * matches again after 2^(g + 4) reuses of its slot, and for each of them KEEP slots became free. Some of these may have
 * been freed before the handle's own: as many as can wait for a scan at once, 2^16, which count as 16 MiB, and 31 in
 * the record of each thread (core/memory/arena.c). So with up to 4,000 threads a stale handle is detected for 2^16
 * frees on MPICH, 2^10 * 272 - 2^16 - 31 * 4000 > 2^16, and for 2^22 with the standard ABI, 2^14 * 272 - 2^16 - 31 *
 * 4000 > 2^22. A far slot has 2^5 times fewer reuses, with 2^5 times as many slots.
 */
#define RCUINFO__HANDLE_KEEP_NEAR 272
#define RCUINFO__HANDLE_KEEP_FAR  (RCUINFO__HANDLE_KEEP_NEAR << 5)

/*
 * Readers access the first cache line only, writers both. A fork may happen between any two stores to the fields under
 * the lock, so each state in between must be one that the child can go on from.
 */
struct rcuinfo__slot {
    _Atomic uint64_t generation; /* [P2] field: written by create, and by free under the lock; [P12] field: the owner */
    /* [P1] field: the last entry of the current version; written under the lock, read in read sections */
    _Atomic(const struct rcuinfo__entry *) root;
    struct rcuinfo__slot *next;   /* in a list of core/memory/reclaim.c, while retired or free */
    struct rcuinfo__block *spare; /* a free block for the next copy, or NULL; under the lock while live */
    uint64_t freed; /* how many slots of its kind were counted as free when this one became free, itself included */
    uint32_t index; /* of this slot; constant */
    _Alignas(64) rcuinfo__lock_t lock; /* [P7] field: serializes writers */
    bool appends;                      /* under the lock: this object may append to the block of its root */
    struct rcuinfo__end end;           /* under the lock, if `appends`: the end of that block */
    uint32_t sets;                     /* under the lock: number of edits published */
};

_Static_assert(sizeof(struct rcuinfo__slot) == 128, "a slot is two cache lines");

/* [P3] field: each is written once, by the thread that first needs the chunk, and never freed */
extern _Atomic(struct rcuinfo__slot *) rcuinfo__handle_chunks[RCUINFO__SLOTS >> RCUINFO__CHUNK_BITS];

/* The slot of a handle or an index (its low 20 bits count); NULL if its chunk is not allocated. Wait-free. */
static inline struct rcuinfo__slot *rcuinfo__handle_slot(uint64_t index)
{
    index &= RCUINFO__SLOTS - 1;

    /* [P3] acquire */
    struct rcuinfo__slot *chunk =
        atomic_load_explicit(&rcuinfo__handle_chunks[index >> RCUINFO__CHUNK_BITS], RCUINFO__CHUNK_LOAD);
    return chunk ? &chunk[index & (RCUINFO__CHUNK_SLOTS - 1)] : NULL;
}

/* How many bits of the generation a handle of rcuinfo_handle_from_int has. Of one that this call cannot have made, all
 * count: then it matches no object. */
static inline unsigned rcuinfo__handle_bits_of_integer(rcuinfo_t info)
{
    unsigned bits = (unsigned)(info >> RCUINFO__HANDLE_BITS_AT) & 15;
    uint64_t rest = info & ((UINT64_C(1) << RCUINFO__HANDLE_BITS_AT) - 1);
    return bits >= 5 && rest >> (RCUINFO__INDEX_BITS + bits) == 0 ? bits : RCUINFO__NATIVE_BITS;
}

/* Whether a slot of that generation has the object of this handle. `bits` is generation_bits of struct
 * rcuinfo__flavour: how much of the generation counts; of a native handle that was an integer, as much as that had. */
static inline bool rcuinfo__handle_is(uint64_t generation, rcuinfo_t info, unsigned bits)
{
    uint64_t wanted = info >> RCUINFO__INDEX_BITS | RCUINFO__HANDLE_LIVE;
    if (bits < RCUINFO__NATIVE_BITS)
        bits = rcuinfo__limits_bits((uint32_t)info & (RCUINFO__SLOTS - 1), bits);
    else if (__builtin_expect(info >> RCUINFO__HANDLE_INTEGER_AT == RCUINFO__HANDLE_INTEGER, 0))
        bits = rcuinfo__handle_bits_of_integer(info);
    uint64_t low_bits = (UINT64_C(1) << bits) - 1;
    return ((generation ^ wanted) & (RCUINFO__HANDLE_LIVE | low_bits)) == 0;
}

/* Whether the slot has the object of this handle now. E.g. for MPICH, where 10 bits of the generation of a near slot
 * count, a handle of generation 0x01 matches generation 0x401, but not a slot that is free. */
static inline bool rcuinfo__handle_matches(struct rcuinfo__slot *slot, rcuinfo_t info, unsigned bits)
{
    /* [P2] acquire */
    return rcuinfo__handle_is(atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD), info, bits);
}

static inline uint32_t rcuinfo__handle_owner(uint64_t generation)
{
    return (uint32_t)((generation & RCUINFO__HANDLE_OWNERS) >> RCUINFO__NATIVE_BITS);
}

/* The generation of a slot, for a section of the thread with that record, which is about to load the root. Shares the
 * object if another thread owns it. Wait-free. */
static inline uint64_t rcuinfo__handle_enter(struct rcuinfo__slot *slot, const struct rcuinfo__reader *self)
{
    uint64_t generation = atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD); /* [P2] acquire */
    uint32_t owner = rcuinfo__handle_owner(generation);
    if (__builtin_expect(owner && owner != self->number, 0)) /* [P12] publish */
        generation = atomic_fetch_and_explicit(&slot->generation, ~RCUINFO__HANDLE_OWNERS, RCUINFO__SHARE);
    return generation;
}

/* Whether the calling thread owns the object of a slot with that generation, and is in no section: then nobody reads
 * the object, or what it has left. */
static inline bool rcuinfo__handle_owned(uint64_t generation)
{
    const struct rcuinfo__reader *self = rcuinfo__reader_self;
    uint32_t owner = rcuinfo__handle_owner(generation);
    return owner && owner == self->number && self->depth == 0;
}

/* Whether the slot had an object a moment ago. Only a hint, except for a reserved slot whose lock is held. */
static inline bool rcuinfo__handle_lives(const struct rcuinfo__slot *slot)
{
    return atomic_load_explicit(&slot->generation, RCUINFO__RELAXED) & RCUINFO__HANDLE_LIVE;
}

/* Whether the object in a slot is read-only. */
static inline bool rcuinfo__handle_read_only(const struct rcuinfo__slot *slot)
{
    return atomic_load_explicit(&slot->generation, RCUINFO__RELAXED) & RCUINFO__HANDLE_READ_ONLY;
}

/* The version for a reader that was helped; NULL if it is not that of the handle. */
const struct rcuinfo__entry *rcuinfo__handle_helped(struct rcuinfo__section section, rcuinfo_t info, unsigned bits);

/* The last entry of the current version. Inside a read section that has said the slot, or where none is needed. */
static inline const struct rcuinfo__entry *rcuinfo__handle_load(const struct rcuinfo__slot *slot)
{
    return atomic_load_explicit(&slot->root, RCUINFO__ROOT_LOAD); /* [P1] acquire */
}

/* Begins a read section, and returns the last entry of the object's current version; NULL, and no section is open, if
 * `info` is not the handle of a live object. Wait-free. */
static inline __attribute__((always_inline)) const struct rcuinfo__entry *
rcuinfo__handle_read(rcuinfo_t info, unsigned bits, struct rcuinfo__section *section)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    if (!slot)
        return NULL;

    uint64_t number = rcuinfo__reader_begin(section, (uint32_t)info & (RCUINFO__SLOTS - 1));
    const struct rcuinfo__entry *version = NULL;
    if (__builtin_expect(rcuinfo__handle_is(rcuinfo__handle_enter(slot, section->reader), info, bits), 1)) {
        RCUINFO__SYNC_POINT(MATCHED);
        version = rcuinfo__handle_load(slot);
        RCUINFO__READER_KEEP_ORDER();
        RCUINFO__SYNC_POINT(LOADED);
        if (__builtin_expect(version != NULL, 1)) /* else it was helped: the slot is cleared */
            rcuinfo__reader_say(section, (uintptr_t)version);

        if (__builtin_expect(rcuinfo__reader_helped(section) == number, 0))
            version = rcuinfo__handle_helped(*section, info, bits);
    }

    if (__builtin_expect(!version, 0))
        rcuinfo__reader_end(section);
    return version;
}

/* Slots from 1 to this, less 1, are for objects that are created at most once. */
#define RCUINFO__HANDLE_RESERVED 8U

/* The slot at an index, whose chunk is allocated if need be; NULL without memory. Lock-free. */
struct rcuinfo__slot *rcuinfo__handle_slot_at(uint32_t index);

/* Uses up to n slots for the first time: a list of them, by `next`, from the last one on; NULL when all have been used,
 * or without memory for another chunk. Lock-free. */
struct rcuinfo__slot *rcuinfo__handle_fresh(uint32_t n);

/* Takes the lock of a slot. If a thread of the parent process held it at a fork, that thread may have written entries
 * that it did not publish: nobody may append to this block any more. */
static inline void rcuinfo__handle_lock(struct rcuinfo__slot *slot)
{
    if (!RCUINFO__DEFECT(NO_LOCK) && rcuinfo__lock_take(&slot->lock))
        slot->appends = false;
}

/* Makes the slot a live object with this version, and returns its handle. Takes over a reference. */
rcuinfo_t rcuinfo__handle_open(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version, bool read_only);

/* Ends the object: from here on its handle is stale. Returns rcuinfo__handle_owned. Call under the slot's lock, after
 * the handle has matched. */
bool rcuinfo__handle_close(struct rcuinfo__slot *slot);

/* Clears and returns the root, whose block may be free already. Call when no reader can be reading the slot. */
const struct rcuinfo__entry *rcuinfo__handle_clear(struct rcuinfo__slot *slot);

/* Iterates over the live objects, without the read-only ones, which are the library's: returns the next one after slot
 * *index (initially 0) and advances *index; RCUINFO_NULL at the end. */
rcuinfo_t rcuinfo__handle_next(uint32_t *index);

/* How often a slot got another object. */
uint64_t rcuinfo__handle_reused(void);
