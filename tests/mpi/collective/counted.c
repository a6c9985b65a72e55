/* SPDX-License-Identifier: BSD-3-Clause */
/* counted: see counted.h. */
#include <mpi.h>

#include "collective/counted.h"

struct counted counted;
void (*counted_before_key)(void);

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    atomic_fetch_add(&counted.dups, 1);
    int code = PMPI_Comm_dup(comm, newcomm);
    atomic_fetch_add(&counted.duplicates, code == MPI_SUCCESS);
    return code;
}

/* Only what MPI_Comm_dup has made is freed by it in these programs, and what they make by others they free by PMPI. */
int MPI_Comm_free(MPI_Comm *comm)
{
    int code = PMPI_Comm_free(comm);
    atomic_fetch_sub(&counted.duplicates, code == MPI_SUCCESS);
    return code;
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *deleted, int *key,
                           void *extra)
{
    if (counted_before_key)
        counted_before_key();
    int code = PMPI_Comm_create_keyval(copy, deleted, key, extra);
    atomic_fetch_add(&counted.keys, code == MPI_SUCCESS);
    return code;
}

int MPI_Comm_free_keyval(int *key)
{
    int code = PMPI_Comm_free_keyval(key);
    atomic_fetch_sub(&counted.keys, code == MPI_SUCCESS);
    return code;
}

int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    atomic_fetch_add(&counted.reductions, 1);
    return PMPI_Allreduce(mine, all, count, type, op, comm);
}

int MPI_Bcast(void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    atomic_fetch_add(&counted.broadcasts, 1);
    return PMPI_Bcast(bytes, count, type, root, comm);
}

int MPI_Send(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    atomic_fetch_add(&counted.messages, 1);
    return PMPI_Send(bytes, count, type, to, tag, comm);
}

int MPI_Recv(void *bytes, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    atomic_fetch_add(&counted.messages, 1);
    return PMPI_Recv(bytes, count, type, from, tag, comm, status);
}
