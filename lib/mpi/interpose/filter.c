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
#include "mpi/interpose/hints.h"
#include "mpi/interpose/interpose.h"

/* Written when the library is loaded; needs no order, because it carries nothing. */
static _Atomic bool is_filtered;

static int compare(const void *key, const void *hint)
{
    return strcmp(key, *(const char *const *)hint);
}

#define IS_IN(hints, key) (bsearch(key, hints, sizeof(hints) / sizeof *(hints), sizeof *(hints), compare) != NULL)

bool rcuinfo__interpose_passes(const char *key)
{
    if (__builtin_expect(!atomic_load_explicit(&is_filtered, RCUINFO__COUNT), 1) ||
        IS_IN(rcuinfo__hints_of_standard, key))
        return true;
#if !defined(OPEN_MPI)
    if (IS_IN(rcuinfo__hints_of_mpich, key))
        return true;
#endif
#if !defined(MPICH_VERSION)
    if (IS_IN(rcuinfo__hints_of_openmpi, key))
        return true;
#endif
    return false;
}

__attribute__((constructor)) static void switch_on(void)
{
    const char *wanted = rcuinfo__start_variable("RCUINFO_HINTS_FILTERED");
    atomic_store_explicit(&is_filtered, wanted && strcmp(wanted, "yes") == 0, RCUINFO__COUNT);
}
