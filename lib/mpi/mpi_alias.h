/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_alias: gives a function MPI_X, defined above in the same file, the second name PMPI_X. Only for the standard
 * ABI's library: an interposer must leave PMPI_X to the real library, which calls these names itself.
 */
#ifndef RCUINFO_MPI_ALIAS_H
#define RCUINFO_MPI_ALIAS_H

#define RCUINFO__MPI_ALIAS(name)                                                                                       \
    extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name), visibility("default")))

#endif
