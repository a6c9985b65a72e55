/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_hints: reading one hint of a hint set, alone and beside one who sets hints all the time; beside it what it is
 * held against (plain.h), and what one would do without hint sets; and what setting hints and getting an info of them
 * costs.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <rcuinfo/rcuinfo.h>

#include "harness.h"
#include "options.h"
#include "peers.h"
#include "plain.h"
#include "report.h"

enum { HINTS = 16, SOME = 8, READ_ROW = 5, LOW = 5, HIGH = 6 };

struct options {
    struct bench_list threads;
    unsigned milliseconds;
    unsigned repeats;
};

static char keys[HINTS][16];
static rcuinfo_hint_t rows[HINTS];
static rcuinfo_schema_t *schema;

/* What one thread of one cell works on. */
struct step {
    rcuinfo_hints_t *hints;
    rcuinfo_t info;     /* with the same hints */
    rcuinfo_t given[2]; /* to set by turns */
    unsigned calls;
    int64_t sum; /* of what was read */
};

static void read_hint(struct step *s)
{
    for (unsigned i = 0; i < s->calls; i++) {
        int64_t number;
        must(rcuinfo_hints_read(s->hints, READ_ROW, &number), "hints_read");
        s->sum += number;
    }
}

static void read_plain(struct step *s)
{
    for (unsigned i = 0; i < s->calls; i++)
        s->sum += bench_plain_read();
}

static void load_plain(struct step *s)
{
    for (unsigned i = 0; i < s->calls; i++)
        s->sum += bench_plain_load();
}

static void open_section(struct step *s)
{
    for (unsigned i = 0; i < s->calls; i++) {
        bench_plain_section();
        s->sum += LOW;
    }
}

static void get_and_parse(struct step *s)
{
    for (unsigned i = 0; i < s->calls; i++) {
        int64_t number;
        int flag = 0;
        must(rcuinfo_get_int64(s->info, keys[READ_ROW], &number, &flag, NULL), "get_int64");
        if (!flag)
            bench_die("%s is not there", keys[READ_ROW]);
        s->sum += number;
    }
}

static void set_hints(struct step *s)
{
    for (unsigned i = 0; i < s->calls; i++) {
        must(rcuinfo_hints_set(s->hints, s->given[i % 2]), "hints_set");
        s->sum += LOW;
    }
}

static void get_info(struct step *s)
{
    for (unsigned i = 0; i < s->calls; i++) {
        rcuinfo_t info;
        must(rcuinfo_hints_get(s->hints, &info), "hints_get");
        must(rcuinfo_free(&info), "free");
        s->sum += LOW;
    }
}

static const struct operation {
    const char *name;
    const char *what;
    unsigned hints; /* of a set; 0: it reads */
    void (*repeat)(struct step *s);
} ALL[] = {
    {"plain", "a function of another shared library: a read section, in it the load of one atomic variable", 0,
     read_plain},
    {"load", "of plain, the load alone", 0, load_plain},
    {"section", "of plain, the read section alone", 0, open_section},
    {"read", "rcuinfo_hints_read of one hint", 0, read_hint},
    {"get_parse", "rcuinfo_get_int64 of an info with the same hints", 0, get_and_parse},
    {"get_free", "rcuinfo_hints_get, rcuinfo_free", 0, get_info},
    {"set_1", "rcuinfo_hints_set of one hint", 1, set_hints},
    {"set_8", "rcuinfo_hints_set of eight", SOME, set_hints},
};
#define OPERATIONS (sizeof ALL / sizeof ALL[0])

/* What is measured under one name in each round, and its results. */
struct cell {
    const struct operation *operation;
    const struct cell *plain; /* beside the same writer, unless this is it */
    const struct cell *alone; /* the same without a writer, where this has one */
    unsigned threads;
    bool written; /* one more thread sets hints */
    unsigned calls;
    struct step steps[BENCH_THREAD_MAX];
    unsigned left; /* atomic: threads that have not ended */
    double ns[BENCH_REPEAT_MAX];
};

static rcuinfo_t info_of(unsigned n, int64_t number)
{
    rcuinfo_t info;
    must(rcuinfo_create(&info), "create");
    for (unsigned i = 0; i < n; i++)
        must(rcuinfo_set_int64(info, keys[(READ_ROW + i) % HINTS], number), "set");
    return info;
}

/* Sets the hint that the others read, in all that they read it from, until they have ended. */
static void write_on(void *context)
{
    struct cell *cell = context;
    struct step *s = &cell->steps[0];
    for (unsigned turn = 0; __atomic_load_n(&cell->left, __ATOMIC_RELAXED); turn++) {
        must(rcuinfo_hints_set(s->hints, s->given[turn % 2]), "hints_set");
        must(rcuinfo_set_int64(s->info, keys[READ_ROW], turn % 2 ? HIGH : LOW), "set");
        bench_plain_set(turn % 2 ? HIGH : LOW);
    }
}

static void work(void *context, unsigned index, bool warm_up)
{
    struct cell *cell = context;
    struct step step = cell->steps[index];
    step.calls = warm_up ? cell->calls / 8 + 1 : cell->calls;
    cell->operation->repeat(&step);
    if (step.sum < (int64_t)step.calls * LOW || step.sum > (int64_t)step.calls * (cell->written ? HIGH : LOW))
        bench_die("%s: wrong value, on average %g", cell->operation->name, (double)step.sum / step.calls);
    if (!warm_up)
        __atomic_sub_fetch(&cell->left, 1, __ATOMIC_RELAXED);
}

/* What is set last is in use. */
static void look_back(const struct cell *cell)
{
    for (unsigned t = 0; t < cell->threads; t++) {
        for (unsigned i = 0; i < cell->operation->hints; i++) {
            const struct step *s = &cell->steps[t];
            int64_t number;
            must(rcuinfo_hints_set(s->hints, s->given[1]), "hints_set");
            must(rcuinfo_hints_read(s->hints, (READ_ROW + i) % HINTS, &number), "hints_read");
            if (number != HIGH)
                bench_die("%s: wrong value %" PRId64, cell->operation->name, number);
        }
    }
}

static void measure(void *context, size_t which, unsigned round)
{
    struct cell *cell = (struct cell *)context + which;
    cell->left = cell->threads;
    bench_plain_set(LOW);
    cell->ns[round] = bench_time(cell->threads, work, cell->written ? write_on : NULL, cell).whole / cell->calls;
    look_back(cell);
    rcuinfo_store_drain(); /* the next one does not pay for what this one left */
}

static double measure_calls(void *context, unsigned calls)
{
    struct cell *cell = context;
    cell->calls = calls;
    measure(cell, 0, 0);
    return cell->ns[0];
}

/* As many calls as take the milliseconds asked for, all threads at work, without a writer, who may keep them from it
 * for long; also the round that does not count. */
static void calibrate(struct cell *cell, unsigned milliseconds)
{
    if (cell->alone)
        (void)measure_calls(cell, cell->alone->calls);
    else
        cell->calls = bench_calibrate(milliseconds, measure_calls, cell);
}

/* Readers share one hint set; who sets has one of its own. */
static void make(struct cell *cell)
{
    unsigned hints = cell->operation->hints;
    for (unsigned t = 0; t < cell->threads; t++) {
        struct step *s = &cell->steps[t];
        if (t && !hints) {
            *s = cell->steps[0];
            continue;
        }
        s->info = info_of(HINTS, LOW);
        s->given[0] = info_of(hints ? hints : 1, LOW);
        s->given[1] = info_of(hints ? hints : 1, HIGH);
        must(rcuinfo_hints_create(schema, s->info, NULL, NULL, &s->hints), "hints_create");
    }
}

static void unmake(struct cell *cell)
{
    for (unsigned t = 0; t < (cell->operation->hints ? cell->threads : 1); t++) {
        struct step *s = &cell->steps[t];
        rcuinfo_hints_free(&s->hints);
        must(rcuinfo_free(&s->info), "free");
        must(rcuinfo_free(&s->given[0]), "free");
        must(rcuinfo_free(&s->given[1]), "free");
    }
}

static void more_help(void)
{
    printf("\noperations:\n");
    for (size_t i = 0; i < OPERATIONS; i++)
        printf("  %-10s %s\n", ALL[i].name, ALL[i].what);
}

static void print_cell(struct report *report, const struct cell *cell, unsigned repeats)
{
    report_enter(report, NULL, '{');
    show_number(report, "threads", 7, cell->threads);
    show_text(report, "operation", -10, cell->operation->name);
    show_number(report, "writer", 6, cell->written);
    show_spread(report, "ns", bench_spread_of(cell->ns, repeats));
    if (cell->plain)
        show_ratio(report, "ratio_plain", bench_spread_of_ratios(cell->ns, cell->plain->ns, repeats));
    report_leave(report);
    printf("\n");
}

static void bench_all(const struct options *options, struct report *report, unsigned threads)
{
    struct cell *cells = bench_memory(2 * OPERATIONS * sizeof *cells);
    size_t n = 0;
    for (unsigned written = 0; written < 2; written++) {
        const struct cell *plain = &cells[n];
        for (size_t i = 0; i < OPERATIONS; i++) {
            if (written && ALL[i].hints)
                continue;
            cells[n] = (struct cell){.operation = &ALL[i], .plain = i ? plain : NULL, .threads = threads};
            cells[n].alone = written ? &cells[i] : NULL;
            cells[n++].written = written;
        }
    }
    for (size_t i = 0; i < n; i++)
        make(&cells[i]);
    for (size_t i = 0; i < n; i++)
        calibrate(&cells[i], options->milliseconds);
    bench_rounds(n, options->repeats, measure, cells);
    for (size_t i = 0; i < n; i++) {
        print_cell(report, &cells[i], options->repeats);
        unmake(&cells[i]);
    }
    fflush(stdout);
    free(cells);
}

int main(int argc, char **argv)
{
    struct options options = {.threads = {1, {1}}, .milliseconds = 10, .repeats = 11};
    if (bench_cores() > 1)
        options.threads = (struct bench_list){2, {1, bench_cores()}};
    const struct option_row table[] = {
        {"threads", 't', OPTION_LIST, &options.threads, 1, BENCH_THREAD_MAX - 1, "threads", NULL},
        OPTION_MS(&options.milliseconds),
        OPTION_REPEATS(&options.repeats),
    };
    struct program program = {"bench_hints", "What reading, setting and getting hints of a hint set costs.\n",
                              table,         sizeof table / sizeof table[0],
                              more_help,     NULL};
    options_read(&program, argc, argv);
    struct report report = report_open(&program);
    uint64_t start = bench_now();
    for (unsigned i = 0; i < HINTS; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "hint_%u", i);
        rows[i] = (rcuinfo_hint_t){.key = keys[i], .type = RCUINFO_HINT_INT, .least = LOW, .most = HIGH};
    }
    must(rcuinfo_schema_create(NULL, rows, HINTS, &schema, NULL), "schema_create");
    report_number(&report, "hints", HINTS);
    report_enter(&report, "rows", '[');
    printf("\n# ns of one operation in each thread, min / median / max of %u rounds; %d hints in use\n"
           "# ratio to plain, median (min to max) of the rounds; writer: one more thread sets the hint all the time\n",
           options.repeats, HINTS);
    printf("threads operation  writer  ns, ratio to plain\n");
    for (size_t t = 0; t < options.threads.n; t++) {
        bench_progress(start, t, options.threads.n, "numbers of threads");
        bench_all(&options, &report, options.threads.at[t]);
    }
    report_close(&report);
    rcuinfo_schema_free(&schema);
    return 0;
}
