/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spy_fortran: a library in the place of the real MPI's Fortran libraries. Its procedures are those that the interposer
 * stands in front of; each keeps what came down and does nothing.
 */
#ifndef TESTS_FORTRAN_SPY_FORTRAN_H
#define TESTS_FORTRAN_SPY_FORTRAN_H

#include <stdbool.h>

#include <mpi.h>

enum { SPY_WORDS = 12, SPY_INFOS = 2, SPY_TEXT = 256 };

enum kind { IN, SESSION, AT_ROOT, ARRAY, OUT, INIT, FINALIZE, ABORT };

struct spy_fortran {
    /* The procedures give this code and, when it is MPI_SUCCESS, those that give an info one of the pair given=yes. */
    int answer;
    /* While true they give none, as MPICH 5 when a handler of the user's has had the error. */
    bool withheld;
    int given; /* how many they have given; each is the interposer's to free */

    /* The last call. */
    const char *symbol; /* "": none */
    void *words[SPY_WORDS];
    MPI_Fint integers[SPY_INFOS];    /* the info, or as many of an array */
    char pairs[SPY_INFOS][SPY_TEXT]; /* what was in them, as "key=value;" each, or "null" */
};

extern __attribute__((visibility("default"))) struct spy_fortran spy_fortran;

#endif
