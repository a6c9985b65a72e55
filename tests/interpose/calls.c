/* SPDX-License-Identifier: BSD-3-Clause */
/* calls: see calls.h. */
#include "interpose/calls.h"

#include <stdio.h>
#include <unistd.h>

#define EITHER(native, name) ((native) ? PMPI_##name : MPI_##name)

static void drop_comm(MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_free(&comm);
}

static void drop_win(MPI_Win win)
{
    if (win != MPI_WIN_NULL)
        PMPI_Win_free(&win);
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

static int alloc_mem(bool native, MPI_Info info)
{
    void *memory = NULL;
    int code = EITHER(native, Alloc_mem)(64, info, &memory);
    if (memory)
        PMPI_Free_mem(memory);
    return code;
}

static int comm_dup_with_info(bool native, MPI_Info info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int code = EITHER(native, Comm_dup_with_info)(MPI_COMM_WORLD, info, &comm);
    drop_comm(comm);
    return code;
}

static int comm_set_info(bool native, MPI_Info info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int code = EITHER(native, Comm_set_info)(comm, info);
    drop_comm(comm);
    return code;
}

static int comm_split_type(bool native, MPI_Info info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int code = EITHER(native, Comm_split_type)(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &comm);
    drop_comm(comm);
    return code;
}

static int dist_graph_create(bool native, MPI_Info info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int source = 0, degree = 0, destination = 0, weight = 1;
    int code =
        EITHER(native, Dist_graph_create)(MPI_COMM_WORLD, 0, &source, &degree, &destination, &weight, info, 0, &comm);
    drop_comm(comm);
    return code;
}

static int dist_graph_create_adjacent(bool native, MPI_Info info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int neighbour = 0, weight = 1;
    int code = EITHER(native, Dist_graph_create_adjacent)(MPI_COMM_WORLD, 0, &neighbour, &weight, 0, &neighbour,
                                                          &weight, info, 0, &comm);
    drop_comm(comm);
    return code;
}

static int file_open(bool native, MPI_Info info)
{
    MPI_File file = MPI_FILE_NULL;
    char name[64];
    snprintf(name, sizeof name, "interpose-%ld.tmp", (long)getpid());
    int code = EITHER(native, File_open)(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file);
    drop_file(file, name);
    return code;
}

static int file_delete(bool native, MPI_Info info)
{
    char name[64];
    MPI_File file = open_file(name);
    if (file != MPI_FILE_NULL)
        PMPI_File_close(&file);
    int code = EITHER(native, File_delete)(name, info);
    unlink(name);
    return code;
}

static int file_set_info(bool native, MPI_Info info)
{
    char name[64];
    MPI_File file = open_file(name);
    int code = EITHER(native, File_set_info)(file, info);
    drop_file(file, name);
    return code;
}

static int file_set_view(bool native, MPI_Info info)
{
    char name[64];
    MPI_File file = open_file(name);
    int code = EITHER(native, File_set_view)(file, 0, MPI_BYTE, MPI_BYTE, "native", info);
    drop_file(file, name);
    return code;
}

static int open_port(bool native, MPI_Info info)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int code = EITHER(native, Open_port)(info, port);
    if (port[0])
        PMPI_Close_port(port);
    return code;
}

/* Each process publishes a service of its own. */
static void name_service(char service[32])
{
    snprintf(service, 32, "rcuinfo-%ld", (long)getpid());
}

static int publish_name(bool native, MPI_Info info)
{
    char service[32];
    name_service(service);
    int code = EITHER(native, Publish_name)(service, info, "a-port");
    if (code == MPI_SUCCESS)
        PMPI_Unpublish_name(service, MPI_INFO_NULL, "a-port");
    return code;
}

static int lookup_name(bool native, MPI_Info info)
{
    char service[32], port[MPI_MAX_PORT_NAME] = "";
    name_service(service);
    int published = PMPI_Publish_name(service, MPI_INFO_NULL, "a-port");
    int code = EITHER(native, Lookup_name)(service, info, port);
    if (published == MPI_SUCCESS)
        PMPI_Unpublish_name(service, MPI_INFO_NULL, "a-port");
    return code;
}

static int unpublish_name(bool native, MPI_Info info)
{
    char service[32];
    name_service(service);
    PMPI_Publish_name(service, MPI_INFO_NULL, "a-port");
    return EITHER(native, Unpublish_name)(service, info, "a-port");
}

static int win_allocate(bool native, MPI_Info info)
{
    MPI_Win win = MPI_WIN_NULL;
    void *memory = NULL;
    int code = EITHER(native, Win_allocate)(64, 1, info, MPI_COMM_WORLD, &memory, &win);
    drop_win(win);
    return code;
}

static int win_allocate_shared(bool native, MPI_Info info)
{
    MPI_Win win = MPI_WIN_NULL;
    void *memory = NULL;
    int code = EITHER(native, Win_allocate_shared)(64, 1, info, MPI_COMM_WORLD, &memory, &win);
    drop_win(win);
    return code;
}

static int win_create(bool native, MPI_Info info)
{
    MPI_Win win = MPI_WIN_NULL;
    static char memory[64];
    int code = EITHER(native, Win_create)(memory, sizeof memory, 1, info, MPI_COMM_WORLD, &win);
    drop_win(win);
    return code;
}

static int win_create_dynamic(bool native, MPI_Info info)
{
    MPI_Win win = MPI_WIN_NULL;
    int code = EITHER(native, Win_create_dynamic)(info, MPI_COMM_WORLD, &win);
    drop_win(win);
    return code;
}

static int win_set_info(bool native, MPI_Info info)
{
    MPI_Win win = MPI_WIN_NULL;
    void *memory = NULL;
    PMPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    PMPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    int code = EITHER(native, Win_set_info)(win, info);
    drop_win(win);
    return code;
}

static int comm_accept(bool native, MPI_Info info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int code = EITHER(native, Comm_accept)("a-port", info, 0, MPI_COMM_SELF, &comm);
    drop_comm(comm);
    return code;
}

static int comm_connect(bool native, MPI_Info info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int code = EITHER(native, Comm_connect)("a-port", info, 0, MPI_COMM_SELF, &comm);
    drop_comm(comm);
    return code;
}

static int comm_spawn(bool native, MPI_Info info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int error = 0;
    int code = EITHER(native, Comm_spawn)("a command", MPI_ARGV_NULL, 1, info, 0, MPI_COMM_SELF, &comm, &error);
    drop_comm(comm);
    return code;
}

static int comm_spawn_multiple(bool native, MPI_Info info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    char command[] = "a command";
    char *commands[] = {command};
    int processes = 1, error = 0;
    int code = EITHER(native, Comm_spawn_multiple)(1, commands, MPI_ARGVS_NULL, &processes, &info, 0, MPI_COMM_SELF,
                                                   &comm, &error);
    drop_comm(comm);
    return code;
}

#if MPI_VERSION >= 4

static int comm_create_from_group(bool native, MPI_Info info)
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
static int intercomm_create_from_groups(bool native, MPI_Info info)
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

static int session_init(bool native, MPI_Info info)
{
    MPI_Session session = MPI_SESSION_NULL;
    int code = EITHER(native, Session_init)(info, MPI_ERRORS_RETURN, &session);
    if (session != MPI_SESSION_NULL)
        PMPI_Session_finalize(&session);
    return code;
}

static int session_get_nth_pset(bool native, MPI_Info info)
{
    MPI_Session session = MPI_SESSION_NULL;
    int length = 0;
    PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    int code = EITHER(native, Session_get_nth_pset)(session, info, 0, &length, NULL);
    PMPI_Session_finalize(&session);
    return code;
}

static int session_get_num_psets(bool native, MPI_Info info)
{
    MPI_Session session = MPI_SESSION_NULL;
    int count = 0;
    PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    int code = EITHER(native, Session_get_num_psets)(session, info, &count);
    PMPI_Session_finalize(&session);
    return code;
}

#endif

const struct call calls[] = {
    {"Alloc_mem", alloc_mem, false},
    {"Comm_accept", comm_accept, true},
    {"Comm_connect", comm_connect, true},
    {"Comm_dup_with_info", comm_dup_with_info, false},
    {"Comm_set_info", comm_set_info, false},
    {"Comm_spawn", comm_spawn, true},
    {"Comm_spawn_multiple", comm_spawn_multiple, true},
    {"Comm_split_type", comm_split_type, false},
    {"Dist_graph_create", dist_graph_create, false},
    {"Dist_graph_create_adjacent", dist_graph_create_adjacent, false},
    {"File_open", file_open, false},
    {"File_delete", file_delete, false},
    {"File_set_info", file_set_info, false},
    {"File_set_view", file_set_view, false},
    {"Lookup_name", lookup_name, false},
    {"Open_port", open_port, false},
    {"Publish_name", publish_name, false},
    {"Unpublish_name", unpublish_name, false},
    {"Win_allocate", win_allocate, false},
    {"Win_allocate_shared", win_allocate_shared, false},
    {"Win_create", win_create, false},
    {"Win_create_dynamic", win_create_dynamic, false},
    {"Win_set_info", win_set_info, false},
#if MPI_VERSION >= 4
    {"Comm_create_from_group", comm_create_from_group, false},
    {"Intercomm_create_from_groups", intercomm_create_from_groups, true},
    {"Session_init", session_init, false},
    {"Session_get_nth_pset", session_get_nth_pset, false},
    {"Session_get_num_psets", session_get_num_psets, false},
#endif
};

const int calls_count = sizeof calls / sizeof calls[0];
