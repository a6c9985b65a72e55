/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * abi: what only the standard ABI has: handles as integers, and the second name of every function.
 */
#include "mpi/mpi_alias.h"
#include "mpi/mpi_integer.h"

/* Values that the ABI reserves for predefined handles; they map to themselves, and 0 is never a handle. */
#define RESERVED_END 4096

RCUINFO_API int MPI_Info_toint(MPI_Info info)
{
    if (rcuinfo__mpi_is_ours(info))
        return rcuinfo__mpi_to_integer(info);
    return rcuinfo__mpi_bits(info) < RESERVED_END ? (int)rcuinfo__mpi_bits(info) : 0;
}

RCUINFO_API MPI_Info MPI_Info_fromint(int info)
{
    if (info < 0)
        return rcuinfo__mpi_from_integer(info);
    return info < RESERVED_END ? rcuinfo__mpi_handle((rcuinfo__mpi_bits_t)info) : NULL;
}

RCUINFO__MPI_ALIAS(Info_toint);
RCUINFO__MPI_ALIAS(Info_fromint);
