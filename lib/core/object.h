/* SPDX-License-Identifier: BSD-3-Clause */
/* object: what the rest of the core, and layers above it, need of object.c and read.c: references on versions, and
 * objects made of them. */
#ifndef RCUINFO_CORE_OBJECT_H
#define RCUINFO_CORE_OBJECT_H

#include <rcuinfo/snapshot.h>

#include "core/layer.h"
#include "core/log.h"

/*
 * Makes an object of a version that the caller holds; its reference and owner pass to the object, and are dropped on
 * ERR_NO_MEM, when *info is RCUINFO_NULL. Otherwise as rcuinfo_create.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__object_make(const struct rcuinfo__entry *version, rcuinfo_t *info);

/* As rcuinfo__object_make, in a slot that is reserved for it, and read-only. Where that has an object already, that one
 * stays. Returns SUCCESS, or ERR_NO_MEM. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__object_reserve(uint32_t slot, const struct rcuinfo__entry *version);

/* The handle of the object in a reserved slot; RCUINFO_NULL when there is none yet. */
rcuinfo_t rcuinfo__object_reserved(uint32_t slot);

/* As rcuinfo_update, also of a read-only object, and not counted as a set. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__object_update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n);

/*
 * Takes a reference and an owner on the version that the object has now; `bits` as for rcuinfo__handle_matches.
 * Returns SUCCESS; ERR_INFO: no live object; ERR_NO_MEM: too many hold it. Wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__object_hold(rcuinfo_t info, unsigned bits,
                                                      const struct rcuinfo__entry **version);

/* Drops what rcuinfo__object_hold took. */
void rcuinfo__object_release(const struct rcuinfo__entry *version);

/* The version that is open: a public snapshot is the last entry of its version, whose block is held once more. */
static inline const struct rcuinfo__entry *rcuinfo__object_opened(const rcuinfo_snapshot_t *snapshot)
{
    return (const struct rcuinfo__entry *)(const void *)snapshot;
}

#endif
