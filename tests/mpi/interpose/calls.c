/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls: see calls.h. The rows of the table expand to the calls, so each parameter name is defined here as a variable
 * or a macro. What a function needs is created before the call, and what it creates is freed after it.
 */
#include "interpose/calls.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interpose/spy.h"

void (*calls_between)(void);
char calls_received[CALLS_BYTES];
int calls_root;

enum { PROCESSES = 8, PARTITIONS = 4, TEXT = 64 };

/* No mpi.h declares functions that use all of these. */
#define GIVEN static __attribute__((unused))

/* Communicators and windows.  */
GIVEN MPI_Comm comm, made_comm, *const newcomm = &made_comm, *const newintercomm = &made_comm;
GIVEN MPI_Comm *const intercomm = &made_comm;
GIVEN MPI_Win made_win, *const win = &made_win;
GIVEN char base[TEXT];
GIVEN void *made_memory, *const baseptr = &made_memory;
GIVEN const int size = TEXT, disp_unit = 1;
GIVEN const int split_type = MPI_COMM_TYPE_SHARED, key = 0, n = 0, indegree = 0, outdegree = 0, reorder = 0;
GIVEN const int none[] = {0}, *const sources = none, *const degrees = none, *const destinations = none;
GIVEN const int *const weights = none, *const sourceweights = none, *const destweights = none;

#define root calls_root

#define window made_win

/* Files: `fh` is the address of a handle, or a handle, which is an address as well. */
GIVEN MPI_File made_file;
GIVEN void *fh;
GIVEN char filename[TEXT];
GIVEN const int amode = MPI_MODE_RDWR | MPI_MODE_CREATE, disp = 0;
GIVEN const MPI_Datatype etype = MPI_BYTE, filetype = MPI_BYTE;
GIVEN const char datarep[] = "native";

/* Other processes. */
GIVEN char command[] = "a command", *commands[] = {command}, **const argv = MPI_ARGV_NULL;
GIVEN const int maxprocs = 1;
GIVEN int array_of_errcodes[1];
GIVEN char service_name[TEXT], port_name[MPI_MAX_PORT_NAME];
GIVEN bool published;

/* Requests and data. The array elements are as wide as the function's counts. */
GIVEN MPI_Request made_request, *const request = &made_request;
GIVEN char sendbuf[CALLS_BYTES] = {11, 22, 33, 44, 55, 66, 77, 88};
GIVEN char *const recvbuf = calls_received, *const buffer = calls_received, *buf;
GIVEN const int sendcount = 1, recvcount = 1, count = 1, partitions = PARTITIONS, rank = 0, tag = 7;
GIVEN const MPI_Datatype sendtype = MPI_BYTE, recvtype = MPI_BYTE, datatype = MPI_BYTE;
GIVEN const MPI_Datatype sendtypes[PROCESSES] = {MPI_BYTE, MPI_BYTE, MPI_BYTE, MPI_BYTE,
                                                 MPI_BYTE, MPI_BYTE, MPI_BYTE, MPI_BYTE};
GIVEN const MPI_Datatype *const recvtypes = sendtypes;
GIVEN const MPI_Op op = MPI_BOR;
GIVEN const int ones[PROCESSES] = {1, 1, 1, 1, 1, 1, 1, 1}, places[PROCESSES] = {0, 1, 2, 3, 4, 5, 6, 7};
GIVEN const MPI_Count wide_ones[PROCESSES] = {1, 1, 1, 1, 1, 1, 1, 1};
GIVEN const MPI_Aint wide_places[PROCESSES] = {0, 1, 2, 3, 4, 5, 6, 7};
GIVEN const MPI_Aint *const wide_sdispls = wide_places, *const wide_rdispls = wide_places;
GIVEN const void *sendcounts, *recvcounts, *displs, *sdispls, *rdispls;

#if defined(RCUINFO__HAS_MPI_Session_init)
GIVEN MPI_Session session, *const made_session = &session;
GIVEN int pset_numbers[2], *const pset_len = &pset_numbers[0], *const npset_names = &pset_numbers[1];
GIVEN char pset_name[] = "mpi://WORLD";
GIVEN MPI_Group group, local_group, remote_group;
GIVEN const int local_leader = 0, remote_leader = 0;
GIVEN const char stringtag[] = "rcuinfo";
GIVEN const MPI_Errhandler errhandler = MPI_ERRORS_RETURN;
#endif

#if defined(RCUINFO__HAS_MPIX_Stream_create)
GIVEN MPIX_Stream made_stream, *const stream = &made_stream;
#endif

#if defined(RCUINFO__HAS_MPI_T_event_handle_alloc)
/* For a library without events: none of its events, sources and registrations has these values. */
GIVEN void *no_registration[32], *const event_registration = no_registration;
#define event_cb_function NULL
enum { event_index = 9999, source_index = 9999 };
GIVEN const MPI_T_cb_safety cb_safety = MPI_T_CB_REQUIRE_NONE;
GIVEN void *const obj_handle = NULL, *const user_data = NULL;
GIVEN char name[TEXT], desc[TEXT];
GIVEN int lengths[] = {TEXT, TEXT}, numbers[2], *const name_len = &lengths[0], *const desc_len = &lengths[1];
GIVEN int *const verbosity = &numbers[0], *const bind = &numbers[1], *const num_elements = NULL;
GIVEN MPI_Datatype *const array_of_datatypes = NULL;
GIVEN MPI_Aint *const array_of_displacements = NULL;
GIVEN MPI_T_enum type_of_enum, *const enumtype = &type_of_enum;
GIVEN MPI_T_source_order order, *const ordering = &order;
GIVEN MPI_Count ticks[2], *const ticks_per_second = &ticks[0], *const max_ticks = &ticks[1];
#endif

static bool is(const char *function, const char *part)
{
    return strstr(function, part) != NULL;
}

static void tool(bool begins)
{
    (void)begins;
#if defined(RCUINFO__HAS_MPI_T_event_handle_alloc)
    int provided = 0;
    if (begins)
        NATIVE(PMPI_T_init_thread)(MPI_THREAD_SINGLE, &provided);
    else
        NATIVE(PMPI_T_finalize)();
#endif
}

/* Creates a ring: the neighbours are the processes before and after this one, and the last process precedes the first.
 * The receive buffer differs between processes, so that MPI_Bcast_init changes it. */
static void begin_communicators(const char *function)
{
    int processes = 1, mine = 0, periodic = 1;
    bool alone = is(function, "File_") || is(function, "Psend") || is(function, "Precv");
    NATIVE(PMPI_Comm_size)(alone ? MPI_COMM_SELF : MPI_COMM_WORLD, &processes);
    NATIVE(PMPI_Cart_create)(alone ? MPI_COMM_SELF : MPI_COMM_WORLD, 1, &processes, &periodic, 0, &comm);
    NATIVE(PMPI_Comm_set_errhandler)(comm, MPI_ERRORS_RETURN);
    NATIVE(PMPI_Comm_rank)(comm, &mine);
    made_comm = MPI_COMM_NULL;
    memset(calls_received, 0, CALLS_BYTES);
    calls_received[0] = (char)(100 + mine);
}

static void begin_transfer(const char *function)
{
    bool wide = is(function, "_init_c");
    made_request = MPI_REQUEST_NULL;
    sendcounts = recvcounts = wide ? (const void *)wide_ones : ones;
    displs = sdispls = rdispls = wide ? (const void *)wide_places : places;
    buf = is(function, "Psend") ? sendbuf : calls_received;
}

static void begin_window(const char *function)
{
    made_memory = NULL;
    made_win = MPI_WIN_NULL;
    if (!is(function, "Win_set_info") && !is(function, "Win_get_info"))
        return;
    NATIVE(PMPI_Win_allocate)(TEXT, 1, MPI_INFO_NULL, comm, &made_memory, &made_win);
    NATIVE(PMPI_Win_set_errhandler)(made_win, MPI_ERRORS_RETURN);
}

static void begin_file(const char *function)
{
    made_file = MPI_FILE_NULL;
    snprintf(filename, sizeof filename, "interpose-%ld.tmp", (long)getpid());
    fh = &made_file;
    if (!is(function, "File_") || is(function, "File_open"))
        return;
    NATIVE(PMPI_File_open)(MPI_COMM_SELF, filename, amode, MPI_INFO_NULL, &made_file);
    fh = (void *)made_file;
    if (is(function, "File_delete"))
        NATIVE(PMPI_File_close)(&made_file);
}

/* Each process publishes its own service names, and none twice: the server of Open MPI 5 may process the second
 * publication of a name before the withdrawal of the first. */
static void begin_service(const char *function)
{
    static int services;
    snprintf(service_name, sizeof service_name, "rcuinfo-%ld-%d", (long)getpid(), services++);
    snprintf(port_name, sizeof port_name, "a-port");
    published = (is(function, "Lookup") || is(function, "Unpublish")) &&
                NATIVE(PMPI_Publish_name)(service_name, MPI_INFO_NULL, port_name) == MPI_SUCCESS;
}

/* In a call with two groups, one contains this process, the other all others. */
static void begin_session(const char *function)
{
    (void)function;
#if defined(RCUINFO__HAS_MPI_Session_init)
    int mine = 0;
    session = MPI_SESSION_NULL;
    *pset_len = 0;
    if (is(function, "Session_get") || is(function, "Session_set"))
        NATIVE(PMPI_Session_init)(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    if (!is(function, "_from_group"))
        return;
    NATIVE(PMPI_Comm_rank)(comm, &mine);
    NATIVE(PMPI_Comm_group)(comm, &group);
    NATIVE(PMPI_Group_incl)(group, 1, &mine, &local_group);
    NATIVE(PMPI_Group_excl)(group, 1, &mine, &remote_group);
#endif
}

static void end_session(const char *function)
{
    (void)function;
#if defined(RCUINFO__HAS_MPI_Session_init)
    if (session != MPI_SESSION_NULL)
        NATIVE(PMPI_Session_finalize)(&session);
    if (!is(function, "_from_group"))
        return;
    NATIVE(PMPI_Group_free)(&group);
    NATIVE(PMPI_Group_free)(&local_group);
    if (remote_group != MPI_GROUP_EMPTY)
        NATIVE(PMPI_Group_free)(&remote_group);
#endif
}

/* Calls calls_between, then completes the operation that the function has begun, twice if it is persistent. A
 * partitioned transfer has this process at both ends: a native call receives what is sent or vice versa. */
static void complete(const char *function)
{
    MPI_Request both[] = {made_request, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    bool persistent = is(function, "_init");
    if (made_request == MPI_REQUEST_NULL)
        return;
#if defined(RCUINFO__HAS_MPI_Psend_init)
    if (is(function, "Psend"))
        NATIVE(PMPI_Precv_init)(calls_received, partitions, count, datatype, rank, tag, comm, MPI_INFO_NULL, &both[1]);
    if (is(function, "Precv"))
        NATIVE(PMPI_Psend_init)(sendbuf, partitions, count, datatype, rank, tag, comm, MPI_INFO_NULL, &both[1]);
#endif
    bool in_parts = both[1] != MPI_REQUEST_NULL;
    if (calls_between)
        calls_between();
    for (int round = 0; round < (persistent ? 2 : 1); round++) {
        if (persistent)
            NATIVE(PMPI_Startall)(1 + in_parts, both);
#if defined(RCUINFO__HAS_MPI_Psend_init)
        if (in_parts)
            NATIVE(PMPI_Pready_range)(0, PARTITIONS - 1, both[is(function, "Precv")]);
#endif
        NATIVE(PMPI_Waitall)(1 + in_parts, both, statuses);
    }
    for (int i = 0; persistent && i <= in_parts; i++)
        NATIVE(PMPI_Request_free)(&both[i]);
}

/* The functions of the tool interface need nothing else, and are also called when MPI is not initialized. */
static void begin(const char *function)
{
    if (is_tool(function)) {
        tool(true);
        return;
    }
    begin_communicators(function);
    begin_transfer(function);
    begin_window(function);
    begin_file(function);
    begin_service(function);
    begin_session(function);
#if defined(RCUINFO__HAS_MPIX_Stream_create)
    made_stream = MPIX_STREAM_NULL;
#endif
}

static int end(const char *function, int code)
{
    if (is_tool(function)) {
        tool(false);
        return code;
    }
    complete(function);
    end_session(function);
    if (is(function, "_Publish") ? code == MPI_SUCCESS : published && is(function, "Lookup"))
        NATIVE(PMPI_Unpublish_name)(service_name, MPI_INFO_NULL, "a-port");
    if (strcmp(port_name, "a-port") != 0)
        NATIVE(PMPI_Close_port)(port_name);
    if (made_file != MPI_FILE_NULL)
        NATIVE(PMPI_File_close)(&made_file);
    if (is(function, "File_"))
        unlink(filename);
    if (made_win != MPI_WIN_NULL)
        NATIVE(PMPI_Win_free)(&made_win);
    else if (made_memory)
        NATIVE(PMPI_Free_mem)(made_memory);
    if (made_comm != MPI_COMM_NULL)
        NATIVE(PMPI_Comm_free)(&made_comm);
#if defined(RCUINFO__HAS_MPIX_Stream_create)
    if (made_stream != MPIX_STREAM_NULL)
        NATIVE(PMPIX_Stream_free)(&made_stream);
#endif
    NATIVE(PMPI_Comm_free)(&comm);
    return code;
}

#define MADE(function, arguments, type)                                                                                \
    static int call_##function(bool native, type real)                                                                 \
    {                                                                                                                  \
        begin(#function);                                                                                              \
        return end(#function, native ? NATIVE(P##function) arguments : function arguments);                            \
    }
#define MADE_OF_ROW(kind, function, object, parameters, arguments)                                                     \
    CHOOSE_##kind(MADE(function, arguments, MPI_Info), MADE(function, arguments, MPI_Info *))

/* The rows of the table, and the function without a row. */
RCUINFO__FUNCTIONS(MADE_OF_ROW)
MADE(MPI_Comm_spawn_multiple, (1, commands, MPI_ARGVS_NULL, &maxprocs, &real, root, comm, intercomm, array_of_errcodes),
     MPI_Info)

#define CALL_OF(kind, function, object, parameters, arguments) CHOOSE_##kind(ENTRY(function), )
#define GIFT(function, kind)                                   {#function, call_##function, sizeof kind != sizeof "OUT"}, /* not just OUT */
#define GIFT_OF(kind, function, object, parameters, arguments) CHOOSE_##kind(, GIFT(function, #kind))

const struct call calls[] = {RCUINFO__FUNCTIONS(CALL_OF) ENTRY(MPI_Comm_spawn_multiple)};
const int calls_count = sizeof calls / sizeof calls[0];

const struct gift gifts[] = {RCUINFO__FUNCTIONS(GIFT_OF)};
const int gifts_count = sizeof gifts / sizeof gifts[0];

bool call_waits(const struct call *call)
{
    int processes = 1;
    NATIVE(PMPI_Comm_size)(MPI_COMM_WORLD, &processes);
    if (is(call->name, "Intercomm_create"))
        return processes < 2;
    return is(call->name, "Comm_accept") || is(call->name, "Comm_connect") || is(call->name, "Comm_spawn");
}
