/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_mpi: the MPI_Info_* calls of one program on plain MPICH and plain Open MPI, and of the same program on the
 * store, compared with targets.
 */
#include <stdbool.h>
#include <string.h>

#include "children.h"
#include "options.h"
#include "report.h"

#define SHARED_KEYS 16
#define ONE_THREAD  0, 0, 0 /* readers, writers, and the time, which compare() sets */
#define PLAIN_MPI   NULL, NULL
#define CALLS_PART  50 /* a run of one thread takes this fraction of the time of a run of several */

enum mpi_flavour { MPI_FLAVOUR_MPICH, MPI_FLAVOUR_OPENMPI, MPI_FLAVOURS };

/* bench_mpi_calls on an MPI, plain or under `rcuinfo run`. */
#define CHILD(FLAVOUR, STORE) (&children[CHILD_MPICH + 2 * (FLAVOUR) + (STORE)])

static unsigned repeats, milliseconds;

/* The orders that rows are compared with, if different from their own. */
static const struct mpi_order MAKING = {MPI_WORK_CREATE, 16, ONE_THREAD}, SETTING = {MPI_WORK_SET, 16, ONE_THREAD},
                              DUPPING = {MPI_WORK_DUP, 1, ONE_THREAD}, WRITING = {MPI_WORK_LATENCY, 16, 0, 1, 0},
                              READING = {MPI_WORK_SHARED, SHARED_KEYS, 1, 0, 0};

/*
 * The rows, in the order of README. Consecutive rows with the same order are measured together. A target is for the
 * median of the ratio, a minimum for rates and a maximum for times; or for latencies, a maximum for the store's own.
 * Threads share an object on Open MPI only, as plain MPICH crashes if they do.
 */
static const struct row {
    const char *call;
    struct mpi_order order;
    unsigned value;              /* index in the result */
    double target[MPI_FLAVOURS]; /* MPICH, Open MPI; 0: none */
    const char *against;         /* the store itself, on the first available MPI; NULL: each plain MPI */
    const struct mpi_order *other;
} ROWS[] = {
    {"get hit", {MPI_WORK_GET, 1, ONE_THREAD}, 0, {0.85, 0.35}, PLAIN_MPI},
    {"get hit", {MPI_WORK_GET, 4, ONE_THREAD}, 0, {0.9, 0.4}, PLAIN_MPI},
    {"get hit", {MPI_WORK_GET, 16, ONE_THREAD}, 0, {0.5, 0.35}, PLAIN_MPI},
    {"get hit", {MPI_WORK_GET, 128, ONE_THREAD}, 0, {0.15, 0}, PLAIN_MPI},
    {"get hit", {MPI_WORK_GET, 1024, ONE_THREAD}, 0, {0.02, 0.02}, PLAIN_MPI},
    {"get hit", {MPI_WORK_GET, 8192, ONE_THREAD}, 0, {0.01, 0}, PLAIN_MPI},
    {"get miss", {MPI_WORK_GET_MISS, 16, ONE_THREAD}, 0, {0.5, 0.4}, PLAIN_MPI},
    {"get miss", {MPI_WORK_GET_MISS, 1024, ONE_THREAD}, 0, {0.02, 0}, PLAIN_MPI},
    {"get_nthkey", {MPI_WORK_NTHKEY, 1, ONE_THREAD}, 0, {1.5, 0.4}, PLAIN_MPI},
    {"get_nthkey", {MPI_WORK_NTHKEY, 16, ONE_THREAD}, 0, {1.0, 0.4}, PLAIN_MPI},
    {"get_nthkey", {MPI_WORK_NTHKEY, 128, ONE_THREAD}, 0, {0.3, 0.4}, PLAIN_MPI},
    {"get_nkeys", {MPI_WORK_NKEYS, 1, ONE_THREAD}, 0, {2.0, 2.0}, PLAIN_MPI},
    {"get_nkeys", {MPI_WORK_NKEYS, 16, ONE_THREAD}, 0, {1.0, 2.0}, PLAIN_MPI},
    {"set", {MPI_WORK_SET, 1, ONE_THREAD}, 0, {2.0, 0}, PLAIN_MPI},
    {"set", {MPI_WORK_SET, 4, ONE_THREAD}, 0, {1.2, 0.9}, PLAIN_MPI},
    {"set", {MPI_WORK_SET, 16, ONE_THREAD}, 0, {0.8, 0.7}, PLAIN_MPI},
    {"set", {MPI_WORK_SET, 32, ONE_THREAD}, 0, {0.6, 0.5}, PLAIN_MPI},
    {"set", {MPI_WORK_SET, 128, ONE_THREAD}, 0, {0.35, 0.3}, PLAIN_MPI},
    {"set", {MPI_WORK_SET, 1024, ONE_THREAD}, 0, {0.08, 0.08}, PLAIN_MPI},
    {"set", {MPI_WORK_SET, 8192, ONE_THREAD}, 0, {0.02, 0.02}, PLAIN_MPI},
    {"dup + free", {MPI_WORK_DUP, 1, ONE_THREAD}, 0, {1.0, 0.6}, PLAIN_MPI},
    {"dup + free", {MPI_WORK_DUP, 16, ONE_THREAD}, 0, {0.1, 0.6}, PLAIN_MPI},
    {"dup + free", {MPI_WORK_DUP, 128, ONE_THREAD}, 0, {0, 0.6}, PLAIN_MPI},
    {"dup + free", {MPI_WORK_DUP, 1024, ONE_THREAD}, 0, {0, 0.6}, PLAIN_MPI},
    {"create 8 sets free", {MPI_WORK_CREATE, 8, ONE_THREAD}, 0, {0.5, 0.5}, PLAIN_MPI},
    {"Comm_set_info", {MPI_WORK_COMM_SET, 4, ONE_THREAD}, 0, {2, 3}, PLAIN_MPI},
    {"Win_set_info", {MPI_WORK_WIN_SET, 4, ONE_THREAD}, 0, {2, 3}, PLAIN_MPI},
    {"Comm_get_info + free", {MPI_WORK_COMM_GET, 4, ONE_THREAD}, 0, {2, 3}, PLAIN_MPI},
    {"File_get_info + free", {MPI_WORK_FILE_GET, 4, ONE_THREAD}, 0, {2, 3}, PLAIN_MPI},
    {"Alloc_mem + free", {MPI_WORK_LEND, 4, ONE_THREAD}, 0, {2, 3}, PLAIN_MPI},
    /* A call with an info, for which the store creates one of the MPI; compared with creating and freeing that. */
    {"MPI_Alloc_mem with info", {MPI_WORK_LEND, 16, ONE_THREAD}, 0, {3, 3}, NULL, &MAKING},

    /* A large object compared with a small one, as filling an object of that size takes minutes on plain MPI. */
    {"set", {MPI_WORK_SET, 65536, ONE_THREAD}, 0, {12, 12}, "rcuinfo, 16 keys", &SETTING},
    {"dup + free", {MPI_WORK_DUP, 65536, ONE_THREAD}, 0, {1.5, 1.5}, "rcuinfo, 1 key", &DUPPING},
    {"set, maximum", {MPI_WORK_LATENCY, 65536, 0, 1, 0}, 4, {0, 0}, "rcuinfo, 16 keys", &WRITING},

    {"gets", {MPI_WORK_SHARED, SHARED_KEYS, 1, 1, 0}, MPI_WORK_GETS, {0, 6}, PLAIN_MPI},
    {"sets", {MPI_WORK_SHARED, SHARED_KEYS, 1, 1, 0}, MPI_WORK_SETS, {0, 2.5}, PLAIN_MPI},
    {"gets and sets", {MPI_WORK_SHARED, SHARED_KEYS, 1, 1, 0}, MPI_WORK_BOTH, {0, 4}, PLAIN_MPI},
    {"gets", {MPI_WORK_SHARED, SHARED_KEYS, 4, 4, 0}, MPI_WORK_GETS, {0, 6}, PLAIN_MPI},
    {"sets", {MPI_WORK_SHARED, SHARED_KEYS, 4, 4, 0}, MPI_WORK_SETS, {0, 1.0}, PLAIN_MPI},
    {"gets and sets", {MPI_WORK_SHARED, SHARED_KEYS, 4, 4, 0}, MPI_WORK_BOTH, {0, 4}, PLAIN_MPI},
    {"gets", {MPI_WORK_SHARED, SHARED_KEYS, 7, 1, 0}, MPI_WORK_GETS, {0, 8}, PLAIN_MPI},
    {"sets", {MPI_WORK_SHARED, SHARED_KEYS, 7, 1, 0}, MPI_WORK_SETS, {0, 1.5}, PLAIN_MPI},
    {"gets and sets", {MPI_WORK_SHARED, SHARED_KEYS, 7, 1, 0}, MPI_WORK_BOTH, {0, 8}, PLAIN_MPI},
    {"gets", {MPI_WORK_SHARED, SHARED_KEYS, 1, 7, 0}, MPI_WORK_GETS, {0, 8}, PLAIN_MPI},
    {"sets", {MPI_WORK_SHARED, SHARED_KEYS, 1, 7, 0}, MPI_WORK_SETS, {0, 0.6}, PLAIN_MPI},
    {"gets and sets", {MPI_WORK_SHARED, SHARED_KEYS, 1, 7, 0}, MPI_WORK_BOTH, {0, 4}, PLAIN_MPI},
    {"sets", {MPI_WORK_SHARED, SHARED_KEYS, 0, 2, 0}, MPI_WORK_SETS, {0, 1.2}, PLAIN_MPI},
    {"sets", {MPI_WORK_SHARED, SHARED_KEYS, 0, 8, 0}, MPI_WORK_SETS, {0, 1.2}, PLAIN_MPI},
    {"gets", {MPI_WORK_SHARED, SHARED_KEYS, 2, 0, 0}, MPI_WORK_GETS, {1.9, 1.9}, "rcuinfo, 1 reader", &READING},
    {"set, p50", {MPI_WORK_LATENCY, SHARED_KEYS, 1, 1, 0}, 0, {0, 0}, PLAIN_MPI},
    {"set, p99", {MPI_WORK_LATENCY, SHARED_KEYS, 1, 1, 0}, 1, {0, 0}, PLAIN_MPI},
    {"set, p99.9", {MPI_WORK_LATENCY, SHARED_KEYS, 1, 1, 0}, 2, {0, 100}, PLAIN_MPI},
    {"set, p99.99", {MPI_WORK_LATENCY, SHARED_KEYS, 1, 1, 0}, 3, {0, 25000}, PLAIN_MPI},
    {"set, maximum", {MPI_WORK_LATENCY, SHARED_KEYS, 1, 1, 0}, 4, {0, 0}, PLAIN_MPI},
};
#define ROWS_END (ROWS + sizeof ROWS / sizeof ROWS[0])

static void report_row(struct report *report, const struct row *row, enum mpi_flavour flavour, const double *store,
                       const double *other)
{
    bool rate = row->order.work == MPI_WORK_SHARED, latency = row->order.work == MPI_WORK_LATENCY;
    struct bench_spread ours = bench_spread_of(store, repeats), ratio = bench_spread_of_ratios(store, other, repeats);
    double target = row->target[flavour], reached = latency ? ours.median : ratio.median;

    report_enter(report, NULL, '{');
    report_text(report, "call", row->call);
    report_number(report, "keys", row->order.keys);
    report_number(report, "readers", row->order.readers);
    report_number(report, "writers", row->order.writers);
    report_text(report, "against", row->against ? row->against : CHILD(flavour, 0)->name);
    report_text(report, "unit", rate ? "M/s" : latency ? "us" : "ns");
    report_number(report, "more_is_better", rate);
    report_spread(report, "other", bench_spread_of(other, repeats));
    report_spread(report, "rcuinfo", ours);
    report_spread(report, "ratio", ratio);

    if (target > 0) {
        report_number(report, "target", target);
        report_text(report, "target_of", latency ? "rcuinfo" : "ratio");
        report_number(report, "met", rate ? reached >= target : reached <= target);
    }
    report_leave(report);
}

/* Measures the order of the rows from `row` up to `end`, exclusive, and the order that it is compared with. */
static void compare(struct report *report, const struct row *row, const struct row *end, enum mpi_flavour flavour)
{
    static struct side sides[2];
    bool one_thread = row->order.work < MPI_WORK_CALLS;
    sides[0].child = CHILD(flavour, 1);
    sides[0].order = row->order;
    sides[1].child = CHILD(flavour, row->against != NULL);
    sides[1].order = row->other ? *row->other : row->order;
    for (size_t i = 0; i < 2; i++)
        sides[i].order.nanoseconds = (uint64_t)milliseconds * 1000000 / (one_thread ? CALLS_PART : 1);
    bench_rounds(2, repeats, side_measure, sides);
    if (sides[1].failed)
        bench_die("%s %s", sides[1].child->name, sides[1].failed);
    for (; row < end; row++)
        report_row(report, row, flavour, sides[0].value[row->value], sides[1].value[row->value]);
}

static void bench_all(struct report *report)
{
    enum mpi_flavour first = CHILD(MPI_FLAVOUR_MPICH, 0)->program ? MPI_FLAVOUR_MPICH : MPI_FLAVOUR_OPENMPI;
    for (const struct row *row = ROWS, *end; row < ROWS_END; row = end) {
        for (end = row + 1; end < ROWS_END && memcmp(&end->order, &row->order, sizeof row->order) == 0;)
            end++;
        for (enum mpi_flavour f = MPI_FLAVOUR_MPICH; f < MPI_FLAVOURS; f++) {
            bool alone = row->order.work < MPI_WORK_CALLS;
            if (CHILD(f, 0)->program && (row->against ? f == first : alone || f == MPI_FLAVOUR_OPENMPI))
                compare(report, row, end, f);
        }
    }
}

int main(int argc, char **argv)
{
    bool quick = false;
    const struct option_row rows[] = {
        {"quick", OPTION_FLAG, 0, 0, "the same rows within about 20 seconds", &quick},
        {"repeats", OPTION_NUMBER, 1, BENCH_REPEAT_MAX, "rounds of each row (11; quick: 5)", &repeats},
        {"ms", OPTION_NUMBER, 1, 60000,
         "milliseconds per round of several threads (200; quick: 100); one thread: a fraction", &milliseconds},
    };

    struct program program = {
        "bench_mpi",
        "MPI_Info_* calls on plain MPICH and Open MPI, and of the same program under rcuinfo: ratios and targets,\n"
        "which may be missed. Threads share an info only on Open MPI, as plain MPICH crashes if they do.\n",
        PROGRAM_OPTIONS(rows),
        NO_OPERATIONS,
        false,
        NULL};

    options_read(&program, argc, argv);
    repeats = repeats ? repeats : quick ? 5 : 11;
    milliseconds = milliseconds ? milliseconds : quick ? 100 : 200;

    struct report report = report_open(&program);
    children_start(&report, CHILD_MPICH);
    report_enter(&report, "rows", '[');
    bench_all(&report);
    report_close(&report);
    children_stop();
    return 0;
}
