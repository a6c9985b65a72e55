/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interpose: common parts of the tests of the forwarders. Each program initializes MPI, sets MPI_ERRORS_RETURN on
 * MPI_COMM_WORLD and MPI_COMM_SELF, runs its tests, and fails if an object of the store or a real info of ours is left.
 */
#pragma once

#include "interpose/spy.h"
#include "support/contents.h"
#include "support/left.h"
#include "support/phases.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/rcuinfo.h>

#if defined(OPEN_MPI)
#define IS_OPENMPI 1
#else
#define IS_OPENMPI 0
#endif

/* Whether we provide MPI_Info_get_string for real infos, because the library lacks it. */
#if defined(RCUINFO__HAS_MPI_Info_get_string)
#define GET_STRING_IS_OURS 0
#else
#define GET_STRING_IS_OURS 1
#endif

/* Creates a real info without the interposer. */
static inline MPI_Info make_real(const char *key, const char *value)
{
    MPI_Info info = MPI_INFO_NULL;
    CHECK_MPI(NATIVE(PMPI_Info_create)(&info), MPI_SUCCESS);
    CHECK_MPI(NATIVE(PMPI_Info_set)(info, key, value), MPI_SUCCESS);
    return info;
}

static inline uint64_t count_conversions(void)
{
    return left_stats().conversions;
}

static inline int class_of(int code)
{
    int class = -1;
    return NATIVE(PMPI_Error_class)(code, &class) == MPI_SUCCESS ? class : code;
}

/* Calls of the error handler with an error of this class. Others may come from the preparations of a call. */
static int handled, handled_class;

static inline void count_handled(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    handled += class_of(*code) == handled_class;
}

/* From now on, errors of the class are counted. MPICH 5.0.2 returns MPI_SUCCESS after it has called a handler. */
static inline void count_errors(int class)
{
    MPI_Errhandler errhandler;
    CHECK_MPI(MPI_Comm_create_errhandler(count_handled, &errhandler), MPI_SUCCESS);
    flavour_set_errhandler(errhandler);
    CHECK_MPI(MPI_Errhandler_free(&errhandler), MPI_SUCCESS);
    handled = 0;
    handled_class = class;
}

static inline int rank_in_world(void)
{
    int rank = -1;
    CHECK_MPI(NATIVE(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    return rank;
}

static inline int size_of_world(void)
{
    int size = -1;
    CHECK_MPI(NATIVE(PMPI_Comm_size)(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    return size;
}

/* Returns whether a handle refers to an object of the store. */
static inline bool is_ours(MPI_Info info)
{
    return rcuinfo_from_mpi(info) != RCUINFO_NULL;
}

/* Checks that there are TEST_PROCESSES processes, as the launcher was told: two jobs of one process would silently skip
 * the tests that need two. */
static inline void check_processes(void)
{
    const char *wanted = getenv("TEST_PROCESSES");
    CHECKF(!wanted || atoi(wanted) == size_of_world(), "%d processes, and not %s", size_of_world(), wanted);
}

static inline void interpose_begin(void)
{
    int provided = 0;
    CHECK_MPI(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    flavour_set_errhandler(MPI_ERRORS_RETURN);
    check_processes();
}

/* Checks that there are as many real infos as at the beginning, and no object of the store. */
static inline void interpose_end(int real_infos)
{
    CHECK_EQUAL(left_live(), 0);
    CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    CHECK_MPI(MPI_Finalize(), MPI_SUCCESS);
}

/* The body of main: runs the tests, those of a group if they have groups. `stubbed`: a library after the interposer
 * answers in place of the real one. */
static inline int interpose_run(const char *group, bool stubbed)
{
    interpose_begin();
    int real_infos = atomic_load(&spy.real_infos);
    test_group = group;
    spy.stubs = stubbed;
    run_phase("interposed");
    spy.stubs = false;
    interpose_end(real_infos);
    return 0;
}
