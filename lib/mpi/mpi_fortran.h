/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_fortran: converts between the info handles of Fortran, which are integers, and those of C, including ours.
 *
 * MPICH has the same integers in both languages. Its mpi.h has macros for the conversion up to version 4.0, and
 * functions since 4.1. Here it is a cast, so that a library that is built with 4.1 also runs on 4.0.
 */
#pragma once

#include "mpi/flavour.h"

#if defined(RCUINFO__FLAVOUR_ABI)
/* INTEGER is an int, as is the integer of a handle. */
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
