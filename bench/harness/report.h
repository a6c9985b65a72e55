/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: where numbers were measured, and the same numbers as JSON. A report without a file takes every call and
 * writes nothing.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "harness.h"

#define REPORT_DEPTH 8

struct report {
    const char *path; /* NULL: no file */
    FILE *file;
    json_t *open[REPORT_DEPTH]; /* containers, the outermost first, which owns the rest */
    unsigned depth;             /* of the innermost */
};

/* Prints the machine, the compiler and the commit, and opens the JSON file unless path is NULL. */
struct report report_open(const char *program, const char *path);
void report_close(struct report *report);

/* Members take a name; elements of an array, NULL. `bracket` is '{' or '['. */
void report_enter(struct report *report, const char *name, char bracket);
void report_leave(struct report *report);
void report_text(struct report *report, const char *name, const char *text);
void report_number(struct report *report, const char *name, double number);
void report_spread(struct report *report, const char *name, struct bench_spread spread);

#endif
