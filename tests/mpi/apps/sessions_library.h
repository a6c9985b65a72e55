/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sessions_library: a layered library as one would write it to MPI-4.0, which knows nothing of rcuinfo. It uses MPI by
 * sessions of its own, from threads of its own, whether the program above has initialized MPI or not.
 */
#ifndef SESSIONS_LIBRARY_H
#define SESSIONS_LIBRARY_H

struct sessions_result {
    int rank, size; /* of this process in mpi://WORLD */
    long sum;       /* over all threads and processes: 30 of two */
};

/* Collective over all processes. Returns how much went wrong, after one line on stderr for each. */
int sessions_library_run(struct sessions_result *result);

#endif
