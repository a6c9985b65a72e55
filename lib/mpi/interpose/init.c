/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * init: the functions that begin to use MPI, each in front of the next definition of the same name. What they ask for
 * and what the real library then knows of the process goes into MPI_INFO_ENV.
 *
 * Invariant: nothing that fails here makes such a call fail: without memory MPI_INFO_ENV has fewer keys.
 */
#include "mpi/interpose/interpose.h"

static const char *level_name(int level)
{
    switch (level) {
    case MPI_THREAD_SINGLE:
        return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
        return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
        return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_MULTIPLE:
        return "MPI_THREAD_MULTIPLE";
    }
    return "";
}

/* The real library's own MPI_INFO_ENV can be read only until it is finalized, so it is read now. */
int rcuinfo__interpose_initialized(int code, int required)
{
    if (code == MPI_SUCCESS) {
        rcuinfo__interpose_prepare();
        rcuinfo__mpi_env_ask(true, level_name(required), rcuinfo__interpose_real_env());
    }
    return code;
}

RCUINFO_API int MPI_Init(int *argc, char ***argv)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    return rcuinfo__interpose_initialized(RCUINFO__INTERPOSE_NEXT(next, MPI_Init)(argc, argv), MPI_THREAD_SINGLE);
}

RCUINFO_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    return rcuinfo__interpose_initialized(
        RCUINFO__INTERPOSE_NEXT(next, MPI_Init_thread)(argc, argv, required, provided), required);
}

#if MPI_VERSION >= 4

/* Reads the level from what the real library was given, so of the same version, and of any kind of info. */
void rcuinfo__interpose_session_begun(MPI_Info real)
{
    char level[MPI_MAX_INFO_VAL + 1];
    int flag = 0;
    rcuinfo__interpose_prepare();
    if (real != MPI_INFO_NULL && PMPI_Info_get(real, "thread_level", MPI_MAX_INFO_VAL, level, &flag) == MPI_SUCCESS &&
        flag)
        rcuinfo__mpi_env_ask(false, level, NULL);
}

RCUINFO_API int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    MPI_Info real;
    int code = rcuinfo__interpose_lend(info, &real, rcuinfo__mpi_done);
    if (code != MPI_SUCCESS)
        return code;
    code = RCUINFO__INTERPOSE_NEXT(next, MPI_Session_init)(real, errhandler, session);
    if (code == MPI_SUCCESS)
        rcuinfo__interpose_session_begun(real);
    rcuinfo__interpose_take_back(info, real);
    return code;
}

#endif
