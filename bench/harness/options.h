/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options: what a bench program is told on its command line, as a table of its options, out of which its help is made.
 * --json FILE and --help are options of every program. Errors of the user end the program with status 2.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stddef.h>

#include "harness.h"

/* What `into` of an option points to. */
enum option_kind {
    OPTION_FLAG,   /* a bool; takes no value */
    OPTION_NUMBER, /* unsigned, from least to most */
    OPTION_LIST,   /* struct bench_list of such */
    OPTION_NAMES,  /* struct peer_list */
};

struct option_row {
    const char *name;
    enum option_kind kind;
    unsigned least;
    unsigned most;
    const char *what; /* for the help */
    void *into;       /* holds the default until the option is given; 0 and an empty list: `what` says it */
};

/* Those that several programs have; `into` comes next. */
#define OPTION_REPEATS "repeats", OPTION_NUMBER, 1, BENCH_REPEAT_MAX, "rounds"
#define OPTION_MS      "ms", OPTION_NUMBER, 1, 60000, "milliseconds of one measurement"

#define OPTIONS_MAX 16

struct program {
    const char *name;
    const char *about; /* for the help, a text of lines */
    const struct option_row *options;
    size_t n;               /* OPTIONS_MAX at most */
    const void *operations; /* for the help: structs that begin with two texts, a name and what it is */
    size_t operations_n;
    size_t operation_bytes;
    const char *json; /* what options_read finds; NULL: no such file */
};

/* Of the arrays of a program's options and operations. */
#define PROGRAM_OPTIONS(OPTIONS)       OPTIONS, sizeof(OPTIONS) / sizeof(OPTIONS)[0]
#define PROGRAM_OPERATIONS(OPERATIONS) OPERATIONS, sizeof(OPERATIONS) / sizeof(OPERATIONS)[0], sizeof(OPERATIONS)[0]
#define NO_OPERATIONS                  NULL, 0, 0

void options_read(struct program *program, int argc, char **argv);

#endif
