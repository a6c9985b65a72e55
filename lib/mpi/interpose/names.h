/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names: the functions that programs see, MPI_* and PMPI_* (names.c, made from functions.txt). Each passes its
 * arguments on to the function to which it is bound by its first call: that of the flavour of the MPI library that the
 * program has loaded by then or, if the flavour has none, the next definition. The last step is a jump, so that a
 * flavour's function finds the program as its caller.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/next.h"

extern const size_t rcuinfo__names_count;
extern const char *const rcuinfo__names[];
extern const bool rcuinfo__names_always[]; /* whether programs have it even if the MPI library lacks it */
extern _Atomic(rcuinfo__function_t) rcuinfo__names_bound[]; /* NULL: not yet */

/* Binds a name. Ends the process, with a message, if no MPI library has the function. Any thread. */
rcuinfo__function_t rcuinfo__names_bind(size_t number);

static inline rcuinfo__function_t rcuinfo__names_find(size_t number)
{
    /* Acquire: with the library that was loaded for it. */
    rcuinfo__function_t function = atomic_load_explicit(&rcuinfo__names_bound[number], memory_order_acquire);
    return __builtin_expect(function != NULL, 1) ? function : rcuinfo__names_bind(number);
}
