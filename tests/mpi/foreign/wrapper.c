/* SPDX-License-Identifier: BSD-3-Clause */
/* wrapper: a tool between the program and the MPI library, which is in the file LIBRARY. It passes each call on to a
 * function that it looks up: on the handle of the library, or after itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

static void *find(void *handle, const char *name)
{
    void *found = dlsym(handle, name);
    if (!found)
        exit(3);
    printf("wrapped %s\n", name);
    return found;
}

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
    __typeof__(&MPI_Win_allocate) next;
    *(void **)&next = find(dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD), "MPI_Win_allocate");
    return next(size, disp_unit, info, comm, baseptr, win);
}

int MPI_Win_get_info(MPI_Win win, MPI_Info *info)
{
    __typeof__(&MPI_Win_get_info) next;
    *(void **)&next = find(RTLD_NEXT, "MPI_Win_get_info");
    return next(win, info);
}
