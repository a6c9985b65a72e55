/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_integer: handles as integers, for the flavours whose handles are pointers: a mark and the payload. No table, no
 * lock. The mark with payload 0 stands for what is no handle.
 *
 * Invariant: the real library gives no integer with that mark to an info. Open MPI counts from 0 up, and its mark is
 * the sign. Behind the standard ABI may be MPICH as well, which gives 0x9c000000 and up: there the bit below is the
 * mark, which neither has set before it has made 2^30 infos.
 */
#ifndef RCUINFO_MPI_INTEGER_H
#define RCUINFO_MPI_INTEGER_H

#include "mpi/flavour.h"

#define RCUINFO__MPI_INTEGER_MARK (UINT32_C(1) << RCUINFO__MPI_PAYLOAD_BITS)

#if defined(RCUINFO__FLAVOUR_ABI)
_Static_assert(RCUINFO__MPI_PAYLOAD_BITS == 30, "the bit below the sign is the mark");
#else
_Static_assert(RCUINFO__MPI_PAYLOAD_BITS == 31, "the sign is the mark");
#endif

/* Whether rcuinfo__mpi_to_integer has given it. */
static inline bool rcuinfo__mpi_integer_is_ours(int integer)
{
    return (uint32_t)integer >> RCUINFO__MPI_PAYLOAD_BITS == 1;
}

/* Of a handle that is ours, alive or not. */
static inline int rcuinfo__mpi_to_integer(MPI_Info info)
{
    return (int)(RCUINFO__MPI_INTEGER_MARK | rcuinfo__mpi_payload(info));
}

/* Of an integer that is ours. */
static inline MPI_Info rcuinfo__mpi_from_integer(int integer)
{
    return rcuinfo__mpi_dress((uint32_t)integer & RCUINFO__MPI_PAYLOAD_MASK);
}

#if defined(RCUINFO__FLAVOUR_ABI)

/* Values that the ABI reserves for predefined handles; they map to themselves, and 0 is never a handle. */
#define RCUINFO__MPI_RESERVED_END 4096

/* MPI_Info_toint and MPI_Info_fromint of what is no handle of a real library. */
static inline int rcuinfo__mpi_toint(MPI_Info info)
{
    if (rcuinfo__mpi_is_ours(info))
        return rcuinfo__mpi_to_integer(info);
    return rcuinfo__mpi_bits(info) < RCUINFO__MPI_RESERVED_END ? (int)rcuinfo__mpi_bits(info) : 0;
}

static inline MPI_Info rcuinfo__mpi_fromint(int info)
{
    if (rcuinfo__mpi_integer_is_ours(info))
        return rcuinfo__mpi_from_integer(info);
    return info >= 0 && info < RCUINFO__MPI_RESERVED_END ? rcuinfo__mpi_handle((rcuinfo__mpi_bits_t)info) : NULL;
}

#endif

#endif
