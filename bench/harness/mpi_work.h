/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_work: what bench_mpi and bench_collective and the MPI programs that they start say to each other.
 *
 * bench_mpi has a socket of messages to each of those that it measures. They say hello once; then they get one order at
 * a time and give one result for each, until the socket is closed. All have the same compiler, so the structs go as
 * they are.
 */
#ifndef BENCH_MPI_WORK_H
#define BENCH_MPI_WORK_H

#include <stdint.h>

enum mpi_work {
    /* One thread, an object of `keys` keys; value[0] is nanoseconds a call. */
    MPI_WORK_GET,      /* MPI_Info_get, keys of the object at random */
    MPI_WORK_GET_MISS, /* MPI_Info_get, keys that it has not */
    MPI_WORK_NTHKEY,   /* MPI_Info_get_nthkey, at random */
    MPI_WORK_NKEYS,    /* MPI_Info_get_nkeys */
    MPI_WORK_SET,      /* MPI_Info_set of keys that are there, at random, values of one length */
    MPI_WORK_DUP,      /* MPI_Info_dup and MPI_Info_free */
    MPI_WORK_CREATE,   /* MPI_Info_create, `keys` times MPI_Info_set, MPI_Info_free */
    MPI_WORK_LEND,     /* MPI_Alloc_mem with the object, MPI_Free_mem */
    MPI_WORK_COMM_SET, /* MPI_Comm_set_info with the object */
    MPI_WORK_WIN_SET,  /* MPI_Win_set_info with the object */
    MPI_WORK_COMM_GET, /* MPI_Comm_get_info and MPI_Info_free, of a communicator that was given the object */
    MPI_WORK_FILE_GET, /* MPI_File_get_info and MPI_Info_free, of a file opened with the object */
    MPI_WORK_CALLS,

    /* All threads on one object of `keys` keys. */
    MPI_WORK_SHARED = MPI_WORK_CALLS, /* value: millions a second, by enum mpi_rate */
    MPI_WORK_LATENCY,                 /* value: of the sets, p50, p99, p99.9, p99.99 and the maximum, in microseconds */
};

enum mpi_rate { MPI_WORK_GETS, MPI_WORK_SETS, MPI_WORK_BOTH };

#define MPI_WORK_VALUES 5

struct mpi_order {
    enum mpi_work work;
    unsigned keys;
    unsigned readers;
    unsigned writers;
    uint64_t nanoseconds; /* to measure for */
};

struct mpi_result {
    double value[MPI_WORK_VALUES];
};

struct mpi_hello {
    int interposed;    /* the store is in the process */
    char version[128]; /* what MPI says of itself, the first part */
};

/*
 * The arguments of bench_collective_calls are rounds, milliseconds and the numbers of keys. Its rank 0 prints one line
 * for each call, number of keys and round, in that order of loops: the call, the keys, packed bytes of the info, calls
 * of MPI that the busiest process makes for one call, and microseconds of the call and of what is beside it.
 */
enum collective_call { COLLECTIVE_BCAST, COLLECTIVE_AGREE, COLLECTIVE_ODD, COLLECTIVE_UNION, COLLECTIVE_CALLS };

#define COLLECTIVE_LINE   "%u %u %u %u %lf %lf\n"
#define COLLECTIVE_FIELDS 6

#endif
