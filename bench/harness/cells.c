/* SPDX-License-Identifier: BSD-3-Clause */
/* cells: see cells.h. */
#include "cells.h"

#include <rcuinfo/store.h>

static void time_body(void *context, unsigned index)
{
    struct cell *cell = context;
    cell->work(cell, index, true);
    pthread_barrier_wait(&cell->warm);
    uint64_t start = bench_now();
    cell->work(cell, index, false);
    cell->end_at[index] = bench_now();
    cell->start[index] = start;
}

static void measure(void *context, size_t which, unsigned round)
{
    struct cell *cell = (struct cell *)context + which;
    if (cell->most)
        cell->calls = cell->most;
    if (cell->begin)
        cell->begin(cell);
    if (pthread_barrier_init(&cell->warm, NULL, cell->threads) != 0)
        bench_die("no memory for a barrier");
    bench_threads(cell->threads, time_body, cell->conduct, cell);
    pthread_barrier_destroy(&cell->warm);
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned i = 0; i < cell->threads; i++) {
        first = cell->start[i] < first ? cell->start[i] : first;
        last = cell->end_at[i] > last ? cell->end_at[i] : last;
    }
    cell->ns[round] = (double)(last - first) / cell->calls / cell->parts;
    if (cell->end)
        cell->end(cell);
    rcuinfo_store_drain(); /* so the next measurement does not include the cleanup of this one */
}

/* Returns the nanoseconds of one of `calls` calls. */
static double try(struct cell *cell, unsigned calls)
{
    cell->calls = calls;
    measure(cell, 0, 0);
    return cell->ns[0] * cell->parts;
}

/* Finds the number of calls that take the time, by runs that take up to an eighth of it. */
static void calibrate(struct cell *cell, unsigned milliseconds)
{
    double ns = milliseconds * 1e6;
    unsigned calls = 1;
    double each = try(cell, calls);
    while (each * calls <= ns / 8 && calls < 1U << 28) {
        calls *= 4;
        each = try(cell, calls);
    }
    double wanted = ns / each;
    cell->calls = wanted < 1 ? 1 : wanted < 1e9 ? (unsigned)wanted : 1000000000;
}

void cells_run(struct cell *cells, size_t n, unsigned milliseconds, unsigned repeats)
{
    for (size_t i = 0; i < n; i++) {
        if (!cells[i].parts)
            cells[i].parts = 1;
        if (cells[i].as || cells[i].most)
            (void)try(&cells[i], cells[i].as ? cells[i].as->calls : cells[i].most);
        else
            calibrate(&cells[i], milliseconds);
    }
    bench_rounds(n, repeats, measure, cells);
    for (const struct cell *cell = cells; cell < cells + n; cell++) {
        report_spread(cell->row, "ns", cell->ns, repeats);
        if (cell->ratio.above)
            report_ratio(cell->row, "ratio", cell->ratio.above->ns, cell->ratio.below->ns, repeats);
        report_row(cell->row);
    }
    printf("\n");
}
