/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * phases: the main function that runs a group of tests once, or, over a real MPI library, before MPI_Init, after it
 * (with MPI_ERRORS_RETURN on MPI_COMM_WORLD and MPI_COMM_SELF) and after MPI_Finalize: the store has to behave the same
 * in all three.
 */
#pragma once

#include "support/check.h"
#include "support/flavour.h"
#include "support/test.h"

/* Runs the tests; the last line on standard error is their phase. */
static inline void run_phase(const char *when)
{
    fprintf(stderr, "%s\n", when);
    CHECK(test_run(NULL) > 0);
}

#if TEST_REAL_MPI
/* The current phase. */
static enum { PHASE_BEFORE_INIT, PHASE_INITIALIZED, PHASE_FINALIZED } phase_now;
#endif

/* Whether the interposer may now pass foreign handles to the real library. */
static inline int phase_real_is_asked(void)
{
#if defined(TEST_FLAVOUR_mpich)
    return phase_now != PHASE_FINALIZED;
#elif defined(TEST_FLAVOUR_openmpi)
    return phase_now == PHASE_INITIALIZED;
#else
    return 0;
#endif
}

static inline int phases_main(void)
{
#if TEST_REAL_MPI
    run_phase("before MPI_Init");
    CHECK_MPI(MPI_Init(NULL, NULL), MPI_SUCCESS);
    flavour_set_errhandler(MPI_ERRORS_RETURN);
    phase_now = PHASE_INITIALIZED;
    run_phase("initialized");
    CHECK_MPI(MPI_Finalize(), MPI_SUCCESS);
    phase_now = PHASE_FINALIZED;
    run_phase("after MPI_Finalize");
#else
    run_phase("without MPI");
#endif
    return 0;
}

/* The main function of a test program. */
#define PHASES_MAIN                                                                                                    \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        return phases_main();                                                                                          \
    }
