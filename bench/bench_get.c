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
#include "rows.h"
#include "workload.h"

struct options {
    struct bench_list keys;
    struct bench_list threads;
    struct bench_list misses;
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
    const uint32_t *schedule;
    size_t mask;
    rcuinfo_t object;
    unsigned calls;
    uint64_t elapsed[BENCH_THREAD_MAX]; /* written once by each thread, at its end */
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

static void get_body(void *context, unsigned index)
{
    struct run *run = context;
    size_t at = (size_t)index * 1031; /* threads do not go through the keys in step */
    get_many(run, at, run->calls / 8 + 1);
    uint64_t start = bench_now();
    get_many(run, at, run->calls);
    run->elapsed[index] = bench_now() - start;
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
    bench_threads(cell->threads, get_body, NULL, &run);
    uint64_t sum = 0;
    for (unsigned i = 0; i < cell->threads; i++)
        sum += run.elapsed[i];
    workload_empty(run.peer, &run.object);
    cell->ns[p][round] = (double)sum / cell->threads / run.calls;
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
    rows_times_head(names, FIELDS, "ns_per_get");
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

static _Noreturn void help(void)
{
    printf("usage: bench_get [options]\n"
           "What one get costs: the store beside the same table behind locks and alone, and beside other tables.\n\n"
           "  -k, --keys LIST     numbers of keys in the object, to %d (1,4,16,128,1024,8192,65536)\n"
           "  -t, --threads LIST  threads that read the one object at once (1)\n"
           "  -n, --misses LIST   gets of a hundred that ask for a key that is not there (0,100)\n"
           "  -v, --value BYTES   length of each value, %d to %d (24)\n"
           "  -c, --calls N       gets in each thread and round (30000)\n"
           "  -r, --repeats N     rounds (15)\n"
           "  -p, --peers LIST    of the peers below (all)\n"
           "  -j, --json FILE     write the numbers there as well\n"
           "  -h, --help\n",
           WORKLOAD_KEY_MAX, WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1);
    peers_help();
}

static struct options parse(int argc, char **argv)
{
    struct options options = {.keys = {7, {1, 4, 16, 128, 1024, 8192, 65536}}, .threads = {1, {1}}};
    options.misses = (struct bench_list){2, {0, 100}};
    options.value_bytes = 24;
    options.calls = 30000;
    options.repeats = 15;
    options.peers = peers_all();
    const struct option_row rows[] = {
        {"keys", 'k', OPTION_LIST, &options.keys, 1, WORKLOAD_KEY_MAX},
        {"threads", 't', OPTION_LIST, &options.threads, 1, BENCH_THREAD_MAX},
        {"misses", 'n', OPTION_LIST, &options.misses, 0, 100},
        {"value", 'v', OPTION_NUMBER, &options.value_bytes, WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1},
        {"calls", 'c', OPTION_NUMBER, &options.calls, 1, 1000000000},
        {"repeats", 'r', OPTION_NUMBER, &options.repeats, 1, BENCH_REPEAT_MAX},
        {"peers", 'p', OPTION_PEERS, &options.peers, 0, 0},
        {"json", 'j', OPTION_TEXT, &options.json, 0, 0},
    };
    options_read(argc, argv, rows, sizeof rows / sizeof rows[0], help);
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
    bench_all(&options, &report);
    report_leave(&report);
    report_close(&report);
    return 0;
}
