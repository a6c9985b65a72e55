/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_get: what one get costs, of a key that is there and of one that is not, and what of it is protection.
 *
 * The limit is the same table with nothing around it. In each round every peer is measured once, on a new object, in
 * an order that moves on from round to round.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "options.h"
#include "peers.h"
#include "report.h"
#include "workload.h"

struct options {
    struct bench_list keys;
    struct bench_list threads;
    struct bench_list misses;
    unsigned value_bytes;
    unsigned calls;
    unsigned repeats;
    struct peer_list peers;
};

/* One measurement: a peer, an object, all threads. */
struct run {
    const struct workload *load;
    const struct peer *peer;
    const uint32_t *schedule;
    size_t mask;
    rcuinfo_t object;
    unsigned calls;
};

/* Apart, so that the loop is compiled once and lies at the same place for the warm-up and for every peer. */
static __attribute__((noinline, aligned(64))) void get_many(const struct run *run, size_t at, size_t calls)
{
    _Alignas(BENCH_APART) char value[RCUINFO_MAX_VALUE];
    for (size_t end = at + calls; at < end; at++) {
        uint32_t operation = run->schedule[at & run->mask];
        if (operation & WORKLOAD_MISS)
            workload_miss(run->load, run->peer, run->object, workload_key_of(operation), value);
        else
            workload_get(run->load, run->peer, run->object, workload_key_of(operation), value);
    }
}

static void get_work(void *context, unsigned index, bool warm_up)
{
    const struct run *run = context;
    size_t at = (size_t)index * 1031; /* threads do not go through the keys in step */
    get_many(run, at, warm_up ? run->calls / 8 + 1 : run->calls);
}

/* The repeats of one number of keys, of threads, and share of misses. */
struct cell {
    const struct options *options;
    const struct workload *load;
    const uint32_t *schedule;
    size_t mask;
    unsigned threads;
    rows_values ns;
};

/* Nanoseconds of one get in one thread, the mean over the threads. */
static void measure(void *context, size_t p, unsigned round)
{
    struct cell *cell = context;
    struct run run = {.load = cell->load, .schedule = cell->schedule, .mask = cell->mask};
    run.calls = cell->options->calls;
    run.peer = cell->options->peers.at[p];
    run.object = workload_fill(run.load, run.peer, run.load->keys);
    cell->ns[p][round] = bench_time(cell->threads, get_work, NULL, &run).mean / run.calls;
    workload_empty(run.peer, &run.object);
}

#define FIELDS 3

static void bench_cell(const struct options *options, struct report *report, const struct workload *load,
                       unsigned threads, unsigned misses)
{
    static struct cell cell;
    cell.options = options;
    cell.load = load;
    cell.threads = threads;
    uint32_t *schedule =
        workload_schedule(load, (struct workload_mix){.misses = misses, .objects = 1}, load->keys, &cell.mask);
    cell.schedule = schedule;
    bench_rounds(options->peers.n, 1, measure, &cell); /* does not count: caches, clock speed, page faults */
    bench_rounds(options->peers.n, options->repeats, measure, &cell);
    const struct rows_field fields[FIELDS] = {
        {"keys", load->keys, NULL}, {"threads", threads, NULL}, {"misses_percent", misses, NULL}};
    rows_times(report, fields, FIELDS, &options->peers, cell.ns, options->repeats, "ns_per_get");
    free(schedule);
}

static void bench_all(const struct options *options, struct report *report)
{
    const struct rows_field names[FIELDS] = {{"keys", 0, NULL}, {"threads", 0, NULL}, {"misses_percent", 0, NULL}};
    size_t done = 0, cells = options->keys.n * options->threads.n * options->misses.n;
    uint64_t start = bench_now();
    printf("\n# ns per get in each thread, min / median / max of %u rounds of %u gets; values of %u bytes, each one "
           "checked\n# last column: time of " PEER_STORE " / of the peer, median (min to max) of the rounds' ratios\n",
           options->repeats, options->calls, options->value_bytes);
    rows_head(names, FIELDS, "ns_per_get, " PEER_STORE " / peer");
    for (size_t k = 0; k < options->keys.n; k++) {
        struct workload load = workload_make(options->keys.at[k], options->value_bytes);
        for (size_t t = 0; t < options->threads.n; t++) {
            for (size_t m = 0; m < options->misses.n; m++) {
                char what[64];
                snprintf(what, sizeof what, "keys %u, threads %u, misses %u %%", load.keys, options->threads.at[t],
                         options->misses.at[m]);
                bench_progress(start, done++, cells, what);
                bench_cell(options, report, &load, options->threads.at[t], options->misses.at[m]);
            }
        }
        workload_unmake(&load);
    }
}

int main(int argc, char **argv)
{
    struct options options = {.keys = {7, {1, 4, 16, 128, 1024, 8192, 65536}},
                              .threads = {1, {1}},
                              .misses = {2, {0, 100}},
                              .value_bytes = 24,
                              .calls = 30000,
                              .repeats = 15,
                              .peers = peers_all()};
    const struct option_row rows[] = {
        OPTION_KEYS(&options.keys),
        OPTION_THREADS(&options.threads),
        {"misses", 'n', OPTION_LIST, &options.misses, 0, 100, "gets of a hundred of a key that is not there", NULL},
        OPTION_VALUE(&options.value_bytes),
        {"calls", 'c', OPTION_NUMBER, &options.calls, 1, 1000000000, "gets in each thread and round", NULL},
        OPTION_REPEATS(&options.repeats),
        OPTION_PEERS_OF(&options.peers),
    };
    struct program program = {
        "bench_get",
        "What one get costs: the store beside the same table behind locks and alone, and beside other tables.\n",
        rows,
        sizeof rows / sizeof rows[0],
        peers_help,
        NULL};
    options_read(&program, argc, argv);
    struct report report = report_open(&program);
    report_enter(&report, "rows", '[');
    bench_all(&options, &report);
    report_close(&report);
    return 0;
}
