/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options: what a bench program is told on its command line, as a table of its options. --help, -h is one of every
 * program. Errors of the user end the program with status 2.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stddef.h>

/* What `into` of an option points to. */
enum option_kind {
    OPTION_FLAG,   /* a bool; takes no value */
    OPTION_NUMBER, /* unsigned, from least to most */
    OPTION_LIST,   /* struct bench_list of such */
    OPTION_PAIRS,  /* struct bench_pairs; a pair has 1 to most together */
    OPTION_PEERS,  /* struct peer_list */
    OPTION_TEXT,   /* const char * */
};

struct option_row {
    const char *name;
    char letter;
    enum option_kind kind;
    void *into; /* holds the default until the option is given */
    unsigned least;
    unsigned most;
};

#define OPTIONS_MAX 16

/* Reads the command line by a table of n <= OPTIONS_MAX options; help prints the program's help and ends it. */
void options_read(int argc, char **argv, const struct option_row *rows, size_t n, void (*help)(void));

#endif
