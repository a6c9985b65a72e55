/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interpose: what the tests of the forwarders share. Each program starts MPI, sets MPI_ERRORS_RETURN on MPI_COMM_WORLD
 * and MPI_COMM_SELF, runs its tests, and fails when an object of the store or a real info of ours is left at the end.
 */
#ifndef TESTS_INTERPOSE_INTERPOSE_H
#define TESTS_INTERPOSE_INTERPOSE_H

#include "interpose/spy.h"
#include "support/contents.h"

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

/* Whether MPI_Info_get_string of a real info is made by us, because the library has none. */
#if defined(RCUINFO__HAS_MPI_Info_get_string)
#define GET_STRING_IS_OURS 0
#else
#define GET_STRING_IS_OURS 1
#endif

/* A value that was a handle of the store. */
static inline MPI_Info make_stale(void)
{
    MPI_Info info = make_empty(), stale = info;
    free_info(info);
    return stale;
}

/* A real info, made behind the interposer's back. */
static inline MPI_Info make_real(const char *key, const char *value)
{
    MPI_Info info = MPI_INFO_NULL;
    assert_int_equal(PMPI_Info_create(&info), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_set(info, key, value), MPI_SUCCESS);
    return info;
}

static inline rcuinfo_stats_t stats_now(void)
{
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    return stats;
}

static inline uint64_t count_live(void)
{
    return stats_now().live;
}

static inline uint64_t count_conversions(void)
{
    return stats_now().conversions;
}

static inline uint64_t count_left_out(void)
{
    return stats_now().left_out;
}

static inline int class_of(int code)
{
    int class = -1;
    return PMPI_Error_class(code, &class) == MPI_SUCCESS ? class : code;
}

static inline int rank_in_world(void)
{
    int rank = -1;
    assert_int_equal(PMPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    return rank;
}

static inline int size_of_world(void)
{
    int size = -1;
    assert_int_equal(PMPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    return size;
}

/* Whether a handle names an object of the store. */
static inline bool is_ours(MPI_Info info)
{
    return rcuinfo_from_mpi(info) != RCUINFO_NULL;
}

/* Whether there are as many processes as the launcher was told to start, by TEST_PROCESSES: what needs two of them
 * would be left out unseen in two jobs of one. */
static inline bool processes_are_there(void)
{
    const char *wanted = getenv("TEST_PROCESSES");
    int size = -1;
    bool right = PMPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS && (!wanted || atoi(wanted) == size);
    if (!right)
        fprintf(stderr, "%d processes, and not %s\n", size, wanted ? wanted : "any");
    return right;
}

static inline int interpose_begin(void)
{
    int provided = 0;
    return MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS ||
           MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
           MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) != MPI_SUCCESS || !processes_are_there();
}

static inline int interpose_end(int real_infos)
{
    int left = (int)count_live(), left_real = spy_real_infos() - real_infos;
    if (left != 0 || left_real != 0)
        fprintf(stderr, "left at the end: %d objects of the store, %d real infos\n", left, left_real);
    return (MPI_Finalize() != MPI_SUCCESS) + (left != 0 || left_real != 0);
}

/* The body of main; STUBBED while a library under the interposer answers in the real one's place. */
#define INTERPOSE_RUN(tests)         INTERPOSE_RUN_AS(false, tests)
#define INTERPOSE_RUN_STUBBED(tests) INTERPOSE_RUN_AS(true, tests)
#define INTERPOSE_RUN_AS(stubbed, tests)                                                                               \
    int failed = interpose_begin();                                                                                    \
    int real_infos = spy_real_infos();                                                                                 \
    spy_stub(stubbed);                                                                                                 \
    failed += cmocka_run_group_tests_name("interposed", tests, NULL, NULL);                                            \
    spy_stub(false);                                                                                                   \
    failed += interpose_end(real_infos);                                                                               \
    return failed != 0

#endif
