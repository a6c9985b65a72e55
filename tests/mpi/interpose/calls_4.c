/* SPDX-License-Identifier: BSD-3-Clause */
/* calls_4: the calls of MPI-4.0, of 5.0 and of extensions, but for the persistent collectives; see calls.h. */
#include "interpose/calls_own.h"

#if defined(RCUINFO__HAS_MPI_Session_init)

CALL(MPI_Comm_idup_with_info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    int code = EITHER(native, Comm_idup_with_info)(MPI_COMM_WORLD, info, &comm, &request);
    call_complete(&request, false);
    drop_comm(comm);
    return code;
}

CALL(MPI_Comm_create_from_group)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(MPI_COMM_WORLD, &group);
    int code = EITHER(native, Comm_create_from_group)(group, "rcuinfo", info, MPI_ERRORS_RETURN, &comm);
    PMPI_Group_free(&group);
    drop_comm(comm);
    return code;
}

/* Between this process and all others. */
CALL(MPI_Intercomm_create_from_groups)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group world = MPI_GROUP_NULL, mine = MPI_GROUP_NULL, others = MPI_GROUP_NULL;
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_incl(world, 1, &rank, &mine);
    PMPI_Group_excl(world, 1, &rank, &others);
    int code =
        EITHER(native, Intercomm_create_from_groups)(mine, 0, others, 0, "rcuinfo", info, MPI_ERRORS_RETURN, &comm);
    PMPI_Group_free(&world);
    PMPI_Group_free(&mine);
    if (others != MPI_GROUP_EMPTY)
        PMPI_Group_free(&others);
    drop_comm(comm);
    return code;
}

CALL(MPI_Session_init)
{
    MPI_Session session = MPI_SESSION_NULL;
    int code = EITHER(native, Session_init)(info, MPI_ERRORS_RETURN, &session);
    if (session != MPI_SESSION_NULL)
        PMPI_Session_finalize(&session);
    return code;
}

CALL(MPI_Session_get_nth_pset)
{
    MPI_Session session = MPI_SESSION_NULL;
    int length = 0;
    PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    int code = EITHER(native, Session_get_nth_pset)(session, info, 0, &length, NULL);
    PMPI_Session_finalize(&session);
    return code;
}

CALL(MPI_Session_get_num_psets)
{
    MPI_Session session = MPI_SESSION_NULL;
    int count = 0;
    PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    int code = EITHER(native, Session_get_num_psets)(session, info, &count);
    PMPI_Session_finalize(&session);
    return code;
}

#endif

#if defined(RCUINFO__HAS_MPI_Win_allocate_c)

CALL(MPI_Win_allocate_c)
{
    MPI_Win win = MPI_WIN_NULL;
    void *memory = NULL;
    int code = EITHER(native, Win_allocate_c)(64, 1, info, MPI_COMM_WORLD, &memory, &win);
    drop_win(win);
    return code;
}

CALL(MPI_Win_allocate_shared_c)
{
    MPI_Win win = MPI_WIN_NULL;
    void *memory = NULL;
    int code = EITHER(native, Win_allocate_shared_c)(64, 1, info, MPI_COMM_WORLD, &memory, &win);
    drop_win(win);
    return code;
}

CALL(MPI_Win_create_c)
{
    MPI_Win win = MPI_WIN_NULL;
    static char memory[64];
    int code = EITHER(native, Win_create_c)(memory, sizeof memory, 1, info, MPI_COMM_WORLD, &win);
    drop_win(win);
    return code;
}

#endif

#if defined(RCUINFO__HAS_MPI_Psend_init)

enum { PARTITIONS = 4, TAG = 7 };

static void complete_both(MPI_Request *send, MPI_Request *receive)
{
    MPI_Request both[] = {*send, *receive};
    MPI_Status statuses[2];
    if (*send != MPI_REQUEST_NULL && *receive != MPI_REQUEST_NULL) {
        if (calls_between)
            calls_between();
        PMPI_Startall(2, both);
        PMPI_Pready_range(0, PARTITIONS - 1, *send);
        PMPI_Waitall(2, both, statuses);
    }
    if (*send != MPI_REQUEST_NULL)
        PMPI_Request_free(send);
    if (*receive != MPI_REQUEST_NULL)
        PMPI_Request_free(receive);
}

/* To this process itself: what is sent is received by a native call, and the other way round. */
CALL(MPI_Psend_init)
{
    static const char sent[PARTITIONS] = {1, 2, 3, 4};
    MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
    memset(calls_received, 0, CALLS_BYTES);
    int code = EITHER(native, Psend_init)(sent, PARTITIONS, 1, MPI_BYTE, 0, TAG, MPI_COMM_SELF, info, &send);
    if (send != MPI_REQUEST_NULL)
        PMPI_Precv_init(calls_received, PARTITIONS, 1, MPI_BYTE, 0, TAG, MPI_COMM_SELF, MPI_INFO_NULL, &receive);
    complete_both(&send, &receive);
    return code;
}

CALL(MPI_Precv_init)
{
    static const char sent[PARTITIONS] = {1, 2, 3, 4};
    MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
    memset(calls_received, 0, CALLS_BYTES);
    int code =
        EITHER(native, Precv_init)(calls_received, PARTITIONS, 1, MPI_BYTE, 0, TAG, MPI_COMM_SELF, info, &receive);
    if (receive != MPI_REQUEST_NULL)
        PMPI_Psend_init(sent, PARTITIONS, 1, MPI_BYTE, 0, TAG, MPI_COMM_SELF, MPI_INFO_NULL, &send);
    complete_both(&send, &receive);
    return code;
}

#endif

#if defined(RCUINFO__HAS_MPI_T_event_handle_alloc)

/* A library without events has nothing that can be registered for: the handle of none is refused as what it is. */
static char no_registration[256];

#define CALL_OF_TOOL(name, ...)                                                                                        \
    CALL(MPI_##name)                                                                                                   \
    {                                                                                                                  \
        int provided = 0;                                                                                              \
        PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided);                                                              \
        int code = EITHER(native, name)(__VA_ARGS__);                                                                  \
        PMPI_T_finalize();                                                                                             \
        return code;                                                                                                   \
    }

#define REGISTRATION ((MPI_T_event_registration)(void *)no_registration)

CALL_OF_TOOL(T_event_callback_set_info, REGISTRATION, MPI_T_CB_REQUIRE_NONE, info)
CALL_OF_TOOL(T_event_handle_alloc, 9999, NULL, info, &(MPI_T_event_registration){NULL})
CALL_OF_TOOL(T_event_handle_set_info, REGISTRATION, info)
CALL_OF_TOOL(T_event_register_callback, REGISTRATION, MPI_T_CB_REQUIRE_NONE, info, NULL, NULL)

#endif

#if defined(RCUINFO__HAS_MPI_Abi_set_fortran_info)

CALL(MPI_Abi_set_fortran_info)
{
    return EITHER(native, Abi_set_fortran_info)(info);
}

#endif

#if defined(RCUINFO__HAS_MPI_Session_set_info)

CALL(MPI_Session_set_info)
{
    MPI_Session session = MPI_SESSION_NULL;
    PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    int code = EITHER(native, Session_set_info)(session, info);
    PMPI_Session_finalize(&session);
    return code;
}

#endif

#if defined(RCUINFO__HAS_MPIX_Stream_create)

CALL(MPIX_Stream_create)
{
    MPIX_Stream stream = MPIX_STREAM_NULL;
    int code = (native ? PMPIX_Stream_create : MPIX_Stream_create)(info, &stream);
    if (stream != MPIX_STREAM_NULL)
        PMPIX_Stream_free(&stream);
    return code;
}

#endif
