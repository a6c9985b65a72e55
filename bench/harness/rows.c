/* SPDX-License-Identifier: BSD-3-Clause */
/* rows: see rows.h. */
#include "rows.h"

#include <stdio.h>
#include <string.h>

#define COLUMN 8 /* characters of a field at least */

bool rows_ratio(const struct peer_list *peers, rows_values values, size_t p, size_t repeats, struct bench_spread *ratio)
{
    size_t store = peers_index(peers, PEER_STORE);
    if (store == peers->n || store == p)
        return false;
    *ratio = bench_spread_of_ratios(values[store], values[p], repeats);
    return true;
}

static int column(const char *name)
{
    int length = (int)strlen(name);
    return length < COLUMN ? COLUMN : length;
}

void rows_head(const struct rows_field *fields, size_t n, const char *rest)
{
    for (size_t i = 0; i < n; i++)
        printf("%*s ", column(fields[i].name), fields[i].name);
    printf("%-14s  %s\n", "peer", rest);
}

void rows_open(struct report *report, const struct rows_field *fields, size_t n, const char *peer)
{
    report_enter(report, NULL, '{');
    for (size_t i = 0; i < n; i++) {
        if (fields[i].text)
            show_text(report, fields[i].name, column(fields[i].name), fields[i].text);
        else
            show_number(report, fields[i].name, column(fields[i].name), fields[i].number);
    }
    show_text(report, "peer", -14, peer);
}

void rows_close(struct report *report, bool ahead)
{
    report_number(report, "ahead", ahead);
    report_leave(report);
    printf("%s\n", ahead ? "  <-- ahead of " PEER_STORE : "");
}

void rows_times(struct report *report, const struct rows_field *fields, size_t n, const struct peer_list *peers,
                rows_values ns, size_t repeats, const char *measure)
{
    for (size_t p = 0; p < peers->n; p++) {
        struct bench_spread ratio = {.median = 0};
        rows_open(report, fields, n, peers->at[p]->name);
        show_spread(report, measure, bench_spread_of(ns[p], repeats));
        if (rows_ratio(peers, ns, p, repeats, &ratio))
            show_ratio(report, "ratio", ratio);
        rows_close(report, peers->at[p]->shared && ratio.median > 1);
    }
    printf("\n");
    fflush(stdout);
}
