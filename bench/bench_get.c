/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_get: what one get costs, and what of it is protection.
 *
 * The limit is the same table with nothing around it. In each round every peer is measured once, on a new object, in
 * an order that moves on from round to round; a ratio compares two numbers of one round, so that what the machine does
 * to both of them falls out.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peers.h"
#include "report.h"
#include "workload.h"

struct options {
    struct bench_list keys;
    struct bench_list threads;
    unsigned value_bytes;
    unsigned calls;
    unsigned repeats;
    struct peer_list peers;
    const char *json;
};

/* One measurement: a peer, an object, all threads. */
struct run {
    const struct workload *load;
    const struct peer *peer;
    const uint16_t *schedule;
    size_t mask;
    rcuinfo_t object;
    unsigned calls;
    uint64_t elapsed[BENCH_THREAD_MAX]; /* written once by each thread, at its end */
};

/* Apart, so that the loop is compiled once and lies at the same place for the warm-up and for every peer. */
static __attribute__((noinline, aligned(64))) void get_many(const struct run *run, size_t at, size_t calls)
{
    _Alignas(BENCH_APART) char value[RCUINFO_MAX_VALUE];
    for (size_t end = at + calls; at < end; at++)
        workload_get(run->load, run->peer, run->object, run->schedule[at & run->mask], value);
}

static void get_body(void *context, unsigned index)
{
    struct run *run = context;
    size_t at = (size_t)index * 1031; /* threads do not go through the keys in step */
    get_many(run, at, run->calls / 8 + 1);
    uint64_t start = bench_now();
    get_many(run, at, run->calls);
    run->elapsed[index] = bench_now() - start;
}

/* Nanoseconds of one get in one thread, the mean over the threads. */
static double measure(const struct options *options, const struct workload *load, const struct peer *peer,
                      unsigned threads, const uint16_t *schedule, size_t mask)
{
    struct run run = {.load = load, .peer = peer, .schedule = schedule, .mask = mask, .calls = options->calls};
    run.object = workload_fill(load, peer);
    bench_threads(threads, get_body, NULL, &run);
    uint64_t sum = 0;
    for (unsigned i = 0; i < threads; i++)
        sum += run.elapsed[i];
    if (peer->free(&run.object) != RCUINFO_SUCCESS)
        bench_die("%s: free failed", peer->name);
    return (double)sum / threads / options->calls;
}

static void print_head(const struct options *options)
{
    printf("\n# ns per get in each thread, min / median / max of %u rounds; values of %u bytes, each one checked\n",
           options->repeats, options->value_bytes);
    printf("# " PEER_STORE " / " PEER_LIMIT ": median (min to max) of the ratios of the rounds\n");
    printf("%7s %6s", "threads", "keys");
    for (size_t p = 0; p < options->peers.n; p++)
        printf("  %22s", options->peers.at[p]->name);
    printf("  %24s\n", PEER_STORE "/" PEER_LIMIT);
}

static void print_row(const struct options *options, struct report *report, unsigned threads, unsigned keys,
                      double (*ns)[BENCH_REPEAT_MAX])
{
    size_t store = peers_index(&options->peers, PEER_STORE), limit = peers_index(&options->peers, PEER_LIMIT);
    struct bench_spread ratio = {.median = 0};
    if (store < options->peers.n && limit < options->peers.n) /* before the spreads below sort the rounds away */
        ratio = bench_spread_of_ratios(ns[store], ns[limit], options->repeats);
    printf("%7u %6u", threads, keys);
    report_enter(report, NULL, '{');
    report_number(report, "threads", threads);
    report_number(report, "keys", keys);
    report_enter(report, "ns_per_get", '{');
    for (size_t p = 0; p < options->peers.n; p++) {
        struct bench_spread spread = bench_spread_of(ns[p], options->repeats);
        printf("  %6.2f /%6.2f /%6.2f", spread.min, spread.median, spread.max);
        report_spread(report, options->peers.at[p]->name, spread);
    }
    report_leave(report);
    if (ratio.median > 0) {
        printf("  %6.3f (%5.3f to %5.3f)", ratio.median, ratio.min, ratio.max);
        report_spread(report, "ratio_" PEER_STORE "_" PEER_LIMIT, ratio);
    }
    report_leave(report);
    printf("\n");
    fflush(stdout);
}

static void bench_row(const struct options *options, struct report *report, unsigned threads, unsigned keys)
{
    double ns[PEER_MAX][BENCH_REPEAT_MAX];
    size_t mask, n = options->peers.n;
    struct workload load = workload_make(keys, options->value_bytes);
    uint16_t *schedule = workload_schedule(&load, 0, keys, &mask);
    for (size_t i = 0; i < n; i++) /* a round that does not count: caches, clock speed, page faults */
        measure(options, &load, options->peers.at[i], threads, schedule, mask);
    for (unsigned round = 0; round < options->repeats; round++) {
        for (size_t i = 0; i < n; i++) {
            size_t p = (i + round) % n;
            ns[p][round] = measure(options, &load, options->peers.at[p], threads, schedule, mask);
        }
    }
    print_row(options, report, threads, keys, ns);
    free(schedule);
    workload_unmake(&load);
}

static _Noreturn void help(void)
{
    struct peer_list peers = peers_all(false);
    printf("usage: bench_get [options]\n"
           "What one get costs: the store beside the same table behind locks, and beside the same table alone.\n\n"
           "  -k, --keys LIST     numbers of keys in the object (1,4,16,128,1024)\n"
           "  -t, --threads LIST  threads that read the one object at once (1)\n"
           "  -v, --value BYTES   length of each value, %d to %d (24)\n"
           "  -c, --calls N       gets in each thread and round (100000)\n"
           "  -r, --repeats N     rounds (41)\n"
           "  -p, --peers LIST    of the peers below (all)\n"
           "  -j, --json FILE     write the numbers there as well\n"
           "  -h, --help\n\npeers:\n",
           WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1);
    for (size_t p = 0; p < peers.n; p++)
        printf("  %-16s %s\n", peers.at[p]->name, peers.at[p]->what);
    printf("\nEnds with 0; with 1 when a get failed or gave a wrong value; with 2 for a bad option.\n");
    exit(0);
}

static struct options parse(int argc, char **argv)
{
    static const struct option LONG[] = {
        {"keys", required_argument, NULL, 'k'},
        {"threads", required_argument, NULL, 't'},
        {"value", required_argument, NULL, 'v'},
        {"calls", required_argument, NULL, 'c'},
        {"repeats", required_argument, NULL, 'r'},
        {"peers", required_argument, NULL, 'p'},
        {"json", required_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct peer_list all = peers_all(false);
    struct options options = {.keys = {5, {1, 4, 16, 128, 1024}}, .threads = {1, {1}}, .value_bytes = 24};
    options.calls = 100000;
    options.repeats = 41;
    options.peers = all;
    for (int c; (c = getopt_long(argc, argv, "k:t:v:c:r:p:j:h", LONG, NULL)) != -1;) {
        if (c == 'k')
            options.keys = bench_numbers("keys", optarg, 1, WORKLOAD_KEY_MAX);
        else if (c == 't')
            options.threads = bench_numbers("threads", optarg, 1, BENCH_THREAD_MAX);
        else if (c == 'v')
            options.value_bytes = bench_number("value", optarg, WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1);
        else if (c == 'c')
            options.calls = bench_number("calls", optarg, 1, 1000000000);
        else if (c == 'r')
            options.repeats = bench_number("repeats", optarg, 1, BENCH_REPEAT_MAX);
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
    return options;
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    struct report report = report_open("bench_get", options.json);
    report_number(&report, "value_bytes", options.value_bytes);
    report_number(&report, "repeats", options.repeats);
    report_number(&report, "calls", options.calls);
    report_enter(&report, "rows", '[');
    print_head(&options);
    for (size_t t = 0; t < options.threads.n; t++) {
        for (size_t k = 0; k < options.keys.n; k++)
            bench_row(&options, &report, options.threads.at[t], options.keys.at[k]);
    }
    report_leave(&report);
    report_close(&report);
    return 0;
}
