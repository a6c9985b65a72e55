/* SPDX-License-Identifier: BSD-3-Clause */
/* report: see report.h. */
#include "report.h"

#include <math.h>
#include <string.h>
#include <sys/utsname.h>

#include "commit.h" /* made by the build: BENCH_COMMIT */

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Puts a value into the innermost container. What JSON cannot say (infinity, bytes that are not UTF-8) becomes null. */
static void put(struct report *report, const char *name, json_t *value)
{
    json_t *inner = report->open[report->depth];
    if (!value)
        value = json_null();
    if ((name ? json_object_set_new(inner, name, value) : json_array_append_new(inner, value)) != 0)
        bench_die("--json: no memory");
}

void report_enter(struct report *report, const char *name, char bracket)
{
    json_t *container = bracket == '{' ? json_object() : json_array();
    put(report, name, container);
    report->open[++report->depth] = container;
}

void report_text(struct report *report, const char *name, const char *text)
{
    put(report, name, json_string(text));
}

void report_number(struct report *report, const char *name, double number)
{
    put(report, name, json_real(number));
}

void report_spread(struct report *report, const char *name, struct bench_spread spread)
{
    report_enter(report, name, '{');
    report_number(report, "min", spread.min);
    report_number(report, "median", spread.median);
    report_number(report, "max", spread.max);
    report_leave(report);
}

static double number_of(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : INFINITY;
}

/* Each member behind its name, in columns where rows have the same ones; a group, as of percentiles, on a new line. */
static void print_members(json_t *members)
{
    const char *name;
    json_t *value, *median;
    char text[64];
    json_object_foreach(members, name, value)
    {
        if (json_is_string(value)) {
            printf("%s %-18s ", name, json_string_value(value));
        } else if (!json_is_object(value)) {
            printf("%s %-7.7g ", name, number_of(value));
        } else if ((median = json_object_get(value, "median"))) {
            snprintf(text, sizeof text, "%.4g (%.4g to %.4g)", number_of(median),
                     number_of(json_object_get(value, "min")), number_of(json_object_get(value, "max")));
            printf("%s %-28s ", name, text);
        } else {
            printf("\n    %s: ", name);
            print_members(value);
        }
    }
}

void report_leave(struct report *report)
{
    json_t *left = report->open[report->depth--];
    if (json_is_object(left) && json_is_array(report->open[report->depth])) {
        print_members(left);
        printf("\n");
        fflush(stdout);
    }
}

/* The processor's name as the kernel has it, or the kind of machine where it has none. */
static void cpu_model(char model[256])
{
    char line[512];
    struct utsname machine;
    uname(&machine);
    snprintf(model, 256, "%s", machine.machine);
    FILE *info = fopen("/proc/cpuinfo", "re");
    while (info && fgets(line, sizeof line, info) && sscanf(line, "model name : %255[^\n]", model) != 1)
        continue;
    if (info)
        fclose(info);
}

struct report report_open(const struct program *program)
{
    struct report report = {.path = program->json, .open = {json_object()}};
    char model[256];
    cpu_model(model);
    printf("%s\nOn %s, %u cores usable, by %s, %s, commit %s. Numbers: median of the rounds (least to most).\n\n",
           program->about, model, bench_cores(), COMPILER, BENCH_BUILD, BENCH_COMMIT);
    fflush(stdout);
    if (report.path && !(report.file = fopen(report.path, "we"))) /* now: not after minutes of measuring */
        bench_usage("--json: cannot write \"%s\"", report.path);
    report_text(&report, "bench", program->name);
    report_text(&report, "machine", model);
    report_number(&report, "cores", bench_cores());
    report_text(&report, "compiler", COMPILER);
    report_text(&report, "build", BENCH_BUILD);
    report_text(&report, "commit", BENCH_COMMIT);
    for (size_t i = 0; i < program->n; i++) {
        const struct option_row *row = &program->options[i];
        bool value = strcmp(row->name, "value") == 0; /* which alone would not say what of it */
        if (row->kind == OPTION_NUMBER)
            report_number(&report, value ? "value_bytes" : row->name, *(unsigned *)row->into);
    }
    return report;
}

void report_close(struct report *report)
{
    int failed = 0;
    if (report->path) {
        failed = json_dumpf(report->open[0], report->file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        fputc('\n', report->file);
        failed |= ferror(report->file) | fclose(report->file);
    }
    json_decref(report->open[0]);
    if (failed)
        bench_die("--json: could not write all of \"%s\"", report->path);
}

int report_main(struct program *program, int argc, char **argv, void (*all)(struct report *report))
{
    options_read(program, argc, argv);
    struct report report = report_open(program);
    report_enter(&report, "rows", '[');
    all(&report);
    report_close(&report);
    return 0;
}
