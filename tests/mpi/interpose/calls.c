/* SPDX-License-Identifier: BSD-3-Clause */
/* calls: see calls.h. Here are the list and the calls of all but the persistent collectives. */
#include "interpose/calls_own.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The function with these arguments. What it makes goes to `made`, and is freed. */
#define MAKES_COMM(name, ...)                                                                                          \
    CALL(MPI_##name)                                                                                                   \
    {                                                                                                                  \
        MPI_Comm made = MPI_COMM_NULL;                                                                                 \
        int code = EITHER(native, name)(__VA_ARGS__);                                                                  \
        drop_comm(made);                                                                                               \
        return code;                                                                                                   \
    }

static void drop_win(MPI_Win win)
{
    if (win != MPI_WIN_NULL)
        PMPI_Win_free(&win);
}

#define MAKES_WIN(name, ...)                                                                                           \
    CALL(MPI_##name)                                                                                                   \
    {                                                                                                                  \
        MPI_Win made = MPI_WIN_NULL;                                                                                   \
        int code = EITHER(native, name)(__VA_ARGS__);                                                                  \
        drop_win(made);                                                                                                \
        return code;                                                                                                   \
    }

static char given_memory[64];
static void *made_memory;
static int zero, one = 1;
static char command[] = "a command", *commands[] = {command};

MAKES_COMM(Comm_dup_with_info, MPI_COMM_WORLD, info, &made)
MAKES_COMM(Comm_split_type, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &made)
MAKES_COMM(Dist_graph_create, MPI_COMM_WORLD, 0, &zero, &zero, &zero, &one, info, 0, &made)
MAKES_COMM(Dist_graph_create_adjacent, MPI_COMM_WORLD, 0, &zero, &one, 0, &zero, &one, info, 0, &made)
MAKES_COMM(Comm_accept, "a-port", info, 0, MPI_COMM_SELF, &made)
MAKES_COMM(Comm_connect, "a-port", info, 0, MPI_COMM_SELF, &made)
MAKES_COMM(Comm_spawn, command, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_SELF, &made, &(int){0})
MAKES_COMM(Comm_spawn_multiple, 1, commands, MPI_ARGVS_NULL, &one, &info, 0, MPI_COMM_SELF, &made, &(int){0})
MAKES_WIN(Win_allocate, 64, 1, info, MPI_COMM_WORLD, &made_memory, &made)
MAKES_WIN(Win_allocate_shared, 64, 1, info, MPI_COMM_WORLD, &made_memory, &made)
MAKES_WIN(Win_create, given_memory, sizeof given_memory, 1, info, MPI_COMM_WORLD, &made)
MAKES_WIN(Win_create_dynamic, info, MPI_COMM_WORLD, &made)

CALL(MPI_Alloc_mem)
{
    void *memory = NULL;
    int code = EITHER(native, Alloc_mem)(64, info, &memory);
    if (memory)
        PMPI_Free_mem(memory);
    return code;
}

CALL(MPI_Comm_set_info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int code = EITHER(native, Comm_set_info)(comm, info);
    drop_comm(comm);
    return code;
}

CALL(MPI_Win_set_info)
{
    MPI_Win win = MPI_WIN_NULL;
    PMPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made_memory, &win);
    PMPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    int code = EITHER(native, Win_set_info)(win, info);
    drop_win(win);
    return code;
}

/* A file of this process; of no name when it could not be made. */
static MPI_File open_file(char name[64])
{
    MPI_File file = MPI_FILE_NULL;
    snprintf(name, 64, "interpose-%ld.tmp", (long)getpid());
    PMPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    return file;
}

static void drop_file(MPI_File file, const char *name)
{
    if (file != MPI_FILE_NULL)
        PMPI_File_close(&file);
    unlink(name);
}

/* `file` is open, as `path`. */
#define ON_FILE(name, ...)                                                                                             \
    CALL(MPI_##name)                                                                                                   \
    {                                                                                                                  \
        char path[64];                                                                                                 \
        MPI_File file = open_file(path);                                                                               \
        int code = EITHER(native, name)(__VA_ARGS__);                                                                  \
        drop_file(file, path);                                                                                         \
        return code;                                                                                                   \
    }

ON_FILE(File_set_info, file, info)
ON_FILE(File_set_view, file, 0, MPI_BYTE, MPI_BYTE, "native", info)

CALL(MPI_File_open)
{
    MPI_File file = MPI_FILE_NULL;
    char name[64];
    snprintf(name, sizeof name, "interpose-%ld.tmp", (long)getpid());
    int code = EITHER(native, File_open)(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file);
    drop_file(file, name);
    return code;
}

CALL(MPI_File_delete)
{
    char name[64];
    MPI_File file = open_file(name);
    if (file != MPI_FILE_NULL)
        PMPI_File_close(&file);
    int code = EITHER(native, File_delete)(name, info);
    unlink(name);
    return code;
}

CALL(MPI_Open_port)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int code = EITHER(native, Open_port)(info, port);
    if (port[0])
        PMPI_Close_port(port);
    return code;
}

/* Each process publishes services of its own, and none twice: the server of Open MPI 5 may look at a name that is
 * published again before it has seen that it was taken back. */
static void name_service(char service[32])
{
    static int count;
    snprintf(service, 32, "rcuinfo-%ld-%d", (long)getpid(), count++);
}

CALL(MPI_Publish_name)
{
    char service[32];
    name_service(service);
    int code = EITHER(native, Publish_name)(service, info, "a-port");
    if (code == MPI_SUCCESS)
        PMPI_Unpublish_name(service, MPI_INFO_NULL, "a-port");
    return code;
}

CALL(MPI_Lookup_name)
{
    char service[32], port[MPI_MAX_PORT_NAME] = "";
    name_service(service);
    int published = PMPI_Publish_name(service, MPI_INFO_NULL, "a-port");
    int code = EITHER(native, Lookup_name)(service, info, port);
    if (published == MPI_SUCCESS)
        PMPI_Unpublish_name(service, MPI_INFO_NULL, "a-port");
    return code;
}

CALL(MPI_Unpublish_name)
{
    char service[32];
    name_service(service);
    PMPI_Publish_name(service, MPI_INFO_NULL, "a-port");
    return EITHER(native, Unpublish_name)(service, info, "a-port");
}

#if defined(RCUINFO__HAS_MPI_Win_allocate_c)
MAKES_WIN(Win_allocate_c, 64, 1, info, MPI_COMM_WORLD, &made_memory, &made)
MAKES_WIN(Win_allocate_shared_c, 64, 1, info, MPI_COMM_WORLD, &made_memory, &made)
MAKES_WIN(Win_create_c, given_memory, sizeof given_memory, 1, info, MPI_COMM_WORLD, &made)
#endif

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

#define ON_SESSION(name, ...)                                                                                          \
    CALL(MPI_##name)                                                                                                   \
    {                                                                                                                  \
        MPI_Session session = MPI_SESSION_NULL;                                                                        \
        PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);                                                 \
        int code = EITHER(native, name)(__VA_ARGS__);                                                                  \
        PMPI_Session_finalize(&session);                                                                               \
        return code;                                                                                                   \
    }

ON_SESSION(Session_get_nth_pset, session, info, 0, &(int){0}, NULL)
ON_SESSION(Session_get_num_psets, session, info, &(int){0})
#if defined(RCUINFO__HAS_MPI_Session_set_info)
ON_SESSION(Session_set_info, session, info)
#endif

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

/* The rows of the table, and the two functions that it has none for. */
#define CALL_OF_IN(name)      {#name, call_##name},
#define CALL_OF_AT_ROOT(name) {#name, call_##name},
#define CALL_OF_TOOL_IN(name) {#name, call_##name},
#define CALL_OF_OUT(name)
#define CALL_OF_TOOL_OUT(name)
#define CALL_OF(kind, name, object, parameters, arguments) CALL_OF_##kind(name)

const struct call calls[] = {RCUINFO__INTERPOSE_TABLE(CALL_OF) CALL_OF_IN(MPI_Comm_spawn_multiple)
#if defined(RCUINFO__HAS_MPI_Session_init)
                                 CALL_OF_IN(MPI_Session_init)
#endif
};

const int calls_count = sizeof calls / sizeof calls[0];

bool call_waits(const struct call *call)
{
    static const char *const waiting[] = {"MPI_Intercomm_create_from_groups", "MPI_Comm_accept", "MPI_Comm_connect",
                                          "MPI_Comm_spawn", "MPI_Comm_spawn_multiple"};
    int size = 1;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t n = size > 1; n < sizeof waiting / sizeof waiting[0]; n++)
        if (strcmp(call->name, waiting[n]) == 0)
            return true;
    return false;
}
