/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profiling tool of the ordinary kind, which knows nothing of rcuinfo: prints each call of some functions that take
 * or give an info, with its pairs, by PMPI_* alone.
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

/* A function that takes an info, which is printed before the call, and one that gives an info, which is after it. */
#define TAKES(name, parameters, arguments)                                                                             \
    int MPI_##name parameters                                                                                          \
    {                                                                                                                  \
        print_pairs(#name, info);                                                                                      \
        return PMPI_##name arguments;                                                                                  \
    }

#define GIVES(name, object)                                                                                            \
    int MPI_##name(object of, MPI_Info *info)                                                                          \
    {                                                                                                                  \
        int code = PMPI_##name(of, info);                                                                              \
        if (code == MPI_SUCCESS)                                                                                       \
            print_pairs(#name, *info);                                                                                 \
        return code;                                                                                                   \
    }

TAKES(Alloc_mem, (MPI_Aint size, MPI_Info info, void *base), (size, info, base))
TAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
TAKES(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
      (comm, name, mode, info, file))
GIVES(Comm_get_info, MPI_Comm)

#pragma GCC visibility pop
