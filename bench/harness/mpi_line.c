/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_line: see mpi_line.h. */
#include "mpi_line.h"

#include <stdio.h>

void mpi_line_head(unsigned repeats)
{
    printf(
        "\n# min / median / max of %u rounds; ratio: rcuinfo / the other, median (min to max) of the rounds' ratios\n"
        "call                       keys readers writers against            unit the other, rcuinfo, ratio, target "
        "(median)\n",
        repeats);
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
    struct bench_spread ours = bench_spread_of(store, n), ratio = bench_spread_of_ratios(store, other, n);
    report_enter(report, NULL, '{');
    show_text(report, "call", -23, line->question);
    show_number(report, "keys", 7, line->keys);
    show_number(report, "readers", 7, line->readers);
    show_number(report, "writers", 7, line->writers);
    show_text(report, "against", -18, line->against);
    show_text(report, "unit", -4, line->unit);
    report_number(report, "more_is_better", line->more);
    show_spread(report, "other", bench_spread_of(other, n));
    show_spread(report, "rcuinfo", ours);
    show_ratio(report, "ratio", ratio);
    put_target(report, line, line->alone ? ours.median : ratio.median);
    report_leave(report);
    printf("\n");
    fflush(stdout);
}
