/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_mpi: MPI_Info_* calls of one program on plain MPICH and on plain Open MPI, and of the very same program with
 * the store under it, against what we want to reach.
 *
 * In each round the processes measure a row in turn, one at a time, in an order that moves on from round to round; a
 * ratio compares two numbers of one round.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "mpi_child.h"
#include "mpi_line.h"
#include "options.h"

#define SHARED_KEYS 16
#define CALLS_PART  50 /* of a run of threads: what a run of one thread takes */
#define SIDES       4  /* processes that measure one row */

struct options {
    unsigned repeats;
    unsigned milliseconds;
};

struct bench {
    struct options options;
    struct report *report;
    struct mpi_child plain[MPI_FLAVOURS];
    struct mpi_child store[MPI_FLAVOURS]; /* the same programs on the store */
};

/* One thread: targets are ratios of times, at most; 0: none. */
static const struct calls_row {
    const char *name;
    enum mpi_work work;
    unsigned keys;
    double target[MPI_FLAVOURS]; /* MPICH, Open MPI */
} CALLS[] = {
    {"get hit", MPI_WORK_GET, 1, {0.85, 0.35}},
    {"get hit", MPI_WORK_GET, 4, {0.9, 0.4}},
    {"get hit", MPI_WORK_GET, 16, {0.5, 0.35}},
    {"get hit", MPI_WORK_GET, 128, {0.15, 0}},
    {"get hit", MPI_WORK_GET, 1024, {0.02, 0.02}},
    {"get hit", MPI_WORK_GET, 8192, {0.01, 0}},
    {"get miss", MPI_WORK_GET_MISS, 16, {0.5, 0.4}},
    {"get miss", MPI_WORK_GET_MISS, 1024, {0.02, 0}},
    {"get_nthkey", MPI_WORK_NTHKEY, 1, {1.5, 0.4}},
    {"get_nthkey", MPI_WORK_NTHKEY, 16, {1.0, 0.4}},
    {"get_nthkey", MPI_WORK_NTHKEY, 128, {0.3, 0.4}},
    {"get_nkeys", MPI_WORK_NKEYS, 1, {2.0, 2.0}},
    {"get_nkeys", MPI_WORK_NKEYS, 16, {1.0, 2.0}},
    {"set", MPI_WORK_SET, 1, {2.0, 0}},
    {"set", MPI_WORK_SET, 4, {1.2, 0.9}},
    {"set", MPI_WORK_SET, 16, {0.8, 0.7}},
    {"set", MPI_WORK_SET, 32, {0.6, 0.5}},
    {"set", MPI_WORK_SET, 128, {0.35, 0.3}},
    {"set", MPI_WORK_SET, 1024, {0.08, 0.08}},
    {"set", MPI_WORK_SET, 8192, {0.02, 0.02}},
    {"dup + free", MPI_WORK_DUP, 1, {1.0, 0.6}},
    {"dup + free", MPI_WORK_DUP, 16, {0.1, 0.6}},
    {"dup + free", MPI_WORK_DUP, 128, {0, 0.6}},
    {"dup + free", MPI_WORK_DUP, 1024, {0, 0.6}},
    {"create 8 sets free", MPI_WORK_CREATE, 8, {0.5, 0.5}},
    {"Comm_set_info", MPI_WORK_COMM_SET, 4, {2, 3}},
    {"Win_set_info", MPI_WORK_WIN_SET, 4, {2, 3}},
    {"Comm_get_info + free", MPI_WORK_COMM_GET, 4, {2, 3}},
    {"File_get_info + free", MPI_WORK_FILE_GET, 4, {2, 3}},
    {"Alloc_mem + free", MPI_WORK_LEND, 4, {2, 3}},
};

/*
 * One thread hands an info to MPI on the store, which makes a real one for it; against making and freeing such a one
 * natively. A ratio of times, at most.
 */
#define LEND_QUESTION "MPI_Alloc_mem with info"
#define LEND_KEYS     16
#define LEND_TARGET   3

/*
 * One thread on the store alone, a large object against a small one: filling an object of so many keys takes a list
 * minutes. And the longest of all sets in a run of threads, of which one writes.
 */
static const struct growth_row {
    const char *name;
    const char *against;
    enum mpi_work work;
    unsigned keys;
    unsigned few;
    double target;
} GROWTH[] = {
    {"set", "rcuinfo, 16 keys", MPI_WORK_SET, 65536, 16, 12},
    {"dup + free", "rcuinfo, 1 key", MPI_WORK_DUP, 65536, 1, 1.5},
    {"set, maximum", "rcuinfo, 16 keys", MPI_WORK_LATENCY, 65536, 16, 0},
};

/* Threads on one object, on Open MPI: ratios of calls a second, at least. Plain MPICH crashes when threads do this. */
static const struct shared_row {
    unsigned readers;
    unsigned writers;
    double gets;
    double sets;
    double both;
} SHARED[] = {
    {1, 1, 6, 2.5, 4}, {4, 4, 6, 1.0, 4}, {7, 1, 8, 1.5, 8}, {1, 7, 8, 0.6, 4}, {0, 2, 0, 1.2, 0}, {0, 8, 0, 1.2, 0},
};

/* The quantiles of MPI_WORK_QUANTILES, and the maximum: microseconds, at most. */
static const struct latency_row {
    const char *name;
    double target;
} LATENCY[MPI_WORK_VALUES] = {
    {"set, p50", 0}, {"set, p99", 0}, {"set, p99.9", 100}, {"set, p99.99", 25000}, {"set, maximum", 0},
};

/* One of those that measure a row: who, and what; then what came of it. */
struct side {
    const struct mpi_child *child;
    struct mpi_order order;
    double value[MPI_WORK_VALUES][BENCH_REPEAT_MAX];
};

static void measure_one(void *context, size_t index, unsigned round)
{
    struct side *side = &((struct side *)context)[index];
    struct mpi_result result = mpi_child_ask(side->child, &side->order);
    for (size_t v = 0; v < MPI_WORK_VALUES; v++)
        side->value[v][round] = result.value[v];
}

static void measure(const struct bench *bench, struct side *sides, size_t n)
{
    bench_rounds(n, bench->options.repeats, measure_one, sides);
}

static void side_of(struct side *side, const struct mpi_child *child, struct mpi_order order)
{
    side->child = child;
    side->order = order;
}

static uint64_t run_ns(const struct bench *bench)
{
    return (uint64_t)bench->options.milliseconds * 1000000;
}

static void bench_calls(const struct bench *bench, const struct calls_row *row)
{
    static struct side sides[SIDES];
    struct mpi_order order = {.work = row->work, .keys = row->keys, .nanoseconds = run_ns(bench) / CALLS_PART};
    size_t n = 0;
    for (enum mpi_flavour f = MPI_FLAVOUR_MPICH; f < MPI_FLAVOURS; f++) {
        if (mpi_child_exists(f)) {
            side_of(&sides[n++], &bench->plain[f], order);
            side_of(&sides[n++], &bench->store[f], order);
        }
    }
    measure(bench, sides, n);
    n = 0;
    for (enum mpi_flavour f = MPI_FLAVOUR_MPICH; f < MPI_FLAVOURS; f++) {
        if (mpi_child_exists(f)) {
            struct mpi_line line = {.question = row->name, .keys = row->keys, .unit = "ns", .target = row->target[f]};
            line.against = bench->plain[f].name;
            mpi_line_put(bench->report, &line, sides[n + 1].value[0], sides[n].value[0], bench->options.repeats);
            n += 2;
        }
    }
}

static void bench_lending(const struct bench *bench)
{
    static struct side sides[2];
    struct mpi_order lend = {.work = MPI_WORK_LEND, .keys = LEND_KEYS, .nanoseconds = run_ns(bench) / CALLS_PART};
    struct mpi_order create = lend;
    create.work = MPI_WORK_CREATE;
    for (enum mpi_flavour f = MPI_FLAVOUR_MPICH; f < MPI_FLAVOURS; f++) {
        if (!mpi_child_exists(f))
            continue;
        struct mpi_line line = {.question = LEND_QUESTION, .keys = LEND_KEYS, .unit = "ns", .target = LEND_TARGET};
        line.against = bench->plain[f].name;
        side_of(&sides[0], &bench->store[f], lend);
        side_of(&sides[1], &bench->plain[f], create);
        measure(bench, sides, 2);
        mpi_line_put(bench->report, &line, sides[0].value[0], sides[1].value[0], bench->options.repeats);
    }
}

static void bench_growth(const struct bench *bench, const struct growth_row *row)
{
    static struct side sides[2];
    struct mpi_order order = {.work = row->work, .keys = row->keys, .nanoseconds = run_ns(bench) / CALLS_PART};
    const struct mpi_child *store =
        &bench->store[mpi_child_exists(MPI_FLAVOUR_MPICH) ? MPI_FLAVOUR_MPICH : MPI_FLAVOUR_OPENMPI];
    struct mpi_line line = {.question = row->name, .keys = row->keys, .against = row->against, .unit = "ns"};
    unsigned value = 0;
    line.target = row->target;
    if (row->work == MPI_WORK_LATENCY) {
        order.nanoseconds = run_ns(bench);
        order.writers = line.writers = 1;
        line.unit = "us";
        value = MPI_WORK_VALUES - 1;
    }
    side_of(&sides[0], store, order);
    order.keys = row->few;
    side_of(&sides[1], store, order);
    measure(bench, sides, 2);
    mpi_line_put(bench->report, &line, sides[0].value[value], sides[1].value[value], bench->options.repeats);
}

static struct mpi_order shared_order(const struct bench *bench, enum mpi_work work, unsigned readers, unsigned writers)
{
    return (struct mpi_order){work, SHARED_KEYS, readers, writers, run_ns(bench)};
}

static struct mpi_line shared_line(const struct mpi_order *order, const char *question, double target)
{
    return (struct mpi_line){.question = question,
                             .keys = order->keys,
                             .readers = order->readers,
                             .writers = order->writers,
                             .against = "Open MPI",
                             .unit = "M/s",
                             .more = true,
                             .target = target};
}

static void bench_shared(const struct bench *bench, const struct shared_row *row)
{
    static struct side sides[2];
    unsigned repeats = bench->options.repeats;
    struct mpi_order order = shared_order(bench, MPI_WORK_SHARED, row->readers, row->writers);
    const struct {
        const char *question;
        bool wanted;
        double target;
    } lines[] = {{"gets", row->readers > 0, row->gets},
                 {"sets", row->writers > 0, row->sets},
                 {"gets and sets", row->readers > 0 && row->writers > 0, row->both}};
    side_of(&sides[0], &bench->store[MPI_FLAVOUR_OPENMPI], order);
    side_of(&sides[1], &bench->plain[MPI_FLAVOUR_OPENMPI], order);
    measure(bench, sides, 2);
    for (int s = 0; s < 2; s++) {
        for (unsigned i = 0; i < repeats; i++)
            sides[s].value[2][i] = sides[s].value[0][i] + sides[s].value[1][i];
    }
    for (int v = 0; v < 3; v++) {
        struct mpi_line line = shared_line(&order, lines[v].question, lines[v].target);
        if (lines[v].wanted)
            mpi_line_put(bench->report, &line, sides[0].value[v], sides[1].value[v], repeats);
    }
}

/* Two readers of one object against one, on the store and then on Open MPI alone, which has no target. */
static void bench_readers(const struct bench *bench, const struct mpi_child *child, const char *against, double target)
{
    static struct side sides[2];
    struct mpi_order one = shared_order(bench, MPI_WORK_SHARED, 1, 0), two = shared_order(bench, MPI_WORK_SHARED, 2, 0);
    struct mpi_line line = shared_line(&two, "gets", target);
    line.against = against;
    side_of(&sides[0], child, two);
    side_of(&sides[1], child, one);
    measure(bench, sides, 2);
    mpi_line_put(bench->report, &line, sides[0].value[0], sides[1].value[0], bench->options.repeats);
}

static void bench_latency(const struct bench *bench)
{
    static struct side sides[2];
    struct mpi_order order = shared_order(bench, MPI_WORK_LATENCY, 1, 1);
    side_of(&sides[0], &bench->store[MPI_FLAVOUR_OPENMPI], order);
    side_of(&sides[1], &bench->plain[MPI_FLAVOUR_OPENMPI], order);
    measure(bench, sides, 2);
    for (int v = 0; v < MPI_WORK_VALUES; v++) {
        struct mpi_line line = shared_line(&order, LATENCY[v].name, LATENCY[v].target);
        line.unit = "us";
        line.more = false;
        line.alone = true;
        mpi_line_put(bench->report, &line, sides[0].value[v], sides[1].value[v], bench->options.repeats);
    }
}

static void start(struct bench *bench)
{
    report_enter(bench->report, "mpi", '{');
    for (enum mpi_flavour f = MPI_FLAVOUR_MPICH; f < MPI_FLAVOURS; f++) {
        if (!mpi_child_exists(f))
            continue;
        bench->plain[f] = mpi_child_start(f, false);
        bench->store[f] = mpi_child_start(f, true);
        printf("# %-9s %s\n", bench->plain[f].name, bench->plain[f].version);
        report_text(bench->report, bench->plain[f].name, bench->plain[f].version);
    }
    report_leave(bench->report);
}

static void stop(struct bench *bench)
{
    for (enum mpi_flavour f = MPI_FLAVOUR_MPICH; f < MPI_FLAVOURS; f++) {
        if (mpi_child_exists(f)) {
            mpi_child_stop(&bench->plain[f]);
            mpi_child_stop(&bench->store[f]);
        }
    }
}

static void bench_all(const struct bench *bench)
{
    mpi_line_head(bench->options.repeats);
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++)
        bench_calls(bench, &CALLS[i]);
    bench_lending(bench);
    for (size_t i = 0; i < sizeof GROWTH / sizeof GROWTH[0]; i++)
        bench_growth(bench, &GROWTH[i]);
    if (!mpi_child_exists(MPI_FLAVOUR_OPENMPI))
        return;
    for (size_t i = 0; i < sizeof SHARED / sizeof SHARED[0]; i++)
        bench_shared(bench, &SHARED[i]);
    bench_readers(bench, &bench->store[MPI_FLAVOUR_OPENMPI], "rcuinfo, 1 reader", 1.9);
    bench_latency(bench);
}

int main(int argc, char **argv)
{
    bool quick = false;
    static struct bench bench;
    struct options *options = &bench.options;
    const struct option_row rows[] = {
        {"quick", 'q', OPTION_FLAG, &quick, 0, 0, "the same rows within about 20 seconds", NULL},
        {"repeats", 'r', OPTION_NUMBER, &options->repeats, 1, BENCH_REPEAT_MAX, "rounds of each row (11; quick: 5)",
         NULL},
        {"ms", 'm', OPTION_NUMBER, &options->milliseconds, 1, 60000,
         "milliseconds of threads in a round (200; quick: 100); one thread: a fraction of it", NULL},
    };
    struct program program = {
        .name = "bench_mpi",
        .about =
            "MPI_Info_* calls on plain MPICH and Open MPI, and the same program under rcuinfo: ratios beside targets,\n"
            "which may be missed. Threads share an info only on Open MPI: plain MPICH crashes when they do.\n",
        .options = rows,
        .n = sizeof rows / sizeof rows[0]};
    options_read(&program, argc, argv);
    options->repeats = options->repeats ? options->repeats : quick ? 5 : 11;
    options->milliseconds = options->milliseconds ? options->milliseconds : quick ? 100 : 200;
    struct report report = report_open(&program);
    bench.report = &report;
    start(&bench);
    report_enter(&report, "rows", '[');
    bench_all(&bench);
    report_close(&report);
    stop(&bench);
    return 0;
}
