/* SPDX-License-Identifier: BSD-3-Clause */
/* object: makes objects of versions, takes references on versions, and begins the reads of other layers. Defined in
 * object.c, view.c and write.c. */
#pragma once

#include <rcuinfo/view.h>

#include "core/calls/layer.h"
#include "core/log/log.h"

/*
 * Creates an object with that version. Takes over the caller's reference, also on ERR_NO_MEM; then *info is
 * RCUINFO_NULL. Otherwise like rcuinfo_create.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__object_make(const struct rcuinfo__entry *version, rcuinfo_t *info);

/* Same, but creates a read-only object in a reserved slot. If the slot has an object already, that one stays. Returns
 * SUCCESS; ERR_NO_MEM. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__object_reserve(uint32_t slot, const struct rcuinfo__entry *version);

/* The handle of the object in a reserved slot; RCUINFO_NULL if there is none yet. */
rcuinfo_t rcuinfo__object_reserved(uint32_t slot);

/* Same as rcuinfo_update, but also changes read-only objects, and is not counted as a set. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__object_update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n);

/*
 * Takes a reference on the object's current version; `bits` as for rcuinfo__handle_matches. Returns
 * SUCCESS; ERR_INFO: no live object; ERR_NO_MEM: too many references. Wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__object_hold(rcuinfo_t info, unsigned bits,
                                                      const struct rcuinfo__entry **version);

/* Begins a view that is always a read section, however many views the thread has open. End it before the thread begins
 * another view: rcuinfo_view_begin leaves the last place of a record to such reads. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__view_begin(rcuinfo_t info, rcuinfo_view_t *view);

/* Drops the reference that rcuinfo__object_hold took. */
void rcuinfo__object_release(const struct rcuinfo__entry *version);

/* The version of a public snapshot, which is a pointer to the last entry, with a reference on the block. */
static inline const struct rcuinfo__entry *rcuinfo__object_opened(const rcuinfo_snapshot_t *snapshot)
{
    return RCUINFO__BLOCK_CAST(const struct rcuinfo__entry, snapshot);
}
