/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_contended: gets and sets of several threads on one object, against the same table behind locks.
 *
 * Each thread follows a schedule of its own, made beforehand, in which the share of sets is exact; so the share is one
 * of operations, whatever they cost. The counts of all threads are read at two instants by one clock: a thread that is
 * not on a processor meanwhile has simply done nothing. The locked tables override in place, which favours them.
 */
#include <getopt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "peers.h"
#include "report.h"
#include "workload.h"

#define BATCH   16 /* operations between two looks at the stop flag */
#define QUICK_S 16 /* seconds that --quick measures for, all in all */

struct options {
    struct bench_list threads;
    struct bench_list sets;
    unsigned keys;
    unsigned value_bytes;
    unsigned repeats;
    unsigned milliseconds;
    struct peer_list peers;
    const char *json;
};

/* What a thread has done; written by that thread alone, read by the conductor. */
struct counts {
    _Alignas(BENCH_APART) _Atomic uint64_t gets;
    _Atomic uint64_t sets;
};

struct run {
    const struct workload *load;
    const struct peer *peer;
    rcuinfo_t object;
    uint16_t **schedules; /* one a thread */
    size_t mask;
    unsigned threads;
    uint64_t duration;
    double gets_per_us; /* the result, in millions a second */
    double sets_per_us;
    _Alignas(BENCH_APART) atomic_bool stop;
    struct counts counts[BENCH_THREAD_MAX];
};

static void contended_body(void *context, unsigned index)
{
    _Alignas(BENCH_APART) char value[RCUINFO_MAX_VALUE];
    struct run *run = context;
    const uint16_t *schedule = run->schedules[index];
    uint64_t gets = 0, sets = 0;
    while (!atomic_load_explicit(&run->stop, memory_order_relaxed)) {
        for (unsigned i = 0; i < BATCH; i++) {
            unsigned operation = schedule[(gets + sets) & run->mask];
            unsigned key = operation & ~WORKLOAD_SET;
            if (operation & WORKLOAD_SET)
                workload_set(run->load, run->peer, run->object, key, (unsigned)sets++ + index);
            else {
                workload_get(run->load, run->peer, run->object, key, value);
                gets++;
            }
        }
        atomic_store_explicit(&run->counts[index].gets, gets, memory_order_relaxed);
        atomic_store_explicit(&run->counts[index].sets, sets, memory_order_relaxed);
    }
}

struct sample {
    uint64_t when;
    uint64_t gets;
    uint64_t sets;
};

static struct sample sample(struct run *run)
{
    struct sample now = {.when = bench_now()};
    for (unsigned i = 0; i < run->threads; i++) {
        now.gets += atomic_load_explicit(&run->counts[i].gets, memory_order_relaxed);
        now.sets += atomic_load_explicit(&run->counts[i].sets, memory_order_relaxed);
    }
    return now;
}

static void conduct(void *context)
{
    struct run *run = context;
    bench_sleep_until(bench_now() + run->duration / 10); /* warm-up */
    struct sample before = sample(run);
    bench_sleep_until(before.when + run->duration);
    struct sample after = sample(run);
    atomic_store_explicit(&run->stop, true, memory_order_relaxed);
    double microseconds = (double)(after.when - before.when) / 1000;
    run->gets_per_us = (double)(after.gets - before.gets) / microseconds;
    run->sets_per_us = (double)(after.sets - before.sets) / microseconds;
}

/* What the repeats of one number of threads and one share of sets gave, in millions a second. */
struct results {
    double gets[PEER_MAX][BENCH_REPEAT_MAX];
    double sets[PEER_MAX][BENCH_REPEAT_MAX];
    double all[PEER_MAX][BENCH_REPEAT_MAX];
};

static void measure(struct run *run, const struct peer *peer, struct results *results, size_t p, unsigned round)
{
    run->peer = peer;
    run->object = workload_fill(run->load, peer);
    atomic_store(&run->stop, false);
    for (unsigned i = 0; i < run->threads; i++)
        run->counts[i] = (struct counts){.gets = 0};
    bench_threads(run->threads, contended_body, conduct, run);
    results->gets[p][round] = run->gets_per_us;
    results->sets[p][round] = run->sets_per_us;
    results->all[p][round] = run->gets_per_us + run->sets_per_us;
    if (peer->free(&run->object) != RCUINFO_SUCCESS)
        bench_die("%s: free failed", peer->name);
}

static void print_spread(struct report *report, const char *name, struct bench_spread spread)
{
    printf("  %7.2f /%7.2f /%7.2f", spread.min, spread.median, spread.max);
    report_spread(report, name, spread);
}

/* The rows of one number of threads and one share of sets: the peers, and how the store stands to the best of them. */
static void print_rows(const struct options *options, struct report *report, struct results *results, unsigned threads,
                       unsigned sets)
{
    size_t n = options->peers.n, repeats = options->repeats, store = peers_index(&options->peers, PEER_STORE), best = n;
    struct bench_spread all[PEER_MAX], ratio = {.median = 0};
    for (size_t p = 0; p < n; p++) {
        double copy[BENCH_REPEAT_MAX]; /* the ratio needs the rounds in their order */
        for (size_t i = 0; i < repeats; i++)
            copy[i] = results->all[p][i];
        all[p] = bench_spread_of(copy, repeats);
        if (p != store && (best == n || all[p].median > all[best].median))
            best = p;
    }
    bool compared = store < n && best < n;
    if (compared)
        ratio = bench_spread_of_ratios(results->all[store], results->all[best], repeats);
    for (size_t p = 0; p < n; p++) {
        const char *name = options->peers.at[p]->name;
        bool wins = compared && p != store && all[p].median > all[store].median;
        printf("%7u %5u  %-14s", threads, sets, name);
        report_enter(report, NULL, '{');
        report_number(report, "threads", threads);
        report_number(report, "sets_percent", sets);
        report_text(report, "peer", name);
        print_spread(report, "gets_M_per_s", bench_spread_of(results->gets[p], repeats));
        print_spread(report, "sets_M_per_s", bench_spread_of(results->sets[p], repeats));
        report_spread(report, "operations_M_per_s", all[p]);
        if (compared && p == store) {
            printf("  %5.2f (%4.2f to %4.2f) of %s", ratio.median, ratio.min, ratio.max, options->peers.at[best]->name);
            report_text(report, "best_lock", options->peers.at[best]->name);
            report_spread(report, "ratio_to_best_lock", ratio);
        }
        report_number(report, "beats_" PEER_STORE, wins);
        printf("%s\n", wins ? "  <-- ahead of " PEER_STORE : "");
        report_leave(report);
    }
    printf("\n");
    fflush(stdout);
}

static void bench_rows(const struct options *options, struct report *report, const struct workload *load,
                       unsigned threads, unsigned sets)
{
    static struct results results;
    struct run *run = bench_memory(sizeof *run);
    run->load = load;
    run->threads = threads;
    run->duration = (uint64_t)options->milliseconds * 1000000;
    run->schedules = bench_memory(threads * sizeof *run->schedules);
    for (unsigned i = 0; i < threads; i++)
        run->schedules[i] = workload_schedule(load, sets, i + 1, &run->mask);
    for (unsigned round = 0; round < options->repeats; round++) {
        for (size_t i = 0; i < options->peers.n; i++) {
            size_t p = (i + round) % options->peers.n;
            measure(run, options->peers.at[p], &results, p, round);
        }
    }
    print_rows(options, report, &results, threads, sets);
    for (unsigned i = 0; i < threads; i++)
        free(run->schedules[i]);
    free(run->schedules);
    free(run);
}

static void bench_all(const struct options *options, struct report *report)
{
    struct workload load = workload_make(options->keys, options->value_bytes);
    size_t cells = options->threads.n * options->sets.n, done = 0;
    double seconds = (double)(options->peers.n * options->repeats * options->milliseconds) * 1.1e-3;
    printf("\n# one object of %u keys, values of %u bytes, each get checked; min / median / max of %u runs of %u ms\n"
           "# last column: operations of " PEER_STORE " / of the best lock, median (min to max) of the rounds' ratios\n"
           "%7s %5s  %-14s  %25s  %25s  %s\n",
           options->keys, options->value_bytes, options->repeats, options->milliseconds, "threads", "sets%", "peer",
           "M gets/s", "M sets/s", PEER_STORE " / best lock");
    fflush(stdout);
    for (size_t t = 0; t < options->threads.n; t++) {
        for (size_t s = 0; s < options->sets.n; s++) {
            fprintf(stderr, "[%zu/%zu] threads %u, sets %u %%: about %.0f s left\n", done + 1, cells,
                    options->threads.at[t], options->sets.at[s], seconds * (double)(cells - done));
            bench_rows(options, report, &load, options->threads.at[t], options->sets.at[s]);
            done++;
        }
    }
    workload_unmake(&load);
}

static _Noreturn void help(void)
{
    struct peer_list peers = peers_all(true);
    printf("usage: bench_contended [options]\n"
           "Gets and sets of several threads on one object: the store beside the same table behind locks.\n\n"
           "  -q, --quick         all of the below within about 25 seconds (5 short runs each)\n"
           "  -t, --threads LIST  threads (1,2,4)\n"
           "  -s, --sets LIST     sets among a hundred operations (0,1,10,50,100)\n"
           "  -k, --keys N        keys in the object (16)\n"
           "  -v, --value BYTES   length of each value, %d to %d (24)\n"
           "  -r, --repeats N     runs of each row (7)\n"
           "  -m, --ms N          milliseconds of one run (250)\n"
           "  -p, --peers LIST    of the peers below (all)\n"
           "  -j, --json FILE     write the numbers there as well\n"
           "  -h, --help\n\npeers:\n",
           WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1);
    for (size_t p = 0; p < peers.n; p++)
        printf("  %-16s %s\n", peers.at[p]->name, peers.at[p]->what);
    printf("\nEnds with 0; with 1 when a call failed or gave a wrong value; with 2 for a bad option.\n");
    exit(0);
}

/* Five runs each, as long as they can be. */
static void shorten(struct options *options)
{
    size_t runs;
    options->repeats = 5;
    runs = options->threads.n * options->sets.n * options->peers.n * options->repeats;
    options->milliseconds = (unsigned)(QUICK_S * 1000 / runs);
    if (options->milliseconds < 1)
        options->milliseconds = 1;
    if (options->milliseconds > 250)
        options->milliseconds = 250;
}

static struct options parse(int argc, char **argv)
{
    static const struct option LONG[] = {
        {"quick", no_argument, NULL, 'q'},
        {"threads", required_argument, NULL, 't'},
        {"sets", required_argument, NULL, 's'},
        {"keys", required_argument, NULL, 'k'},
        {"value", required_argument, NULL, 'v'},
        {"repeats", required_argument, NULL, 'r'},
        {"ms", required_argument, NULL, 'm'},
        {"peers", required_argument, NULL, 'p'},
        {"json", required_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    bool quick = false;
    struct peer_list all = peers_all(true);
    struct options options = {.threads = {3, {1, 2, 4}}, .sets = {5, {0, 1, 10, 50, 100}}, .keys = 16};
    options.value_bytes = 24;
    options.repeats = 7;
    options.milliseconds = 250;
    options.peers = all;
    for (int c; (c = getopt_long(argc, argv, "qt:s:k:v:r:m:p:j:h", LONG, NULL)) != -1;) {
        if (c == 'q')
            quick = true;
        else if (c == 't')
            options.threads = bench_numbers("threads", optarg, 1, BENCH_THREAD_MAX);
        else if (c == 's')
            options.sets = bench_numbers("sets", optarg, 0, 100);
        else if (c == 'k')
            options.keys = bench_number("keys", optarg, 1, WORKLOAD_KEY_MAX);
        else if (c == 'v')
            options.value_bytes = bench_number("value", optarg, WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1);
        else if (c == 'r')
            options.repeats = bench_number("repeats", optarg, 1, BENCH_REPEAT_MAX);
        else if (c == 'm')
            options.milliseconds = bench_number("ms", optarg, 1, 60000);
        else if (c == 'p')
            options.peers = peers_named(optarg, &all);
        else if (c == 'j')
            options.json = optarg;
        else if (c == 'h')
            help();
        else
            bench_usage("see --help");
    }
    if (optind < argc)
        bench_usage("what is \"%s\"? see --help", argv[optind]);
    if (quick)
        shorten(&options);
    return options;
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    struct report report = report_open("bench_contended", options.json);
    report_number(&report, "keys", options.keys);
    report_number(&report, "value_bytes", options.value_bytes);
    report_number(&report, "repeats", options.repeats);
    report_number(&report, "ms", options.milliseconds);
    report_enter(&report, "rows", '[');
    bench_all(&options, &report);
    report_leave(&report);
    report_close(&report);
    return 0;
}
