/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spy: a library between the interposer and the real MPI library, as a profiling tool would be. It keeps what the
 * interposer hands down, can answer in place of the real library, and can make the real library's info functions fail.
 *
 * Any number of threads may come down: each is told of what came down in itself.
 */
#ifndef TESTS_INTERPOSE_SPY_H
#define TESTS_INTERPOSE_SPY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>
#include <rcuinfo_declared.h>

#define SPY_API __attribute__((visibility("default")))

enum { CAME_INFOS = 8, CAME_TEXT = 4096 };

struct spy {
    /* While true no function but those on infos themselves reaches the real library: they give the answer, and when
     * that is MPI_SUCCESS, write no output but an info of what is to be given. */
    bool stubs;
    int answer;
    /* The pairs of the infos that a stubbed function gives out: `count` times key and value; -1: it gives
     * MPI_INFO_NULL; -2: it writes nothing. */
    const char *const *given;
    int given_count;
    /* The interposer's kth call of PMPI_Info_create or PMPI_Info_dup (PMPI_Info_set, PMPI_Comm_rank) from now on fails;
     * 0: none. It gives this code: MPI_ERR_OTHER at first, or MPI_SUCCESS, as MPICH 5 when a handler of the user's has
     * had the error. */
    atomic_int fail_create, fail_set, fail_rank;
    int fail_as;
    /* Real infos that the interposer has made with PMPI_Info_create (one of them, on MPICH, when MPI or the first
     * session is initialized, for good) or PMPI_Info_dup, or was given by a function that gives one out, less those
     * that it has freed. */
    atomic_int real_infos;
};

extern SPY_API struct spy spy;

/* The function that came down last in this thread. */
struct came_down {
    const char *function;              /* "" when none did since spy_forget */
    MPI_Info infos[CAME_INFOS];        /* that came down with it */
    char pairs[CAME_INFOS][CAME_TEXT]; /* of these, as "key=value;" each */
    const MPI_Info *array;             /* what came down with MPI_Comm_spawn_multiple */
};

extern SPY_API _Thread_local struct came_down came_down;

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

#endif
