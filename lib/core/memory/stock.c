/* SPDX-License-Identifier: BSD-3-Clause */
/* stock: see stock.h. */
#include "core/memory/stock.h"

#include "core/debug.h"

#define OFTEN 8    /* takes in a row, after which a stock is worth its lock */
#define STOCK 4096 /* references that it takes at once: more than can be on their way back through reclaim */

bool rcuinfo__stock_take(struct rcuinfo__block *block)
{
    struct rcuinfo__arena *arena = rcuinfo__arena_of_thread();
    if (block == &rcuinfo__empty.block || rcuinfo__block_bytes(block) > RCUINFO__ARENA_STOCKED)
        return rcuinfo__block_take(block, 1);

    bool again = atomic_load_explicit(&arena->wanted, RCUINFO__RELAXED) == block;
    uint32_t times = again ? atomic_load_explicit(&arena->times, RCUINFO__RELAXED) : 0;
    if (times < OFTEN || !rcuinfo__arena_try(arena)) {
        atomic_store_explicit(&arena->wanted, block, RCUINFO__RELAXED);
        atomic_store_explicit(&arena->times, times + 1, RCUINFO__RELAXED);
        return rcuinfo__block_take(block, 1);
    }

    /* A stock on another block stays: its return may drop a last reference, and who opens a snapshot must not wait. */
    bool taken = arena->stock_block == block && arena->stock > 0;
    if (taken) {
        RCUINFO__ARENA_LINK(arena->stock, arena->stock - 1);
        arena->used = true;
    } else if (!arena->stock && rcuinfo__block_take(block, STOCK)) {
        arena->stock_block = block;
        RCUINFO__ARENA_LINK(arena->stock, STOCK - 1);
        arena->used = taken = true;
    }
    rcuinfo__arena_leave(arena);
    return taken || rcuinfo__block_take(block, 1);
}

const struct rcuinfo__entry *rcuinfo__stock_version(rcuinfo_t info, unsigned bits)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    struct rcuinfo__arena *arena = rcuinfo__arena_of_thread();
    if (!slot || atomic_load_explicit(&arena->times, RCUINFO__RELAXED) < OFTEN || !rcuinfo__arena_try(arena))
        return NULL;

    const struct rcuinfo__entry *version = NULL;
    rcuinfo__reader_settle();
    uint64_t generation = atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD); /* [P2] acquire */
    if (arena->stock && rcuinfo__handle_is(generation, info, bits)) {
        RCUINFO__SYNC_POINT(MATCHED);
        version = rcuinfo__handle_load(slot);

        /* Without a section, the slot may have got another object meanwhile, which may have the same block. If this
         * root is that object's, it was stored after the end of ours, and by a release, so we find the end here. */
        if ((uintptr_t)version - (uintptr_t)arena->stock_block >= arena->stock_block->extent ||
            atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD) != generation)
            version = NULL;
    }
    if (version) {
        RCUINFO__ARENA_LINK(arena->stock, arena->stock - 1);
        arena->used = true;
    }
    rcuinfo__arena_leave(arena);
    return version;
}

/* Whether references on this block were taken so often in a row that a stock of them is worth its lock. */
static bool is_often(struct rcuinfo__arena *arena, const struct rcuinfo__block *block)
{
    return atomic_load_explicit(&arena->wanted, RCUINFO__RELAXED) == block &&
           atomic_load_explicit(&arena->times, RCUINFO__RELAXED) >= OFTEN;
}

struct rcuinfo__block *rcuinfo__stock_drop(struct rcuinfo__block *block)
{
    struct rcuinfo__arena *arena = rcuinfo__arena_of_thread();
    if (!is_often(arena, block) || rcuinfo__block_bytes(block) > RCUINFO__ARENA_STOCKED ||
        block == &rcuinfo__empty.block || !rcuinfo__arena_try(arena))
        return rcuinfo__block_drop(block, RCUINFO__BLOCK_UNMARKED) ? block : NULL;

    /* The reference goes into the stock, which moves to this block. */
    struct rcuinfo__block *left = arena->stock_block == block ? NULL : rcuinfo__stock_return(arena);
    arena->stock_block = block;
    RCUINFO__ARENA_LINK(arena->stock, arena->stock + 1);
    arena->used = true;
    rcuinfo__arena_leave(arena);
    return left;
}

struct rcuinfo__block *rcuinfo__stock_return(struct rcuinfo__arena *arena)
{
    uint32_t n = arena->stock;
    RCUINFO__ARENA_LINK(arena->stock, 0); /* first: the child of a fork may lose them, but not drop them twice */
    if (!n)
        return NULL;

    rcuinfo__block_drop_some(arena->stock_block, n - 1);
    return rcuinfo__block_drop(arena->stock_block, RCUINFO__BLOCK_UNMARKED) ? arena->stock_block : NULL;
}
