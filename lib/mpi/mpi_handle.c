/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_handle: converts between MPI handles and native ones. */
#include "mpi/flavour.h"

RCUINFO_API rcuinfo_t rcuinfo_from_mpi(MPI_Info info)
{
    return rcuinfo__mpi_native(info);
}

RCUINFO_API MPI_Info rcuinfo_to_mpi(rcuinfo_t info)
{
    /* A stale handle may have the payload of a live one. Widening gives the live one. */
    uint32_t payload = rcuinfo__handle_narrow(info, RCUINFO__MPI_GENERATION_BITS);
    if (info == RCUINFO_NULL || rcuinfo__handle_widen(payload, RCUINFO__MPI_GENERATION_BITS) != info)
        return MPI_INFO_NULL;

    /* The object of MPI_INFO_ENV has a reserved slot, and its handle is a constant of mpi.h. */
    bool is_env = (info & ((UINT32_C(1) << RCUINFO__INDEX_BITS) - 1)) == RCUINFO__MPI_ENV;
    return is_env ? MPI_INFO_ENV : rcuinfo__mpi_dress(payload);
}
