/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spy_fortran: a library in the place of the real MPI's Fortran libraries. Its procedures are those that the interposer
 * stands in front of; each keeps what came down and does nothing.
 */
#ifndef TESTS_FORTRAN_SPY_FORTRAN_H
#define TESTS_FORTRAN_SPY_FORTRAN_H

#include <stdbool.h>

#include <mpi.h>

#define SPY_API __attribute__((visibility("default")))

enum { SPY_WORDS = 12, SPY_INFOS = 2, SPY_TEXT = 256 };

struct spy_call {
    const char *symbol; /* "" when none came down since spy_expect */
    void *words[SPY_WORDS];
    MPI_Fint integers[SPY_INFOS];    /* the info, or as many of an array */
    char pairs[SPY_INFOS][SPY_TEXT]; /* what was in them, as "key=value;" each, or "null" */
};

/* The last call. */
SPY_API const struct spy_call *spy_call(void);

/* Forgets it. From now on the procedures give `code`, and those that give an info one of the pair given=yes. */
SPY_API void spy_expect(int code);

/* While true they write none, as MPICH 5 when a handler of the user's has had the error: the code is MPI_SUCCESS then.
 */
SPY_API void spy_withhold(bool on);

/* How many infos they have given; each is the interposer's to free. */
SPY_API int spy_given(void);

#endif
