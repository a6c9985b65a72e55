/* SPDX-License-Identifier: BSD-3-Clause */
/* block: see block.h. */
#include "core/block.h"

#include <string.h>

#include "core/debug.h"

/* A single entry without a key, which ends the version that has no pairs. */
struct rcuinfo__empty rcuinfo__empty = {
    .block = {.refcount = RCUINFO__BLOCK_REF,
              .capacity = 1,
              .bytes = sizeof(struct rcuinfo__block) + sizeof(struct rcuinfo__entry)},
    .entry = {.text = sizeof(struct rcuinfo__block) + sizeof(struct rcuinfo__entry)},
};

_Static_assert(offsetof(struct rcuinfo__empty, block) == RCUINFO__BLOCK_GROUP &&
                   offsetof(struct rcuinfo__empty, entry) == RCUINFO__BLOCK_GROUP + sizeof(struct rcuinfo__block),
               "laid out as a block with room for one entry");

size_t rcuinfo__block_announce(struct rcuinfo__block *block, struct rcuinfo__record *record)
{
    if (block == &rcuinfo__empty.block) {
        record->owner = false;
        return 0;
    }
    size_t bytes = rcuinfo__block_bytes(block);

    /* The only reference: the block will be free when it is dropped, so its bytes wait from now on. The owner stays in
     * the count until the drop, which saves a write to the block's cache line here. A dup or a snapshot that adds a
     * reference after this load adds an owner of its own, and the drop leaves that one. */
    record->owner = atomic_load_explicit(&block->refcount, RCUINFO__COUNT) == RCUINFO__BLOCK_REF;
    if (record->owner)
        return bytes;

    uint64_t before = atomic_fetch_sub_explicit(&block->refcount, UINT64_C(1) << 32, RCUINFO__COUNT);
    RCUINFO__CHECK(before >> 32);
    return before >> 32 == 1 ? bytes : 0;
}

bool rcuinfo__block_drop(struct rcuinfo__block *block, bool owner, uint64_t *owners)
{
    uint64_t less = owner ? RCUINFO__BLOCK_REF : 1;
    uint64_t left = 0;
    *owners = 1;
    if (block == &rcuinfo__empty.block)
        return false;

    /* A load instead of the subtraction if ours is the only reference. That cannot change meanwhile: an increment needs
     * a read section that has loaded a root of the block, and the last object's root left it a grace period ago.
     * [P6] acquire */
    if (!owner || atomic_load_explicit(&block->refcount, RCUINFO__REFS_SOLE) != RCUINFO__BLOCK_REF)
        /* [P6] publish: our accesses to the block happen before its reuse. [P6] acquire */
        left = atomic_fetch_sub_explicit(&block->refcount, less, RCUINFO__REFS_DROP) - less;

    *owners = left >> 32;
    RCUINFO__CHECK(*owners <= (uint32_t)left);
    if ((uint32_t)left)
        return false;

    uint32_t age = atomic_load_explicit(&block->age, RCUINFO__COUNT);
    atomic_store_explicit(&block->age, age + 1, RCUINFO__COUNT);
    return true;
}

/* The number of places in a finder: a power of two, not less than 3/2 of the entries, rounded down: 64 for 33 to 43. */
static uint64_t places_for(uint64_t entries)
{
    return UINT64_C(1) << (64 - __builtin_clzll(entries + entries / 2 - 1));
}

/* The number of entries that a finder of that size can serve: one per byte, or two thirds of its places. */
static uint32_t finder_capacity(uint32_t finder, uint64_t entries)
{
    if (entries <= RCUINFO__BLOCK_SCANNED)
        return finder;
    return (uint32_t)((finder / sizeof(uint32_t) * UINT64_C(2) + 1) / 3);
}

uint64_t rcuinfo__block_finder(uint64_t entries)
{
    if (entries <= RCUINFO__BLOCK_SCANNED)
        return (entries + RCUINFO__BLOCK_GROUP - 1) / RCUINFO__BLOCK_GROUP * RCUINFO__BLOCK_GROUP;
    return places_for(entries) * sizeof(uint32_t);
}

uint64_t rcuinfo__block_size(const struct rcuinfo__shape *shape)
{
    return rcuinfo__block_finder(shape->entries) + sizeof(struct rcuinfo__block) +
           shape->entries * sizeof(struct rcuinfo__entry) + shape->text;
}

bool rcuinfo__block_fits(const struct rcuinfo__block *block, const struct rcuinfo__shape *shape)
{
    return block->capacity >= shape->entries && block->bytes - rcuinfo__block_text(block) >= shape->text;
}

struct rcuinfo__block *rcuinfo__block_init(void *memory, uint32_t size, const struct rcuinfo__shape *shape)
{
    /* The finder stays as large as asked for, which bounds the entries that surplus memory may become. */
    uint32_t finder = (uint32_t)rcuinfo__block_finder(shape->entries);
    uint32_t spare = size - (uint32_t)rcuinfo__block_size(shape);
    uint64_t capacity = shape->entries + spare / ((uint32_t)sizeof(struct rcuinfo__entry) + shape->average);
    uint32_t most = finder_capacity(finder, shape->entries);

    struct rcuinfo__block *block = RCUINFO__BLOCK_CAST(struct rcuinfo__block, (char *)memory + finder);
    memset(memory, 0, finder); /* of the rest, nothing is read before it is written */
    atomic_store_explicit(&block->refcount, RCUINFO__BLOCK_REF, RCUINFO__COUNT);
    block->record.state = RCUINFO__RECORD_IDLE;
    block->capacity = capacity < most ? (uint32_t)capacity : most;
    block->bytes = size - finder;
    block->mask = shape->entries <= RCUINFO__BLOCK_SCANNED ? 0 : finder / (uint32_t)sizeof(uint32_t) - 1;
    return block;
}
