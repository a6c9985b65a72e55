/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of the Sessions Model only, which never calls MPI_Init, and calls a library that uses MPI. With an argument
 * it is one of the World Model: it calls the library in three rounds, while a thread of its own communicates in the
 * world. An ordinary MPI-4.0 program that knows nothing of rcuinfo. Prints one line for each rank; exit status 1 when
 * anything was wrong.
 */
#include <pthread.h>
#include <stdio.h>

#include <mpi.h>

int sessions_library_run(int *rank, int *size, long *sum); /* see sessions_library.c */

#define ROUNDS    3
#define EXCHANGES 50

static int failures; /* of the thread, until it is joined */

/* The world's own communication, next to the library's. */
static void *exchange(void *unused)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int n = 0; n < EXCHANGES; n++) {
        int sum = 0;
        MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        failures += sum != size * n;
    }
    return unused;
}

static int use_world(int *argc, char ***argv, int *rank, int *size, long *sum)
{
    int provided = MPI_THREAD_SINGLE, wrong = 0;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS || provided < MPI_THREAD_MULTIPLE)
        return 1;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, exchange, NULL) != 0)
            return 1;
        wrong += sessions_library_run(rank, size, sum);
        pthread_join(thread, NULL);
    }
    return wrong + failures + (MPI_Finalize() != MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int rank = -1, size = 0;
    long sum = 0;
    int wrong = argc > 1 ? use_world(&argc, &argv, &rank, &size, &sum) : sessions_library_run(&rank, &size, &sum);
    printf("rank %d of %d: sum %ld\n", rank, size, sum);
    return wrong != 0;
}
