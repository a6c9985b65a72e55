/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_line: one line of bench_mpi's output: what the store took, what it is compared with took, the ratio of the two
 * round by round, and whether that is what we want to reach.
 */
#ifndef BENCH_MPI_LINE_H
#define BENCH_MPI_LINE_H

#include <stdbool.h>

#include "report.h"

struct mpi_line {
    const char *question;
    unsigned keys;
    unsigned readers; /* threads that only get, and that only set; both 0: one thread that does one thing */
    unsigned writers;
    const char *against;
    const char *unit; /* of the numbers */
    bool more;        /* the greater number is the better one, so targets are at least, not at most */
    bool alone;       /* the target is for the store's number, not for the ratio */
    double target;    /* 0: none */
};

void mpi_line_head(unsigned repeats);

/* Prints and reports the numbers of n rounds. The target holds or not for the median. */
void mpi_line_put(struct report *report, const struct mpi_line *line, const double *store, const double *other,
                  unsigned n);

#endif
