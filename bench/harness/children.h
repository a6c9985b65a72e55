/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * children: the measured programs, which bench_mpi and bench_scale start, and their side of the protocol of mpi_work.h.
 * Each is started once and waits for orders, so that only one runs at a time. A child that ends unexpectedly ends this
 * program with status 1, unless it is fragile: that is started again.
 */
#ifndef BENCH_CHILDREN_H
#define BENCH_CHILDREN_H

#include <stdbool.h>
#include <sys/types.h>

#include "mpi_work.h"
#include "report.h"

struct child {
    const char *name;
    const char *program; /* NULL: built without this MPI */
    const char *runner;  /* `rcuinfo`, to run the program on the store; or NULL */
    bool interposed;     /* has the store */
    bool fragile;        /* may fail; so what it writes to stderr is dropped */
    pid_t pid;
    int socket;
    struct mpi_hello hello;
};

/* CHILD_FRAGILE is plain MPICH for calls that it does not survive, since it does not lock infos. */
enum { CHILD_NATIVE, CHILD_FRAGILE, CHILD_MPICH, CHILD_MPICH_STORE, CHILD_OPENMPI, CHILD_OPENMPI_STORE, CHILDREN };
extern struct child children[CHILDREN];

/* Starts the children from number `first` on, and reports the versions of the MPI libraries. */
void children_start(struct report *report, size_t first);

/* Tells all to end, and waits until they have. */
void children_stop(void);

/* An order of a child, and its results. */
struct side {
    struct child *child;
    struct mpi_order order;
    const char *failed; /* how the child failed, after which it is not asked again; or NULL */
    double value[MPI_WORK_VALUES][BENCH_REPEAT_MAX];
};

/* For bench_rounds: measures one of an array of sides. A fragile child is stopped if it takes far too long. */
void side_measure(void *sides, size_t index, unsigned round);

#endif
