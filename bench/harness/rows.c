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

void rows_head(const struct rows_field *fields, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%*s ", column(fields[i].name), fields[i].name);
    printf(" %-14s", "peer");
}

void rows_open(struct report *report, const struct rows_field *fields, size_t n, const char *peer)
{
    report_enter(report, NULL, '{');
    for (size_t i = 0; i < n; i++) {
        if (fields[i].text) {
            printf("%*s ", column(fields[i].name), fields[i].text);
            report_text(report, fields[i].name, fields[i].text);
        } else {
            printf("%*.0f ", column(fields[i].name), fields[i].number);
            report_number(report, fields[i].name, fields[i].number);
        }
    }
    printf(" %-14s", peer);
    report_text(report, "peer", peer);
}

void rows_spread(struct report *report, const char *name, struct bench_spread spread)
{
    printf("  %8.2f /%8.2f /%8.2f", spread.min, spread.median, spread.max);
    report_spread(report, name, spread);
}

void rows_times_head(const struct rows_field *fields, size_t n, const char *measure)
{
    rows_head(fields, n);
    printf("  %28s  %s\n", measure, PEER_STORE " / peer");
}

void rows_times(struct report *report, const struct rows_field *fields, size_t n, const struct peer_list *peers,
                rows_values ns, size_t repeats, const char *measure)
{
    struct bench_spread spreads[PEER_MAX], ratios[PEER_MAX];
    bool compared[PEER_MAX];
    for (size_t p = 0; p < peers->n; p++) /* before the spreads sort the rounds away */
        compared[p] = rows_ratio(peers, ns, p, repeats, &ratios[p]);
    for (size_t p = 0; p < peers->n; p++)
        spreads[p] = bench_spread_of(ns[p], repeats);
    for (size_t p = 0; p < peers->n; p++) {
        bool ahead = compared[p] && peers->at[p]->shared && ratios[p].median > 1;
        rows_open(report, fields, n, peers->at[p]->name);
        rows_spread(report, measure, spreads[p]);
        if (compared[p]) {
            printf("  %7.3f (%.3f to %.3f)", ratios[p].median, ratios[p].min, ratios[p].max);
            report_spread(report, "ratio", ratios[p]);
        }
        report_number(report, "ahead", ahead);
        printf("%s\n", ahead ? "  <-- ahead of " PEER_STORE : "");
        report_leave(report);
    }
    printf("\n");
    fflush(stdout);
}
