/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_work: the protocols between bench_mpi, bench_scale or bench_collective and the programs that they start.
 *
 * bench_mpi and bench_scale have a message socket to each measured program. The program sends a hello; then it receives
 * orders, one at a time, and returns a result for each, until the socket is closed. Structs are sent as they are in
 * memory. drive.py has the other side. It reads enum mpi_work from here, and has the structs and enum mpi_rate itself.
 */
#pragma once

#include <stdint.h>

enum mpi_work {
    /* One thread, an object of `keys` keys; value[0] is nanoseconds per call. */
    MPI_WORK_GET,      /* MPI_Info_get, random keys of the object */
    MPI_WORK_GET_MISS, /* MPI_Info_get, missing keys */
    MPI_WORK_NTHKEY,   /* MPI_Info_get_nthkey, random numbers */
    MPI_WORK_NKEYS,    /* MPI_Info_get_nkeys */
    MPI_WORK_SET,      /* MPI_Info_set, random keys of the object, values of one length */
    MPI_WORK_DUP,      /* MPI_Info_dup and MPI_Info_free */
    MPI_WORK_CREATE,   /* MPI_Info_create, `keys` times MPI_Info_set, MPI_Info_free */
    MPI_WORK_EMPTY,    /* MPI_Info_create, MPI_Info_free */
    MPI_WORK_READ,     /* as MPI_WORK_CREATE, and before the free `keys` times MPI_Info_get */
    MPI_WORK_LEND,     /* MPI_Alloc_mem with the object, MPI_Free_mem */
    MPI_WORK_COMM_SET, /* MPI_Comm_set_info with the object */
    MPI_WORK_WIN_SET,  /* MPI_Win_set_info with the object */
    MPI_WORK_COMM_GET, /* MPI_Comm_get_info and MPI_Info_free, of a communicator on which the object was set */
    MPI_WORK_FILE_GET, /* MPI_File_get_info and MPI_Info_free, of a file opened with the object */
    MPI_WORK_SNAPSHOT, /* opening one, finding a random key, closing it; from here on calls that MPI does not have */
    MPI_WORK_VIEW,     /* the same with a view */
    MPI_WORK_CALLS,

    /* Several threads. Plus one of the calls above, which the readers make; the writers set. */
    MPI_WORK_SHARED = 64,   /* all on one object; value: by enum mpi_rate */
    MPI_WORK_OWN = 128,     /* each on an object of its own; the same */
    MPI_WORK_LATENCY = 192, /* all on one object; value: p50, p99, p99.9, p99.99 and maximum of the sets, in us */
};

/* Millions per second, and the longest time that 16 consecutive sets of one writer took, in microseconds. */
enum mpi_rate { MPI_WORK_GETS, MPI_WORK_SETS, MPI_WORK_BOTH, MPI_WORK_LONGEST };

#define MPI_WORK_VALUES 5

struct mpi_order {
    unsigned work; /* enum mpi_work */
    unsigned keys;
    unsigned readers;
    unsigned writers;
    uint64_t nanoseconds; /* the time to measure */
};

struct mpi_result {
    double value[MPI_WORK_VALUES];
};

struct mpi_hello {
    int interposed;    /* the store is in the process */
    char version[128]; /* the first part of MPI_Get_library_version */
};

/*
 * The arguments of bench_collective_calls are rounds, milliseconds and the numbers of keys. Its rank 0 prints one line
 * for each call, number of keys and round, nested in that order: the call, the keys, the packed bytes of the info, the
 * MPI calls that the busiest process makes for one call, and the microseconds of the call and of its plain counterpart.
 */
enum collective_call { COLLECTIVE_BCAST, COLLECTIVE_AGREE, COLLECTIVE_ODD, COLLECTIVE_UNION, COLLECTIVE_CALLS };

#define COLLECTIVE_LINE "%u %u %u %u %lf %lf\n"
