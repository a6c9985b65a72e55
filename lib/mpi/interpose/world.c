/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * world: defines the functions that initialize, finalize and abort MPI, by both names. Each calls the next definition
 * of the same name. After initialization, the pairs of the real library's MPI_INFO_ENV are added to ours.
 *
 * Invariant: no failure here makes such a call fail. E.g. without memory, MPI_INFO_ENV has fewer keys.
 */
#include "mpi/interpose/adopt.h"
#include "mpi/interpose/lend.h"
#include "mpi/interpose/real.h"

/* Reads the real library's MPI_INFO_ENV now, since that is impossible after MPI_Finalize. Open MPI's functions call
 * others that are also ours (ompi_info.c), and then MPI_INFO_ENV is its own. */
static void initialized(void)
{
    rcuinfo__real_prepare();
    (void)RCUINFO__INTERPOSE_CALL((rcuinfo__adopt_env(), 0));
    RCUINFO__LEND_TELL(initialized());
}

/* A tool's MPI_Init calls PMPI_Init, so only the outermost call counts. */
#define INITIALIZE(name, parameters, arguments)                                                                        \
    int rcuinfo__##name parameters                                                                                     \
    {                                                                                                                  \
        bool is_outer = !rcuinfo__interpose_is_within();                                                               \
        int code = RCUINFO__INTERPOSE_CALL(RCUINFO__NEXT(name) arguments);                                             \
        if (is_outer && code == MPI_SUCCESS)                                                                           \
            initialized();                                                                                             \
        return code;                                                                                                   \
    }
INITIALIZE(MPI_Init, (int *argc, char ***argv), (argc, argv))
INITIALIZE(PMPI_Init, (int *argc, char ***argv), (argc, argv))
INITIALIZE(MPI_Init_thread, (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided))
INITIALIZE(PMPI_Init_thread, (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided))

/* The observer comes first, as it needs MPI; and once, also if a tool's MPI_Finalize calls PMPI_Finalize. */
static _Atomic bool is_finalizing;
#define FINALIZE(name)                                                                                                 \
    int rcuinfo__##name(void)                                                                                          \
    {                                                                                                                  \
        if (!atomic_exchange_explicit(&is_finalizing, true, RCUINFO__RELAXED))                                         \
            RCUINFO__LEND_TELL(finalizing());                                                                          \
        return RCUINFO__INTERPOSE_CALL(RCUINFO__NEXT(name)());                                                         \
    }
FINALIZE(MPI_Finalize)
FINALIZE(PMPI_Finalize)

/* Also from within another call, as an error handler does; a tool's MPI_Abort calls PMPI_Abort. */
static _Thread_local bool is_aborting;
#define ABORT(name)                                                                                                    \
    int rcuinfo__##name(MPI_Comm comm, int errorcode)                                                                  \
    {                                                                                                                  \
        if (!is_aborting)                                                                                              \
            RCUINFO__LEND_TELL(aborting());                                                                            \
        is_aborting = true;                                                                                            \
        return RCUINFO__NEXT(name)(comm, errorcode);                                                                   \
    }
ABORT(MPI_Abort)
ABORT(PMPI_Abort)
