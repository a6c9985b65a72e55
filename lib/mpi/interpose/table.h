/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table: the functions, apart from those on infos themselves, that take or return an info: those of MPI-3.1, those that
 * MPI-4.0, 4.1 and 5.0 add, and extensions. The mpi.h of the flavour may lack functions that the program's library, of
 * a later version, has. One function is not in the table: MPI_Comm_spawn_multiple, the only one that takes an array of
 * infos (spawn.c).
 *
 * Each row: kind, name, object, parameters, arguments of the next function. The arguments are the parameters in the
 * same order, with `real` instead of the info. The kinds:
 *   IN        takes `info`
 *   AT_ROOT   same, but the info is significant only at `root` of `comm`
 *   SPAWN     same, with a command
 *   OUT       returns an info through `info_used`
 *   TOOL_IN   IN and OUT in the tool interface, which calls no error handler and may return MPI_INFO_NULL
 *   TOOL_OUT
 * The object of a row with hints: its kind (RCUINFO_OBJECT_ followed by that word, or OTHER), the address of its
 * handle, to ask MPI for the hints in use afterwards, and its name; NULL if there is none. A row that differs from the
 * mpi.h of the flavour does not compile, and tests/mpi/interpose/functions.py finds functions of mpi.h without a row.
 */
#pragma once

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <rcuinfo_declared.h>

#if !defined(RCUINFO__FLAVOUR_ABI) && !defined(RCUINFO__HAS_MPI_Session_init)
#if defined(OPEN_MPI)
typedef struct ompi_instance_t *MPI_Session;
#define MPI_SESSION_NULL OMPI_PREDEFINED_GLOBAL(MPI_Session, ompi_mpi_instance_null)
#else
typedef int MPI_Session;
#define MPI_SESSION_NULL ((MPI_Session)0x38000000)
#endif
#endif

/* A row, if mpi.h declares its function; what is not an interposer can only call those. */
#define RCUINFO__ROW_DECLARED(ROW, kind, name, object, parameters, arguments)                                          \
    RCUINFO__IF_DECLARED(name, ROW(kind, name, object, parameters, arguments))
#define RCUINFO__ROW_ALWAYS(ROW, kind, name, object, parameters, arguments)                                            \
    ROW(kind, name, object, parameters, arguments)

#if defined(RCUINFO__FLAVOUR_MPICH) || defined(RCUINFO__FLAVOUR_OPENMPI) || defined(RCUINFO__FLAVOUR_ABI)
#define RCUINFO__ROW RCUINFO__ROW_ALWAYS
#else
#define RCUINFO__ROW RCUINFO__ROW_DECLARED
#endif

/* A row with types that mpi.h may lack. */
#if defined(RCUINFO__FLAVOUR_ABI)
#define RCUINFO__ROW_TYPED RCUINFO__ROW_ALWAYS
#else
#define RCUINFO__ROW_TYPED RCUINFO__ROW_DECLARED
#endif

/* Expands to the arguments after `name` if mpi.h declares it, i.e. if RCUINFO__HAS_name is defined as 1; otherwise to
 * nothing. RCUINFO__COMMA_1 expands to "0,", so that SHOW is the second argument of SECOND; without it, HIDE is. */
#define RCUINFO__IF_DECLARED(name, ...)     RCUINFO__IF_VALUE(RCUINFO__HAS_##name, __VA_ARGS__)
#define RCUINFO__IF_VALUE(value, ...)       RCUINFO__IF_PASTED(value, __VA_ARGS__)
#define RCUINFO__IF_PASTED(value, ...)      RCUINFO__IF_COMMA(RCUINFO__COMMA_##value, __VA_ARGS__)
#define RCUINFO__IF_COMMA(comma, ...)       RCUINFO__SECOND(comma RCUINFO__SHOW, RCUINFO__HIDE, )(__VA_ARGS__)
#define RCUINFO__SECOND(first, second, ...) second
#define RCUINFO__COMMA_1                    0,
#define RCUINFO__SHOW(...)                  __VA_ARGS__
#define RCUINFO__HIDE(...)

#include "mpi/interpose/table_4.h"
#include "mpi/interpose/table_persistent.h"

/* clang-format off */
#define RCUINFO__INTERPOSE_TABLE_3(ROW) \
    RCUINFO__ROW(ROW, IN, MPI_Alloc_mem, (ALLOC_MEM, NULL, NULL), \
        (MPI_Aint size, MPI_Info info, void *baseptr), (size, real, baseptr)) \
    RCUINFO__ROW(ROW, IN, MPI_Comm_dup_with_info, (COMMUNICATOR, newcomm, NULL), \
        (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm), (comm, real, newcomm)) \
    RCUINFO__ROW(ROW, IN, MPI_Comm_set_info, (COMMUNICATOR, &comm, NULL), \
        (MPI_Comm comm, MPI_Info info), (comm, real)) \
    RCUINFO__ROW(ROW, IN, MPI_Comm_split_type, (SPLIT_TYPE, newcomm, NULL), \
        (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm), \
        (comm, split_type, key, real, newcomm)) \
    RCUINFO__ROW(ROW, IN, MPI_Dist_graph_create, (COMMUNICATOR, newcomm, NULL), \
        (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[], \
         const int weights[], MPI_Info info, int reorder, MPI_Comm *newcomm), \
        (comm, n, sources, degrees, destinations, weights, real, reorder, newcomm)) \
    RCUINFO__ROW(ROW, IN, MPI_Dist_graph_create_adjacent, (COMMUNICATOR, newcomm, NULL), \
        (MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree, \
         const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm *newcomm), \
        (comm, indegree, sources, sourceweights, outdegree, destinations, destweights, real, reorder, newcomm)) \
    RCUINFO__ROW(ROW, IN, MPI_File_open, (FILE, fh, filename), \
        (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh), \
        (comm, filename, amode, real, fh)) \
    RCUINFO__ROW(ROW, IN, MPI_File_delete, (FILE, NULL, filename), \
        (const char *filename, MPI_Info info), (filename, real)) \
    RCUINFO__ROW(ROW, IN, MPI_File_set_info, (FILE, &fh, NULL), (MPI_File fh, MPI_Info info), (fh, real)) \
    RCUINFO__ROW(ROW, IN, MPI_File_set_view, (FILE, &fh, NULL), \
        (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep, MPI_Info info), \
        (fh, disp, etype, filetype, datarep, real)) \
    RCUINFO__ROW(ROW, IN, MPI_Lookup_name, (PORT, NULL, service_name), \
        (const char *service_name, MPI_Info info, char *port_name), \
        (service_name, real, port_name)) \
    RCUINFO__ROW(ROW, IN, MPI_Open_port, (PORT, NULL, NULL), (MPI_Info info, char *port_name), (real, port_name)) \
    RCUINFO__ROW(ROW, IN, MPI_Publish_name, (PORT, NULL, service_name), \
        (const char *service_name, MPI_Info info, const char *port_name), \
        (service_name, real, port_name)) \
    RCUINFO__ROW(ROW, IN, MPI_Unpublish_name, (PORT, NULL, service_name), \
        (const char *service_name, MPI_Info info, const char *port_name), \
        (service_name, real, port_name)) \
    RCUINFO__ROW(ROW, IN, MPI_Win_allocate, (WINDOW, win, NULL), \
        (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), \
        (size, disp_unit, real, comm, baseptr, win)) \
    RCUINFO__ROW(ROW, IN, MPI_Win_allocate_shared, (WINDOW, win, NULL), \
        (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), \
        (size, disp_unit, real, comm, baseptr, win)) \
    RCUINFO__ROW(ROW, IN, MPI_Win_create, (WINDOW, win, NULL), \
        (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), \
        (base, size, disp_unit, real, comm, win)) \
    RCUINFO__ROW(ROW, IN, MPI_Win_create_dynamic, (WINDOW, win, NULL), \
        (MPI_Info info, MPI_Comm comm, MPI_Win *win), (real, comm, win)) \
    RCUINFO__ROW(ROW, IN, MPI_Win_set_info, (WINDOW, &win, NULL), (MPI_Win win, MPI_Info info), (win, real)) \
    RCUINFO__ROW(ROW, AT_ROOT, MPI_Comm_accept, (PORT, NULL, port_name), \
        (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), \
        (port_name, real, root, comm, newcomm)) \
    RCUINFO__ROW(ROW, AT_ROOT, MPI_Comm_connect, (PORT, NULL, port_name), \
        (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), \
        (port_name, real, root, comm, newcomm)) \
    RCUINFO__ROW(ROW, SPAWN, MPI_Comm_spawn, (SPAWN, NULL, command), \
        (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm, \
         int array_of_errcodes[]), \
        (command, argv, maxprocs, real, root, comm, intercomm, array_of_errcodes)) \
    RCUINFO__ROW(ROW, OUT, MPI_Comm_get_info, (), (MPI_Comm comm, MPI_Info *info_used), (comm, real)) \
    RCUINFO__ROW(ROW, OUT, MPI_File_get_info, (), (MPI_File fh, MPI_Info *info_used), (fh, real)) \
    RCUINFO__ROW(ROW, OUT, MPI_Win_get_info, (), (MPI_Win win, MPI_Info *info_used), (win, real))
/* clang-format on */

/* The functions of the standard. */
#define RCUINFO__INTERPOSE_TABLE_STANDARD(ROW)                                                                         \
    RCUINFO__INTERPOSE_TABLE_3(ROW)                                                                                    \
    RCUINFO__INTERPOSE_TABLE_4(ROW)                                                                                    \
    RCUINFO__INTERPOSE_TABLE_TOOL(ROW)                                                                                 \
    RCUINFO__INTERPOSE_TABLE_PERSISTENT(ROW, MPI_, , int, int)                                                         \
    RCUINFO__INTERPOSE_TABLE_PERSISTENT(ROW, MPI_, _c, MPI_Count, MPI_Aint)                                            \
    RCUINFO__INTERPOSE_TABLE_BARRIER(ROW, MPI_)                                                                        \
    RCUINFO__INTERPOSE_TABLE_5(ROW)

#if defined(RCUINFO__FLAVOUR_ABI)
#define RCUINFO__INTERPOSE_TABLE(ROW) RCUINFO__INTERPOSE_TABLE_STANDARD(ROW)
#elif defined(OPEN_MPI)
#define RCUINFO__INTERPOSE_TABLE(ROW)                                                                                  \
    RCUINFO__INTERPOSE_TABLE_STANDARD(ROW)                                                                             \
    RCUINFO__INTERPOSE_TABLE_PERSISTENT(ROW, MPIX_, , int, int)                                                        \
    RCUINFO__INTERPOSE_TABLE_BARRIER(ROW, MPIX_)                                                                       \
    RCUINFO__INTERPOSE_TABLE_OWN(ROW)
#else
#define RCUINFO__INTERPOSE_TABLE(ROW)                                                                                  \
    RCUINFO__INTERPOSE_TABLE_STANDARD(ROW)                                                                             \
    RCUINFO__INTERPOSE_TABLE_OWN(ROW)
#endif

/* The rows also declare the functions. */
#define RCUINFO__INTERPOSE_DECLARE(kind, name, object, parameters, arguments)                                          \
    int name parameters;                                                                                               \
    int P##name parameters;
RCUINFO__INTERPOSE_TABLE(RCUINFO__INTERPOSE_DECLARE)
