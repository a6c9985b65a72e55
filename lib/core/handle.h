/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handle: the slot table, which is the registry of live objects, and the handles into it.
 *
 * A native handle is generation << 20 | slot index, with generations from 1 on. While an object lives in a slot, the
 * slot has its generation and HANDLE_LIVE; a free slot, and one that was never used, lacks that bit, so no number
 * matches it. Slots lie in chunks that are never given back, so any number may be looked up at any time.
 *
 * Invariant: a slot gets a new object only after a grace period since the last one was freed, and out of a queue in
 * which more than 4,096 slots stay behind it. So within one read section a matching generation guarantees that
 * the root loaded after it is that object's (no second look at the generation is needed), and a handle with the low g
 * bits of the generation names a wrong object at the earliest after 2^(g + 12) frees (see RCUINFO__HANDLE_KEEP).
 *
 * Callers owe: rcuinfo__handle_root and what it returns are used within one read section, or under the slot's lock.
 */
#ifndef RCUINFO_CORE_HANDLE_H
#define RCUINFO_CORE_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/block.h"
#include "core/debug.h"
#include "core/layer.h"
#include "core/lock.h"
#include "core/order.h"

#define RCUINFO__CHUNK_BITS  12
#define RCUINFO__CHUNK_SLOTS (1U << RCUINFO__CHUNK_BITS)
#define RCUINFO__SLOTS       (1U << RCUINFO__INDEX_BITS)
#define RCUINFO__HANDLE_LIVE (UINT64_C(1) << 63)

/*
 * Slots that stay in the queue. A stale narrow handle on MPICH, with 6 bits of generation, is promised to be detected
 * for 2^18 frees. Each of the 64 reuses that it takes to come round needs KEEP - (threads that take at once) other
 * slots to be given behind this one, and each of those was freed since its own last use; some of them before this one
 * was, but only in the first round. 63 * (8192 - 1024) > 2^18.
 */
#define RCUINFO__HANDLE_KEEP 8192

/*
 * Readers touch the first cache line, writers the second too. What stands there under the lock is such that a fork's
 * child may find it after any of a writer's stores.
 */
struct rcuinfo__slot {
    _Atomic uint64_t generation; /* [P2] field: written by the creator, and under the lock by free */
    /* [P1] field: the last entry of the version of now; written under the lock; readers in a read section */
    _Atomic(const struct rcuinfo__entry *) root;
    struct rcuinfo__record record;     /* of the freed object's reference */
    uint32_t index;                    /* of this slot, for good */
    bool read_only;                    /* fixed from before the generation is published until the object is freed */
    _Alignas(64) rcuinfo__lock_t lock; /* [P7] field: of the writers */
    bool appends;                      /* under the lock: the end of the root's block is this object's to write to */
    struct rcuinfo__end end;           /* under the lock, of that block, with `appends` */
    uint32_t sets;                     /* under the lock: edits that the object has published */
};

_Static_assert(sizeof(struct rcuinfo__slot) == 128, "a slot is two cache lines");

/* [P3] field: written once each, by whoever needs the chunk first; never taken back */
extern _Atomic(struct rcuinfo__slot *) rcuinfo__handle_chunks[RCUINFO__SLOTS >> RCUINFO__CHUNK_BITS];

/* The slot of an index (taken modulo the number of slots), or NULL while there is no such chunk. Wait-free. */
static inline struct rcuinfo__slot *rcuinfo__handle_slot(uint64_t index)
{
    index &= RCUINFO__SLOTS - 1;
    /* [P3] acquire */
    struct rcuinfo__slot *chunk =
        atomic_load_explicit(&rcuinfo__handle_chunks[index >> RCUINFO__CHUNK_BITS], RCUINFO__CHUNK_LOAD);
    return chunk ? &chunk[index & (RCUINFO__CHUNK_SLOTS - 1)] : NULL;
}

/* Whether a slot is, now, that of this handle, of whose generation the low `bits` bits count (1 to NATIVE_BITS). */
static inline bool rcuinfo__handle_matches(struct rcuinfo__slot *slot, rcuinfo_t info, unsigned bits)
{
    uint64_t wanted = info >> RCUINFO__INDEX_BITS | RCUINFO__HANDLE_LIVE;
    /* [P2] acquire */
    uint64_t differs = atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD) ^ wanted;
    return (differs << 1 | differs >> 63) << (63 - bits) == 0; /* the top bit, HANDLE_LIVE, always counts */
}

/* Whether an object was in the slot a moment ago: a hint. */
static inline bool rcuinfo__handle_lives(const struct rcuinfo__slot *slot)
{
    return atomic_load_explicit(&slot->generation, RCUINFO__COUNT) & RCUINFO__HANDLE_LIVE;
}

/* The last entry of the version that the object has now, or NULL for a number that is no handle of a live object.
 * Wait-free. */
static inline const struct rcuinfo__entry *rcuinfo__handle_root(rcuinfo_t info, unsigned bits)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    if (!slot || !rcuinfo__handle_matches(slot, info, bits))
        return NULL;
    RCUINFO__SYNC_POINT(MATCHED);
    return atomic_load_explicit(&slot->root, RCUINFO__ROOT_LOAD); /* [P1] acquire */
}

/* The slot of an object that is made at most once; `index` is below RCUINFO__HANDLE_RESERVED, and not 0. NULL: no
 * memory. */
#define RCUINFO__HANDLE_RESERVED 8U
struct rcuinfo__slot *rcuinfo__handle_reserved(uint32_t index);

/* Takes a free slot out of the table; NULL when there is none or no memory to grow. Lock-free. The slot goes on to
 * rcuinfo__handle_open. */
struct rcuinfo__slot *rcuinfo__handle_take(void);

/* Takes the lock of a slot. Where a thread was forked away with it, entries may have been written that were not
 * published: then the end of the block is nobody's. */
static inline void rcuinfo__handle_lock(struct rcuinfo__slot *slot)
{
    if (rcuinfo__lock_take(&slot->lock))
        slot->appends = false;
}

/* Makes the slot an object with this version, whose reference and owner pass to it. */
rcuinfo_t rcuinfo__handle_open(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version, bool read_only);

/* Ends the object: from here on its handle is stale. Under the slot's lock, which found it to match. */
void rcuinfo__handle_close(struct rcuinfo__slot *slot);

/* Takes the root out of a slot whose object was closed at least one grace period ago. */
const struct rcuinfo__entry *rcuinfo__handle_clear(struct rcuinfo__slot *slot);

/* Puts a cleared slot at the end of the queue of free ones. By one thread at a time. */
void rcuinfo__handle_give(struct rcuinfo__slot *slot);

/* The next live object after slot `*index` (start at 0), which is moved on; RCUINFO_NULL at the end. Within a read
 * section. */
rcuinfo_t rcuinfo__handle_next(uint32_t *index, bool *read_only);

/* Slots that were given out again, about while others take and give. */
uint64_t rcuinfo__handle_reused(void);

#endif
