/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_contended: gets and sets of several threads on one object or on many: the store, the same table behind locks,
 * and other tables. How much gets done, and how long single calls take.
 *
 * Two kinds of rows. Mixed: every thread gets and sets, by a schedule in which the share of sets is exact; so the share
 * is one of operations, whatever they cost. Roles: some threads only get, the others only set. The tables behind locks
 * override in place, which favours them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "contended.h"
#include "harness.h"
#include "options.h"
#include "peers.h"
#include "report.h"
#include "workload.h"

#define QUICK_S 12 /* seconds that --quick measures for, all in all */

struct options {
    struct bench_list threads;
    struct bench_list sets;
    struct bench_pairs roles;
    struct bench_list objects;
    unsigned keys;
    unsigned value_bytes;
    struct contended_options each;
    const char *json;
};

/* The cells, in the order of their rows; as many as `most` of them into `shapes`. Returns how many there are. */
static size_t shapes_of(const struct options *options, struct contended_shape *shapes, size_t most)
{
    size_t n = 0;
    for (size_t o = 0; o < options->objects.n; o++) {
        for (size_t t = 0; t < options->threads.n; t++) {
            for (size_t s = 0; s < options->sets.n; s++, n++) {
                if (n < most)
                    shapes[n] = (struct contended_shape){false, options->objects.at[o], options->threads.at[t],
                                                         options->sets.at[s]};
            }
        }
    }
    for (size_t o = 0; o < options->objects.n; o++) {
        for (size_t r = 0; r < options->roles.n; r++, n++) {
            if (n < most)
                shapes[n] = (struct contended_shape){true, options->objects.at[o], options->roles.left[r],
                                                     options->roles.right[r]};
        }
    }
    return n;
}

static void bench_all(const struct options *options, struct report *report)
{
    struct workload load = workload_make(options->keys, options->value_bytes);
    size_t cells = shapes_of(options, NULL, 0);
    struct contended_shape *shapes = bench_memory(cells * sizeof *shapes);
    uint64_t start = bench_now();
    shapes_of(options, shapes, cells);
    for (size_t i = 0; i < cells; i++) {
        const struct contended_shape *shape = &shapes[i];
        char what[96];
        snprintf(what, sizeof what, "objects %u, %s %u, %s %u", shape->objects, shape->roles ? "readers" : "threads",
                 shape->left, shape->roles ? "writers" : "sets %", shape->right);
        bench_progress(start, i, cells, what);
        if (i == 0 || shape->roles != shapes[i - 1].roles)
            contended_head(shape);
        contended_cell(&options->each, report, &load, *shape);
    }
    free(shapes);
    workload_unmake(&load);
}

static _Noreturn void help(void)
{
    printf("usage: bench_contended [options]\n"
           "Gets and sets of several threads: the store beside the same table behind locks, and beside other tables.\n"
           "--threads or --sets alone give only rows in which each thread does both, --roles alone only the others.\n\n"
           "  -q, --quick         all of the below within about 25 seconds (3 short runs each)\n"
           "  -t, --threads LIST  threads that get and set (1, and 1, 2 and 4 times the cores)\n"
           "  -s, --sets LIST     sets among a hundred of their operations (0,1,10,50,100)\n"
           "  -o, --roles LIST    readers+writers (1+1,4+4,7+1,1+7,0+2,0+8)\n"
           "  -b, --objects LIST  objects, of which each call takes one at random, to %d (1)\n"
           "  -k, --keys N        keys in an object, to %d (16)\n"
           "  -v, --value BYTES   length of each value, %d to %d (24)\n"
           "  -r, --repeats N     runs of each row (5)\n"
           "  -m, --ms N          milliseconds of one run (25)\n"
           "  -p, --peers LIST    of the peers below (all)\n"
           "  -j, --json FILE     write the numbers there as well\n"
           "  -h, --help\n",
           WORKLOAD_OBJECT_MAX, WORKLOAD_KEY_MAX, WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1);
    peers_help();
}

/* Three runs each, as long as they can be. */
static void shorten(struct options *options)
{
    options->each.repeats = 3;
    size_t runs = shapes_of(options, NULL, 0) * options->each.peers.n * options->each.repeats;
    options->each.milliseconds = (unsigned)(QUICK_S * 1000 / runs);
    if (options->each.milliseconds < 1)
        options->each.milliseconds = 1;
    if (options->each.milliseconds > 250)
        options->each.milliseconds = 250;
}

/* What is measured when nobody says. */
static void choose_rows(struct options *options)
{
    bool roles = options->roles.n, mixed = options->threads.n || options->sets.n;
    unsigned cores = bench_cores(), times[] = {1, cores, 2 * cores, 4 * cores};
    if (!roles && !mixed)
        options->roles = bench_pairs("roles", "1+1,4+4,7+1,1+7,0+2,0+8", BENCH_THREAD_MAX);
    if (roles && !mixed)
        return;
    if (!options->sets.n)
        options->sets = (struct bench_list){5, {0, 1, 10, 50, 100}};
    if (options->threads.n)
        return;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        if (i == 0 || (times[i] > times[i - 1] && times[i] <= BENCH_THREAD_MAX))
            options->threads.at[options->threads.n++] = times[i];
    }
}

static struct options parse(int argc, char **argv)
{
    bool quick = false;
    struct options options = {.objects = {1, {1}}, .keys = 16, .value_bytes = 24};
    options.each = (struct contended_options){.repeats = 5, .milliseconds = 25, .peers = peers_all()};
    const struct option_row rows[] = {
        {"quick", 'q', OPTION_FLAG, &quick, 0, 0},
        {"threads", 't', OPTION_LIST, &options.threads, 1, BENCH_THREAD_MAX},
        {"sets", 's', OPTION_LIST, &options.sets, 0, 100},
        {"roles", 'o', OPTION_PAIRS, &options.roles, 0, BENCH_THREAD_MAX},
        {"objects", 'b', OPTION_LIST, &options.objects, 1, WORKLOAD_OBJECT_MAX},
        {"keys", 'k', OPTION_NUMBER, &options.keys, 1, WORKLOAD_KEY_MAX},
        {"value", 'v', OPTION_NUMBER, &options.value_bytes, WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1},
        {"repeats", 'r', OPTION_NUMBER, &options.each.repeats, 1, BENCH_REPEAT_MAX},
        {"ms", 'm', OPTION_NUMBER, &options.each.milliseconds, 1, 60000},
        {"peers", 'p', OPTION_PEERS, &options.each.peers, 0, 0},
        {"json", 'j', OPTION_TEXT, &options.json, 0, 0},
    };
    options_read(argc, argv, rows, sizeof rows / sizeof rows[0], help);
    choose_rows(&options);
    if (quick)
        shorten(&options);
    return options;
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    struct report report = report_open("bench_contended", options.json);
    double clock_ns = bench_clock_ns();
    report_number(&report, "keys", options.keys);
    report_number(&report, "value_bytes", options.value_bytes);
    report_number(&report, "repeats", options.each.repeats);
    report_number(&report, "ms", options.each.milliseconds);
    report_number(&report, "clock_ns", clock_ns);
    report_number(&report, "sample_gets", CONTENDED_SAMPLE_GETS);
    report_number(&report, "sample_sets", CONTENDED_SAMPLE_SETS);
    printf(
        "\n# objects of %u keys, values of %u bytes, each get checked; min / median / max of %u runs of %u ms\n"
        "# " PEER_STORE " / peer: medians of the rounds' ratios, for all operations also (min to max)\n"
        "# of the calls about one get in %d and one set in %d was timed; a look at the clock, %.0f ns, is included\n",
        options.keys, options.value_bytes, options.each.repeats, options.each.milliseconds, CONTENDED_SAMPLE_GETS,
        CONTENDED_SAMPLE_SETS, clock_ns);
    report_enter(&report, "rows", '[');
    bench_all(&options, &report);
    report_leave(&report);
    report_close(&report);
    return 0;
}
