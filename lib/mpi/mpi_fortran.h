/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_fortran: info handles of Fortran, which are integers, and those of C, by the functions that see ours as well.
 *
 * MPICH's are the same integers in both. That its mpi.h says so by macros ended with version 4.1; to call the functions
 * that it has instead would keep what is built with it from running on 4.0.
 */
#ifndef RCUINFO_MPI_MPI_FORTRAN_H
#define RCUINFO_MPI_MPI_FORTRAN_H

#include "mpi/flavour.h"

#if defined(RCUINFO__FLAVOUR_ABI)
/* An INTEGER is an int of C, and so is the integer of a handle. */
typedef int MPI_Fint;
#define RCUINFO__INTEGER_OF(info) MPI_Info_toint(info)
#define RCUINFO__INFO_OF(integer) MPI_Info_fromint(integer)
#elif defined(RCUINFO__FLAVOUR_MPICH)
#define RCUINFO__INTEGER_OF(info) ((MPI_Fint)(info))
#define RCUINFO__INFO_OF(integer) ((MPI_Info)(integer))
#else
#define RCUINFO__INTEGER_OF(info) MPI_Info_c2f(info)
#define RCUINFO__INFO_OF(integer) MPI_Info_f2c(integer)
#endif

#endif
