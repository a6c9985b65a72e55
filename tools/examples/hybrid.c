/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ordinary hybrid MPI program that knows nothing of rcuinfo: the threads of each process share one info, which is
 * handed to MPI as well. It needs an MPI whose info calls bear that: run it with the store under it.
 *
 * Build: mpicc -pthread hybrid.c
 * Run:   mpirun -n 2 rcuinfo run ./a.out
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

enum { THREADS = 4, ROUNDS = 500 };

static MPI_Info shared;

/* MPI errors end the program by default, so codes need not be looked at. Each thread sets a key of its own, reads it
 * back, and reads one that nobody writes; it gives the number of values that were not as they should be. */
static void *work(void *key)
{
    long wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char value[16], back[16] = "", common[16] = "";
        int flag;
        snprintf(value, sizeof value, "%d", round);
        MPI_Info_set(shared, key, value);
        MPI_Info_get(shared, key, 15, back, &flag);
        wrong += !flag || atoi(back) != round;
        MPI_Info_get(shared, "alloc_shared_noncontig", 15, common, &flag);
        wrong += !flag || common[0] != 't';
    }
    return (void *)wrong;
}

int main(int argc, char *argv[])
{
    static char keys[THREADS][16];
    pthread_t threads[THREADS];
    MPI_Win window;
    void *memory;
    long counts[2] = {0, 0}, sums[2];
    int provided, rank, ranks, nkeys;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);

    MPI_Info_create(&shared);
    MPI_Info_set(shared, "alloc_shared_noncontig", "true");
    for (int i = 0; i < THREADS; i++) {
        snprintf(keys[i], sizeof keys[i], "thread_%d", i);
        if (pthread_create(&threads[i], NULL, work, keys[i]) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }

    /* Meanwhile MPI reads the same info: it is handed one version of it. */
    for (int i = 0; i < 10; i++) {
        MPI_Win_allocate(4096, 1, shared, MPI_COMM_WORLD, &memory, &window);
        MPI_Win_free(&window);
    }

    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        counts[1] += (long)wrong;
    }
    MPI_Info_get_nkeys(shared, &nkeys);
    counts[0] = nkeys;
    MPI_Reduce(counts, sums, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d processes of %d threads: %ld keys, %ld wrong values\n", ranks, THREADS, sums[0], sums[1]);
    MPI_Info_free(&shared);
    MPI_Finalize();
    return 0;
}
