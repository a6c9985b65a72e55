/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sessions_library: a layered library as one would write it to MPI-4.0, which knows nothing of rcuinfo. It uses MPI by
 * sessions of its own, from threads of its own, whether the program above has initialized MPI or not.
 */
#ifndef SESSIONS_LIBRARY_H
#define SESSIONS_LIBRARY_H

#define SESSIONS_LIBRARY_THREADS 4

struct sessions_result {
    int rank, size; /* of this process in mpi://WORLD */
    long sum;       /* over all threads and processes; sessions_sum() of the size where all is well */
};

/* Collective over all processes. Returns how much went wrong, after one line on stderr for each. */
int sessions_library_run(struct sessions_result *result);

/* What result.sum must be. */
long sessions_library_sum(int size);

#endif
