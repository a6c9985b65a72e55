/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi.h of Open MPI for its interposer: the predefined handles are addresses of objects in the library, which may be
 * loaded after the interposer.
 */
#pragma once

#pragma GCC system_header /* of which -Wpedantic accepts the next line */
#include_next <mpi.h>

#include "mpi/interpose/next.h"

#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global)                                                                           \
    ((type) __extension__({                                                                                            \
        static _Atomic(void *) cache;                                                                                  \
        rcuinfo__interpose_symbol(&cache, RTLD_DEFAULT, #global);                                                      \
    }))
