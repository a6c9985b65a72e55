/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options: the command-line options of a bench program, as a table that also generates its help. Every program has the
 * options --json FILE and --help. Invalid arguments end the program with status 2.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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

#define OPTIONS_MAX 16

struct program {
    const char *name;
    const char *about; /* lines of the help */
    const struct option_row *options;
    size_t n;               /* OPTIONS_MAX at most */
    const void *operations; /* for the help: structs that begin with two strings, a name and a description */
    size_t operations_n;
    size_t operation_bytes;
    bool has_peers;   /* the help lists the peers */
    const char *json; /* the argument of --json, or NULL; set by options_read */
};

/* Members of struct program, from the arrays of its options and operations. */
#define PROGRAM_OPTIONS(OPTIONS) .options = (OPTIONS), .n = sizeof(OPTIONS) / sizeof(OPTIONS)[0]
#define PROGRAM_OPERATIONS(ALL)                                                                                        \
    .operations = (ALL), .operations_n = sizeof(ALL) / sizeof(ALL)[0], .operation_bytes = sizeof(ALL)[0]

void options_read(struct program *program, int argc, char **argv);
