/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_child: the programs that bench_mpi measures: bench_mpi_calls on each MPI that is there, as it is and under
 * `rcuinfo run`. All are started once and wait for orders, so that only one is at work at a time.
 */
#ifndef BENCH_MPI_CHILD_H
#define BENCH_MPI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "mpi_work.h"

enum mpi_flavour { MPI_FLAVOUR_MPICH, MPI_FLAVOUR_OPENMPI, MPI_FLAVOURS };

struct mpi_child {
    const char *name;
    pid_t pid;
    int socket;
    char version[128];
};

/* Whether bench_mpi was built with that MPI. */
bool mpi_child_exists(enum mpi_flavour flavour);

/* Starts one and waits for its hello; one without the store that should have it, or with it, ends this program. */
struct mpi_child mpi_child_start(enum mpi_flavour flavour, bool interposed);

/* Lets it measure. A child that ends, which is what a wrong value makes it do, ends this program with status 1. */
struct mpi_result mpi_child_ask(const struct mpi_child *child, const struct mpi_order *order);

/* Lets it end, and waits. */
void mpi_child_stop(struct mpi_child *child);

#endif
