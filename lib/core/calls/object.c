/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object: creates and frees objects. A new object starts with an existing version, that of another object or the empty
 * one, so only its slot is allocated.
 */
#include <rcuinfo/handle.h>

#include "core/memory/arena.h"
#include "core/calls/build.h"
#include "core/debug.h"
#include "core/memory/handle.h"
#include "core/calls/object.h"
#include "core/memory/reclaim.h"
#include "core/memory/stock.h"
#include "core/calls/counters.h"

rcuinfo_status_t rcuinfo__object_hold(rcuinfo_t info, unsigned bits, const struct rcuinfo__entry **version)
{
    struct rcuinfo__section section;

    *version = rcuinfo__stock_version(info, bits);
    if (*version)
        return RCUINFO_SUCCESS;

    /* The root and the reference in one read section, so that the block cannot go in between. */
    *version = rcuinfo__handle_read(info, bits, &section);
    if (!*version)
        return RCUINFO_ERR_INFO;
    RCUINFO__SYNC_POINT(HOLD);
    bool taken = rcuinfo__stock_take(rcuinfo__block_of(*version));
    rcuinfo__reader_end(&section);
    return taken ? RCUINFO_SUCCESS : RCUINFO_ERR_NO_MEM;
}

void rcuinfo__object_release(const struct rcuinfo__entry *version)
{
    struct rcuinfo__block *block = rcuinfo__block_of(version);
    RCUINFO__SYNC_POINT(RELEASE);

    /* The readers of objects that have left the block may still look at it. */
    struct rcuinfo__block *left = rcuinfo__stock_drop(block);
    if (left)
        rcuinfo__reclaim_retire(left);
}

rcuinfo_status_t rcuinfo__object_make(const struct rcuinfo__entry *version, rcuinfo_t *info)
{
    struct rcuinfo__slot *slot = rcuinfo__arena_slot(true);
    if (!slot) { /* the table is full, but freed slots may wait for a scan */
        RCUINFO__SYNC_POINT(FULL);
        rcuinfo__reclaim_flush_slots();
        slot = rcuinfo__arena_slot(false);
    }
    *info = slot ? rcuinfo__handle_open(slot, version, false) : RCUINFO_NULL;
    if (slot)
        return RCUINFO_SUCCESS;
    rcuinfo__object_release(version);
    return RCUINFO_ERR_NO_MEM;
}

rcuinfo_status_t rcuinfo__build_object(struct rcuinfo__build *build, rcuinfo_t *info)
{
    return rcuinfo__object_make(rcuinfo__build_finish(build, 1), info);
}

rcuinfo_status_t rcuinfo__object_reserve(uint32_t index, const struct rcuinfo__entry *version)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot_at(index);
    bool made = false;

    if (slot) {
        rcuinfo__handle_lock(slot);
        made = !rcuinfo__handle_lives(slot);
        if (made) {
            slot->index = index;
            (void)rcuinfo__handle_open(slot, version, true);
        }
        rcuinfo__lock_give(&slot->lock);
    }

    if (!made)
        rcuinfo__object_release(version);
    return slot ? RCUINFO_SUCCESS : RCUINFO_ERR_NO_MEM;
}

rcuinfo_t rcuinfo__object_reserved(uint32_t index)
{
    rcuinfo_t info =
        UINT64_C(1) << RCUINFO__INDEX_BITS | index; /* the generation is always 1: such an object is never freed */
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    return slot && rcuinfo__handle_matches(slot, info, RCUINFO__NATIVE_BITS) ? info : RCUINFO_NULL;
}

rcuinfo_status_t rcuinfo_create(rcuinfo_t *info)
{
    return info ? rcuinfo__object_make(RCUINFO__EMPTY, info) : RCUINFO_ERR_ARG;
}

rcuinfo_t rcuinfo__handle_native(uint32_t number, unsigned generation_bits)
{
    rcuinfo_t info = rcuinfo__handle_of_number(number, generation_bits);
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    rcuinfo__reader_settle();
    uint64_t generation = slot ? atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD) : 0;

    /* The slot supplies the high bits of the generation. */
    if (!rcuinfo__handle_is(generation, info, generation_bits))
        return RCUINFO_NULL;
    return generation << RCUINFO__INDEX_BITS | (info & (RCUINFO__SLOTS - 1));
}

/* The bits of the generation in a handle of so many bits; 0 if it must not have so many. */
static unsigned generation_bits_of(unsigned bits)
{
    return bits >= 26 && bits <= 31 ? bits - RCUINFO__INDEX_BITS : 0;
}

uint32_t rcuinfo_handle_to_int(rcuinfo_t info, unsigned bits)
{
    unsigned generation_bits = generation_bits_of(bits);
    return info != RCUINFO_NULL && generation_bits ? rcuinfo__handle_number(info, generation_bits) : 0;
}

rcuinfo_t rcuinfo_handle_from_int(uint32_t number, unsigned bits)
{
    unsigned generation_bits = generation_bits_of(bits);
    rcuinfo_t info =
        generation_bits && number >> bits == 0 ? rcuinfo__handle_of_number(number, generation_bits) : RCUINFO_NULL;
    uint64_t has = rcuinfo__limits_bits((uint32_t)info & (RCUINFO__SLOTS - 1), generation_bits);
    uint64_t upper = RCUINFO__HANDLE_INTEGER << RCUINFO__HANDLE_INTEGER_AT | has << RCUINFO__HANDLE_BITS_AT;
    return info == RCUINFO_NULL ? info : upper | info;
}

rcuinfo_status_t rcuinfo__dup(rcuinfo_t info, rcuinfo_t *newinfo, struct rcuinfo__flavour flavour)
{
    const struct rcuinfo__entry *version;
    if (!newinfo)
        return RCUINFO_ERR_ARG;
    *newinfo = RCUINFO_NULL;

    rcuinfo_status_t status = rcuinfo__object_hold(info, flavour.generation_bits, &version);
    if (status == RCUINFO_SUCCESS)
        status = rcuinfo__object_make(version, newinfo);
    if (status == RCUINFO_SUCCESS)
        rcuinfo__counters_count(RCUINFO__COUNT_DUPS);
    return status;
}

rcuinfo_status_t rcuinfo_dup(rcuinfo_t info, rcuinfo_t *newinfo)
{
    return rcuinfo__dup(info, newinfo, RCUINFO__NATIVE);
}

rcuinfo_status_t rcuinfo__free(rcuinfo_t info, struct rcuinfo__flavour flavour)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);

    /* A stale handle takes no lock: the slot may be another object's. */
    if (!slot || !rcuinfo__handle_matches(slot, info, flavour.generation_bits))
        return RCUINFO_ERR_INFO;

    /* Compare again under the lock: of two threads that free the same handle only the first may succeed. */
    rcuinfo__handle_lock(slot);
    bool may = rcuinfo__handle_matches(slot, info, flavour.generation_bits) && !rcuinfo__handle_read_only(slot);
    bool owned = may && rcuinfo__handle_close(slot);
    rcuinfo__lock_give(&slot->lock);

    /* Retire the slot. A writer with the stale handle may still take and give the lock. */
    RCUINFO__SYNC_POINT(CLOSED);
    if (may)
        rcuinfo__reclaim_freed(slot, owned);
    return may || RCUINFO__DEFECT(FREE_TWICE) ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO;
}

rcuinfo_status_t rcuinfo_free(rcuinfo_t *info)
{
    if (!info)
        return RCUINFO_ERR_ARG;
    rcuinfo_status_t status = rcuinfo__free(*info, RCUINFO__NATIVE);
    if (status == RCUINFO_SUCCESS)
        *info = RCUINFO_NULL;
    return status;
}
