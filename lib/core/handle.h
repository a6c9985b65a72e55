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

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/cell.h"
#include "core/layer.h"
#include "core/order.h"
#include "core/seam.h"

#define RCUINFO__CHUNK_BITS  12
#define RCUINFO__CHUNK_SLOTS (1U << RCUINFO__CHUNK_BITS)
#define RCUINFO__SLOTS       (1U << RCUINFO__INDEX_BITS)
#define RCUINFO__HANDLE_LIVE (UINT64_C(1) << 63)

/*
 * Slots that stay in the queue. A stale narrow handle on MPICH, with 6 bits of generation, is promised to be told for
 * 2^18 frees. Each of the 64 reuses that it takes to come round needs KEEP - (threads that take at once) other slots to
 * be given behind this one, and each of those was freed since its own last use; some of them before this one was, but
 * only in the first round. 63 * (8192 - 1024) > 2^18.
 */
#define RCUINFO__HANDLE_KEEP 8192

/* Readers touch the first cache line, writers the second too. */
struct rcuinfo__slot {
    _Atomic uint64_t generation;          /* [P2] field: written by the creator, and under the mutex by free */
    _Atomic(struct rcuinfo__cell *) root; /* [P1] field: written under the mutex; readers in a read section */
    struct rcuinfo__record record;        /* of the freed object's reference */
    uint32_t index;                       /* fixed once the slot was first used */
    bool read_only;                       /* fixed from before the generation is published until the object is freed */
    _Alignas(64) pthread_mutex_t mutex;   /* made when the epoch is first met */
    _Atomic uint32_t epoch;               /* [P7] field: fork epoch in which the mutex was made; 0: never */
};

_Static_assert(sizeof(struct rcuinfo__slot) == 128, "a slot is two cache lines");

/* [P3] field: written once each, by whoever needs the chunk first; never taken back */
extern _Atomic(struct rcuinfo__slot *) rcuinfo__handle_chunks[RCUINFO__SLOTS >> RCUINFO__CHUNK_BITS];

/* The slot of an index (taken modulo the number of slots), or NULL while there is no such chunk. Wait-free. */
static inline struct rcuinfo__slot *rcuinfo__handle_slot(uint64_t index)
{
    index &= RCUINFO__SLOTS - 1;
    /* [P3] consume */
    struct rcuinfo__slot *chunk =
        atomic_load_explicit(&rcuinfo__handle_chunks[index >> RCUINFO__CHUNK_BITS], RCUINFO__CHUNK_CONSUME);
    return chunk ? &chunk[index & (RCUINFO__CHUNK_SLOTS - 1)] : NULL;
}

/* Whether a slot is that of this handle, now. */
static inline bool rcuinfo__handle_matches(struct rcuinfo__slot *slot, rcuinfo_t info)
{
    uint64_t wanted = info >> RCUINFO__INDEX_BITS | RCUINFO__HANDLE_LIVE;
    return atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_CONSUME) == wanted; /* [P2] consume */
}

/* The version that the object has now, or NULL for a number that is no handle of a live object. Wait-free. */
static inline struct rcuinfo__cell *rcuinfo__handle_root(rcuinfo_t info)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    if (!slot || !rcuinfo__handle_matches(slot, info))
        return NULL;
    RCUINFO__SEAM(MATCHED);
    return atomic_load_explicit(&slot->root, RCUINFO__ROOT_CONSUME); /* [P1] consume */
}

/*
 * Takes a free slot out of the table; NULL when there is none or no memory to grow. Lock-free, unless the table can
 * grow no more: then it may take the lock of the queue, whose holder waits for nothing. The slot goes on to
 * rcuinfo__handle_open.
 */
struct rcuinfo__slot *rcuinfo__handle_take(void);

/* Makes the slot an object with this version, whose reference and owner pass to it. */
rcuinfo_t rcuinfo__handle_open(struct rcuinfo__slot *slot, struct rcuinfo__cell *cell, bool read_only);

/* Ends the object: from here on its handle is stale. Under the slot's lock, which found it to match. */
void rcuinfo__handle_close(struct rcuinfo__slot *slot);

/* Takes the root out of a slot whose object was closed at least one grace period ago. */
struct rcuinfo__cell *rcuinfo__handle_clear(struct rcuinfo__slot *slot);

/* Puts a cleared slot at the end of the queue of free ones. */
void rcuinfo__handle_give(struct rcuinfo__slot *slot);

/* The writers' lock of a slot. The holder calls nothing that may block. */
void rcuinfo__handle_lock(struct rcuinfo__slot *slot);
void rcuinfo__handle_unlock(struct rcuinfo__slot *slot);

/* The next live object after slot `*index` (start at 0), which is moved on; RCUINFO_NULL at the end. Within a read
 * section. */
rcuinfo_t rcuinfo__handle_next(uint32_t *index, bool *read_only);

/* Slots that were given out again. */
uint64_t rcuinfo__handle_reused(void);

/* Around fork(): the queue's lock is taken and given back; in the child all mutexes are made anew when next used. With
 * locked false the lock was not taken before, and may be held by a thread that the child does not have. */
void rcuinfo__handle_before_fork(void);
void rcuinfo__handle_after_fork(bool child, bool locked);

#endif
