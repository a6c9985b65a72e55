/* SPDX-License-Identifier: BSD-3-Clause */
/* object: what layers above the core need of object.c. */
#ifndef RCUINFO_CORE_OBJECT_H
#define RCUINFO_CORE_OBJECT_H

#include <stdbool.h>

#include "core/cell.h"
#include "core/layer.h"

/*
 * Makes an object of a version that the caller holds, as rcuinfo__read_hold does; its reference and owner pass to the
 * object, and are dropped on ERR_NO_MEM, when *info is RCUINFO_NULL. Otherwise as rcuinfo_create.
 */
rcuinfo_status_t rcuinfo__object_make(struct rcuinfo__cell *cell, bool read_only, rcuinfo_t *info);

/*
 * For one who makes an object where nothing may wait: the wait for a grace period that rcuinfo__object_make would need
 * to find a slot, if it does, is done here. The slots are nobody's yet, so other threads may take them before.
 */
void rcuinfo__object_prepare(void);

#endif
