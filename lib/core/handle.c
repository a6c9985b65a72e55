/* SPDX-License-Identifier: BSD-3-Clause */
/* handle: see handle.h. */
#include "core/handle.h"

#include <pthread.h>

#include "core/alloc.h"
#include "core/debug.h"

#define QUEUE_PLACES 16384

_Atomic(struct rcuinfo__slot *) rcuinfo__handle_chunks[RCUINFO__SLOTS >> RCUINFO__CHUNK_BITS];

/* Slots below were in use at least once, or are reserved. Slot 0 never is. */
static _Atomic uint32_t used = RCUINFO__HANDLE_RESERVED;

/*
 * Free slots, oldest first. The ring has one producer at a time, who holds queue_lock, and any number of takers. What
 * does not fit waits in a list, under the same lock, and moves into the ring as others are taken out of it.
 */
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static ck_ring_t queue = {.size = QUEUE_PLACES, .mask = QUEUE_PLACES - 1};
/* [P5] field: from the one that reclaims to those that create */
static ck_ring_buffer_t queue_places[QUEUE_PLACES];
static struct rcuinfo__slot *waiting_first; /* linked by record.link.next, under queue_lock */
static struct rcuinfo__slot *waiting_last;
static _Atomic uint32_t waiting; /* slots in it; written under queue_lock */
static _Atomic uint64_t given;   /* ever; written under queue_lock */

static struct rcuinfo__slot *slot_of_link(ck_stack_entry_t *link)
{
    return (struct rcuinfo__slot *)(void *)((char *)link - offsetof(struct rcuinfo__slot, record.link));
}

/* Under queue_lock. */
static void queue_refill(void)
{
    while (waiting_first) {
        ck_stack_entry_t *next = waiting_first->record.link.next; /* the slot is another's once it is in the ring */
        if (!ck_ring_enqueue_spmc(&queue, queue_places, waiting_first)) /* [P5] publish */
            return;
        waiting_first = next ? slot_of_link(next) : NULL;
        atomic_store_explicit(&waiting, atomic_load_explicit(&waiting, RCUINFO__COUNT) - 1, RCUINFO__COUNT);
    }
}

/* A slot that was used before. Without `wait`, NULL also where another thread has the lock. */
static struct rcuinfo__slot *take_used(bool wait)
{
    struct rcuinfo__slot *slot = NULL;
    while (!slot) {
        if (ck_ring_size(&queue) > RCUINFO__HANDLE_KEEP) {
            if (!ck_ring_dequeue_spmc(&queue, queue_places, &slot)) /* [P5] consume */
                slot = NULL;
            continue;
        }
        if (!atomic_load_explicit(&waiting, RCUINFO__COUNT))
            return NULL;
        sigset_t mask;
        rcuinfo__lock_hold_signals(&mask);
        bool locked = pthread_mutex_trylock(&queue_lock) == 0;
        if (!locked && wait)
            locked = pthread_mutex_lock(&queue_lock) == 0;
        if (locked) {
            queue_refill();
            pthread_mutex_unlock(&queue_lock);
        }
        rcuinfo__lock_release_signals(&mask);
        if (!locked)
            return NULL;
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
    struct rcuinfo__slot *slot = take_used(false);
    if (!slot)
        slot = take_fresh();
    return slot ? slot : take_used(true);
}

bool rcuinfo__handle_scarce(void)
{
    return atomic_load_explicit(&used, RCUINFO__COUNT) >= RCUINFO__SLOTS &&
           ck_ring_size(&queue) <= RCUINFO__HANDLE_KEEP && !atomic_load_explicit(&waiting, RCUINFO__COUNT);
}

rcuinfo_t rcuinfo__handle_open(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version, bool appends,
                               bool read_only)
{
    uint64_t generation = atomic_load_explicit(&slot->generation, RCUINFO__COUNT) + 1;
    slot->read_only = read_only;
    slot->appends = appends;
    slot->sets = 0;
    atomic_store_explicit(&slot->root, version, RCUINFO__COUNT);
    RCUINFO__SEAM(OPENING);
    /* [P2] publish: carries the root, and what it points to */
    atomic_store_explicit(&slot->generation, generation | RCUINFO__HANDLE_LIVE, RCUINFO__GENERATION_PUBLISH);
    return generation << RCUINFO__INDEX_BITS | slot->index;
}

void rcuinfo__handle_close(struct rcuinfo__slot *slot)
{
    uint64_t generation = atomic_load_explicit(&slot->generation, RCUINFO__COUNT);
    RCUINFO__CHECK(generation & RCUINFO__HANDLE_LIVE);
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

void rcuinfo__handle_give(struct rcuinfo__slot *first, struct rcuinfo__slot *last, uint32_t n)
{
    pthread_mutex_lock(&queue_lock);
    last->record.link.next = NULL;
    if (waiting_first)
        waiting_last->record.link.next = &first->record.link;
    else
        waiting_first = first;
    waiting_last = last;
    atomic_store_explicit(&given, atomic_load_explicit(&given, RCUINFO__COUNT) + n, RCUINFO__COUNT);
    atomic_store_explicit(&waiting, atomic_load_explicit(&waiting, RCUINFO__COUNT) + n, RCUINFO__COUNT);
    queue_refill();
    pthread_mutex_unlock(&queue_lock);
}

rcuinfo_t rcuinfo__handle_next(uint32_t *index, bool *read_only)
{
    uint32_t end = atomic_load_explicit(&used, RCUINFO__COUNT);
    while (++*index < end) {
        struct rcuinfo__slot *slot = rcuinfo__handle_slot(*index);
        uint64_t generation = slot ? atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_CONSUME) : 0;
        if (generation & RCUINFO__HANDLE_LIVE) {
            *read_only = slot->read_only;
            return generation << RCUINFO__INDEX_BITS | *index;
        }
    }
    return RCUINFO_NULL;
}

uint64_t rcuinfo__handle_reused(void)
{
    uint64_t there = atomic_load_explicit(&waiting, RCUINFO__COUNT) + (uint64_t)ck_ring_size(&queue);
    uint64_t ever = atomic_load_explicit(&given, RCUINFO__COUNT);
    return there < ever ? ever - there : 0; /* slots on their way from the list to the ring may be counted twice */
}

rcuinfo_t rcuinfo__handle_widen(uint32_t payload, unsigned generation_bits)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(payload);
    uint64_t generation = slot ? atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_CONSUME) : 0;
    if (!(generation & RCUINFO__HANDLE_LIVE))
        return RCUINFO_NULL;
    rcuinfo_t info = generation << RCUINFO__INDEX_BITS | (payload & (RCUINFO__SLOTS - 1));
    return rcuinfo__handle_narrow(info, generation_bits) == payload ? info : RCUINFO_NULL;
}

void rcuinfo__handle_before_fork(void)
{
    pthread_mutex_lock(&queue_lock);
}

void rcuinfo__handle_after_fork(bool child, bool locked)
{
    if (locked) {
        pthread_mutex_unlock(&queue_lock);
    } else if (child) {
        queue_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        waiting_first = NULL; /* the list may have been half changed: what waits in it is lost to the child */
        atomic_store_explicit(&given, ck_ring_size(&queue), RCUINFO__COUNT);
        atomic_store_explicit(&waiting, 0, RCUINFO__COUNT);
    }
}
