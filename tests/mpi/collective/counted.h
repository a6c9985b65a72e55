/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counted: what a program's libraries call of MPI, counted in front of it as a tool would. The functions are in
 * counted.c; the counts are of this process, and stay after MPI_Finalize.
 */
#ifndef TESTS_COLLECTIVE_COUNTED_H
#define TESTS_COLLECTIVE_COUNTED_H

#include <stdatomic.h>

struct counted {
    atomic_int duplicates; /* communicators made by MPI_Comm_dup and not freed */
    atomic_int keys;       /* keys of attributes made and not freed */
    atomic_int dups;       /* calls of MPI_Comm_dup */
    atomic_int reductions; /* calls of MPI_Allreduce */
    atomic_int broadcasts; /* of MPI_Bcast */
    atomic_int messages;   /* of MPI_Send and MPI_Recv */
};

extern struct counted counted;

/* NULL, or called by MPI_Comm_create_keyval before it makes a key. */
extern void (*counted_before_key)(void);

/* Begins to count calls anew. */
static inline void counted_reset(void)
{
    atomic_store(&counted.dups, 0);
    atomic_store(&counted.reductions, 0);
    atomic_store(&counted.broadcasts, 0);
    atomic_store(&counted.messages, 0);
}

#endif
