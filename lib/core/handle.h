/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handle: the table of slots, one for each live object, and handles, which name a slot and its generation.
 *
 * A native handle is generation << 20 | slot index, e.g. 0x2a00007 for generation 0x2a of slot 7. Generations start
 * at 1. While a slot has an object, its generation field is the generation with the bit HANDLE_LIVE set. A slot that is
 * free or was never used lacks that bit, so no handle matches it. Slots are allocated in chunks that are never freed,
 * so any number may be looked up at any time.
 *
 * Invariant: a slot gets its next object only after a grace period, and out of a queue in which thousands of other
 * slots wait behind it. It follows that
 *  - within one read section, a root loaded after the generation has matched is that object's, so the generation need
 *    not be compared again;
 *  - a stale handle with g bits of generation matches another object after 2^(g + 12) frees at the earliest (see
 *    RCUINFO__HANDLE_KEEP).
 *
 * Call rcuinfo__handle_root and use its result within one read section, or under the slot's lock.
 */
#ifndef RCUINFO_CORE_HANDLE_H
#define RCUINFO_CORE_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/block.h"
#include "core/debug.h"
#include "core/limits.h"
#include "core/lock.h"
#include "core/order.h"

#define RCUINFO__CHUNK_BITS  12
#define RCUINFO__CHUNK_SLOTS (1U << RCUINFO__CHUNK_BITS)
#define RCUINFO__SLOTS       (1U << RCUINFO__INDEX_BITS)
#define RCUINFO__HANDLE_LIVE (UINT64_C(1) << 63)

/*
 * Slots are taken from the queue of free slots only while it has more than this. The number follows from the narrowest
 * handles, those of MPICH with 6 bits of generation: a stale one is detected for 2^18 frees. Such a handle matches
 * again after its slot was reused 64 times. Between two reuses at least KEEP - T other slots pass through the queue,
 * where T is the number of threads that dequeue at the same time, and each of them was freed once for that. In the
 * first round some of those frees may have come before the handle's own, so it does not count. For T up to 1024:
 * 63 * (8192 - 1024) > 2^18.
 */
#define RCUINFO__HANDLE_KEEP 8192

/*
 * Readers access the first cache line only, writers both. A fork may happen between any two stores to the fields under
 * the lock, so each state in between must be one that the child can go on from.
 */
struct rcuinfo__slot {
    _Atomic uint64_t generation; /* [P2] field: written by create, and by free under the lock */
    /* [P1] field: the last entry of the current version; written under the lock, read in read sections */
    _Atomic(const struct rcuinfo__entry *) root;
    struct rcuinfo__record record;     /* retires the reference of a freed object */
    uint32_t index;                    /* of this slot; constant */
    bool read_only;                    /* constant while the object lives */
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

/*
 * Whether the slot has the object of this handle now. Only the low `bits` bits of the generation (1 to NATIVE_BITS) are
 * compared. E.g. with 6 bits, a handle of generation 0x01 matches generation 0x41, but not a slot that is free.
 */
static inline bool rcuinfo__handle_matches(struct rcuinfo__slot *slot, rcuinfo_t info, unsigned bits)
{
    uint64_t wanted = info >> RCUINFO__INDEX_BITS | RCUINFO__HANDLE_LIVE;
    uint64_t low_bits = (UINT64_C(1) << bits) - 1;
    /* [P2] acquire */
    uint64_t generation = atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD);
    return ((generation ^ wanted) & (RCUINFO__HANDLE_LIVE | low_bits)) == 0;
}

/* Whether the slot had an object a moment ago. Only a hint, except for a reserved slot whose lock is held. */
static inline bool rcuinfo__handle_lives(const struct rcuinfo__slot *slot)
{
    return atomic_load_explicit(&slot->generation, RCUINFO__COUNT) & RCUINFO__HANDLE_LIVE;
}

/* The last entry of the object's current version; NULL if `info` is not the handle of a live object. Wait-free. */
static inline const struct rcuinfo__entry *rcuinfo__handle_root(rcuinfo_t info, unsigned bits)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    if (!slot || !rcuinfo__handle_matches(slot, info, bits))
        return NULL;

    RCUINFO__SYNC_POINT(MATCHED);
    return atomic_load_explicit(&slot->root, RCUINFO__ROOT_LOAD); /* [P1] acquire */
}

/* The slot of an object that is created at most once, at a fixed index from 1 to RCUINFO__HANDLE_RESERVED - 1; NULL
 * without memory. */
#define RCUINFO__HANDLE_RESERVED 8U
struct rcuinfo__slot *rcuinfo__handle_reserved(uint32_t index);

/* Allocates a slot, for rcuinfo__handle_open; NULL when none is free and the table cannot grow. Lock-free. */
struct rcuinfo__slot *rcuinfo__handle_take(void);

/* Same without letting the table grow: NULL when the queue of free slots is not longer than KEEP. */
struct rcuinfo__slot *rcuinfo__handle_reuse(void);

/* The length of the queue, as rcuinfo__ck_ring_length counts it. */
uint32_t rcuinfo__handle_queued(void);

/* Takes the lock of a slot. If a thread of the parent process held it at a fork, that thread may have written entries
 * that it did not publish: nobody may append to this block any more. */
static inline void rcuinfo__handle_lock(struct rcuinfo__slot *slot)
{
    if (rcuinfo__lock_take(&slot->lock))
        slot->appends = false;
}

/* Makes the slot a live object with this version, and returns its handle. Takes over a reference and an owner. */
rcuinfo_t rcuinfo__handle_open(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version, bool read_only);

/* Ends the object: from here on its handle is stale. Call under the slot's lock, after the handle has matched. */
void rcuinfo__handle_close(struct rcuinfo__slot *slot);

/* Clears and returns the root. Call at least one grace period after rcuinfo__handle_close. */
const struct rcuinfo__entry *rcuinfo__handle_clear(struct rcuinfo__slot *slot);

/* Puts a cleared slot at the end of the queue of free slots. Call with the reclaim lock held. */
void rcuinfo__handle_give(struct rcuinfo__slot *slot);

/* Iterates over the live objects: returns the next one after slot *index (initially 0) and advances *index;
 * RCUINFO_NULL at the end. Call inside a read section. */
rcuinfo_t rcuinfo__handle_next(uint32_t *index, bool *read_only);

/* How often a slot was reused; approximate while other threads create and free. */
uint64_t rcuinfo__handle_reused(void);

#endif
