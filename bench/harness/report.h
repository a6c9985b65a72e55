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

/* Prints the machine, the compiler and the commit, and opens the JSON file, if the program was told of one. */
struct report report_open(const struct program *program);

/* Writes the file, also with containers that have not been left. */
void report_close(struct report *report);

/* Members take a name; elements of an array, NULL. `bracket` is '{' or '['. */
void report_enter(struct report *report, const char *name, char bracket);
void report_leave(struct report *report);
void report_text(struct report *report, const char *name, const char *text);
void report_number(struct report *report, const char *name, double number);
void report_spread(struct report *report, const char *name, struct bench_spread spread);

/* The same, which print it as well, as a part of a line: a spread as min / median / max, a ratio as its median and, in
 * brackets, the least and the most. A negative width: from the left. */
void show_text(struct report *report, const char *name, int width, const char *text);
void show_number(struct report *report, const char *name, int width, double number);
void show_spread(struct report *report, const char *name, struct bench_spread spread);
void show_ratio(struct report *report, const char *name, struct bench_spread ratio);

/* What tells one row from another: a number, or a text where that is not NULL. */
struct rows_field {
    const char *name; /* NULL: there is no such field */
    double number;
    const char *text;
};

/* Prints the fields, and puts them into the innermost object. */
void rows_fields(struct report *report, const struct rows_field *fields, size_t n);

/* The names of the fields, in the columns of rows_fields, and what heads the rest of the line. */
void rows_head(const struct rows_field *fields, size_t n, const char *rest);

#endif
