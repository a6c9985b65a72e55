/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * filter: which keys go down to the real library. All, unless the process was loaded with RCUINFO_HINTS_FILTERED=yes:
 * then those that the standard reserves or that library looks up.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/order.h"
#include "env/start.h"
#include "mpi/interpose/interpose.h"

/* Written when the library is loaded; needs no order, because it carries nothing. */
static _Atomic bool is_filtered;

bool rcuinfo__interpose_passes(const char *key)
{
    if (__builtin_expect(!atomic_load_explicit(&is_filtered, RCUINFO__COUNT), 1))
        return true;
    for (int i = 0; i < RCUINFO_HINT_OBJECTS; i++) {
        if (rcuinfo__hint_row((rcuinfo_hint_object_t)i, key))
            return true;
    }
    return rcuinfo__hint_of_library(RCUINFO__INTERPOSE_MPIS, key);
}

__attribute__((constructor)) static void switch_on(void)
{
    const char *wanted = rcuinfo__start_variable("RCUINFO_HINTS_FILTERED");
    atomic_store_explicit(&is_filtered, wanted && strcmp(wanted, "yes") == 0, RCUINFO__COUNT);
}
