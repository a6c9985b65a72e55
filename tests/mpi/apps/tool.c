/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tool: an ordinary profiling tool that knows nothing of rcuinfo. It prints the calls of some functions that take or
 * return an info, and the pairs of the info, and uses only PMPI_*.
 */
#include <stdio.h>

#include <mpi.h>

#pragma GCC visibility push(default)

static void print_pairs(const char *name, MPI_Info info)
{
    int nkeys = 0;
    printf("tool: %s:", name);
    PMPI_Info_get_nkeys(info, &nkeys);
    for (int n = 0; n < nkeys; n++) {
        char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1] = "";
        int flag = 0;
        PMPI_Info_get_nthkey(info, n, key);
        PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
        printf(" %s=%s", key, value);
    }
    printf("\n");
}

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *base)
{
    print_pairs("Alloc_mem", info);
    return PMPI_Alloc_mem(size, info, base);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made)
{
    print_pairs("Comm_dup_with_info", info);
    return PMPI_Comm_dup_with_info(comm, info, made);
}

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info)
{
    int code = PMPI_Comm_get_info(comm, info);
    if (code == MPI_SUCCESS)
        print_pairs("Comm_get_info", *info);
    return code;
}

#pragma GCC visibility pop
