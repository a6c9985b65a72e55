/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * age: how often memory was taken out of use. It never changes for the block of a version while a view of it, or a
 * snapshot, is open.
 */
#pragma once

#include <rcuinfo/snapshot.h>

#include "core/block.h"

/* The age of the block of an open snapshot, which is the last entry of its version. */
static inline const _Atomic uint32_t *age_of(const rcuinfo_snapshot_t *snapshot)
{
    return &rcuinfo__block_of((const struct rcuinfo__entry *)(const void *)snapshot)->age;
}

/* That of the object's current block; NULL: no live object. */
static inline const _Atomic uint32_t *age_of_object(rcuinfo_t info)
{
    const rcuinfo_snapshot_t *snapshot;
    const _Atomic uint32_t *age;
    if (rcuinfo_snapshot_open(info, &snapshot) != RCUINFO_SUCCESS)
        return NULL;
    age = age_of(snapshot);
    rcuinfo_snapshot_close(snapshot);
    return age;
}
