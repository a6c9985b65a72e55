/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_abi: stands in for libmpi_abi.so.1, which no package of this Debian release has, when a probe is linked. */
#define DEFINED(name)                                                                                                  \
    __attribute__((visibility("default"))) void name(void);                                                            \
    void name(void)                                                                                                    \
    {                                                                                                                  \
    }

DEFINED(MPI_Info_create)
DEFINED(MPI_Info_free)
DEFINED(MPI_Info_get)
DEFINED(MPI_Info_set)
DEFINED(PMPI_Init)
