/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: where and how numbers were measured, and the same numbers as JSON: an object with the machine, the program's
 * options that are numbers, and what the program adds.
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
    json_t *open[REPORT_DEPTH]; /* containers, the outermost first, which owns the rest */
    unsigned depth;             /* of the innermost */
};

/* All of a program: reads its options, calls all(report), which adds to the array of rows, and writes the file. */
int report_main(struct program *program, int argc, char **argv, void (*all)(struct report *report));

/* Prints the machine, the compiler and the commit, and opens the JSON file, if the program was told of one. */
struct report report_open(const struct program *program);

/* Writes the file, also with containers that have not been left. */
void report_close(struct report *report);

/* Members take a name; elements of an array, NULL. `bracket` is '{' or '['. An object that is an element is a row: when
 * it is left, it is printed as well, as a line of its members, spreads as median (min to max). */
void report_enter(struct report *report, const char *name, char bracket);
void report_leave(struct report *report);
void report_text(struct report *report, const char *name, const char *text);
void report_number(struct report *report, const char *name, double number);
void report_spread(struct report *report, const char *name, struct bench_spread spread);

#endif
