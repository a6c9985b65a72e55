/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_alias: the second name, PMPI_X, of a function MPI_X that is defined above in the same file. In the standard ABI's
 * library only: an interposer must leave PMPI_X to the real library, which calls it itself.
 */
#ifndef RCUINFO_MPI_ALIAS_H
#define RCUINFO_MPI_ALIAS_H

#define RCUINFO__MPI_ALIAS(name)                                                                                       \
    extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name), visibility("default")))

#endif
