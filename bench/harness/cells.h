/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells: operations that are compared with each other. A cell is one operation in a number of threads. In each round
 * every cell is measured once, in an order that rotates from round to round, and a ratio compares two numbers of the
 * same round.
 */
#pragma once

#include <pthread.h>

#include "report.h"

struct cell {
    json_t *row; /* what it measures, for the report */
    struct {
        const struct cell *above; /* NULL: no ratio */
        const struct cell *below;
    } ratio;

    /* Each thread calls work(cell, index, true) as a warm-up, then work(cell, index, false). The latter is timed, from
     * the start of the first thread to the end of the last. Each makes cell_calls(cell, warm_up) calls. */
    unsigned threads;
    void (*work)(struct cell *cell, unsigned index, bool warm_up);
    void (*conduct)(void *cell);      /* called meanwhile in the main thread, unless NULL */
    void (*begin)(struct cell *cell); /* called before each measurement, and `end` after it, unless NULL */
    void (*end)(struct cell *cell);
    void *mine; /* for the program: the data, the operation, and whether the threads share the data */
    const void *way;
    bool shared;

    unsigned parts;        /* of one call; the reported time is that of one part; 0 means 1 */
    const struct cell *as; /* makes as many calls as this cell; NULL: as many as fit into the time */
    unsigned most;         /* unless 0, the maximum number of calls; `work` lowers `calls` if it makes fewer */
    unsigned calls;        /* in each thread */
    double ns[BENCH_REPEAT_MAX];
    pthread_barrier_t warm;           /* after the warm-up of all threads */
    uint64_t start[BENCH_THREAD_MAX]; /* each thread writes its start and end once, when it has ended its calls */
    uint64_t end_at[BENCH_THREAD_MAX];
};

static inline unsigned cell_calls(const struct cell *cell, bool warm_up)
{
    return warm_up ? cell->calls / 8 + 1 : cell->calls;
}

/* Measures all cells, after a round that is not counted (caches, clock speed, page faults). Then reports a row for
 * each: its own, and ns, ratio. */
void cells_run(struct cell *cells, size_t n, unsigned milliseconds, unsigned repeats);
