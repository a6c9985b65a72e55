/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_contended: gets and sets of several threads on one object or on many: the store, the same table behind locks,
 * and other tables. How much gets done, and how long single calls take.
 *
 * Two kinds of rows. Mixed: every thread gets and sets, by a schedule in which the share of sets is exact; so the share
 * is one of operations, whatever they cost. Roles: some threads only get, the others only set. The tables behind locks
 * override in place, which favours them.
 *
 * The calls of all threads are read at two instants by one clock: a thread that is not on a processor meanwhile has
 * simply done nothing. Of the calls between these two instants about one in SAMPLE is timed, at random distances, so
 * that the clock takes a few hundredths of the time.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/store.h>

#include "histogram.h"
#include "options.h"
#include "report.h"
#include "workload.h"

#define QUICK_S 12 /* seconds that --quick measures for, all in all */
#define ROLES   "1+1,4+4,7+1,1+7,0+2,0+8"

/* Millions a second, and how the store's stand to a peer's: names in the report. */
enum rate { GETS, SETS, BOTH, RATES };
static const struct {
    const char *name;
    const char *ratio;
} RATE[RATES] = {[GETS] = {"gets_M_per_s", "gets_ratio"},
                 [SETS] = {"sets_M_per_s", "sets_ratio"},
                 [BOTH] = {"operations_M_per_s", "operations_ratio"}};

/* Of so many calls about one is timed. */
static const unsigned SAMPLE[] = {[GETS] = 64, [SETS] = 8};

/* What a thread has done. The counts are written by that thread alone and read by the conductor. */
struct worker {
    _Alignas(BENCH_APART) _Atomic uint64_t calls[2]; /* gets, sets */
    const uint32_t *schedule;
    struct histogram latency[2];
};

struct run {
    const struct workload *load;
    const struct peer *peer;
    rcuinfo_t *objects;
    unsigned objects_n;
    unsigned threads;
    uint64_t duration;
    size_t mask;            /* of the schedules */
    double calls_per_us[2]; /* the results: millions a second */
    uint64_t grace_periods;
    struct worker *workers;
    _Alignas(BENCH_APART) atomic_int phase;
};

enum phase { WARM_UP, MEASURE, STOP };

/* Calls until the next one that is timed: `mean` on average, never in step with the schedule. */
static unsigned gap(unsigned mean, uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return 1 + *state % (2 * mean - 1);
}

static inline void perform(const struct run *run, uint32_t operation, unsigned turn, char *value)
{
    rcuinfo_t object = run->objects[workload_object_of(operation)];
    if (operation & WORKLOAD_SET)
        workload_set(run->load, run->peer, object, workload_key_of(operation), turn);
    else
        workload_get(run->load, run->peer, object, workload_key_of(operation), value);
}

static __attribute__((noinline)) void perform_timed(const struct run *run, uint32_t operation, unsigned turn,
                                                    char *value, struct histogram *latency)
{
    uint64_t start = bench_now();
    perform(run, operation, turn, value);
    histogram_add(latency, bench_now() - start);
}

static void body(void *context, unsigned index)
{
    _Alignas(BENCH_APART) char value[RCUINFO_MAX_VALUE];
    struct run *run = context;
    struct worker *worker = &run->workers[index];
    uint32_t state = index + 1;
    unsigned left[2] = {gap(SAMPLE[GETS], &state), gap(SAMPLE[SETS], &state)};
    uint64_t done[2] = {0, 0};
    for (int phase; (phase = atomic_load_explicit(&run->phase, memory_order_relaxed)) != STOP;) {
        uint32_t operation = worker->schedule[(done[0] + done[1]) & run->mask];
        unsigned set = operation / WORKLOAD_SET, turn = (unsigned)done[1] + index;
        if (phase != MEASURE || --left[set]) {
            perform(run, operation, turn, value);
        } else {
            perform_timed(run, operation, turn, value, &worker->latency[set]);
            left[set] = gap(SAMPLE[set], &state);
        }
        atomic_store_explicit(&worker->calls[set], ++done[set], memory_order_relaxed);
    }
}

struct sample {
    uint64_t when;
    uint64_t calls[2];
    rcuinfo_stats_t stats;
};

static struct sample sample(const struct run *run)
{
    struct sample now = {.when = bench_now()};
    for (unsigned i = 0; i < run->threads; i++) {
        now.calls[GETS] += atomic_load_explicit(&run->workers[i].calls[GETS], memory_order_relaxed);
        now.calls[SETS] += atomic_load_explicit(&run->workers[i].calls[SETS], memory_order_relaxed);
    }
    rcuinfo_store_stats(&now.stats);
    return now;
}

static void conduct(void *context)
{
    struct run *run = context;
    bench_sleep_until(bench_now() + run->duration / 10); /* warm-up */
    atomic_store_explicit(&run->phase, MEASURE, memory_order_relaxed);
    struct sample before = sample(run);
    bench_sleep_until(before.when + run->duration);
    struct sample after = sample(run);
    atomic_store_explicit(&run->phase, STOP, memory_order_relaxed);
    double microseconds = (double)(after.when - before.when) / 1000;
    for (enum rate r = GETS; r <= SETS; r++)
        run->calls_per_us[r] = (double)(after.calls[r] - before.calls[r]) / microseconds;
    run->grace_periods = after.stats.grace_periods - before.stats.grace_periods;
}

/* Fills the objects, lets the threads run, reads everything back, and frees the objects. The histograms of the workers
 * are those of this run alone. */
static void run_once(struct run *run)
{
    char value[RCUINFO_MAX_VALUE];
    for (unsigned i = 0; i < run->objects_n; i++)
        run->objects[i] = workload_fill(run->load, run->peer, run->load->keys);
    for (unsigned i = 0; i < run->threads; i++)
        run->workers[i] = (struct worker){.schedule = run->workers[i].schedule};
    atomic_store(&run->phase, WARM_UP);
    bench_threads(run->threads, body, conduct, run);
    for (unsigned i = 0; i < run->objects_n; i++) {
        for (unsigned key = 0; key < run->load->keys; key++)
            workload_get(run->load, run->peer, run->objects[i], key, value);
        workload_empty(run->peer, &run->objects[i]);
    }
}

struct options {
    struct bench_list threads;
    struct bench_list sets;
    struct bench_pairs roles;
    struct bench_list objects;
    unsigned keys;
    unsigned value_bytes;
    unsigned repeats;
    unsigned milliseconds;
    struct peer_list peers; /* those that cannot stand it are left out, cell by cell */
};

/* One cell: `left` and `right` are threads and share of sets, or readers and writers. */
struct shape {
    bool roles;
    unsigned objects;
    unsigned left;
    unsigned right;
};

/* Its repeats. */
struct cell {
    struct shape shape;
    struct peer_list peers;
    struct run run;
    double rate[RATES][PEER_MAX][BENCH_REPEAT_MAX];
    double grace_periods[BENCH_REPEAT_MAX];
    struct histogram latency[2][PEER_MAX];
};

static void measure(void *context, size_t p, unsigned round)
{
    struct cell *cell = context;
    struct run *run = &cell->run;
    run->peer = cell->peers.at[p];
    run_once(run);
    for (enum rate r = GETS; r <= SETS; r++) {
        cell->rate[r][p][round] = run->calls_per_us[r];
        for (unsigned i = 0; i < run->threads; i++)
            histogram_merge(&cell->latency[r][p], &run->workers[i].latency[r]);
    }
    cell->rate[BOTH][p][round] = run->calls_per_us[GETS] + run->calls_per_us[SETS];
    if (p == peers_index(&cell->peers, PEER_STORE))
        cell->grace_periods[round] = (double)run->grace_periods;
}

#define FIELDS 5

static void fields_of(const struct shape *shape, const char *peer, struct rows_field *fields)
{
    fields[0] = (struct rows_field){"kind", 0, shape->roles ? "roles" : "mixed"};
    fields[1] = (struct rows_field){"objects", shape->objects, NULL};
    fields[2] = (struct rows_field){shape->roles ? "readers" : "threads", shape->left, NULL};
    fields[3] = (struct rows_field){shape->roles ? "writers" : "sets_percent", shape->right, NULL};
    fields[4] = (struct rows_field){"peer", 0, peer};
}

/* How the store stands to peer p in gets, sets and both, as far as the row has them; whether the peer does more. */
static bool print_ratios(struct report *report, const struct cell *cell, size_t p, size_t repeats)
{
    const struct shape *shape = &cell->shape;
    const bool has[RATES] = {shape->roles ? shape->left > 0 : shape->right != 100, shape->right > 0, true};
    size_t store = peers_index(&cell->peers, PEER_STORE);
    struct bench_spread ratio = {.median = 1};
    for (enum rate r = GETS; r < RATES && store < cell->peers.n && store != p; r++) {
        ratio = bench_spread_of_ratios(cell->rate[r][store], cell->rate[r][p], repeats);
        if (has[r])
            (r == BOTH ? show_ratio : report_spread)(report, RATE[r].ratio, ratio);
    }
    return ratio.median < 1 && cell->peers.at[p]->shared;
}

static const struct {
    const char *name;
    double share;
} QUANTILE[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99_9", 0.999}, {"p99_99", 0.9999}, {"max", 1}};
#define QUANTILES (sizeof QUANTILE / sizeof QUANTILE[0])

/* Microseconds, into the report only. */
static void report_latency(struct report *report, const char *name, const struct histogram *latency)
{
    if (!latency->samples)
        return;
    report_enter(report, name, '{');
    report_number(report, "samples", (double)latency->samples);
    for (size_t i = 0; i < QUANTILES; i++)
        report_number(report, QUANTILE[i].name, (double)histogram_percentile(latency, QUANTILE[i].share) / 1000);
    report_leave(report);
}

static void print_latency(const struct histogram *latency)
{
    for (size_t i = 0; i < QUANTILES; i++)
        printf("%10.2f ", (double)histogram_percentile(latency, QUANTILE[i].share) / 1000);
    printf("%10.0f  ", (double)latency->samples);
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
    printf("# microseconds of one call: get p50, p99, p99.9, p99.99, max, timed; set p50, p99, p99.9, p99.99, max, "
           "timed\n");
    for (size_t p = 0; p < cell->peers.n; p++) {
        printf("%*s%-14s", 20, "", cell->peers.at[p]->name);
        print_latency(&cell->latency[GETS][p]);
        print_latency(&cell->latency[SETS][p]);
        printf("\n");
    }
    printf("\n");
}

static void print_rows(struct report *report, struct cell *cell, size_t repeats)
{
    struct rows_field fields[FIELDS];
    size_t store = peers_index(&cell->peers, PEER_STORE);
    for (size_t p = 0; p < cell->peers.n; p++) {
        fields_of(&cell->shape, cell->peers.at[p]->name, fields);
        report_enter(report, NULL, '{');
        rows_fields(report, fields, FIELDS);
        if (cell->shape.roles)
            report_number(report, "threads", cell->run.threads);
        for (enum rate r = GETS; r < RATES; r++)
            (r == BOTH ? report_spread : show_spread)(report, RATE[r].name, bench_spread_of(cell->rate[r][p], repeats));
        bool ahead = print_ratios(report, cell, p, repeats);
        if (p == store)
            print_store(report, cell, repeats);
        report_latency(report, "get_latency_us", &cell->latency[GETS][p]);
        report_latency(report, "set_latency_us", &cell->latency[SETS][p]);
        report_leave(report);
        printf("%s\n", ahead ? "  <-- ahead of " PEER_STORE : "");
    }
    print_latencies(cell);
    fflush(stdout);
}

/* Who works on unprotected data: one thread, or readers only. */
static bool is_exclusive(const struct shape *shape)
{
    return shape->right == 0 || (shape->roles ? shape->left + shape->right : shape->left) == 1;
}

static void bench_cell(const struct options *options, struct report *report, const struct workload *load,
                       struct shape shape)
{
    static struct cell cell; /* too large for the stack */
    memset(&cell, 0, sizeof cell);
    cell.shape = shape;
    cell.peers = is_exclusive(&shape) ? options->peers : peers_shared(&options->peers);
    struct run *run = &cell.run;
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

static size_t number_of_cells(const struct options *options)
{
    return options->objects.n * (options->threads.n * options->sets.n + options->roles.n);
}

static void print_head(bool roles)
{
    struct rows_field fields[FIELDS];
    fields_of(&(struct shape){.roles = roles}, "", fields);
    rows_head(fields, FIELDS, "M gets/s, M sets/s, " PEER_STORE " / peer: all");
}

static void bench_mixed(const struct options *options, struct report *report, const struct workload *load)
{
    print_head(false);
    for (size_t o = 0; o < options->objects.n; o++) {
        for (size_t t = 0; t < options->threads.n; t++) {
            for (size_t s = 0; s < options->sets.n; s++)
                bench_cell(options, report, load,
                           (struct shape){false, options->objects.at[o], options->threads.at[t], options->sets.at[s]});
        }
    }
}

static void bench_roles(const struct options *options, struct report *report, const struct workload *load)
{
    print_head(true);
    for (size_t o = 0; o < options->objects.n; o++) {
        for (size_t r = 0; r < options->roles.n; r++)
            bench_cell(options, report, load,
                       (struct shape){true, options->objects.at[o], options->roles.left[r], options->roles.right[r]});
    }
}

static void bench_all(const struct options *options, struct report *report)
{
    struct workload load = workload_make(options->keys, options->value_bytes);
    if (options->threads.n)
        bench_mixed(options, report, &load);
    if (options->roles.n)
        bench_roles(options, report, &load);
    workload_unmake(&load);
}

/* Three runs each, as long as they can be. */
static void shorten(struct options *options)
{
    options->repeats = 3;
    size_t runs = number_of_cells(options) * options->peers.n * options->repeats;
    size_t milliseconds = QUICK_S * 1000 / runs;
    options->milliseconds = milliseconds < 1 ? 1 : milliseconds < 250 ? (unsigned)milliseconds : 250;
}

/* What is measured when nobody says. */
static void choose_rows(struct options *options)
{
    bool roles = options->roles.n, mixed = options->threads.n || options->sets.n;
    if (!roles && !mixed)
        options->roles = bench_pairs("roles", ROLES, BENCH_THREAD_MAX);
    if (roles && !mixed)
        return;
    if (!options->sets.n)
        options->sets = (struct bench_list){5, {0, 1, 10, 50, 100}};
    if (!options->threads.n)
        options->threads = bench_default_threads();
}

int main(int argc, char **argv)
{
    bool quick = false;
    struct options options = {
        .objects = {1, {1}}, .keys = 16, .value_bytes = 24, .repeats = 5, .milliseconds = 25, .peers = peers_all()};
    const struct option_row rows[] = {
        {"quick", OPTION_FLAG, 0, 0, "all of the below within about 25 seconds (3 short runs each)", &quick},
        {"threads", OPTION_LIST, 1, BENCH_THREAD_MAX, "threads that get and set (1, and 1, 2 and 4 times the cores)",
         &options.threads},
        {"sets", OPTION_LIST, 0, 100, "sets of a hundred of their operations (0,1,10,50,100)", &options.sets},
        {"roles", OPTION_PAIRS, 0, BENCH_THREAD_MAX, "readers+writers (" ROLES ")", &options.roles},
        {"objects", OPTION_LIST, 1, WORKLOAD_OBJECT_MAX, "objects, of which each call takes one at random",
         &options.objects},
        {"keys", OPTION_NUMBER, 1, WORKLOAD_KEY_MAX, "keys in an object", &options.keys},
        {OPTION_VALUE, &options.value_bytes},
        {OPTION_REPEATS, &options.repeats},
        {OPTION_MS, &options.milliseconds},
        {OPTION_PEERS, &options.peers},
    };
    struct program program = {
        "bench_contended",
        "Gets and sets of several threads: the store beside the same table behind locks, and other tables.\n"
        "--threads or --sets alone give only rows in which each thread does both, --roles alone only the others.\n",
        PROGRAM_OPTIONS(rows), peers_help, NULL};
    options_read(&program, argc, argv);
    choose_rows(&options);
    if (quick)
        shorten(&options);
    struct report report = report_open(&program);
    printf("\n# objects of %u keys, values of %u bytes, each get checked; min / median / max of %u runs of %u ms\n"
           "# " PEER_STORE " / peer: median of the rounds' ratios (min to max), for all operations\n"
           "# of the calls about one get in %u and one set in %u was timed; a look at the clock is included\n",
           options.keys, options.value_bytes, options.repeats, options.milliseconds, SAMPLE[GETS], SAMPLE[SETS]);
    report_enter(&report, "rows", '[');
    bench_all(&options, &report);
    report_close(&report);
    return 0;
}
