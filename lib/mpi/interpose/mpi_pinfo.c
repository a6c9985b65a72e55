/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_pinfo: the info functions by their names PMPI_*. */
#define RCUINFO__MPI_PROFILED
#include "mpi/mpi_info.c" /* NOLINT(bugprone-suspicious-include): it is compiled twice */
