/* SPDX-License-Identifier: BSD-3-Clause */
/* contended_cell: the repeats of one cell and its rows; see contended.h. */
#include "contended.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/store.h>

#include "rows.h"

/* Its repeats. */
struct cell {
    struct contended_shape shape;
    struct peer_list peers;
    struct contended run;
    rows_values gets, sets, all; /* millions a second */
    double grace_periods[BENCH_REPEAT_MAX];
    struct histogram get_latency[PEER_MAX], set_latency[PEER_MAX];
};

static void measure(void *context, size_t p, unsigned round)
{
    struct cell *cell = context;
    struct contended *run = &cell->run;
    run->peer = cell->peers.at[p];
    contended_run(run);
    cell->gets[p][round] = run->gets_per_us;
    cell->sets[p][round] = run->sets_per_us;
    cell->all[p][round] = run->gets_per_us + run->sets_per_us;
    if (p == peers_index(&cell->peers, PEER_STORE))
        cell->grace_periods[round] = (double)run->grace_periods;
    for (unsigned i = 0; i < run->threads; i++) {
        histogram_merge(&cell->get_latency[p], &run->workers[i].get_latency);
        histogram_merge(&cell->set_latency[p], &run->workers[i].set_latency);
    }
}

#define FIELDS 4

static void fields_of(const struct contended_shape *shape, struct rows_field *fields)
{
    fields[0] = (struct rows_field){"kind", 0, shape->roles ? "roles" : "mixed"};
    fields[1] = (struct rows_field){"objects", shape->objects, NULL};
    fields[2] = (struct rows_field){shape->roles ? "readers" : "threads", shape->left, NULL};
    fields[3] = (struct rows_field){shape->roles ? "writers" : "sets_percent", shape->right, NULL};
}

void contended_head(const struct contended_shape *shape)
{
    struct rows_field fields[FIELDS];
    fields_of(shape, fields);
    rows_head(fields, FIELDS);
    printf("  %28s  %28s  %s\n", "M gets/s", "M sets/s", PEER_STORE " / peer: gets, sets, all");
}

/* How the store stands to peer p in gets, sets and both, as far as the row has them; whether the peer does more. */
static bool print_ratios(struct report *report, struct cell *cell, size_t p, size_t repeats)
{
    const struct contended_shape *shape = &cell->shape;
    bool has_gets = shape->roles ? shape->left > 0 : shape->right != 100;
    bool has_sets = shape->right > 0;
    const struct {
        const char *name;
        double (*values)[BENCH_REPEAT_MAX];
        bool has;
    } ratios[] = {{"gets_ratio", cell->gets, has_gets},
                  {"sets_ratio", cell->sets, has_sets},
                  {"operations_ratio", cell->all, true}};
    struct bench_spread ratio;
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        if (!rows_ratio(&cell->peers, ratios[i].values, p, repeats, &ratio))
            return false;
        if (ratios[i].has) {
            printf(" %7.2f", ratio.median);
            report_spread(report, ratios[i].name, ratio);
        } else {
            printf(" %7s", "-");
        }
    }
    printf(" (%.2f to %.2f)", ratio.min, ratio.max);
    return ratio.median < 1 && cell->peers.at[p]->shared;
}

/* Percentiles in microseconds, into the report only. */
static void report_latency(struct report *report, const char *name, const struct histogram *latency)
{
    if (!latency->samples)
        return;
    report_enter(report, name, '{');
    report_number(report, "samples", (double)latency->samples);
    report_number(report, "p50", (double)histogram_percentile(latency, 0.5) / 1000);
    report_number(report, "p99", (double)histogram_percentile(latency, 0.99) / 1000);
    report_number(report, "p99_9", (double)histogram_percentile(latency, 0.999) / 1000);
    report_number(report, "p99_99", (double)histogram_percentile(latency, 0.9999) / 1000);
    report_number(report, "max", (double)latency->max / 1000);
    report_leave(report);
}

static void print_latency(const struct histogram *latency)
{
    static const double SHARES[] = {0.5, 0.99, 0.999, 0.9999};
    if (!latency->samples) {
        printf("  %61s", "-");
        return;
    }
    printf("  ");
    for (size_t i = 0; i < sizeof SHARES / sizeof SHARES[0]; i++)
        printf("%9.2f ", (double)histogram_percentile(latency, SHARES[i]) / 1000);
    printf("%10.2f %10.0f", (double)latency->max / 1000, (double)latency->samples);
}

/* What the store had to do: grace periods in one run, and what it kept meanwhile. */
static void print_store(struct report *report, struct cell *cell, size_t repeats)
{
    rcuinfo_stats_t stats;
    struct bench_spread grace = bench_spread_of(cell->grace_periods, repeats);
    rcuinfo_store_stats(&stats);
    printf("  grace periods %.0f /%.0f /%.0f, peak so far %.0f KiB retired", grace.min, grace.median, grace.max,
           (double)stats.peak_retired / 1024);
    report_spread(report, "grace_periods", grace);
    report_number(report, "peak_retired_bytes", (double)stats.peak_retired);
}

static void print_latencies(const struct cell *cell)
{
    printf("# microseconds of one call %-8s  %9s %9s %9s %9s %10s %10s  %9s %9s %9s %9s %10s %10s\n", "", "get p50",
           "p99", "p99.9", "p99.99", "max", "timed", "set p50", "p99", "p99.9", "p99.99", "max", "timed");
    for (size_t p = 0; p < cell->peers.n; p++) {
        printf("%*s%-14s", 20, "", cell->peers.at[p]->name);
        print_latency(&cell->get_latency[p]);
        print_latency(&cell->set_latency[p]);
        printf("\n");
    }
    printf("\n");
}

static void print_rows(struct report *report, struct cell *cell, size_t repeats)
{
    struct rows_field fields[FIELDS];
    double copy[BENCH_REPEAT_MAX];
    size_t store = peers_index(&cell->peers, PEER_STORE);
    fields_of(&cell->shape, fields);
    for (size_t p = 0; p < cell->peers.n; p++) {
        rows_open(report, fields, FIELDS, cell->peers.at[p]->name);
        if (cell->shape.roles)
            report_number(report, "threads", cell->run.threads);
        memcpy(copy, cell->gets[p], repeats * sizeof *copy);
        rows_spread(report, "gets_M_per_s", bench_spread_of(copy, repeats));
        memcpy(copy, cell->sets[p], repeats * sizeof *copy);
        rows_spread(report, "sets_M_per_s", bench_spread_of(copy, repeats));
        memcpy(copy, cell->all[p], repeats * sizeof *copy);
        report_spread(report, "operations_M_per_s", bench_spread_of(copy, repeats));
        bool ahead = print_ratios(report, cell, p, repeats);
        if (p == store)
            print_store(report, cell, repeats);
        report_latency(report, "get_latency_us", &cell->get_latency[p]);
        report_latency(report, "set_latency_us", &cell->set_latency[p]);
        report_number(report, "ahead", ahead);
        printf("%s\n", ahead ? "  <-- ahead of " PEER_STORE : "");
        report_leave(report);
    }
    print_latencies(cell);
    fflush(stdout);
}

/* Who works on unprotected data: one thread, or readers only. */
static bool is_exclusive(const struct contended_shape *shape)
{
    return shape->right == 0 || (shape->roles ? shape->left + shape->right : shape->left) == 1;
}

void contended_cell(const struct contended_options *options, struct report *report, const struct workload *load,
                    struct contended_shape shape)
{
    static struct cell cell; /* too large for the stack */
    memset(&cell, 0, sizeof cell);
    cell.shape = shape;
    cell.peers = is_exclusive(&shape) ? options->peers : peers_shared(&options->peers);
    struct contended *run = &cell.run;
    run->load = load;
    run->threads = shape.roles ? shape.left + shape.right : shape.left;
    run->duration = (uint64_t)options->milliseconds * 1000000;
    run->objects_n = shape.objects;
    run->objects = bench_memory(shape.objects * sizeof *run->objects);
    run->workers = bench_memory(run->threads * sizeof *run->workers);
    uint32_t *schedules[BENCH_THREAD_MAX];
    for (unsigned i = 0; i < run->threads; i++) {
        struct workload_mix mix = {.sets = shape.roles ? (i < shape.left ? 0 : 100) : shape.right,
                                   .objects = shape.objects};
        run->workers[i].schedule = schedules[i] = workload_schedule(load, mix, i + 1, &run->mask);
    }
    if (cell.peers.n) {
        bench_rounds(cell.peers.n, options->repeats, measure, &cell);
        print_rows(report, &cell, options->repeats);
    }
    for (unsigned i = 0; i < run->threads; i++)
        free(schedules[i]);
    free(run->workers);
    free(run->objects);
}
