/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_scale: the throughput of the info calls by number of threads, on infos of the threads' own and on one shared
 * info, natively, on plain MPICH and Open MPI, and of the same program on the store. In each round every number of
 * threads is measured on every library, so a ratio compares two numbers of the same round.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "children.h"
#include "options.h"
#include "report.h"
#include "workload.h"

#define KEYS 16
#define ALL  1 /* as `one_of`: every thread sets */

static unsigned repeats, milliseconds;
static struct bench_list all_threads;

/*
 * The rows. Threads that do not set make `call`. A row with a number of threads of its own is a row of writers, for
 * which the longest time of a writer counts; the others are measured with every number of threads.
 */
static const struct row {
    const char *name;
    unsigned place; /* MPI_WORK_OWN or MPI_WORK_SHARED */
    enum mpi_work call;
    unsigned keys;
    unsigned writers; /* the number of threads that set, */
    unsigned one_of;  /* or one of so many */
    unsigned threads;
} ROWS[] = {
    {"create + free", MPI_WORK_OWN, MPI_WORK_EMPTY, KEYS, 0, 0, 0},
    {"create + 2 sets + free", MPI_WORK_OWN, MPI_WORK_CREATE, 2, 0, 0, 0},
    {"create + 2 sets + 2 gets + free", MPI_WORK_OWN, MPI_WORK_READ, 2, 0, 0, 0},
    {"create + 8 sets + free", MPI_WORK_OWN, MPI_WORK_CREATE, 8, 0, 0, 0},
    {"set", MPI_WORK_OWN, MPI_WORK_SET, KEYS, 0, ALL, 0},
    {"get", MPI_WORK_OWN, MPI_WORK_GET, KEYS, 0, 0, 0},
    {"get", MPI_WORK_SHARED, MPI_WORK_GET, KEYS, 0, 0, 0},
    {"get_nthkey", MPI_WORK_SHARED, MPI_WORK_NTHKEY, KEYS, 0, 0, 0},
    {"get_nkeys", MPI_WORK_SHARED, MPI_WORK_NKEYS, KEYS, 0, 0, 0},
    {"view", MPI_WORK_SHARED, MPI_WORK_VIEW, KEYS, 0, 0, 0},
    {"snapshot", MPI_WORK_SHARED, MPI_WORK_SNAPSHOT, KEYS, 0, 0, 0},
    {"dup + free", MPI_WORK_SHARED, MPI_WORK_DUP, KEYS, 0, 0, 0},
    {"1 thread sets, others get", MPI_WORK_SHARED, MPI_WORK_GET, KEYS, 1, 0, 0},
    {"1 in 8 sets, others get", MPI_WORK_SHARED, MPI_WORK_GET, KEYS, 0, 8, 0},
    {"some set, others get", MPI_WORK_OWN, MPI_WORK_GET, KEYS, 8, 0, 16},
    {"some set, others get", MPI_WORK_OWN, MPI_WORK_GET, KEYS, 8, 0, 64},
    {"some set, others get", MPI_WORK_OWN, MPI_WORK_GET, KEYS, 32, 0, 256},
    {"some set, others get", MPI_WORK_SHARED, MPI_WORK_GET, KEYS, 1, 0, 64},
    {"some set, others get", MPI_WORK_SHARED, MPI_WORK_GET, KEYS, 32, 0, 256},
};

static void report_side(struct report *report, const struct row *row, const struct side *side, const struct side *one,
                        unsigned rounds)
{
    static const char *const names[] = {"gets_M_per_s", "sets_M_per_s", "calls_M_per_s", "longest_us"};
    unsigned writers = side->order.writers;
    bool mixed = row->call == MPI_WORK_GET && writers > 0;
    size_t rate = mixed ? MPI_WORK_SETS : MPI_WORK_BOTH;
    report_enter(report, NULL, '{');
    report_text(report, "kind", row->threads ? "writers" : "threads");
    report_text(report, "call", row->name);
    report_text(report, "infos", row->place == MPI_WORK_OWN ? "own" : "shared");
    report_number(report, "threads", side->order.readers + writers);
    report_number(report, "writers", writers);
    report_text(report, "library", side->child->name);
    if (side->failed)
        report_text(report, "failed", side->failed);
    for (size_t v = 0; v <= MPI_WORK_LONGEST && !side->failed; v++) {
        if (mixed == (v != MPI_WORK_BOTH))
            report_spread(report, names[v], bench_spread_of(side->value[v], rounds));
    }
    if (!side->failed && one)
        report_spread(report, "ratio", bench_spread_of_ratios(side->value[rate], one->value[rate], rounds));
    report_leave(report);
}

/* Adds the sides of a row with a number of threads, if it has enough writers; returns the end. */
static struct side *add_sides(struct side *side, const struct row *row, unsigned threads)
{
    unsigned writers = row->one_of ? threads / row->one_of : row->writers;
    uint64_t times = row->threads ? row->threads / 4 : 1; /* so each of many threads runs for a while on few cores */
    struct mpi_order order = {row->place + row->call, row->keys, threads - writers, writers,
                              (uint64_t)milliseconds * 1000000 * times};
    for (size_t i = 0; i < CHILDREN && (writers > 1 || row->one_of < 2); i++) {
        bool fragile = i == CHILD_MPICH && row->place == MPI_WORK_SHARED && threads > 1;
        bool has_call = i != CHILD_FRAGILE && (row->call < MPI_WORK_SNAPSHOT || i == CHILD_NATIVE);
        if (children[i].program && has_call)
            *side++ = (struct side){.child = &children[fragile ? CHILD_FRAGILE : i], .order = order};
    }
    return side;
}

static void bench_row(struct report *report, const struct row *row, struct side *sides)
{
    struct side *end = sides;
    unsigned rounds = row->threads && repeats > 1 ? repeats / 2 : repeats;
    for (size_t t = 0; t < (row->threads ? 1 : all_threads.n); t++)
        end = add_sides(end, row, row->threads ? row->threads : all_threads.at[t]);
    bench_rounds((size_t)(end - sides), rounds, side_measure, sides);
    for (const struct side *side = sides; side < end; side++) {
        const struct side *one = sides;
        while (one < end &&
               (strcmp(one->child->name, side->child->name) != 0 || one->order.readers + one->order.writers > 1))
            one++;
        report_side(report, row, side, one < end ? one : NULL, rounds);
    }
}

int main(int argc, char **argv)
{
    bool quick = false;
    for (unsigned n = 1; n <= 4 * bench_cores() && n <= BENCH_THREAD_MAX; n *= 2)
        all_threads.at[all_threads.n++] = n;
    const struct option_row rows[] = {
        {"quick", OPTION_FLAG, 0, 0, "the same rows within about 40 seconds", &quick},
        {OPTION_THREADS, &all_threads},
        {"repeats", OPTION_NUMBER, 1, BENCH_REPEAT_MAX, "rounds (7; quick: 3); half as many of rows of writers",
         &repeats},
        {"ms", OPTION_NUMBER, 1, 60000,
         "milliseconds of one measurement (50; quick: 15); rows of writers: for 4 threads", &milliseconds},
    };

    struct program program = {
        "bench_scale",
        "Info calls by number of threads, on infos of their own and on one shared info: natively, on plain MPICH and\n"
        "Open MPI, and of the same program under rcuinfo. Ratio: to 1 thread; of the sets, if other threads get.\n"
        "longest_us: the longest time that 16 consecutive sets of one writer took. Plain MPICH may fail if threads\n"
        "share an info: then `failed` says how.\n",
        PROGRAM_OPTIONS(rows),
        NO_OPERATIONS,
        false,
        NULL};
    options_read(&program, argc, argv);
    repeats = repeats ? repeats : quick ? 3 : 7;
    milliseconds = milliseconds ? milliseconds : quick ? 15 : 50;

    struct report report = report_open(&program);
    struct side *sides = bench_memory(BENCH_LIST_MAX * CHILDREN * sizeof *sides);
    children_start(&report, CHILD_NATIVE);
    report_enter(&report, "rows", '[');
    for (const struct row *row = ROWS; row < ROWS + sizeof ROWS / sizeof ROWS[0]; row++)
        bench_row(&report, row, sides);
    report_close(&report);
    children_stop();
    free(sides);
    return 0;
}
