/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_hints: the time to read one hint of a hint set, alone and while another thread sets hints, compared with a
 * minimal read (plain.h) and with reading an info without hint sets; and the time to set hints, and to get them as an
 * info.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <rcuinfo/rcuinfo.h>

#include "cells.h"
#include "peers.h"
#include "plain.h"

enum { HINTS = 16, SOME = 8, READ_ROW = 5, LOW = 5, HIGH = 6 };

static struct bench_list all_threads = {1, {1}};
static unsigned milliseconds = 10, repeats = 11;

static char keys[HINTS][16];
static rcuinfo_schema_t *schema;

/* The data of one thread in one cell. */
struct step {
    rcuinfo_hint_set_t *hints;
    rcuinfo_t info;     /* with the same hints */
    rcuinfo_t given[2]; /* set alternately */
    unsigned calls;
    int64_t sum; /* of the values read */
};

/* Loops, each compiled for the operation that it repeats. NUMBER: LOW if ONCE does not read a number. */
#define REPEAT(NAME, NUMBER, ONCE)                                                                                     \
    static void NAME(struct step *s)                                                                                   \
    {                                                                                                                  \
        for (unsigned i = 0; i < s->calls; i++) {                                                                      \
            int64_t number = NUMBER;                                                                                   \
            ONCE;                                                                                                      \
            s->sum += number;                                                                                          \
        }                                                                                                              \
    }
REPEAT(read_hint, 0, must(rcuinfo_hint_set_read(s->hints, READ_ROW, &number), "hint_set_read"))
REPEAT(get_and_parse, 0, must(rcuinfo_get_int64(s->info, keys[READ_ROW], &number, NULL), "get_int64"))
REPEAT(read_plain, 0, number = bench_plain_read())
REPEAT(load_plain, 0, number = bench_plain_load())
REPEAT(open_section, LOW, bench_plain_section())
REPEAT(set_hints, LOW, must(rcuinfo_hint_set_merge(s->hints, s->given[i % 2]), "hint_set_merge"))
REPEAT(get_info, LOW, {
    rcuinfo_t info;
    must(rcuinfo_hint_set_get_info(s->hints, &info), "hint_set_get_info");
    must(rcuinfo_free(&info), "free");
})

static const struct operation {
    const char *name;
    const char *what;
    unsigned hints; /* that one call sets; 0: it reads */
    void (*repeat)(struct step *s);
} ALL[] = {
    {"plain", "a function in a shared library that loads one atomic variable in a read section", 0, read_plain},
    {"load", "the same without the read section", 0, load_plain},
    {"section", "the same without the load", 0, open_section},
    {"read", "rcuinfo_hint_set_read of one hint", 0, read_hint},
    {"get_parse", "rcuinfo_get_int64 of an info with the same hints", 0, get_and_parse},
    {"get_free", "rcuinfo_hint_set_get_info, rcuinfo_free", 0, get_info},
    {"set_1", "rcuinfo_hint_set_merge of one hint", 1, set_hints},
    {"set_8", "rcuinfo_hint_set_merge of eight", SOME, set_hints},
};
#define OPERATIONS (sizeof ALL / sizeof ALL[0])

/* What one cell measures. */
struct plan {
    const struct operation *operation;
    bool written; /* while one more thread sets hints */
    struct step steps[BENCH_THREAD_MAX];
    unsigned left; /* atomic: threads that have not ended */
};

static rcuinfo_t info_of(unsigned n, int64_t number)
{
    rcuinfo_t info;
    must(rcuinfo_create(&info), "create");
    for (unsigned i = 0; i < n; i++)
        must(rcuinfo_set_int64(info, keys[(READ_ROW + i) % HINTS], number), "set");
    return info;
}

/* Sets the value that the other threads read, in each of its sources, until they have ended. */
static void write_on(void *context)
{
    struct plan *plan = ((struct cell *)context)->mine;
    struct step *s = &plan->steps[0];
    for (unsigned turn = 0; __atomic_load_n(&plan->left, __ATOMIC_RELAXED); turn++) {
        must(rcuinfo_hint_set_merge(s->hints, s->given[turn % 2]), "hint_set_merge");
        must(rcuinfo_set_int64(s->info, keys[READ_ROW], turn % 2 ? HIGH : LOW), "set");
        bench_plain_set(turn % 2 ? HIGH : LOW);
    }
}

static void work(struct cell *cell, unsigned index, bool warm_up)
{
    struct plan *plan = cell->mine;
    struct step step = plan->steps[index];
    step.calls = cell_calls(cell, warm_up);
    plan->operation->repeat(&step);
    if (step.sum < (int64_t)step.calls * LOW || step.sum > (int64_t)step.calls * (plan->written ? HIGH : LOW))
        bench_die("%s: wrong value, on average %g", plan->operation->name, (double)step.sum / step.calls);
    if (!warm_up)
        __atomic_sub_fetch(&plan->left, 1, __ATOMIC_RELAXED);
}

static void begin(struct cell *cell)
{
    struct plan *plan = cell->mine;
    plan->left = cell->threads;
    bench_plain_set(LOW);
}

/* Checks that the hints that were set last are in use. */
static void look_back(const struct step *s, const struct operation *operation)
{
    for (unsigned i = 0; i < operation->hints; i++) {
        int64_t number;
        must(rcuinfo_hint_set_merge(s->hints, s->given[1]), "hint_set_merge");
        must(rcuinfo_hint_set_read(s->hints, (READ_ROW + i) % HINTS, &number), "hint_set_read");
        if (number != HIGH)
            bench_die("%s: wrong value %" PRId64, operation->name, number);
    }
}

/* Readers share one hint set; each thread that sets has its own. */
static void make(struct plan *plan, unsigned threads)
{
    unsigned hints = plan->operation->hints;
    for (unsigned t = 0; t < threads; t++) {
        struct step *s = &plan->steps[t];
        if (t && !hints) {
            *s = plan->steps[0];
            continue;
        }
        s->info = info_of(HINTS, LOW);
        s->given[0] = info_of(hints ? hints : 1, LOW);
        s->given[1] = info_of(hints ? hints : 1, HIGH);
        must(rcuinfo_hint_set_create(schema, s->info, NULL, NULL, &s->hints), "hint_set_create");
    }
}

static void unmake(struct plan *plan, unsigned threads)
{
    for (unsigned t = 0; t < (plan->operation->hints ? threads : 1); t++) {
        struct step *s = &plan->steps[t];
        look_back(s, plan->operation);
        rcuinfo_hint_set_free(&s->hints);
        must(rcuinfo_free(&s->info), "free");
        must(rcuinfo_free(&s->given[0]), "free");
        must(rcuinfo_free(&s->given[1]), "free");
    }
}

/* A writer may slow down readers very much, so with one they make as many calls as without. */
static void bench_cells(unsigned threads)
{
    static struct cell cells[2 * OPERATIONS];
    static struct plan plans[2 * OPERATIONS];
    size_t n = 0;

    for (unsigned written = 0; written < 2; written++) {
        const struct cell *plain = &cells[n];
        for (size_t i = 0; i < OPERATIONS; i++) {
            if (written && ALL[i].hints)
                continue;

            plans[n] = (struct plan){.operation = &ALL[i], .written = written};
            make(&plans[n], threads);
            cells[n] = (struct cell){
                .row = json_pack("{s:i, s:s, s:i}", "threads", threads, "operation", ALL[i].name, "writer", written),
                .ratio = {i ? &cells[n] : NULL, plain},
                .threads = threads,
                .work = work,
                .conduct = written ? write_on : NULL,
                .begin = begin,
                .mine = &plans[n],
                .as = written ? &cells[i] : NULL};
            n++;
        }
    }

    cells_run(cells, n, milliseconds, repeats);
    for (size_t i = 0; i < n; i++)
        unmake(&plans[i], threads);
}

static void bench_all(void)
{
    static rcuinfo_hint_t rows[HINTS];
    for (unsigned i = 0; i < HINTS; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "hint_%u", i);
        rows[i] = (rcuinfo_hint_t){.key = keys[i], .type = RCUINFO_TYPE_INT, .least = LOW, .most = HIGH};
    }
    must(rcuinfo_schema_create(NULL, rows, HINTS, &schema, NULL), "schema_create");
    for (size_t t = 0; t < all_threads.n; t++)
        bench_cells(all_threads.at[t]);
    rcuinfo_schema_free(&schema);
}

int main(int argc, char **argv)
{
    if (bench_cores() > 1)
        all_threads = (struct bench_list){2, {1, bench_cores()}};
    const struct program program = {
        "bench_hints",
        "Time to read, set and get the hints of a hint set: ns per operation in each thread.\n"
        "writer: one more thread sets the hint all the time; ratio: to plain.\n",
        {
            {"threads", OPTION_LIST, 1, BENCH_THREAD_MAX - 1, "threads", &all_threads},
            {OPTION_MS, &milliseconds},
            {OPTION_REPEATS, &repeats},
        },
        PROGRAM_OPERATIONS(ALL),
    };
    return report_main(&program, argc, argv, bench_all);
}
