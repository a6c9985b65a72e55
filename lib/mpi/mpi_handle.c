/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_handle: the object behind MPI_INFO_ENV, and the ways between an MPI handle, a native one and an integer.
 *
 * Invariant: the object behind MPI_INFO_ENV is one per process and flavour, refuses every change, and is never freed.
 */
#include <stdatomic.h>

#include "core/order.h"
#include "mpi/flavour.h"

/* [P9] field: handle of the object behind MPI_INFO_ENV, RCUINFO_NULL until it is made; carries the object's content */
static _Atomic rcuinfo_t env;

rcuinfo_t rcuinfo__mpi_env(void)
{
    return rcuinfo__env_shared(&env, RCUINFO__MPI_LIMITS);
}

RCUINFO_API rcuinfo_t rcuinfo_from_mpi(MPI_Info info)
{
    return rcuinfo__mpi_native(info);
}

RCUINFO_API MPI_Info rcuinfo_to_mpi(rcuinfo_t info)
{
    if (info == RCUINFO_NULL)
        return MPI_INFO_NULL;
    if (info == atomic_load_explicit(&env, RCUINFO__SHARED_CONSUME)) /* [P9] consume */
        return MPI_INFO_ENV;
    /* A dead handle narrows like a live one: only the way back tells them apart. */
    uint32_t payload = rcuinfo__handle_narrow(info, RCUINFO__MPI_GENERATION_BITS);
    bool lives = rcuinfo__handle_widen(payload, RCUINFO__MPI_GENERATION_BITS) == info;
    return lives ? rcuinfo__mpi_dress(payload) : MPI_INFO_NULL;
}
