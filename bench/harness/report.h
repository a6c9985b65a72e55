/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: prints the machine, the build and the numbers, and writes the same as JSON: an object with the machine, the
 * numeric options of the program, and the members that the program adds.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "harness.h"
#include "options.h"

#define REPORT_DEPTH 8

struct report {
    const char *path; /* NULL: no file */
    FILE *file;
    json_t *open[REPORT_DEPTH]; /* open containers; the first is the outermost, which owns the rest */
    unsigned depth;             /* index of the innermost */
};

/* The main function of a program: reads the options, calls all(report), which adds the rows, and writes the file. */
int report_main(struct program *program, int argc, char **argv, void (*all)(struct report *report));

/* `name` is NULL for the elements of an array. `bracket` is '{' or '['. An object in an array is a row: report_leave
 * also prints it as a line of its members, with spreads as median (min to max). */
void report_enter(struct report *report, const char *name, char bracket);
void report_leave(struct report *report);
void report_text(struct report *report, const char *name, const char *text);
void report_number(struct report *report, const char *name, double number);
void report_spread(struct report *report, const char *name, struct bench_spread spread);

#endif
