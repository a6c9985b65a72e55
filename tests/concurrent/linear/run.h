/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run: a program that has threads carry out small random histories, yielding at the library's sync points, and decides
 * of each whether it is linearizable. Threads and memory are reused from batch to batch. Linked with the copy of the
 * library that has sync points, or with a broken one; defines rcuinfo__sync_point.
 */
#ifndef TOOLS_LINEAR_RUN_H
#define TOOLS_LINEAR_RUN_H

#include "linear/history.h"

enum { LINEAR_BATCH = 64 /* histories that are on the way at once */ };

/* What is done to what. Each history of a batch has a number, and what it is done to is its own. */
struct linear_subject {
    const char *name;        /* of the test, for the counts */
    unsigned long histories; /* unless the command line says how many */

    /* Makes a history, and its initial state real. Returns how many threads perform it. */
    unsigned (*make)(unsigned number, struct linear_history *history, struct random *random);

    /* Performs an operation, and writes down its result, and the stamps, unless it cannot be done. */
    void (*perform)(unsigned number, struct linear_op *op);

    /* Ends a history: all threads' operations, and those of thread LINEAR_THREADS, are done. */
    void (*end)(unsigned number, struct linear_history *history);
};

/* The clock: what a thread has done before it takes a stamp happens before all that others do after a later one. */
uint64_t linear_stamp(void);

/*
 * The main function: program [HISTORIES [SECONDS [SEED]]], and what further arguments the subject has. After SECONDS
 * (0: never) it ends with what was checked until then. SEED (default: 1) is that of the programs; what the threads make
 * of them differs from run to run. Returns the exit status: 0 all are linearizable, 1 one is not; of the histories of
 * that batch the shortest part that no order explains is printed.
 */
int linear_run(const struct linear_subject *subject, int argc, char *argv[]);

#endif
