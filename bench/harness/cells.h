/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells: operations that are measured against each other. A cell is one operation in so many threads; all cells are
 * measured once in each round, in an order that moves on from round to round, so that a ratio compares two numbers of
 * one round.
 */
#ifndef BENCH_CELLS_H
#define BENCH_CELLS_H

#include "report.h"

#define CELL_FIELDS 4

struct cell {
    struct cell_field {   /* of its row, beside the threads: a number, or a text where that is not NULL */
        const char *name; /* NULL: there is no such field */
        double number;
        const char *text;
    } fields[CELL_FIELDS];
    struct {
        const struct cell *above; /* NULL: there is no ratio */
        const struct cell *below;
    } ratio;

    /* In each thread work(cell, index, true) is the warm-up, and then work(cell, index, false) is what is timed, from
     * the first one's start to the last one's end; each makes cell_calls(cell, warm_up) calls. */
    unsigned threads;
    void (*work)(struct cell *cell, unsigned index, bool warm_up);
    void (*conduct)(void *cell);      /* meanwhile, unless NULL */
    void (*begin)(struct cell *cell); /* before each measurement, and after it, unless NULL */
    void (*end)(struct cell *cell);
    void *mine; /* of the program: on what it works, how, and whether its threads share that */
    const void *way;
    bool shared;

    unsigned parts;        /* of one call; what is reported is the time of one part; 0: it has one */
    const struct cell *as; /* makes as many calls as this one; NULL: as many as take the time */
    unsigned most;         /* unless 0: it makes so many, or fewer, and then `work` lowers `calls` */
    unsigned calls;        /* in each thread */
    double ns[BENCH_REPEAT_MAX];
    uint64_t start[BENCH_THREAD_MAX]; /* these two written once by each thread, at its end */
    uint64_t end_at[BENCH_THREAD_MAX];
};

static inline unsigned cell_calls(const struct cell *cell, bool warm_up)
{
    return warm_up ? cell->calls / 8 + 1 : cell->calls;
}

/* Fills ns of all cells, after a round that does not count: caches, clock speed, page faults. Then a row of the
 * report each: threads, fields, ns, ratios. */
void cells_run(struct report *report, struct cell *cells, size_t n, unsigned milliseconds, unsigned repeats);

#endif
