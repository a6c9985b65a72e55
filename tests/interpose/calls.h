/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls: one call of each function that takes an info, by its MPI name or, for comparison, by its PMPI name. What a
 * call makes it frees again. The caller's rank is the root of those that have one.
 */
#ifndef TESTS_INTERPOSE_CALLS_H
#define TESTS_INTERPOSE_CALLS_H

#include <stdbool.h>

#include <mpi.h>

struct call {
    const char *name;
    int (*make)(bool native, MPI_Info info); /* the code of the function */
    bool waits;                              /* for others, who may not be there; where it is not stubbed */
};

extern const struct call calls[];
extern const int calls_count;

#endif
