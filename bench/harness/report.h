/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: what the bench programs in C have in common. A table of options also generates the help; every program has
 * --json FILE and --help too, and invalid arguments end it with status 2. It prints the machine, the build and the
 * numbers, and writes the same as JSON: an object with the machine, the numeric options of the program, and the rows.
 */
#pragma once

#include <jansson.h>

#include "harness.h"

/* The type that `into` of an option points to. */
enum option_kind {
    OPTION_NUMBER, /* unsigned, from least to most */
    OPTION_LIST,   /* struct bench_list of such numbers */
};

struct option_row {
    const char *name;
    enum option_kind kind;
    unsigned least;
    unsigned most;
    const char *what; /* for the help */
    void *into;       /* has the default until the option is given */
};

/* Options of several programs; `into` follows. */
#define OPTION_REPEATS "repeats", OPTION_NUMBER, 1, BENCH_REPEAT_MAX, "rounds"
#define OPTION_MS      "ms", OPTION_NUMBER, 1, 60000, "milliseconds of one measurement"

#define OPTIONS_MAX 8

struct program {
    const char *name;
    const char *about;                          /* lines of the help */
    struct option_row options[OPTIONS_MAX + 1]; /* followed by one without a name */
    const void *operations; /* for the help: structs that begin with two strings, a name and a description */
    size_t operations_n;
    size_t operation_bytes;
    bool has_peers; /* the help lists the peers */
};

/* Members of struct program, from the array of its operations. */
#define PROGRAM_OPERATIONS(ALL)                                                                                        \
    .operations = (ALL), .operations_n = sizeof(ALL) / sizeof(ALL)[0], .operation_bytes = sizeof(ALL)[0]

/* The main function of a program: reads the options, calls all(), which adds the rows, and writes the file. */
int report_main(const struct program *program, int argc, char **argv, void (*all)(void));

/* Adds a row, an object, and prints it as a line of its members, with spreads as median (min to max). */
void report_row(json_t *row);

/* Adds a spread to a row: of n values, 1 to BENCH_REPEAT_MAX; of the ratios above[i] / below[i], each of two numbers of
 * the same round. */
void report_spread(json_t *row, const char *name, const double *values, size_t n);
void report_ratio(json_t *row, const char *name, const double *above, const double *below, size_t n);
