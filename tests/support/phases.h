/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * phases: the main function that runs a group of tests once, or, over a real MPI library, before MPI_Init, after it
 * (with MPI_ERRORS_RETURN on MPI_COMM_WORLD and MPI_COMM_SELF) and after MPI_Finalize: the store has to behave the same
 * in all three.
 */
#ifndef TESTS_SUPPORT_PHASES_H
#define TESTS_SUPPORT_PHASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/flavour.h"

#if TEST_REAL_MPI
enum phase { PHASE_BEFORE_INIT, PHASE_INITIALIZED, PHASE_FINALIZED };

/* Where the process is now. */
static enum phase phase_now;
#endif

/* Whether the interposer may hand handles that are not its own to the real library now. */
static inline int phase_real_is_asked(void)
{
#if defined(TEST_FLAVOUR_MPICH)
    return phase_now != PHASE_FINALIZED;
#elif defined(TEST_FLAVOUR_OPENMPI)
    return phase_now == PHASE_INITIALIZED;
#else
    return 0;
#endif
}

#if TEST_REAL_MPI
static inline int phase_initialize(void)
{
    phase_now = PHASE_INITIALIZED;
    return MPI_Init(NULL, NULL) != MPI_SUCCESS ||
           MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
           MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) != MPI_SUCCESS;
}

static inline int phase_finalize(void)
{
    phase_now = PHASE_FINALIZED;
    return MPI_Finalize() != MPI_SUCCESS;
}

/* The main function of a test program. */
#define PHASES_MAIN(tests)                                                                                             \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        int failed = cmocka_run_group_tests_name("before MPI_Init", tests, NULL, NULL);                                \
        failed += phase_initialize();                                                                                  \
        failed += cmocka_run_group_tests_name("initialized", tests, NULL, NULL);                                       \
        failed += phase_finalize();                                                                                    \
        failed += cmocka_run_group_tests_name("after MPI_Finalize", tests, NULL, NULL);                                \
        return failed != 0;                                                                                            \
    }
#else
#define PHASES_MAIN(tests)                                                                                             \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        return cmocka_run_group_tests_name("without MPI", tests, NULL, NULL) != 0;                                     \
    }
#endif

#endif
