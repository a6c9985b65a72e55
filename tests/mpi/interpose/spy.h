/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spy: a library between the interposer and the real MPI library, like a profiling tool. It records the arguments that
 * the interposer passes on, can answer in place of the real library, and can make its info functions fail.
 *
 * Any thread may make calls. Each thread finds the record of its own last call.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>
#include <rcuinfo_declared.h>
#include <rcuinfo_rows.h>

#define SPY_API __attribute__((visibility("default")))

enum { CAME_INFOS = 8, CAME_TEXT = 4096 };

struct spy {
    /* If true only functions on infos themselves reach the real library. The others return the answer and, if that is
     * MPI_SUCCESS, write no output except an info with the pairs below. */
    bool stubs;
    int answer;
    /* The pairs of the infos that stubbed functions return: `count` times key and value; -1: they return MPI_INFO_NULL;
     * -2: they write nothing. */
    const char *const *given;
    int given_count;
    /* If not NULL, stubbed functions whose info the library may write set the type of a resource, and a key of their
     * own. */
    const char *resource;
    /* To the interposer, each value has more bytes than it may have, and get cuts it. */
    bool longer;
    /* The interposer's kth call of PMPI_Info_create or PMPI_Info_dup (PMPI_Info_set, PMPI_Comm_rank) from now on fails;
     * 0: none. It returns this code: MPI_ERR_OTHER by default, or MPI_SUCCESS, as MPICH 5 after a user's error handler
     * was called. */
    atomic_int fail_create, fail_set, fail_rank;
    int fail_as;
    /* Real infos that the interposer has created with PMPI_Info_create (in MPICH one of them permanently, when MPI or
     * the first session is initialized) or PMPI_Info_dup, or received from a function that returns one, minus those
     * that it has freed. */
    atomic_int real_infos;
};

extern SPY_API struct spy spy;

/* The last call passed on in this thread. */
struct came_down {
    const char *function;              /* "": none since spy_forget */
    MPI_Info infos[CAME_INFOS];        /* its infos */
    char pairs[CAME_INFOS][CAME_TEXT]; /* their pairs, each as "key=value;" */
    const MPI_Info *array;             /* the argument of MPI_Comm_spawn_multiple */
    char command[CAME_TEXT];           /* that of MPI_Comm_spawn, then its arguments, each with a ";" */
};

extern SPY_API _Thread_local struct came_down came_down;

/* The function of the MPI library, without the interposer and the spy. */
typedef void spy_function_t(void);
SPY_API spy_function_t *spy_native(const char *name);
#define NATIVE(name) ((__typeof__(&name))spy_native(#name))

static inline void spy_forget(void)
{
    came_down.function = "";
    came_down.array = NULL;
}

static inline void spy_give(const char *const keys_and_values[], int count)
{
    spy.given = keys_and_values;
    spy.given_count = count;
}
