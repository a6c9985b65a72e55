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

void report_leave(struct report *report)
{
    report->depth--;
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

void show_text(struct report *report, const char *name, int width, const char *text)
{
    printf("%*s ", width, text);
    report_text(report, name, text);
}

void show_number(struct report *report, const char *name, int width, double number)
{
    printf("%*.*f ", width, number == floor(number) ? 0 : 2, number);
    report_number(report, name, number);
}

void show_spread(struct report *report, const char *name, struct bench_spread spread)
{
    printf(" %9.4g /%9.4g /%9.4g ", spread.min, spread.median, spread.max);
    report_spread(report, name, spread);
}

void show_ratio(struct report *report, const char *name, struct bench_spread ratio)
{
    printf(" %8.3g (%.3g to %.3g) ", ratio.median, ratio.min, ratio.max);
    report_spread(report, name, ratio);
}

/* The processor's name as the kernel has it, or the kind of machine where it has none. */
static void cpu_model(char *model, size_t size)
{
    char line[256];
    struct utsname machine;
    uname(&machine);
    snprintf(model, size, "%s", machine.machine);
    FILE *info = fopen("/proc/cpuinfo", "re");
    while (info && fgets(line, sizeof line, info)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) {
            snprintf(model, size, "%.*s", (int)strcspn(colon + 1, "\n") - 1, colon + 2);
            break;
        }
    }
    if (info)
        fclose(info);
}

struct report report_open(const struct program *program)
{
    struct report report = {.path = program->json, .open = {json_object()}};
    char model[256];
    cpu_model(model, sizeof model);
    printf("# %s\n# machine:  %s, %u cores usable\n# compiler: %s, %s\n# commit:   %s\n", program->name, model,
           bench_cores(), COMPILER, BENCH_BUILD, BENCH_COMMIT);
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

#define COLUMN      8  /* characters of a number at least */
#define TEXT_COLUMN 18 /* and of a text */

/* The width of a field: numbers to the right, texts to the left. */
static int column(const struct rows_field *field)
{
    int length = (int)strlen(field->name);
    return field->text ? -TEXT_COLUMN : length < COLUMN ? COLUMN : length;
}

void rows_head(const struct rows_field *fields, size_t n, const char *rest)
{
    for (size_t i = 0; i < n && fields[i].name; i++)
        printf("%*s ", column(&fields[i]), fields[i].name);
    printf("%s\n", rest);
}

void rows_fields(struct report *report, const struct rows_field *fields, size_t n)
{
    for (size_t i = 0; i < n && fields[i].name; i++) {
        if (fields[i].text)
            show_text(report, fields[i].name, column(&fields[i]), fields[i].text);
        else
            show_number(report, fields[i].name, column(&fields[i]), fields[i].number);
    }
}
