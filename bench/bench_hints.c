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
#include "plain.h"
#include "report.h"

enum { HINTS = 16, SOME = 8, READ_ROW = 5, LOW = 5, HIGH = 6 };

struct options {
    struct bench_list threads;
    unsigned milliseconds;
    unsigned repeats;
    const char *json;
};

static char keys[HINTS][16];
static rcuinfo_hint_t rows[HINTS];
static rcuinfo_schema_t *schema;

static void must(rcuinfo_status_t status, const char *what)
{
    if (__builtin_expect(status != RCUINFO_SUCCESS, 0))
        bench_die("%s: %s", what, rcuinfo_status_string(status));
}

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
    uint64_t start[BENCH_THREAD_MAX]; /* these two written once by each thread, at its end */
    uint64_t end[BENCH_THREAD_MAX];
    unsigned left; /* atomic: threads that have not ended */
    double ns[BENCH_REPEAT_MAX];
    struct bench_spread ratio;
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
static void write_on(struct cell *cell)
{
    struct step *s = &cell->steps[0];
    for (unsigned turn = 0; __atomic_load_n(&cell->left, __ATOMIC_RELAXED); turn++) {
        must(rcuinfo_hints_set(s->hints, s->given[turn % 2]), "hints_set");
        must(rcuinfo_set_int64(s->info, keys[READ_ROW], turn % 2 ? HIGH : LOW), "set");
        bench_plain_set(turn % 2 ? HIGH : LOW);
    }
}

static void body(void *context, unsigned index)
{
    struct cell *cell = context;
    if (index == cell->threads) {
        write_on(cell);
        return;
    }
    struct step step = cell->steps[index];
    step.calls = cell->calls / 8 + 1;
    cell->operation->repeat(&step);
    step.calls = cell->calls;
    step.sum = 0;
    uint64_t start = bench_now();
    cell->operation->repeat(&step);
    cell->end[index] = bench_now();
    cell->start[index] = start;
    __atomic_sub_fetch(&cell->left, 1, __ATOMIC_RELAXED);
    if (step.sum < (int64_t)step.calls * LOW || step.sum > (int64_t)step.calls * (cell->written ? HIGH : LOW))
        bench_die("%s: wrong value, on average %g", cell->operation->name, (double)step.sum / step.calls);
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
    uint64_t first = UINT64_MAX, last = 0;
    cell->left = cell->threads;
    bench_plain_set(LOW);
    bench_threads(cell->threads + cell->written, body, NULL, cell);
    for (unsigned i = 0; i < cell->threads; i++) {
        first = cell->start[i] < first ? cell->start[i] : first;
        last = cell->end[i] > last ? cell->end[i] : last;
    }
    cell->ns[round] = (double)(last - first) / cell->calls;
    look_back(cell);
    rcuinfo_store_drain(); /* the next one does not pay for what this one left */
}

/* As many calls as take the milliseconds asked for, all threads at work, without a writer, who may keep them from it
 * for long; also the round that does not count. */
static void calibrate(struct cell *cell, unsigned milliseconds)
{
    double ns = milliseconds * 1e6;
    for (cell->calls = cell->alone ? cell->alone->calls : 1;; cell->calls *= 4) {
        measure(cell, 0, 0);
        if (cell->alone)
            return;
        if (cell->ns[0] * cell->calls > ns / 8 || cell->calls >= 1U << 28)
            break;
    }
    double calls = ns / cell->ns[0];
    cell->calls = calls < 1 ? 1 : calls < 1e9 ? (unsigned)calls : 1000000000;
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

static void print_head(const struct options *options)
{
    printf("\n# ns of one operation in each thread, min / median / max of %u rounds; %d hints in use\n"
           "# ratio to plain, median (min to max) of the rounds; writer: one more thread sets the hint all the time\n",
           options->repeats, HINTS);
    for (size_t i = 0; i < OPERATIONS; i++)
        printf("#   %-10s %s\n", ALL[i].name, ALL[i].what);
    printf("%7s %-10s %6s  %32s  %24s\n", "threads", "operation", "writer", "ns", "ratio to plain");
}

static void print_cell(struct report *report, struct cell *cell, unsigned repeats)
{
    struct bench_spread ns = bench_spread_of(cell->ns, repeats);
    printf("%7u %-10s %6s  %9.2f /%9.2f /%9.2f", cell->threads, cell->operation->name, cell->written ? "yes" : "no",
           ns.min, ns.median, ns.max);
    report_enter(report, NULL, '{');
    report_text(report, "operation", cell->operation->name);
    report_number(report, "threads", cell->threads);
    report_number(report, "writer", cell->written);
    report_spread(report, "ns", ns);
    if (cell->plain) {
        printf("  %8.3f (%5.3f to %5.3f)", cell->ratio.median, cell->ratio.min, cell->ratio.max);
        report_spread(report, "ratio_plain", cell->ratio);
    }
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
    for (size_t i = 0; i < n; i++) { /* before the spreads sort the rounds away */
        if (cells[i].plain)
            cells[i].ratio = bench_spread_of_ratios(cells[i].ns, cells[i].plain->ns, options->repeats);
    }
    for (size_t i = 0; i < n; i++) {
        print_cell(report, &cells[i], options->repeats);
        unmake(&cells[i]);
    }
    fflush(stdout);
    free(cells);
}

static _Noreturn void help(void)
{
    printf("usage: bench_hints [options]\n"
           "What reading, setting and getting hints of a hint set costs.\n\n"
           "  -t, --threads LIST  threads (1 and the number of cores)\n"
           "  -m, --ms N          milliseconds of one run, about (10)\n"
           "  -r, --repeats N     rounds (11)\n"
           "  -j, --json FILE     write the numbers there as well\n"
           "  -h, --help\n\noperations:\n");
    for (size_t i = 0; i < OPERATIONS; i++)
        printf("  %-10s %s\n", ALL[i].name, ALL[i].what);
    printf("\nEnds with 0; with 1 when a call failed or gave something wrong; with 2 for a bad option.\n");
    exit(0);
}

static struct options parse(int argc, char **argv)
{
    struct options options = {.threads = {1, {1}}, .milliseconds = 10, .repeats = 11};
    if (bench_cores() > 1)
        options.threads = (struct bench_list){2, {1, bench_cores()}};
    const struct option_row table[] = {
        {"threads", 't', OPTION_LIST, &options.threads, 1, BENCH_THREAD_MAX - 1},
        {"ms", 'm', OPTION_NUMBER, &options.milliseconds, 1, 60000},
        {"repeats", 'r', OPTION_NUMBER, &options.repeats, 1, BENCH_REPEAT_MAX},
        {"json", 'j', OPTION_TEXT, &options.json, 0, 0},
    };
    options_read(argc, argv, table, sizeof table / sizeof table[0], help);
    return options;
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    struct report report = report_open("bench_hints", options.json);
    uint64_t start = bench_now();
    for (unsigned i = 0; i < HINTS; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "hint_%u", i);
        rows[i] = (rcuinfo_hint_t){.key = keys[i], .type = RCUINFO_HINT_INT, .least = LOW, .most = HIGH};
    }
    must(rcuinfo_schema_create(NULL, rows, HINTS, &schema, NULL), "schema_create");
    report_number(&report, "hints", HINTS);
    report_number(&report, "repeats", options.repeats);
    report_number(&report, "ms", options.milliseconds);
    report_enter(&report, "rows", '[');
    print_head(&options);
    for (size_t t = 0; t < options.threads.n; t++) {
        bench_progress(start, t, options.threads.n, "numbers of threads");
        bench_all(&options, &report, options.threads.at[t]);
    }
    report_leave(&report);
    report_close(&report);
    rcuinfo_schema_free(&schema);
    return 0;
}
