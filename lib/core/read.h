/* SPDX-License-Identifier: BSD-3-Clause */
/* read: what object.c needs of read.c, and what is in an open snapshot. */
#ifndef RCUINFO_CORE_READ_H
#define RCUINFO_CORE_READ_H

#include <rcuinfo/snapshot.h>

#include "core/cell.h"
#include "core/layer.h"

/*
 * Takes a reference and an owner on the version that the object has now; `bits` as for rcuinfo__handle_matches.
 * Returns SUCCESS; ERR_INFO: no live object; ERR_NO_MEM: too many hold it. Wait-free.
 */
rcuinfo_status_t rcuinfo__read_hold(rcuinfo_t info, unsigned bits, struct rcuinfo__cell **cell);

/* Drops what rcuinfo__read_hold took. */
void rcuinfo__read_release(struct rcuinfo__cell *cell);

/* The version that is open. An open snapshot is its cell, held once more; the public type has no other content. */
static inline const struct rcuinfo__snapshot *rcuinfo__read_opened(const rcuinfo_snapshot_t *snapshot)
{
    return &((const struct rcuinfo__cell *)(const void *)snapshot)->snapshot;
}

#endif
