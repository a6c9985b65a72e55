/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * age: how often memory was taken out of use, which shows whether a grace period has passed. It never changes for a
 * block that was reached inside a read section, until that ends.
 */
#ifndef TESTS_SUPPORT_AGE_H
#define TESTS_SUPPORT_AGE_H

#include <rcuinfo/snapshot.h>

#include "core/block.h"

/* The age of the object's current block; NULL: no live object. */
static inline const _Atomic uint32_t *age_of(rcuinfo_t info)
{
    const rcuinfo_snapshot_t *snapshot; /* the last entry of the version */
    const _Atomic uint32_t *age;
    if (rcuinfo_snapshot_open(info, &snapshot) != RCUINFO_SUCCESS)
        return NULL;
    age = &rcuinfo__block_of((const struct rcuinfo__entry *)(const void *)snapshot)->age;
    rcuinfo_snapshot_close(snapshot);
    return age;
}

#endif
