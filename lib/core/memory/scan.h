/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scan: what the read sections of all threads may be reading.
 *
 * A scan, under the scan lock:
 *
 *  1. helps each section that has said a slot, but no version yet (core/memory/reader.h);
 *  2. executes the fence;
 *  3. collects what all records say.
 *
 * What was retired before step 2 and is not in that collection is read by nobody:
 *
 *  - a block, unless a section has said a version in it, or is still at a slot that leads to it (`mark`);
 *  - a slot, unless a section is still at it. A section that has said its version does not look at the slot any more.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/memory/arena.h"
#include "core/memory/reader.h"

/* What sections may be reading: bits by slot, and by page of memory. */
#define RCUINFO__FOUND_BITS 4096U
#define RCUINFO__FOUND_PAGE 12U

struct rcuinfo__found {
    uint64_t number; /* of the scan */
    bool hidden;     /* some section is hidden, or without a record: it may be reading anything */
    bool any_slot;
    uint64_t slots[RCUINFO__FOUND_BITS / 64];
    uint64_t pages[RCUINFO__FOUND_BITS / 64];
};

static inline bool rcuinfo__found_bit(const uint64_t *bits, uint64_t value)
{
    return bits[value % RCUINFO__FOUND_BITS / 64] >> value % 64 & 1;
}

/* Whether a section that has said only its slot may still load a root in a block with that mark. */
static inline bool rcuinfo__scan_may_come(const struct rcuinfo__found *found, uint32_t mark)
{
    if (found->hidden || (found->any_slot && mark == RCUINFO__BLOCK_MANY))
        return true;
    return mark != RCUINFO__BLOCK_UNMARKED && rcuinfo__found_bit(found->slots, mark);
}

/* Whether a section has said a version in the block. Looks at the records again: their bits are of whole pages. */
bool rcuinfo__scan_is_said(const struct rcuinfo__block *block);

/* Whether a section may be reading a block. */
static inline bool rcuinfo__scan_may_be_read(const struct rcuinfo__found *found, const struct rcuinfo__block *block)
{
    uint64_t last = ((uintptr_t)block + block->extent) >> RCUINFO__FOUND_PAGE;
    for (uint64_t page = (uintptr_t)block >> RCUINFO__FOUND_PAGE; page <= last; page++) {
        if (rcuinfo__found_bit(found->pages, page))
            return rcuinfo__scan_is_said(block);
    }
    return false;
}

/* The number of the next scan to begin. A scan with this number, or a later one, executes its fence after the call. */
uint64_t rcuinfo__scan_next(void);

/* Gets the result of a scan with at least that number. If another thread has the scan lock, it may be preempted: then
 * with `now` looks at the records itself, and helps nobody; without it returns false, and *found is not written. Call
 * without the lock of an arena: the fence takes long, and a thread that is preempted in it must hold up nobody. *left:
 * blocks that readers had been helped with, whose last references the scan has dropped: a list, which the caller
 * retires. */
bool rcuinfo__scan_look(uint64_t wants, bool now, struct rcuinfo__found *found, struct rcuinfo__block **left);

/* Call in the child of a fork. */
void rcuinfo__scan_after_fork(void);
