/* SPDX-License-Identifier: BSD-3-Clause */
/* report: see report.h. */
#include "report.h"

#include <sched.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "commit.h" /* made by the build: BENCH_COMMIT */

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void comma(struct report *report, const char *name)
{
    if (report->written >> report->depth & 1)
        fputc(',', report->file);
    report->written |= 1u << report->depth;
    if (report->depth)
        fprintf(report->file, "\n%*s", (int)(2 * report->depth), "");
    if (name)
        fprintf(report->file, "\"%s\": ", name);
}

void report_enter(struct report *report, const char *name, char bracket)
{
    if (!report->file)
        return;
    comma(report, name);
    fputc(bracket, report->file);
    report->depth++;
    report->written &= ~(1u << report->depth);
}

void report_leave(struct report *report, char bracket)
{
    if (!report->file)
        return;
    report->depth--;
    fprintf(report->file, "\n%*s%c", (int)(2 * report->depth), "", bracket == '{' ? '}' : ']');
}

void report_text(struct report *report, const char *name, const char *text)
{
    if (!report->file)
        return;
    comma(report, name);
    fputc('"', report->file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fputc('\\', report->file);
        if (c < 0x20)
            fprintf(report->file, "\\u%04x", c);
        else
            fputc(c, report->file);
    }
    fputc('"', report->file);
}

void report_number(struct report *report, const char *name, double number)
{
    if (!report->file)
        return;
    comma(report, name);
    fprintf(report->file, "%.6g", number);
}

void report_spread(struct report *report, const char *name, struct bench_spread spread)
{
    report_enter(report, name, '{');
    report_number(report, "min", spread.min);
    report_number(report, "median", spread.median);
    report_number(report, "max", spread.max);
    report_leave(report, '{');
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

/* Processors that this process may run on. */
static int cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

struct report report_open(const char *program, const char *path)
{
    struct report report = {.path = path};
    char model[256];
    cpu_model(model, sizeof model);
    printf("# %s\n# machine:  %s, %d cores usable\n# compiler: %s, %s\n# commit:   %s\n", program, model, cpu_count(),
           COMPILER, BENCH_BUILD, BENCH_COMMIT);
    fflush(stdout);
    if (path) {
        report.file = fopen(path, "we");
        if (!report.file)
            bench_usage("--json: cannot write \"%s\"", path);
    }
    report_enter(&report, NULL, '{');
    report_text(&report, "bench", program);
    report_text(&report, "machine", model);
    report_number(&report, "cores", cpu_count());
    report_text(&report, "compiler", COMPILER);
    report_text(&report, "build", BENCH_BUILD);
    report_text(&report, "commit", BENCH_COMMIT);
    return report;
}

void report_close(struct report *report)
{
    report_leave(report, '{');
    if (!report->file)
        return;
    fputc('\n', report->file);
    if (ferror(report->file) | fclose(report->file))
        bench_die("--json: could not write all of \"%s\"", report->path);
}
