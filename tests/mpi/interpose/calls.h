/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls: one call of each function that takes an info or gives one out, by its MPI name or, for comparison, by its PMPI
 * name. The lists are made from the interposer's own table, so a function without a call does not link. What a call
 * makes it frees again.
 */
#ifndef TESTS_INTERPOSE_CALLS_H
#define TESTS_INTERPOSE_CALLS_H

#include <stdbool.h>
#include <string.h>

#include <mpi.h>

struct call {
    const char *name;
    int (*make)(bool native, MPI_Info info); /* the code of the function */
};

extern const struct call calls[];
extern const int calls_count;

/* Whether it waits for others, who are not there, where it is not stubbed. */
bool call_waits(const struct call *call);

/* Called, if it is not NULL, when a function has begun what is completed later, before it is. */
extern void (*calls_between)(void);

/* What the last call that moves data between processes has received, in a buffer that always begins alike. */
enum { CALLS_BYTES = 64 };
extern char calls_received[CALLS_BYTES];

/* The rank in MPI_COMM_WORLD that is the root of those that have one; 0 at first. */
extern int calls_root;

struct gift {
    const char *name;
    int (*make)(bool native, MPI_Info *info);
};

extern const struct gift gifts[];
extern const int gifts_count;

/* The functions of the tool interface call no error handler, and have an error of their own for memory. */
static inline bool is_tool(const char *name)
{
    return strncmp(name, "MPI_T_", strlen("MPI_T_")) == 0;
}

static inline int no_memory_of(const char *name)
{
    return is_tool(name) ? MPI_T_ERR_MEMORY : MPI_ERR_NO_MEM;
}

#endif
