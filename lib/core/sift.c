/* SPDX-License-Identifier: BSD-3-Clause */
/* sift: see sift.h. */
#include "core/sift.h"

/* Drops the reference of an object or of a retired block, which no section at a slot can load any more. */
static void drop(struct rcuinfo__arena *arena, const struct rcuinfo__found *found, struct rcuinfo__block *block,
                 struct rcuinfo__slot *slot, struct rcuinfo__retired *to, struct rcuinfo__sifted *result)
{
    if (block == &rcuinfo__empty.block || (slot && rcuinfo__arena_keep(arena, block)))
        return;

    /* Twice: a section that says a version in it may add a reference, and end before we look at what it says. */
    bool sole = rcuinfo__block_is_sole(block);
    bool read = sole && rcuinfo__scan_may_be_read(found, block);
    if (!sole || !rcuinfo__block_is_sole(block)) {
        /* The last reference again: for another look, since readers may have come since this one. */
        if (rcuinfo__block_drop(block, slot ? slot->index : RCUINFO__BLOCK_UNMARKED)) {
            rcuinfo__arena_push_block(&to->blocks, block);
            result->stuck += rcuinfo__block_bytes(block);
        }
    } else if (read) {
        block->mark = RCUINFO__BLOCK_UNMARKED;
        rcuinfo__arena_push_block(&to->blocks, block);
        result->held += rcuinfo__block_bytes(block);
    } else if (!slot || !rcuinfo__arena_keep_spare(slot, block)) {
        rcuinfo__arena_give(arena, block);
    }
}

void rcuinfo__sift(struct rcuinfo__arena *arena, const struct rcuinfo__found *found, struct rcuinfo__retired *from,
                   struct rcuinfo__retired *to, struct rcuinfo__sifted *result)
{
    struct rcuinfo__slot *slot;
    struct rcuinfo__block *block;

    while ((slot = rcuinfo__arena_pop_slot(&from->slots))) {
        if (rcuinfo__scan_may_come(found, slot->index)) {
            rcuinfo__arena_push_slot(&to->slots, slot);
            result->stuck += RCUINFO__HANDLE_WAITING;
        } else {
            drop(arena, found, rcuinfo__block_of(rcuinfo__handle_clear(slot)), slot, to, result);
            rcuinfo__arena_give_slot(arena, slot);
        }
    }

    while ((block = rcuinfo__arena_pop_block(&from->blocks))) {
        if (rcuinfo__scan_may_come(found, block->mark)) {
            rcuinfo__arena_push_block(&to->blocks, block);
            result->stuck += rcuinfo__block_bytes(block);
        } else {
            drop(arena, found, block, NULL, to, result);
        }
    }
    rcuinfo__arena_settle(arena);
}
