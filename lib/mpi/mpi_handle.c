/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_handle: the object behind MPI_INFO_ENV, and the ways between an MPI handle, a native one and an integer.
 *
 * Invariant: an object behind MPI_INFO_ENV refuses every change and is never freed; there is one per process and
 * flavour and thread level that was asked for.
 */
#include <stdatomic.h>

#include "core/order.h"
#include "mpi/flavour.h"

static struct rcuinfo__env_shared env;

rcuinfo_t rcuinfo__mpi_env(void)
{
    return rcuinfo__env_shared(&env, RCUINFO__MPI_LIMITS);
}

void rcuinfo__mpi_env_ask(bool by_world, const char *level, const struct rcuinfo__env_more *more)
{
    if (more)
        atomic_store_explicit(&env.more, more, RCUINFO__COUNT); /* the level carries it */
    rcuinfo__env_ask(&env, RCUINFO__MPI_LIMITS, by_world, level);
}

RCUINFO_API rcuinfo_t rcuinfo_from_mpi(MPI_Info info)
{
    return rcuinfo__mpi_native(info);
}

RCUINFO_API MPI_Info rcuinfo_to_mpi(rcuinfo_t info)
{
    if (info == RCUINFO_NULL)
        return MPI_INFO_NULL;
    if (info == rcuinfo__env_made(&env)) /* one from before is an object like any other */
        return MPI_INFO_ENV;
    /* A dead handle narrows like a live one: only the way back tells them apart. */
    uint32_t payload = rcuinfo__handle_narrow(info, RCUINFO__MPI_GENERATION_BITS);
    bool lives = rcuinfo__handle_widen(payload, RCUINFO__MPI_GENERATION_BITS) == info;
    return lives ? rcuinfo__mpi_dress(payload) : MPI_INFO_NULL;
}
