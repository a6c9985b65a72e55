/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collective: code shared by the programs of this folder. Each runs its cases on all processes at once. A failure
 * aborts the process, and with it the job. A case must leave no object and no communicator behind.
 */
#pragma once

#include <mpi.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rcuinfo/mpi_collective.h>
#include <rcuinfo/rcuinfo.h>

#include "collective/counted.h"
#include "support/check.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"

#if TEST_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

/* The initial value of an output handle, to detect whether a call wrote it. */
#define UNTOUCHED ((rcuinfo_t)12345)

static int rank, size;

#define CHECK_MPI(call, wanted)                                                                                        \
    do {                                                                                                               \
        int check_code = (call);                                                                                       \
        CHECKF(check_code == (wanted), "%s gives %d at rank %d", #call, check_code, rank);                             \
    } while (0)

/* Returns a stale handle. */
static inline rcuinfo_t make_stale(void)
{
    rcuinfo_t info = object_empty(), stale = info;
    object_free(info);
    return stale;
}

/* The calls that create an info. Only rcuinfo_mpi_bcast uses the root. */
typedef int call_t(rcuinfo_t info, int root, MPI_Comm comm, rcuinfo_t *newinfo);

static inline int call_union(rcuinfo_t info, int root, MPI_Comm comm, rcuinfo_t *newinfo)
{
    (void)root;
    return rcuinfo_mpi_union(info, comm, newinfo);
}

static inline int call_intersection(rcuinfo_t info, int root, MPI_Comm comm, rcuinfo_t *newinfo)
{
    (void)root;
    return rcuinfo_mpi_intersection(info, comm, newinfo);
}

enum { CALLS = 3 };
static call_t *const calls[CALLS] = {rcuinfo_mpi_bcast, call_union, call_intersection};

/* Checks that both infos have the same pairs in the same order. */
static inline void check_same(rcuinfo_t got, rcuinfo_t wanted)
{
    const rcuinfo_snapshot_t *a = object_open(got), *b = object_open(wanted);
    rcuinfo_pair_t x, y;
    CHECKF(rcuinfo_snapshot_count(a) == rcuinfo_snapshot_count(b), "%zu pairs, not %zu, at rank %d",
           rcuinfo_snapshot_count(a), rcuinfo_snapshot_count(b), rank);
    for (size_t n = 0; n < rcuinfo_snapshot_count(b); n++) {
        CHECK_OK(rcuinfo_snapshot_nth(a, n, &x));
        CHECK_OK(rcuinfo_snapshot_nth(b, n, &y));
        CHECKF(strcmp(x.key, y.key) == 0 && strcmp(x.value, y.value) == 0, "pair %zu is %s=%.99s, not %s=%.99s", n,
               x.key, x.value, y.key, y.value);
    }
    rcuinfo_snapshot_close(a);
    rcuinfo_snapshot_close(b);
}

/* Ignore leaks of memory that MPI_Init allocates. All later leaks are failures (on MPICH only, see CMakeLists.txt). */
static inline void start_mpi(int level)
{
    int provided;
#if TEST_ADDRESS_SANITIZER
    __lsan_disable();
#endif
    CHECK(MPI_Init_thread(NULL, NULL, level, &provided) == MPI_SUCCESS && provided >= level);
#if TEST_ADDRESS_SANITIZER
    __lsan_enable();
#endif
}

static int left_at_end;

static inline int see_end(MPI_Comm comm, int key, void *value, void *unused)
{
    (void)comm, (void)key, (void)value, (void)unused;
    left_at_end = atomic_load(&counted.duplicates);
    return MPI_SUCCESS;
}

/* MPI_Finalize first deletes the attributes of MPI_COMM_SELF, the last one set first. This one, set first, is deleted
 * after those of the library, while MPI still works. */
static inline void watch_for_end(void)
{
    int key;
    left_at_end = -1;
    CHECK(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, see_end, &key, NULL) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) == MPI_SUCCESS);
    CHECK(PMPI_Comm_free_keyval(&key) == MPI_SUCCESS);
}

/* Runs the cases between MPI_Init and MPI_Finalize. TEST_PROCESSES is the required number of processes. */
static inline int run_cases(int level, void (*const *cases)(void))
{
    const char *processes = getenv("TEST_PROCESSES");
    start_mpi(level);
    watch_for_end();
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && MPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS);
    CHECKF(processes && atoi(processes) == size, "%d processes", size);
    for (int n = 0; cases[n]; n++) {
        uint64_t live = left_live();
        cases[n]();
        CHECKF(left_live() == live, "case %d leaves objects behind", n);
    }
    CHECK(MPI_Finalize() == MPI_SUCCESS);
    CHECKF(left_at_end == 0, "%d communicators are left", left_at_end);
    CHECKF(atomic_load(&counted.keys) == 0, "%d keys are left", atomic_load(&counted.keys));
    CHECK(left_live() == 0);
    return 0;
}

#define RUN(level, ...) run_cases(level, (void (*const[])(void)){__VA_ARGS__, NULL})
