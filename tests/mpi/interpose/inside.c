/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that the interposer takes for the real one, since it defines PMPI_Init. It calls MPI functions by their
 * public names, as the ROMIO in MPICH 4.2 does.
 */
#include <dlfcn.h>
#include <string.h>

#include <mpi.h>

#define INSIDE_API __attribute__((visibility("default")))

INSIDE_API int PMPI_Init(int *argc, char ***argv)
{
    int (*next)(int *, char ***);
    void *found = dlsym(RTLD_NEXT, "PMPI_Init");
    if (!found)
        return MPI_ERR_INTERN;
    memcpy(&next, &found, sizeof next);
    return next(argc, argv);
}

/* Calls through a pointer, which the loader sets. A tail call would leave no return address in this library. */
INSIDE_API int inside_comm_get_info(MPI_Comm comm, MPI_Info *info_used)
{
    static int (*volatile function)(MPI_Comm, MPI_Info *) = MPI_Comm_get_info;
    int code = function(comm, info_used);
    return code == MPI_SUCCESS ? code : MPI_ERR_INTERN;
}

INSIDE_API int inside_comm_set_info(MPI_Comm comm, MPI_Info info)
{
    static int (*volatile function)(MPI_Comm, MPI_Info) = MPI_Comm_set_info;
    int code = function(comm, info);
    return code == MPI_SUCCESS ? code : MPI_ERR_INTERN;
}
