/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * world: defines the functions that initialize, finalize and abort MPI. Each calls the next definition of the same
 * name. After initialization, the pairs of the real library's MPI_INFO_ENV are added to ours.
 *
 * Invariant: no failure here makes such a call fail. E.g. without memory, MPI_INFO_ENV has fewer keys.
 */
#include "mpi/interpose/interpose.h"

/* Reads the real library's MPI_INFO_ENV now, since that is impossible after MPI_Finalize. */
int rcuinfo__interpose_initialized(int code)
{
    if (code == MPI_SUCCESS) {
        rcuinfo__interpose_prepare();
        rcuinfo__interpose_real_env();
        RCUINFO__INTERPOSE_TELL(initialized());
    }
    return code;
}

RCUINFO_API int MPI_Init(int *argc, char ***argv)
{
    return rcuinfo__interpose_initialized(RCUINFO__INTERPOSE_NEXT(MPI_Init)(argc, argv));
}

RCUINFO_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return rcuinfo__interpose_initialized(RCUINFO__INTERPOSE_NEXT(MPI_Init_thread)(argc, argv, required, provided));
}

/* The observer comes first, as it needs MPI. */
RCUINFO_API int MPI_Finalize(void)
{
    RCUINFO__INTERPOSE_TELL(finalizing());
    return RCUINFO__INTERPOSE_NEXT(MPI_Finalize)();
}

RCUINFO_API int MPI_Abort(MPI_Comm comm, int errorcode)
{
    RCUINFO__INTERPOSE_TELL(aborting());
    return RCUINFO__INTERPOSE_NEXT(MPI_Abort)(comm, errorcode);
}
