/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object: every call that makes or ends an object. A new one has the version that there is of another, or the empty
 * one, so nothing is allocated but its slot.
 */
#include <rcuinfo/info.h>

#include "core/handle.h"
#include "core/layer.h"
#include "core/object.h"
#include "core/read.h"
#include "core/reclaim.h"
#include "core/seam.h"
#include "core/stats.h"

/*
 * When the table can grow no more, slots that were freed and await a grace period are had by waiting for it, where they
 * are enough to leave the queue as long as it must be.
 */
static bool wait_for_slots(void)
{
    return rcuinfo__reclaim_waiting() >= RCUINFO__HANDLE_KEEP * sizeof(struct rcuinfo__slot) &&
           rcuinfo__reclaim_flush();
}

/* A slot for a new object. */
static struct rcuinfo__slot *take_slot(void)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_take();
    return slot || !wait_for_slots() ? slot : rcuinfo__handle_take();
}

void rcuinfo__object_prepare(void)
{
    if (rcuinfo__handle_scarce())
        (void)wait_for_slots();
}

rcuinfo_status_t rcuinfo__object_make(struct rcuinfo__cell *cell, bool read_only, rcuinfo_t *info)
{
    struct rcuinfo__slot *slot = take_slot();
    *info = slot ? rcuinfo__handle_open(slot, cell, read_only) : RCUINFO_NULL;
    if (slot)
        return RCUINFO_SUCCESS;
    rcuinfo__read_release(cell);
    return RCUINFO_ERR_NO_MEM;
}

rcuinfo_status_t rcuinfo_create(rcuinfo_t *info)
{
    return info ? rcuinfo__object_make(&rcuinfo__cell_empty, false, info) : RCUINFO_ERR_ARG;
}

/* Makes an object of the version that `info` has now. */
static rcuinfo_status_t make_dup(rcuinfo_t info, unsigned bits, bool read_only, rcuinfo_t *newinfo)
{
    struct rcuinfo__cell *cell;
    *newinfo = RCUINFO_NULL;
    rcuinfo_status_t status = rcuinfo__read_hold(info, bits, &cell);
    return status == RCUINFO_SUCCESS ? rcuinfo__object_make(cell, read_only, newinfo) : status;
}

rcuinfo_status_t rcuinfo__dup(rcuinfo_t info, rcuinfo_t *newinfo, struct rcuinfo__limits limits)
{
    if (!newinfo)
        return RCUINFO_ERR_ARG;
    rcuinfo_status_t status = make_dup(info, limits.generation_bits, false, newinfo);
    if (status == RCUINFO_SUCCESS)
        rcuinfo__stats_count(RCUINFO__COUNT_DUPS);
    return status;
}

rcuinfo_status_t rcuinfo_dup(rcuinfo_t info, rcuinfo_t *newinfo)
{
    return rcuinfo__dup(info, newinfo, RCUINFO__NATIVE_LIMITS);
}

/* Ends an object, also a read-only one when `forced`. */
static rcuinfo_status_t end_object(rcuinfo_t info, unsigned bits, bool forced)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    bool balance = false;
    if (!slot || !rcuinfo__handle_matches(slot, info, bits))
        return RCUINFO_ERR_INFO;
    rcuinfo__lock_take(&slot->lock);
    bool may = rcuinfo__handle_matches(slot, info, bits) && (forced || !slot->read_only);
    if (may) {
        rcuinfo__handle_close(slot);
        RCUINFO__SEAM(CLOSED);
        struct rcuinfo__cell *cell = atomic_load_explicit(&slot->root, RCUINFO__ROOT_CONSUME);
        slot->record.drop = NULL;
        size_t bytes = cell == &rcuinfo__cell_empty ? 0 : rcuinfo__cell_retire(cell, &slot->record, NULL);
        balance = rcuinfo__reclaim_retire(slot, &slot->record, bytes + sizeof *slot);
    }
    rcuinfo__lock_give(&slot->lock);
    if (balance)
        rcuinfo__reclaim_balance();
    return may ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO;
}

rcuinfo_status_t rcuinfo__free(rcuinfo_t info, struct rcuinfo__limits limits)
{
    return end_object(info, limits.generation_bits, false);
}

rcuinfo_status_t rcuinfo_free(rcuinfo_t *info)
{
    if (!info)
        return RCUINFO_ERR_ARG;
    rcuinfo_status_t status = end_object(*info, RCUINFO__NATIVE_BITS, false);
    if (status == RCUINFO_SUCCESS)
        *info = RCUINFO_NULL;
    return status;
}

rcuinfo_status_t rcuinfo__freeze(rcuinfo_t *info)
{
    rcuinfo_t frozen;
    rcuinfo_status_t status = make_dup(*info, RCUINFO__NATIVE_BITS, true, &frozen);
    (void)end_object(*info, RCUINFO__NATIVE_BITS, false);
    *info = frozen;
    return status;
}

void rcuinfo__discard(rcuinfo_t info)
{
    (void)end_object(info, RCUINFO__NATIVE_BITS, true);
}
