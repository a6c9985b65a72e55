/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rows: what the repeats of one cell gave, one line and one row of the report a peer, and how the store stands to each
 * peer. A ratio compares two numbers of one round, so that what the machine did to both of them falls out.
 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "harness.h"
#include "peers.h"
#include "report.h"

/* One value a round of each peer, in the order of the list. */
typedef double rows_values[PEER_MAX][BENCH_REPEAT_MAX];

/* What tells one cell from another: a number, or a text where that is not NULL. */
struct rows_field {
    const char *name;
    double number;
    const char *text;
};

/* The store's values over those of peer p, round by round; false for the store itself and where it takes no part. */
bool rows_ratio(const struct peer_list *peers, rows_values values, size_t p, size_t repeats,
                struct bench_spread *ratio);

/* Opens the line and the row of a peer, and ends them; a peer that is ahead of the store is marked. */
void rows_open(struct report *report, const struct rows_field *fields, size_t n, const char *peer);
void rows_close(struct report *report, bool ahead);

/* The names of the fields and "peer", in the columns of rows_open, and what heads the rest of the line. */
void rows_head(const struct rows_field *fields, size_t n, const char *rest);

/* The rows of a cell whose values are nanoseconds, named `measure` in the report. The limit, which cannot be shared, is
 * never ahead. */
void rows_times(struct report *report, const struct rows_field *fields, size_t n, const struct peer_list *peers,
                rows_values ns, size_t repeats, const char *measure);

#endif
