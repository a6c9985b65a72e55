/* SPDX-License-Identifier: BSD-3-Clause */
/* block: see block.h. */
#include "core/memory/block.h"

#include <string.h>

#include "core/debug.h"

/* A single entry without a key, which ends the version that has no pairs. */
struct rcuinfo__empty rcuinfo__empty = {
    .block = {.refcount = 1, .capacity = 1, .extent = sizeof(struct rcuinfo__block) + sizeof(struct rcuinfo__entry)},
    .entry = {.text = sizeof(struct rcuinfo__block) + sizeof(struct rcuinfo__entry)},
};

_Static_assert(offsetof(struct rcuinfo__empty, block) == RCUINFO__BLOCK_GROUP &&
                   offsetof(struct rcuinfo__empty, entry) == RCUINFO__BLOCK_GROUP + sizeof(struct rcuinfo__block),
               "laid out as a block with room for one entry");

/* The mark of a block that had `mark`, and is left by an object in `slot`. */
static uint32_t add_mark(uint32_t mark, uint32_t slot)
{
    if (mark == RCUINFO__BLOCK_UNMARKED || mark == slot)
        return slot;
    return slot == RCUINFO__BLOCK_UNMARKED ? mark : RCUINFO__BLOCK_MANY;
}

bool rcuinfo__block_drop(struct rcuinfo__block *block, uint32_t slot)
{
    if (block == &rcuinfo__empty.block)
        return false;

    /* [P6] acquire: the holder of the last reference before may have retired the block, and found it in use */
    uint64_t seen = atomic_load_explicit(&block->refcount, RCUINFO__REFS_SOLE);
    uint64_t next;
    uint32_t mark;
    do {
        mark = add_mark((uint32_t)(seen >> 32) & RCUINFO__BLOCK_MANY, slot);
        RCUINFO__CHECK((uint32_t)seen);

        /* The usual case: the object that leaves it was the only one that ever had it. A reader that adds a reference
         * at this moment finds the one that remains. */
        if (seen == 1)
            break;
        next = (uint32_t)seen == 1 ? 1 : (uint64_t)mark << 32 | ((uint32_t)seen - 1);
        /* [P6] publish: our accesses to the block happen before its reuse. [P6] acquire */
    } while (
        !atomic_compare_exchange_weak_explicit(&block->refcount, &seen, next, RCUINFO__REFS_DROP, RCUINFO__REFS_SOLE));

    if ((uint32_t)seen != 1)
        return false;
    block->mark = mark; /* only the holder of the last reference gets here */
    return true;
}

uint64_t rcuinfo__block_finder(uint64_t entries)
{
    if (entries <= RCUINFO__BLOCK_SMALL)
        return (entries + RCUINFO__BLOCK_GROUP - 1) / RCUINFO__BLOCK_GROUP * RCUINFO__BLOCK_GROUP;

    /* The number of places is a power of two, not less than 3/2 of the entries, rounded down: 64 for 33 to 43. */
    return (UINT64_C(1) << (64 - __builtin_clzll(entries + entries / 2 - 1))) * sizeof(uint32_t);
}

uint64_t rcuinfo__block_size(const struct rcuinfo__shape *shape)
{
    return rcuinfo__block_finder(shape->entries) + sizeof(struct rcuinfo__block) +
           shape->entries * sizeof(struct rcuinfo__entry) + shape->text;
}

bool rcuinfo__block_fits(const struct rcuinfo__block *block, const struct rcuinfo__shape *shape)
{
    return block->capacity >= shape->entries && block->extent - rcuinfo__block_text(block) >= shape->text;
}

void rcuinfo__block_renew(struct rcuinfo__block *block)
{
    atomic_store_explicit(&block->refcount, 1, RCUINFO__RELAXED);
    /* The finder. Of the rest, nothing is read before it is written. */
    memset(rcuinfo__block_memory(block), 0, rcuinfo__block_finder_of(block));
}

struct rcuinfo__block *rcuinfo__block_init(void *memory, uint32_t size, const struct rcuinfo__shape *shape)
{
    /* The finder stays as large as asked for, which bounds the entries that surplus memory may become: one for each
     * byte, or for two thirds of its places. */
    uint32_t finder = (uint32_t)rcuinfo__block_finder(shape->entries);
    uint32_t places = shape->entries <= RCUINFO__BLOCK_SMALL ? 0 : finder / (uint32_t)sizeof(uint32_t);
    uint32_t most = places ? (uint32_t)((places * UINT64_C(2) + 1) / 3) : finder;
    uint32_t spare = size - (uint32_t)rcuinfo__block_size(shape);
    uint64_t capacity = shape->entries + spare / ((uint32_t)sizeof(struct rcuinfo__entry) + shape->average);

    struct rcuinfo__block *block = RCUINFO__BLOCK_CAST(struct rcuinfo__block, (char *)memory + finder);
    block->capacity = capacity < most ? (uint32_t)capacity : most;
    block->extent = size - finder;
    block->mask = places ? places - 1 : 0;
    rcuinfo__block_renew(block);
    return block;
}
