/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_contended: gets and sets of several threads on one or many objects: throughput, latency, and the memory of the
 * store's objects. The tables behind locks override in place, which favours them.
 *
 * Mixed rows: every thread gets and sets, by a schedule with an exact share of sets. Roles: some threads only get, the
 * others only set. About one call in SAMPLE is timed, at random intervals, so that reading the clock takes a few
 * percent of the time.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "report.h"
#include "stress/random.h"
#include "workload.h"

static struct bench_list all_threads, all_sets = {5, {0, 1, 10, 50, 100}};
static struct bench_list all_readers = {6, {1, 4, 7, 1, 0, 0}};
static struct bench_list all_writers = {6, {1, 4, 1, 7, 2, 8}}; /* with the readers at the same index */
static struct bench_list all_objects = {1, {1}};
static unsigned keys = 16, repeats = 5, milliseconds = 25;

/* Millions per second. */
enum rate { GETS = CROWD_GETS, SETS = CROWD_SETS, BOTH, RATES };
static const char *const RATE[RATES] = {"gets_M_per_s", "sets_M_per_s", "operations_M_per_s"};

static struct workload load;

/* About one in this many calls is timed. */
static const unsigned SAMPLE[] = {[GETS] = 64, [SETS] = 32};

/* `left` and `right`: the threads and the share of sets, or with roles the readers and the writers. */
struct shape {
    bool roles;
    unsigned objects;
    unsigned left;
    unsigned right;
};

/* One shape, measured with all peers in all rounds. */
struct cell {
    struct crowd crowd;
    struct shape shape;
    struct peer_list peers;
    const struct peer *peer; /* the current one */
    rcuinfo_t *objects;
    size_t mask; /* of the schedules */
    uint32_t *schedule[BENCH_THREAD_MAX];
    struct histogram timed[BENCH_THREAD_MAX][CROWD_CALLS]; /* of the current run */
    double rate[RATES][PEER_MAX][BENCH_REPEAT_MAX];
    double grace_periods[BENCH_REPEAT_MAX]; /* of the store only, as the next two */
    double filled[BENCH_REPEAT_MAX];        /* KiB of the objects before the run */
    double drained[BENCH_REPEAT_MAX];       /* KiB of the objects after it, and after a drain */
    struct histogram latency[CROWD_CALLS][PEER_MAX];
};

/* Calls until the next timed one: `mean` on average, but random, so not in phase with the schedule. */
static unsigned gap(unsigned mean, struct random *random)
{
    return 1 + random_below(random, 2 * mean - 1);
}

static inline void perform(const struct cell *cell, uint32_t operation, unsigned turn, char *value)
{
    rcuinfo_t object = cell->objects[workload_object_of(operation)];
    if (operation & WORKLOAD_SET)
        workload_set(&load, cell->peer, object, workload_key_of(operation), turn);
    else
        workload_get(&load, cell->peer, object, workload_key_of(operation), value);
}

static __attribute__((noinline)) void perform_timed(const struct cell *cell, uint32_t operation, unsigned turn,
                                                    char *value, struct histogram *latency)
{
    uint64_t start = bench_now();
    perform(cell, operation, turn, value);
    histogram_add(latency, bench_now() - start);
}

static void body(void *context, unsigned index)
{
    _Alignas(BENCH_APART) char value[RCUINFO_MAX_VALUE];
    struct cell *cell = context;
    struct random random = {index + 1};
    unsigned left[] = {gap(SAMPLE[GETS], &random), gap(SAMPLE[SETS], &random)};
    uint64_t done[] = {0, 0};

    for (enum crowd_phase phase; (phase = crowd_phase(&cell->crowd)) != CROWD_STOP;) {
        uint32_t operation = cell->schedule[index][(done[GETS] + done[SETS]) & cell->mask];
        enum crowd_call call = operation & WORKLOAD_SET ? CROWD_SETS : CROWD_GETS;
        unsigned turn = (unsigned)done[SETS] + index;

        if (phase != CROWD_MEASURE || --left[call]) {
            perform(cell, operation, turn, value);
        } else {
            perform_timed(cell, operation, turn, value, &cell->timed[index][call]);
            left[call] = gap(SAMPLE[call], &random);
        }
        crowd_count(&cell->crowd, index, call, ++done[call]);
    }
}

/* Fills the objects, runs the threads, reads everything back, and frees the objects. */
static void measure(void *context, size_t p, unsigned round)
{
    char value[RCUINFO_MAX_VALUE];
    struct cell *cell = context;
    const double *per_us = cell->crowd.per_us;

    cell->peer = cell->peers.at[p];
    double heap = (double)bench_heap();
    for (unsigned i = 0; i < cell->shape.objects; i++)
        cell->objects[i] = workload_fill(&load, cell->peer, load.keys);
    memset(cell->timed, 0, cell->crowd.threads * sizeof cell->timed[0]);
    double filled = (double)bench_heap() - heap;

    uint64_t before = store_stats().grace_periods;
    crowd_run(&cell->crowd, body);
    if (cell->peer == &peer_store) {
        cell->grace_periods[round] = (double)(store_stats().grace_periods - before);
        if (rcuinfo_store_drain())
            bench_die("memory still awaits a grace period after a drain without other threads");
        cell->filled[round] = filled / 1024;
        cell->drained[round] = ((double)bench_heap() - heap) / 1024;
    }

    for (unsigned i = 0; i < cell->shape.objects; i++) {
        for (unsigned key = 0; key < load.keys; key++)
            workload_get(&load, cell->peer, cell->objects[i], key, value);
        workload_empty(cell->peer, &cell->objects[i]);
    }

    for (enum rate r = GETS; r < BOTH; r++) {
        cell->rate[r][p][round] = per_us[r];
        for (unsigned i = 0; i < cell->crowd.threads; i++)
            histogram_merge(&cell->latency[r][p], &cell->timed[i][r]);
    }
    cell->rate[BOTH][p][round] = per_us[GETS] + per_us[SETS];
}

static const struct {
    const char *name;
    double share;
} QUANTILE[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99_9", 0.999}, {"p99_99", 0.9999}, {"max", 1}};

/* Adds percentiles in microseconds to a row. */
static void add_latency(json_t *row, const char *name, const struct histogram *latency)
{
    if (!latency->samples)
        return;
    json_t *group = json_pack("{s:I}", "samples", (json_int_t)latency->samples);
    for (size_t i = 0; i < sizeof QUANTILE / sizeof QUANTILE[0]; i++) {
        double ns = (double)histogram_percentile(latency, QUANTILE[i].share);
        json_object_set_new(group, QUANTILE[i].name, json_real(ns / 1000));
    }
    json_object_set_new(row, name, group);
}

static void report_peer(const struct cell *cell, size_t p)
{
    const struct shape *shape = &cell->shape;
    size_t store = cell->peers.store;

    json_t *row = json_pack("{s:s, s:i, s:i, s:i, s:s}", "kind", shape->roles ? "roles" : "mixed", "objects",
                            shape->objects, shape->roles ? "readers" : "threads", shape->left,
                            shape->roles ? "writers" : "sets_percent", shape->right, "peer", cell->peers.at[p]->name);
    if (shape->roles)
        json_object_set_new(row, "threads", json_integer(cell->crowd.threads));

    for (enum rate r = GETS; r < RATES; r++)
        report_spread(row, RATE[r], cell->rate[r][p], repeats);
    if (store != p) {
        report_ratio(row, "operations_ratio", cell->rate[BOTH][store], cell->rate[BOTH][p], repeats);
    } else {
        report_spread(row, "grace_periods", cell->grace_periods, repeats);
        report_spread(row, "filled_KiB", cell->filled, repeats);
        report_spread(row, "drained_KiB", cell->drained, repeats);
        size_t retired = store_stats().peak_retired; /* of all runs so far */
        json_object_set_new(row, "peak_retired_bytes", json_integer((json_int_t)retired));
    }

    add_latency(row, "get_latency_us", &cell->latency[GETS][p]);
    add_latency(row, "set_latency_us", &cell->latency[SETS][p]);
    report_row(row);
}

/* Measures one shape. Peers that are not thread-safe are included if there is no writer, or only one thread. */
static void bench_cell(struct shape shape)
{
    unsigned threads = shape.roles ? shape.left + shape.right : shape.left;
    struct cell *cell = bench_memory(sizeof *cell);

    cell->crowd.threads = threads;
    cell->crowd.nanoseconds = (uint64_t)milliseconds * 1000000;
    cell->shape = shape;
    cell->peers = peers_all(shape.right > 0 && threads > 1);
    cell->objects = bench_memory(shape.objects * sizeof *cell->objects);
    for (unsigned i = 0; i < threads; i++) {
        unsigned sets = !shape.roles ? shape.right : i < shape.left ? 0 : 100;
        struct workload_mix mix = {.sets = sets, .objects = shape.objects};
        cell->schedule[i] = workload_schedule(&load, mix, i + 1, &cell->mask);
    }

    bench_rounds(cell->peers.n, repeats, measure, cell);
    for (size_t p = 0; p < cell->peers.n; p++)
        report_peer(cell, p);

    for (unsigned i = 0; i < threads; i++)
        free(cell->schedule[i]);
    free(cell->objects);
    free(cell);
}

static void bench_all(void)
{
    if (all_readers.n != all_writers.n)
        bench_usage("--readers and --writers must be lists of the same length");
    load = workload_make(keys, WORKLOAD_VALUE);
    for (size_t o = 0; o < all_objects.n; o++) {
        unsigned objects = all_objects.at[o];
        for (size_t t = 0; t < all_threads.n; t++) {
            for (size_t s = 0; s < all_sets.n; s++)
                bench_cell((struct shape){false, objects, all_threads.at[t], all_sets.at[s]});
        }
        for (size_t r = 0; r < all_readers.n; r++)
            bench_cell((struct shape){true, objects, all_readers.at[r], all_writers.at[r]});
    }
    workload_unmake(&load);
}

int main(int argc, char **argv)
{
    all_threads = bench_default_threads();
    const struct program program = {
        "bench_contended",
        "Gets and sets of several threads: the store compared with its table behind locks, and with other tables.\n"
        "Ratio: " PEER_STORE " / peer. Latencies are of random calls, and include reading the clock.\n"
        "filled_KiB: heap used by the objects; drained_KiB: the same after the run and a drain.\n",
        {
            {"threads", OPTION_LIST, 1, BENCH_THREAD_MAX, "threads that get and set", &all_threads},
            {"sets", OPTION_LIST, 0, 100, "percentage of sets in their operations", &all_sets},
            {"readers", OPTION_LIST, 0, BENCH_THREAD_MAX / 2, "threads that only get", &all_readers},
            {"writers", OPTION_LIST, 1, BENCH_THREAD_MAX / 2, "threads that only set, for each number of readers",
             &all_writers},
            {"objects", OPTION_LIST, 1, WORKLOAD_OBJECT_MAX, "objects; each call uses a random one", &all_objects},
            {"keys", OPTION_NUMBER, 1, WORKLOAD_KEY_MAX, "keys in an object", &keys},
            {OPTION_REPEATS, &repeats},
            {OPTION_MS, &milliseconds},
        },
        .has_peers = true,
    };
    return report_main(&program, argc, argv, bench_all);
}
