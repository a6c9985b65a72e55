/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * abi: the functions that only the standard ABI's library without an MPI has: handles as integers.
 */
#include "mpi/mpi_alias.h"
#include "mpi/mpi_integer.h"

RCUINFO_API int MPI_Info_toint(MPI_Info info)
{
    return rcuinfo__mpi_toint(info);
}

RCUINFO_API MPI_Info MPI_Info_fromint(int info)
{
    return rcuinfo__mpi_fromint(info);
}

RCUINFO__MPI_ALIAS(Info_toint);
RCUINFO__MPI_ALIAS(Info_fromint);
