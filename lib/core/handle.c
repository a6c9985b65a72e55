/* SPDX-License-Identifier: BSD-3-Clause */
/* handle: see handle.h. */
#include "core/handle.h"

#include "core/alloc.h"
#include "core/debug.h"

_Atomic(struct rcuinfo__slot *) rcuinfo__handle_chunks[RCUINFO__SLOTS >> RCUINFO__CHUNK_BITS];

/* Slots below were in use at least once, or are reserved. Slot 0 never is. */
static _Atomic uint32_t used = RCUINFO__HANDLE_RESERVED;

/* Free slots, oldest first: there are places for all. One producer at a time, the holder of reclaim's lock, and any
 * number of takers. */
static ck_ring_t queue = {.size = RCUINFO__SLOTS, .mask = RCUINFO__SLOTS - 1};
/* [P5] field: from the one that reclaims to those that create */
static ck_ring_buffer_t queue_places[RCUINFO__SLOTS];
static _Atomic uint64_t given; /* ever */

/* A slot that was used before, or NULL when too few are in the queue. */
static struct rcuinfo__slot *take_used(void)
{
    struct rcuinfo__slot *slot = NULL;
    while (!slot && ck_ring_size(&queue) > RCUINFO__HANDLE_KEEP) {
        if (!ck_ring_dequeue_spmc(&queue, queue_places, &slot)) /* [P5] acquire */
            slot = NULL;
    }
    return slot;
}

/* The chunk of an index that was never used, made now unless somebody else did. */
static struct rcuinfo__slot *slot_in_new_chunk(uint32_t index)
{
    void *memory;
    struct rcuinfo__slot *chunk = rcuinfo__alloc_slab(RCUINFO__CHUNK_SLOTS * sizeof *chunk, &memory);
    struct rcuinfo__slot *none = NULL;
    if (!chunk)
        return rcuinfo__handle_slot(index);
    /* [P3] publish */
    if (!atomic_compare_exchange_strong_explicit(&rcuinfo__handle_chunks[index >> RCUINFO__CHUNK_BITS], &none, chunk,
                                                 RCUINFO__CHUNK_PUBLISH, RCUINFO__COUNT))
        rcuinfo__alloc_free(memory);
    return rcuinfo__handle_slot(index);
}

static struct rcuinfo__slot *take_fresh(void)
{
    uint32_t index = atomic_load_explicit(&used, RCUINFO__COUNT);
    struct rcuinfo__slot *slot;
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
    struct rcuinfo__slot *slot = take_used();
    return slot ? slot : take_fresh();
}

rcuinfo_t rcuinfo__handle_open(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version, bool read_only)
{
    uint64_t generation = atomic_load_explicit(&slot->generation, RCUINFO__COUNT) + 1;
    slot->read_only = read_only;
    atomic_store_explicit(&slot->root, version, RCUINFO__COUNT);
    RCUINFO__SYNC_POINT(OPENING);
    /* [P2] publish: carries the root, and what it points to */
    atomic_store_explicit(&slot->generation, generation | RCUINFO__HANDLE_LIVE, RCUINFO__GENERATION_PUBLISH);
    return generation << RCUINFO__INDEX_BITS | slot->index;
}

void rcuinfo__handle_close(struct rcuinfo__slot *slot)
{
    uint64_t generation = atomic_load_explicit(&slot->generation, RCUINFO__COUNT);
    RCUINFO__CHECK(generation & RCUINFO__HANDLE_LIVE);
    /* For the next object: who opens that has no lock, and a writer with a stale handle may have it. */
    slot->appends = false;
    slot->sets = 0;
    /* [P2] publish. The root stays for those who have seen the generation before. */
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
    atomic_store_explicit(&given, atomic_load_explicit(&given, RCUINFO__COUNT) + 1, RCUINFO__COUNT);
    bool has_place = ck_ring_enqueue_spmc(&queue, queue_places, slot); /* [P5] publish: it is another's from here on */
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
    uint64_t there = ck_ring_size(&queue);
    uint64_t ever = atomic_load_explicit(&given, RCUINFO__COUNT);
    return there < ever ? ever - there : 0;
}

rcuinfo_t rcuinfo__handle_widen(uint32_t payload, unsigned generation_bits)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(payload);
    uint64_t generation = slot ? atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD) : 0;
    if (!(generation & RCUINFO__HANDLE_LIVE))
        return RCUINFO_NULL;
    rcuinfo_t info = generation << RCUINFO__INDEX_BITS | (payload & (RCUINFO__SLOTS - 1));
    return rcuinfo__handle_narrow(info, generation_bits) == payload ? info : RCUINFO_NULL;
}
