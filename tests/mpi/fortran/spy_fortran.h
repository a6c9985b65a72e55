/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spy_fortran: a library in place of the real MPI's Fortran libraries. It has the procedures that the interposer
 * overrides; each only records its arguments.
 */
#ifndef TESTS_FORTRAN_SPY_FORTRAN_H
#define TESTS_FORTRAN_SPY_FORTRAN_H

#include <stdbool.h>

#include <mpi.h>

enum { SPY_WORDS = 12, SPY_INFOS = 2, SPY_TEXT = 256 };

enum kind { IN, SESSION, AT_ROOT, ARRAY, OUT, INIT, FINALIZE, ABORT };

struct spy_fortran {
    /* Each procedure returns this code and, if it is MPI_SUCCESS and there is an info to return, one with given=yes. */
    int answer;
    /* If true they return no info, as MPICH 5 after a user's error handler was called. */
    bool withheld;
    int given; /* number of infos that they returned; the interposer frees each */

    /* The last call. */
    const char *symbol; /* "": no call yet */
    void *words[SPY_WORDS];
    MPI_Fint integers[SPY_INFOS];    /* the info, or those of the array */
    char pairs[SPY_INFOS][SPY_TEXT]; /* their pairs, each as "key=value;", or "null" */
};

extern __attribute__((visibility("default"))) struct spy_fortran spy_fortran;

#endif
