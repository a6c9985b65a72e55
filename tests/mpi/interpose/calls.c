/* SPDX-License-Identifier: BSD-3-Clause */
/* calls: see calls.h. Here are the list and the calls of MPI-3.1. */
#include "interpose/calls_own.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

CALL(MPI_Alloc_mem)
{
    void *memory = NULL;
    int code = EITHER(native, Alloc_mem)(64, info, &memory);
    if (memory)
        PMPI_Free_mem(memory);
    return code;
}

CALL(MPI_Comm_dup_with_info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int code = EITHER(native, Comm_dup_with_info)(MPI_COMM_WORLD, info, &comm);
    drop_comm(comm);
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

CALL(MPI_Comm_split_type)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int code = EITHER(native, Comm_split_type)(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &comm);
    drop_comm(comm);
    return code;
}

CALL(MPI_Dist_graph_create)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int source = 0, degree = 0, destination = 0, weight = 1;
    int code =
        EITHER(native, Dist_graph_create)(MPI_COMM_WORLD, 0, &source, &degree, &destination, &weight, info, 0, &comm);
    drop_comm(comm);
    return code;
}

CALL(MPI_Dist_graph_create_adjacent)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int neighbour = 0, weight = 1;
    int code = EITHER(native, Dist_graph_create_adjacent)(MPI_COMM_WORLD, 0, &neighbour, &weight, 0, &neighbour,
                                                          &weight, info, 0, &comm);
    drop_comm(comm);
    return code;
}

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

CALL(MPI_File_set_info)
{
    char name[64];
    MPI_File file = open_file(name);
    int code = EITHER(native, File_set_info)(file, info);
    drop_file(file, name);
    return code;
}

CALL(MPI_File_set_view)
{
    char name[64];
    MPI_File file = open_file(name);
    int code = EITHER(native, File_set_view)(file, 0, MPI_BYTE, MPI_BYTE, "native", info);
    drop_file(file, name);
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

CALL(MPI_Win_allocate)
{
    MPI_Win win = MPI_WIN_NULL;
    void *memory = NULL;
    int code = EITHER(native, Win_allocate)(64, 1, info, MPI_COMM_WORLD, &memory, &win);
    drop_win(win);
    return code;
}

CALL(MPI_Win_allocate_shared)
{
    MPI_Win win = MPI_WIN_NULL;
    void *memory = NULL;
    int code = EITHER(native, Win_allocate_shared)(64, 1, info, MPI_COMM_WORLD, &memory, &win);
    drop_win(win);
    return code;
}

CALL(MPI_Win_create)
{
    MPI_Win win = MPI_WIN_NULL;
    static char memory[64];
    int code = EITHER(native, Win_create)(memory, sizeof memory, 1, info, MPI_COMM_WORLD, &win);
    drop_win(win);
    return code;
}

CALL(MPI_Win_create_dynamic)
{
    MPI_Win win = MPI_WIN_NULL;
    int code = EITHER(native, Win_create_dynamic)(info, MPI_COMM_WORLD, &win);
    drop_win(win);
    return code;
}

CALL(MPI_Win_set_info)
{
    MPI_Win win = MPI_WIN_NULL;
    void *memory = NULL;
    PMPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    PMPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    int code = EITHER(native, Win_set_info)(win, info);
    drop_win(win);
    return code;
}

CALL(MPI_Comm_accept)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int code = EITHER(native, Comm_accept)("a-port", info, 0, MPI_COMM_SELF, &comm);
    drop_comm(comm);
    return code;
}

CALL(MPI_Comm_connect)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int code = EITHER(native, Comm_connect)("a-port", info, 0, MPI_COMM_SELF, &comm);
    drop_comm(comm);
    return code;
}

CALL(MPI_Comm_spawn)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int error = 0;
    int code = EITHER(native, Comm_spawn)("a command", MPI_ARGV_NULL, 1, info, 0, MPI_COMM_SELF, &comm, &error);
    drop_comm(comm);
    return code;
}

CALL(MPI_Comm_spawn_multiple)
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
    static const char *const waiting[] = {"MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_spawn",
                                          "MPI_Comm_spawn_multiple", "MPI_Intercomm_create_from_groups"};
    for (size_t n = 0; n < sizeof waiting / sizeof waiting[0]; n++)
        if (strcmp(call->name, waiting[n]) == 0)
            return true;
    return false;
}
