/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_integer: handles as integers, for the flavours whose handles are pointers. The integer is a mark and the number,
 * so there is no table and no lock. Number 0 is not a handle.
 *
 * Invariant: the real library never uses an integer with that mark for an info. Open MPI counts up from 0, so its mark
 * is the sign bit. The library that implements the standard ABI may also be MPICH, whose integers start at 0x9c000000.
 * So the mark of the ABI is bit 30, which neither library sets before it has created 2^30 infos.
 */
#pragma once

#include "mpi/flavour.h"

#define RCUINFO__MPI_INTEGER_MARK (UINT32_C(1) << RCUINFO__MPI_NUMBER_BITS)

#if defined(RCUINFO__FLAVOUR_ABI)
_Static_assert(RCUINFO__MPI_NUMBER_BITS == 30, "the bit below the sign is the mark");
#else
_Static_assert(RCUINFO__MPI_NUMBER_BITS == 31, "the sign is the mark");
#endif

/* Whether the integer is one of rcuinfo__mpi_to_integer. */
static inline bool rcuinfo__mpi_integer_is_ours(int integer)
{
    return (uint32_t)integer >> RCUINFO__MPI_NUMBER_BITS == 1;
}

/* The integer of a handle of ours, live or not. */
static inline int rcuinfo__mpi_to_integer(MPI_Info info)
{
    return (int)(RCUINFO__MPI_INTEGER_MARK | rcuinfo__mpi_number(info));
}

/* The handle of an integer of ours. */
static inline MPI_Info rcuinfo__mpi_from_integer(int integer)
{
    return rcuinfo__mpi_of_number((uint32_t)integer & RCUINFO__MPI_NUMBER_MASK);
}

#if defined(RCUINFO__FLAVOUR_ABI)

/* The ABI reserves smaller values for predefined handles. Their integers are the same, and 0 is never a handle. */
#define RCUINFO__MPI_RESERVED_END 4096

/* MPI_Info_toint and MPI_Info_fromint, except for handles of a real library. */
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
