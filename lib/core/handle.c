/* SPDX-License-Identifier: BSD-3-Clause */
/* handle: see handle.h. */
#include "core/handle.h"

#include "core/alloc.h"
#include "core/debug.h"

_Atomic(struct rcuinfo__slot *) rcuinfo__handle_chunks[RCUINFO__SLOTS >> RCUINFO__CHUNK_BITS];

/* All slots below this index have been used, or are reserved. Slot 0 stays unused, so that no handle is 0. */
static _Atomic uint32_t used = RCUINFO__HANDLE_RESERVED;

/* The queue of free slots, with room for all slots. One producer at a time, under the reclaim lock; any number of
 * consumers. */
static ck_ring_t queue = {.size = RCUINFO__SLOTS, .mask = RCUINFO__SLOTS - 1};
/* [P5] field: from the thread that reclaims to those that create */
static ck_ring_buffer_t queue_places[RCUINFO__SLOTS];
static _Atomic uint64_t given; /* number of slots ever enqueued */

uint32_t rcuinfo__handle_queued(void)
{
    return rcuinfo__ck_ring_length(&queue);
}

struct rcuinfo__slot *rcuinfo__handle_reuse(void)
{
    struct rcuinfo__slot *slot = NULL;

    /* A dequeue may fail because another thread was faster. Then look at the length of the queue again. */
    while (!slot && rcuinfo__handle_queued() > RCUINFO__HANDLE_KEEP) {
        if (!ck_ring_dequeue_spmc(&queue, queue_places, &slot)) /* [P5] acquire */
            slot = NULL;
    }
    return slot;
}

/* Allocates the chunk of an index, unless another thread has done so; returns the slot of the index, or NULL. */
static struct rcuinfo__slot *slot_in_new_chunk(uint32_t index)
{
    void *memory;
    struct rcuinfo__slot *chunk = rcuinfo__alloc_slab(RCUINFO__CHUNK_SLOTS * sizeof *chunk, &memory);
    struct rcuinfo__slot *none = NULL;
    if (!chunk)
        return rcuinfo__handle_slot(index);

    /* [P3] publish. Whoever comes second uses the chunk of the first. */
    if (!atomic_compare_exchange_strong_explicit(&rcuinfo__handle_chunks[index >> RCUINFO__CHUNK_BITS], &none, chunk,
                                                 RCUINFO__CHUNK_PUBLISH, RCUINFO__COUNT))
        rcuinfo__alloc_free(memory);
    return rcuinfo__handle_slot(index);
}

/* Uses a slot for the first time; NULL when all have been used, or without memory for another chunk. */
static struct rcuinfo__slot *first_use_of_slot(void)
{
    uint32_t index = atomic_load_explicit(&used, RCUINFO__COUNT);
    struct rcuinfo__slot *slot;

    /* The chunk is there before `used` says so: a failed allocation must not leave a slot that nobody uses. */
    do {
        if (index >= RCUINFO__SLOTS)
            return NULL;
        slot = rcuinfo__handle_slot(index);
        if (!slot)
            slot = slot_in_new_chunk(index);
        if (!slot)
            return NULL;
    } while (!atomic_compare_exchange_weak_explicit(&used, &index, index + 1, RCUINFO__COUNT, RCUINFO__COUNT));

    slot->index = index;
    return slot;
}

struct rcuinfo__slot *rcuinfo__handle_reserved(uint32_t index)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(index);
    return slot ? slot : slot_in_new_chunk(index);
}

struct rcuinfo__slot *rcuinfo__handle_take(void)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_reuse();
    return slot ? slot : first_use_of_slot();
}

rcuinfo_t rcuinfo__handle_open(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version, bool read_only)
{
    uint64_t generation = atomic_load_explicit(&slot->generation, RCUINFO__COUNT) + 1;
    slot->read_only = read_only;
    atomic_store_explicit(&slot->root, version, RCUINFO__COUNT);
    RCUINFO__SYNC_POINT(OPENING);
    /* [P2] publish: the root, and what it points to */
    atomic_store_explicit(&slot->generation, generation | RCUINFO__HANDLE_LIVE, RCUINFO__GENERATION_PUBLISH);
    return generation << RCUINFO__INDEX_BITS | slot->index;
}

void rcuinfo__handle_close(struct rcuinfo__slot *slot)
{
    uint64_t generation = atomic_load_explicit(&slot->generation, RCUINFO__COUNT);
    RCUINFO__CHECK(generation & RCUINFO__HANDLE_LIVE);

    /* Reset these for the slot's next object here: rcuinfo__handle_open runs without the lock, which a writer with a
     * stale handle may hold then. */
    slot->appends = false;
    slot->sets = 0;
    /* [P2] publish. The root stays for readers that have matched the generation already. */
    atomic_store_explicit(&slot->generation, generation & ~RCUINFO__HANDLE_LIVE, RCUINFO__GENERATION_PUBLISH);
}

const struct rcuinfo__entry *rcuinfo__handle_clear(struct rcuinfo__slot *slot)
{
    RCUINFO__CHECK(!(atomic_load_explicit(&slot->generation, RCUINFO__COUNT) & RCUINFO__HANDLE_LIVE));
    const struct rcuinfo__entry *version = atomic_load_explicit(&slot->root, RCUINFO__COUNT);
    atomic_store_explicit(&slot->root, NULL, RCUINFO__COUNT);
    return version;
}

void rcuinfo__handle_give(struct rcuinfo__slot *slot)
{
    /* A load and a store are enough: only the holder of the reclaim lock gets here. */
    atomic_store_explicit(&given, atomic_load_explicit(&given, RCUINFO__COUNT) + 1, RCUINFO__COUNT);
    bool has_place = ck_ring_enqueue_spmc(&queue, queue_places, slot); /* [P5] publish */
    RCUINFO__CHECK(has_place);
    (void)has_place;
}

rcuinfo_t rcuinfo__handle_next(uint32_t *index, bool *read_only)
{
    uint32_t end = atomic_load_explicit(&used, RCUINFO__COUNT);

    while (++*index < end) {
        struct rcuinfo__slot *slot = rcuinfo__handle_slot(*index);
        uint64_t generation = slot ? atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD) : 0;
        if (generation & RCUINFO__HANDLE_LIVE) {
            *read_only = slot->read_only;
            return generation << RCUINFO__INDEX_BITS | *index;
        }
    }
    return RCUINFO_NULL;
}

uint64_t rcuinfo__handle_reused(void)
{
    /* Each slot that was enqueued and is no longer there has been reused. */
    uint64_t there = rcuinfo__handle_queued();
    uint64_t ever = atomic_load_explicit(&given, RCUINFO__COUNT);
    return there < ever ? ever - there : 0;
}
