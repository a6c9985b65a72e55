/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_integer: handles as integers, for the flavours whose handles are pointers. Negative integers are ours: the sign
 * and the payload; INT_MIN itself, of payload 0, stands for what is no handle. No table, no lock.
 */
#ifndef RCUINFO_MPI_INTEGER_H
#define RCUINFO_MPI_INTEGER_H

#include "mpi/flavour.h"

_Static_assert(RCUINFO__MPI_PAYLOAD_BITS == 31 && sizeof(int) == 4, "sign and payload fill an int");

/* Of a handle that is ours, alive or not. */
static inline int rcuinfo__mpi_to_integer(MPI_Info info)
{
    return (int)(UINT32_C(1) << 31 | rcuinfo__mpi_payload(info));
}

/* Of a negative integer. */
static inline MPI_Info rcuinfo__mpi_from_integer(int integer)
{
    return rcuinfo__mpi_dress((uint32_t)integer & RCUINFO__MPI_PAYLOAD_MASK);
}

#endif
