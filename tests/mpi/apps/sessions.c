/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sessions: calls a library that uses MPI. Without an argument, the program uses only sessions and never calls
 * MPI_Init. With one, it uses the World Model and calls the library three times. An ordinary MPI-4.0 program that knows
 * nothing of rcuinfo. Each rank prints one line; the exit status is 1 if a check failed.
 */
#include <stdio.h>

#include <mpi.h>

int sessions_library_run(int *rank, int *size, long *sum); /* see sessions_library.c */

int main(int argc, char **argv)
{
    int rank = -1, size = 0, provided = MPI_THREAD_MULTIPLE, rounds = argc > 1 ? 3 : 1, wrong = 0;
    long sum = 0;
    if (argc > 1)
        wrong = MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) || provided < MPI_THREAD_MULTIPLE;
    for (int round = 0; round < rounds && !wrong; round++)
        wrong = sessions_library_run(&rank, &size, &sum);
    if (rounds > 1)
        wrong |= MPI_Finalize();
    printf("rank %d of %d: sum %ld\n", rank, size, sum);
    return wrong != 0;
}
