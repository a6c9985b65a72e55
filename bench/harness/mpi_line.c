/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_line: see mpi_line.h. */
#include "mpi_line.h"

#include <stdio.h>
#include <string.h>

#define LINE  "%-23s %6s %7s  %-18s %-4s"
#define THREE "  %-26s"

void mpi_line_head(unsigned repeats)
{
    printf("\n# min / median / max of %u rounds; ratio: rcuinfo / the other, median (min to max) of the rounds' "
           "ratios\n" LINE THREE THREE THREE "  %s\n",
           repeats, "call", "keys", "threads", "against", "unit", "the other", "rcuinfo", "ratio", "target (median)");
}

static struct bench_spread spread_of(const double *values, unsigned n)
{
    double copy[BENCH_REPEAT_MAX]; /* the ratios need the rounds in their order */
    memcpy(copy, values, n * sizeof *values);
    return bench_spread_of(copy, n);
}

static void put_spread(struct report *report, const char *name, const char *format, double a, double b, double c,
                       struct bench_spread spread)
{
    char text[64];
    snprintf(text, sizeof text, format, a, b, c);
    printf(THREE, text);
    report_spread(report, name, spread);
}

static void put_target(struct report *report, const struct mpi_line *line, double reached)
{
    bool met = line->more ? reached >= line->target : reached <= line->target;
    if (line->target <= 0)
        return;
    printf("  %s%s %.4g: %s", line->alone ? "rcuinfo " : "", line->more ? ">=" : "<=", line->target,
           met ? "met" : "NOT MET");
    report_number(report, "target", line->target);
    report_text(report, "target_of", line->alone ? "rcuinfo" : "ratio");
    report_number(report, "met", met);
}

void mpi_line_put(struct report *report, const struct mpi_line *line, const double *store, const double *other,
                  unsigned n)
{
    struct bench_spread ours = spread_of(store, n), theirs = spread_of(other, n);
    struct bench_spread ratio = bench_spread_of_ratios(store, other, n);
    char keys[16], threads[16] = "1";
    snprintf(keys, sizeof keys, "%u", line->keys);
    if (line->readers + line->writers > 0)
        snprintf(threads, sizeof threads, "%ur + %uw", line->readers, line->writers);
    printf(LINE, line->question, keys, threads, line->against, line->unit);
    report_enter(report, NULL, '{');
    report_text(report, "call", line->question);
    report_number(report, "keys", line->keys);
    report_number(report, "readers", line->readers);
    report_number(report, "writers", line->writers);
    report_text(report, "against", line->against);
    report_text(report, "unit", line->unit);
    report_number(report, "more_is_better", line->more);
    put_spread(report, "other", "%.4g / %.4g / %.4g", theirs.min, theirs.median, theirs.max, theirs);
    put_spread(report, "rcuinfo", "%.4g / %.4g / %.4g", ours.min, ours.median, ours.max, ours);
    put_spread(report, "ratio", "%.4g (%.4g to %.4g)", ratio.median, ratio.min, ratio.max, ratio);
    put_target(report, line, line->alone ? ours.median : ratio.median);
    report_leave(report);
    printf("\n");
    fflush(stdout);
}
