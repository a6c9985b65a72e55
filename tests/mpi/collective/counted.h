/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counted: counts the MPI calls of a program's libraries by interposing on MPI, as a tool does. For programs of one
 * source file, whose symbols the libraries find. The counts are per process and stay valid after MPI_Finalize.
 */
#pragma once

#include <stdatomic.h>

static struct {
    atomic_int duplicates; /* communicators made by MPI_Comm_dup and not freed */
    atomic_int keys;       /* keys of attributes made and not freed */
    atomic_int dups;       /* calls of MPI_Comm_dup */
    atomic_int reductions; /* calls of MPI_Allreduce */
    atomic_int broadcasts; /* of MPI_Bcast */
    atomic_int messages;   /* of MPI_Send and MPI_Recv */
} counted;

/* NULL, or called by MPI_Comm_create_keyval before it makes a key. */
static void (*counted_before_key)(void);

/* Resets the counts of calls. */
static inline void counted_reset(void)
{
    atomic_store(&counted.dups, 0);
    atomic_store(&counted.reductions, 0);
    atomic_store(&counted.broadcasts, 0);
    atomic_store(&counted.messages, 0);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    atomic_fetch_add(&counted.dups, 1);
    int code = PMPI_Comm_dup(comm, newcomm);
    atomic_fetch_add(&counted.duplicates, code == MPI_SUCCESS);
    return code;
}

/* In these programs it frees only what MPI_Comm_dup created. Other communicators are freed with PMPI_Comm_free. */
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
