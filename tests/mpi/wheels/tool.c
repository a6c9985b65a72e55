/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tool: wrappers of MPI functions, as profiling tools have them, that also use infos of their own and the program's by
 * the names of the profiling interface. Each prints what it found. Linked into tool_program, or a shared library. With
 * INFOS, it also wraps functions that make infos.
 */
#include <stdio.h>

#include <mpi.h>

/* Prints a key of the info, and how many keys it has. */
static void show(const char *function, const char *whose, MPI_Info info, const char *key)
{
    char value[64] = "-";
    int flag = 0, keys = -1;
    int code = PMPI_Info_get(info, key, 63, value, &flag);
    int again = PMPI_Info_get_nkeys(info, &keys);
    printf("tool: %s, %s: %s=%s, %d keys, %d %d\n", function, whose, key, flag ? value : "(none)", keys, code, again);
}

/* Returns a copy of an info that also has a key of the tool's. */
static MPI_Info copy_of(const char *function, MPI_Info info, const char *key)
{
    MPI_Info mine = MPI_INFO_NULL, copy = MPI_INFO_NULL;
    int codes[4] = {PMPI_Info_create(&mine), PMPI_Info_set(mine, "tool", function), PMPI_Info_dup(info, &copy),
                    PMPI_Info_set(copy, "tool", "was here")};
    show(function, "given", info, key);
    show(function, "own", mine, "tool");
    show(function, "copy", copy, key);
    PMPI_Info_free(&mine);
    printf("tool: %d %d %d %d %d\n", codes[0], codes[1], codes[2], codes[3], mine == MPI_INFO_NULL);
    return copy;
}

#ifdef INFOS

int MPI_Info_create(MPI_Info *info)
{
    return PMPI_Info_create(info);
}

int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    return PMPI_Info_set(info, key, value);
}

#endif

/* Passes the program's info on. */
int MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file)
{
    MPI_Info copy = copy_of("MPI_File_open", info, "cb_buffer_size");
    int code = PMPI_File_open(comm, name, mode, info, file);
    PMPI_Info_free(&copy);
    return code;
}

/* Passes a copy on. */
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window)
{
    MPI_Info copy = copy_of("MPI_Win_allocate", info, "no_locks");
    int code = PMPI_Win_allocate(size, unit, copy, comm, base, window);
    PMPI_Info_free(&copy);
    return code;
}

/* Passes an info of its own on. */
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *duplicate)
{
    MPI_Info mine, copy = copy_of("MPI_Comm_dup_with_info", info, "mpi_assert_no_any_tag");
    PMPI_Info_create(&mine);
    PMPI_Info_set(mine, "mpi_assert_no_any_source", "true");
    int code = PMPI_Comm_dup_with_info(comm, mine, duplicate);
    PMPI_Info_free(&mine);
    PMPI_Info_free(&copy);
    return code;
}

/* Reads and changes what MPI returns. */
int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info)
{
    int code = PMPI_Comm_get_info(comm, info);
    show("MPI_Comm_get_info", "returned", *info, "mpi_assert_no_any_source");
    PMPI_Info_set(*info, "tool", "was here");
    return code;
}

/* Replaces what MPI returns. */
int MPI_Win_get_info(MPI_Win window, MPI_Info *info)
{
    MPI_Info returned;
    int code = PMPI_Win_get_info(window, &returned);
    *info = copy_of("MPI_Win_get_info", returned, "no_locks");
    PMPI_Info_free(&returned);
    return code;
}
