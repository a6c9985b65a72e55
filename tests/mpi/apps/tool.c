/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profiling tool of the ordinary kind, which knows nothing of rcuinfo: prints each call of some functions that take
 * or give an info, with its pairs, by PMPI_* alone.
 */
#include <stdio.h>

#include <mpi.h>

#pragma GCC visibility push(default)

static void print_pairs(const char *when, const char *name, MPI_Info info)
{
    int nkeys = 0;
    printf("tool: %s %s:", when, name);
    if (info == MPI_INFO_NULL)
        printf(" MPI_INFO_NULL");
    else
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

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    print_pairs("before", "MPI_Alloc_mem", info);
    return PMPI_Alloc_mem(size, info, baseptr);
}

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
    print_pairs("before", "MPI_Win_allocate", info);
    return PMPI_Win_allocate(size, disp_unit, info, comm, baseptr, win);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    print_pairs("before", "MPI_Comm_dup_with_info", info);
    return PMPI_Comm_dup_with_info(comm, info, newcomm);
}

int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
    print_pairs("before", "MPI_File_open", info);
    return PMPI_File_open(comm, filename, amode, info, fh);
}

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info_used)
{
    int code = PMPI_Comm_get_info(comm, info_used);
    if (code == MPI_SUCCESS)
        print_pairs("after", "MPI_Comm_get_info", *info_used);
    return code;
}

int MPI_File_get_info(MPI_File file, MPI_Info *info_used)
{
    int code = PMPI_File_get_info(file, info_used);
    if (code == MPI_SUCCESS)
        print_pairs("after", "MPI_File_get_info", *info_used);
    return code;
}

#pragma GCC visibility pop
