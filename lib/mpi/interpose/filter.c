/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * filter: decides which keys are passed to the real library. These are all keys or, if the process was started with
 * RCUINFO_HINTS_FILTERED=yes, those that the standard reserves or that the library looks up.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/order.h"
#include "env/start.h"
#include "mpi/interpose/interpose.h"

/* Written at load. Needs no memory order, as no other data depends on it. */
static _Atomic bool is_filtered;

bool rcuinfo__interpose_passes(const char *key)
{
    if (__builtin_expect(!atomic_load_explicit(&is_filtered, RCUINFO__COUNT), 1))
        return true;

    for (int i = 0; i < RCUINFO_HINT_OBJECTS; i++) {
        if (rcuinfo__keys_row((rcuinfo_hint_object_t)i, key))
            return true;
    }

    return rcuinfo__keys_find(RCUINFO__INTERPOSE_MPIS, RCUINFO_HINT_OBJECTS, key) != NULL;
}

__attribute__((constructor)) static void read_setting(void)
{
    const char *wanted = rcuinfo__start_variable("RCUINFO_HINTS_FILTERED");
    atomic_store_explicit(&is_filtered, wanted && strcmp(wanted, "yes") == 0, RCUINFO__COUNT);
}
