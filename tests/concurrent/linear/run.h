/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run: runs small random histories in several threads, which yield at the library's sync points, and checks whether
 * each history is linearizable. In one of four, if that may be, a thread stops in a read section until the others have
 * ended. Threads and memory are reused from batch to batch. Link it with the copy of the library that has sync
 * points. It defines rcuinfo__sync_point.
 */
#pragma once

#include "linear/history.h"

enum { LINEAR_BATCH = 64 /* histories that are on the way at once */ };

/* The store under test and its operations. Each history of a batch has a number and its own objects. */
struct linear_subject {
    const char *name;        /* of the test, for the counts */
    unsigned long histories; /* in tools/check --full (TEST_FULL); a third of them otherwise */
    bool stops;              /* a thread may stop in a read section: others never wait for it */

    /* Generates a history and creates its initial objects. Returns the number of threads that perform it. */
    unsigned (*make)(unsigned number, struct linear_history *history, struct random *random);

    /* Performs an operation and records its result and stamps, or skips it if it cannot be performed. */
    void (*perform)(unsigned number, struct linear_op *op);

    /* Ends a history, after all operations including those of thread LINEAR_THREADS. */
    void (*end)(unsigned number, struct linear_history *history);
};

/* The clock. Everything before a thread takes a stamp happens before everything after a later stamp. */
uint64_t linear_stamp(void);

/*
 * The main function: program [HISTORIES [SECONDS [SEED]]], followed by arguments of the subject. HISTORIES replaces the
 * subject's number. It stops after SECONDS (0: no limit). SEED (default: 1) determines the programs; the interleaving
 * of the threads differs from run to run. Returns the exit status: 0 if all histories are linearizable, else 1. In that
 * case it prints the shortest part of a history in the failing batch that no order explains.
 */
int linear_run(const struct linear_subject *subject, int argc, char *argv[]);
