/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls: one call of each function that takes or returns an info, by its MPI name or, for comparison, by its PMPI name.
 * The lists are generated from the interposer's own list, so a function without a call does not compile. A call frees
 * what it creates.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

#include <mpi.h>

/* A function that takes an info. */
struct call {
    const char *name;
    int (*make)(bool native, MPI_Info info); /* returns the code of the function */
};

extern const struct call calls[];
extern const int calls_count;

/* Whether the call, unless the spy answers it, waits for processes that do not exist here. */
bool call_waits(const struct call *call);

/* If not NULL, called between the function that begins an operation and the completion of the operation. */
extern void (*calls_between)(void);

/* The data that the last call received. Each call starts with the same contents. */
enum { CALLS_BYTES = 64 };
extern char calls_received[CALLS_BYTES];

/* The root of the calls that have one, a rank in MPI_COMM_WORLD; initially 0. */
extern int calls_root;

/* A function that returns an info. */
struct gift {
    const char *name;
    int (*make)(bool native, MPI_Info *info);
    bool leaves_null; /* MPI_INFO_NULL is one of the answers */
};

extern const struct gift gifts[];
extern const int gifts_count;

/* The functions of the tool interface call no error handler, and have their own error code for lack of memory. */
static inline bool is_tool(const char *name)
{
    return strncmp(name, "MPI_T_", strlen("MPI_T_")) == 0;
}

static inline int no_memory_of(const char *name)
{
    return is_tool(name) ? MPI_T_ERR_MEMORY : MPI_ERR_NO_MEM;
}

/* For the rows of functions.txt: the first argument if their kind takes an info, the second if it returns
 * one. */
#define CHOOSE_IN(takes, gives)       takes
#define CHOOSE_INOUT(takes, gives)    takes
#define CHOOSE_TOOL_IN(takes, gives)  takes
#define CHOOSE_AT_ROOT(takes, gives)  takes
#define CHOOSE_SPAWN(takes, gives)    takes
#define CHOOSE_OUT(takes, gives)      gives
#define CHOOSE_OUT_NULL(takes, gives) gives
#define CHOOSE_TOOL_OUT(takes, gives) gives

/* An entry of the lists. */
#define ENTRY(function) {#function, call_##function},
