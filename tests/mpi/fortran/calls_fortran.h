/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls_fortran: calls each procedure of the interposer's table for Fortran as a compiler would. Those that take or
 * return an info are the calls and gifts of interpose/calls.h. The string that may be the name of an object matches
 * that of interpose/rules.hints.
 */
#pragma once

#include "interpose/spy.h"

enum kind { IN, SESSION, AT_ROOT, ARRAY, OUT, INIT, FINALIZE, ABORT };

struct procedure {
    const char *symbol;
    void (*function)(void);
    enum kind kind;
    int words, strings, info;
};

extern const struct procedure procedures[];
extern const int procedures_count;

/* One call: the referenced variables, and the words. The first string has NAME_BYTES bytes, and an array's second one
 * follows it; the lengths of the others, from 3 on, would cut a name. */
enum { NAME_BYTES = 16, UNTOUCHED = -7 };
struct words {
    char texts[CAME_WORDS][2 * NAME_BYTES];
    MPI_Fint count, root, comm, infos[2], ierror; /* `ierror` is UNTOUCHED before the call */
    void *words[CAME_WORDS];
};

static inline int ierror_of(const struct procedure *procedure)
{
    return procedure->words - procedure->strings - 1;
}

/* Prepares a call in MPI_COMM_WORLD with the root calls_root and an array of one info. */
void prepare(const struct procedure *procedure, struct words *words, MPI_Info info);

/* Makes the call and returns ierror. Checks that all words except the info and ierror are passed on unchanged. */
int perform(const struct procedure *procedure, struct words *words);
