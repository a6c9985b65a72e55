/* SPDX-License-Identifier: BSD-3-Clause */
/* handle: see handle.h. */
#include "core/memory/handle.h"

#include "core/memory/alloc.h"
#include "core/debug.h"

_Atomic(struct rcuinfo__slot *) rcuinfo__handle_chunks[RCUINFO__SLOTS >> RCUINFO__CHUNK_BITS];

#define GENERATION                                                                                                     \
    ((UINT64_C(1) << RCUINFO__NATIVE_BITS) - 1) /* what the generation field has beside owner and flags */

/* All slots below this index have been used, or are reserved. Slot 0 stays unused, so that no handle is 0. */
static _Atomic uint32_t used = RCUINFO__HANDLE_RESERVED;

struct rcuinfo__slot *rcuinfo__handle_fresh(uint32_t n)
{
    uint32_t index = atomic_load_explicit(&used, RCUINFO__RELAXED);
    uint32_t end;

    /* Up to the end of a chunk. It is there before `used` says so: a failed allocation must not leave slots that nobody
     * uses. */
    do {
        if (index >= RCUINFO__SLOTS || !rcuinfo__handle_slot_at(index)) /* allocates the chunk */
            return NULL;
        end = index + n;
        if (end > (index | (RCUINFO__CHUNK_SLOTS - 1)) + 1)
            end = (index | (RCUINFO__CHUNK_SLOTS - 1)) + 1;
    } while (!atomic_compare_exchange_weak_explicit(&used, &index, end, RCUINFO__RELAXED, RCUINFO__RELAXED));

    struct rcuinfo__slot *last = NULL;
    for (; index < end; index++) {
        struct rcuinfo__slot *slot = rcuinfo__handle_slot(index);
        slot->index = index;
        slot->next = last;
        last = slot;
    }
    return last;
}

struct rcuinfo__slot *rcuinfo__handle_slot_at(uint32_t index)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(index);
    if (slot)
        return slot;

    /* [P3] publish. A thread that comes second uses the chunk of the first. */
    void *memory;
    struct rcuinfo__slot *chunk = rcuinfo__alloc_slab(RCUINFO__CHUNK_SLOTS * sizeof *chunk, &memory);
    struct rcuinfo__slot *none = NULL;
    if (chunk && !atomic_compare_exchange_strong_explicit(&rcuinfo__handle_chunks[index >> RCUINFO__CHUNK_BITS], &none,
                                                          chunk, RCUINFO__CHUNK_PUBLISH, RCUINFO__RELAXED))
        rcuinfo__alloc_free(memory);
    return rcuinfo__handle_slot(index);
}

const struct rcuinfo__entry *rcuinfo__handle_helped(struct rcuinfo__section section, rcuinfo_t info, unsigned bits)
{
    /* The reader's answer is that of the moment at which it was helped, also if the object was freed since. The
     * reference in `help` keeps the version until we have said it. */
    const struct rcuinfo__reader *reader = section.reader;
    const struct rcuinfo__entry *version = atomic_load_explicit(&reader->help, RCUINFO__RELAXED);
    uint64_t generation = atomic_load_explicit(&reader->help_generation, RCUINFO__RELAXED);
    if (!rcuinfo__handle_is(generation, info, bits))
        return NULL;
    rcuinfo__reader_say(&section, (uintptr_t)version);
    return version;
}

rcuinfo_t rcuinfo__handle_open(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version, bool read_only)
{
    uint64_t generation = (atomic_load_explicit(&slot->generation, RCUINFO__RELAXED) + 1) & ~RCUINFO__HANDLE_OWNERS;
    uint64_t owner = rcuinfo__reader_self->number < RCUINFO__HANDLE_OWNED_BY ? rcuinfo__reader_self->number : 0;
    uint64_t flags = RCUINFO__HANDLE_LIVE | (read_only ? RCUINFO__HANDLE_READ_ONLY : owner << RCUINFO__NATIVE_BITS);
    /* [P1] publish: that the object before is freed, to rcuinfo__stock_version */
    atomic_store_explicit(&slot->root, version, RCUINFO__ROOT_OPEN);
    RCUINFO__SYNC_POINT(OPENING);
    /* [P2] publish: the root, and what it points to */
    atomic_store_explicit(&slot->generation, generation | flags, RCUINFO__GENERATION_OPEN);
    return generation << RCUINFO__INDEX_BITS | slot->index;
}

bool rcuinfo__handle_close(struct rcuinfo__slot *slot)
{
    uint64_t generation = atomic_load_explicit(&slot->generation, RCUINFO__RELAXED);
    RCUINFO__CHECK(generation & RCUINFO__HANDLE_LIVE);

    /* Reset these for the slot's next object here: rcuinfo__handle_open runs without the lock, which a writer with a
     * stale handle may hold then. */
    slot->appends = false;
    slot->sets = 0;
    /* [P2] publish. The root stays for readers that have matched the generation already; [P12] acquire: whether there
     * may be any. */
    generation &= ~(RCUINFO__HANDLE_LIVE | RCUINFO__HANDLE_READ_ONLY | RCUINFO__HANDLE_OWNERS);
    return rcuinfo__handle_owned(atomic_exchange_explicit(&slot->generation, generation, RCUINFO__GENERATION_PUBLISH));
}

const struct rcuinfo__entry *rcuinfo__handle_clear(struct rcuinfo__slot *slot)
{
    RCUINFO__CHECK(!(atomic_load_explicit(&slot->generation, RCUINFO__RELAXED) & RCUINFO__HANDLE_LIVE));
    const struct rcuinfo__entry *version = atomic_load_explicit(&slot->root, RCUINFO__RELAXED);
    atomic_store_explicit(&slot->root, NULL, RCUINFO__RELAXED);
    return version;
}

rcuinfo_t rcuinfo__handle_next(uint32_t *index)
{
    uint32_t end = atomic_load_explicit(&used, RCUINFO__RELAXED);

    while (++*index < end) {
        struct rcuinfo__slot *slot = rcuinfo__handle_slot(*index);
        uint64_t generation = slot ? atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD) : 0;
        if (generation & RCUINFO__HANDLE_LIVE && !(generation & RCUINFO__HANDLE_READ_ONLY))
            return generation << RCUINFO__INDEX_BITS | *index;
    }
    return RCUINFO_NULL;
}

uint64_t rcuinfo__handle_reused(void)
{
    uint32_t end = atomic_load_explicit(&used, RCUINFO__RELAXED);
    uint64_t reused = 0;
    for (uint32_t index = RCUINFO__HANDLE_RESERVED; index < end; index++) {
        const struct rcuinfo__slot *slot = rcuinfo__handle_slot(index);
        uint64_t objects = slot ? atomic_load_explicit(&slot->generation, RCUINFO__RELAXED) & GENERATION : 0;
        reused += objects ? objects - 1 : 0;
    }
    return reused;
}
