/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object: creates and frees objects. A new object starts with an existing version, that of another object or the empty
 * one, so only its slot is allocated.
 */
#include <rcuinfo/info.h>

#include "core/build.h"
#include "core/debug.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/reclaim.h"
#include "core/recycle.h"
#include "core/store.h"

/* A slot for a new object, or NULL. */
static struct rcuinfo__slot *allocate_slot(void)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_take();
    if (slot)
        return slot;

    /*
     * The table is full, but slots of freed objects may be waiting for a grace period. Each of them counts as waiting
     * bytes with at least its own size, which bounds their number. Wait only if they and the slots in the queue may be
     * more than the queue must keep. Look into the queue again in any case: another thread may have reclaimed some.
     */
    RCUINFO__SYNC_POINT(FULL);
    size_t queued = rcuinfo__handle_queued();
    if (queued + rcuinfo__recycle_waiting() / sizeof *slot > RCUINFO__HANDLE_KEEP)
        (void)rcuinfo__reclaim_flush();
    return rcuinfo__handle_reuse();
}

rcuinfo_status_t rcuinfo__object_make(const struct rcuinfo__entry *version, rcuinfo_t *info)
{
    struct rcuinfo__slot *slot = allocate_slot();
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
    struct rcuinfo__slot *slot = rcuinfo__handle_reserved(index);
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
    return rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS) ? info : RCUINFO_NULL;
}

rcuinfo_status_t rcuinfo_create(rcuinfo_t *info)
{
    return info ? rcuinfo__object_make(RCUINFO__EMPTY, info) : RCUINFO_ERR_ARG;
}

rcuinfo_t rcuinfo__handle_widen(uint32_t payload, unsigned generation_bits)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(payload);
    uint64_t generation = slot ? atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD) : 0;
    if (!(generation & RCUINFO__HANDLE_LIVE))
        return RCUINFO_NULL;

    /* The slot supplies the high bits of the generation; the low bits must be those of the payload. */
    rcuinfo_t info = generation << RCUINFO__INDEX_BITS | (payload & (RCUINFO__SLOTS - 1));
    return rcuinfo__handle_narrow(info, generation_bits) == payload ? info : RCUINFO_NULL;
}

rcuinfo_status_t rcuinfo__dup(rcuinfo_t info, rcuinfo_t *newinfo, struct rcuinfo__limits limits)
{
    const struct rcuinfo__entry *version;
    if (!newinfo)
        return RCUINFO_ERR_ARG;
    *newinfo = RCUINFO_NULL;

    rcuinfo_status_t status = rcuinfo__object_hold(info, limits.generation_bits, &version);
    if (status == RCUINFO_SUCCESS)
        status = rcuinfo__object_make(version, newinfo);
    if (status == RCUINFO_SUCCESS)
        rcuinfo__store_count(RCUINFO__COUNT_DUPS);
    return status;
}

rcuinfo_status_t rcuinfo_dup(rcuinfo_t info, rcuinfo_t *newinfo)
{
    return rcuinfo__dup(info, newinfo, RCUINFO__NATIVE_LIMITS);
}

rcuinfo_status_t rcuinfo__free(rcuinfo_t info, struct rcuinfo__limits limits)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    bool balance = false;

    /* A stale handle takes no lock: the slot may be another object's. */
    if (!slot || !rcuinfo__handle_matches(slot, info, limits.generation_bits))
        return RCUINFO_ERR_INFO;

    /* Compare again under the lock: of two threads that free the same handle only the first may succeed. */
    rcuinfo__handle_lock(slot);
    bool may = rcuinfo__handle_matches(slot, info, limits.generation_bits) && !slot->read_only;
    if (may) {
        rcuinfo__handle_close(slot);
        RCUINFO__SYNC_POINT(CLOSED);

        /* Retire the reference together with the slot. */
        const struct rcuinfo__entry *version = atomic_load_explicit(&slot->root, RCUINFO__ROOT_LOAD);
        slot->record.drop = NULL;
        size_t bytes = rcuinfo__block_announce(rcuinfo__block_of(version), &slot->record);
        balance = rcuinfo__recycle_retire(slot->index, &slot->record, bytes + sizeof *slot);
    }
    rcuinfo__lock_give(&slot->lock);

    if (balance)
        rcuinfo__reclaim_balance();
    return may ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO;
}

rcuinfo_status_t rcuinfo_free(rcuinfo_t *info)
{
    if (!info)
        return RCUINFO_ERR_ARG;
    rcuinfo_status_t status = rcuinfo__free(*info, RCUINFO__NATIVE_LIMITS);
    if (status == RCUINFO_SUCCESS)
        *info = RCUINFO_NULL;
    return status;
}
