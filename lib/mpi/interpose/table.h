/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table: the functions, other than those on infos themselves, that take or give an info: those of MPI-3.1; where the
 * mpi.h is of MPI-4.0 the ones that it adds; and Open MPI's extensions. An array of infos is taken by one function
 * only, MPI_Comm_spawn_multiple, which forward.c writes out; MPI_Session_init is in init.c.
 *
 * Each row: kind, name, parameters, arguments of the next function. These are the parameters in their order, but for
 * the info: `real` stands for it. The kinds:
 *   IN        takes `info`
 *   AT_ROOT   takes `info`, and only at `root` of `comm`
 *   OUT       gives one out through `info_used`
 *   TOOL_IN   IN and OUT, of the tool interface: its errors go to no error handler, and it may give MPI_INFO_NULL
 *   TOOL_OUT
 * A row that differs from the mpi.h of the flavour does not compile, and tests/interpose/functions.py says which
 * function of the mpi.h has none.
 */
#ifndef RCUINFO_MPI_INTERPOSE_TABLE_H
#define RCUINFO_MPI_INTERPOSE_TABLE_H

#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include "mpi/interpose/table_4.h"
#include "mpi/interpose/table_persistent.h"

/* clang-format off */
#define RCUINFO__INTERPOSE_TABLE_3(ROW) \
    ROW(IN, MPI_Alloc_mem, (MPI_Aint size, MPI_Info info, void *baseptr), (size, real, baseptr)) \
    ROW(IN, MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm), (comm, real, newcomm)) \
    ROW(IN, MPI_Comm_set_info, (MPI_Comm comm, MPI_Info info), (comm, real)) \
    ROW(IN, MPI_Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm), \
        (comm, split_type, key, real, newcomm)) \
    ROW(IN, MPI_Dist_graph_create, \
        (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[], \
         const int weights[], MPI_Info info, int reorder, MPI_Comm *newcomm), \
        (comm, n, sources, degrees, destinations, weights, real, reorder, newcomm)) \
    ROW(IN, MPI_Dist_graph_create_adjacent, \
        (MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree, \
         const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm *newcomm), \
        (comm, indegree, sources, sourceweights, outdegree, destinations, destweights, real, reorder, newcomm)) \
    ROW(IN, MPI_File_open, (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh), \
        (comm, filename, amode, real, fh)) \
    ROW(IN, MPI_File_delete, (const char *filename, MPI_Info info), (filename, real)) \
    ROW(IN, MPI_File_set_info, (MPI_File fh, MPI_Info info), (fh, real)) \
    ROW(IN, MPI_File_set_view, \
        (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep, MPI_Info info), \
        (fh, disp, etype, filetype, datarep, real)) \
    ROW(IN, MPI_Lookup_name, (const char *service_name, MPI_Info info, char *port_name), \
        (service_name, real, port_name)) \
    ROW(IN, MPI_Open_port, (MPI_Info info, char *port_name), (real, port_name)) \
    ROW(IN, MPI_Publish_name, (const char *service_name, MPI_Info info, const char *port_name), \
        (service_name, real, port_name)) \
    ROW(IN, MPI_Unpublish_name, (const char *service_name, MPI_Info info, const char *port_name), \
        (service_name, real, port_name)) \
    ROW(IN, MPI_Win_allocate, \
        (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), \
        (size, disp_unit, real, comm, baseptr, win)) \
    ROW(IN, MPI_Win_allocate_shared, \
        (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), \
        (size, disp_unit, real, comm, baseptr, win)) \
    ROW(IN, MPI_Win_create, (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), \
        (base, size, disp_unit, real, comm, win)) \
    ROW(IN, MPI_Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (real, comm, win)) \
    ROW(IN, MPI_Win_set_info, (MPI_Win win, MPI_Info info), (win, real)) \
    ROW(AT_ROOT, MPI_Comm_accept, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), \
        (port_name, real, root, comm, newcomm)) \
    ROW(AT_ROOT, MPI_Comm_connect, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), \
        (port_name, real, root, comm, newcomm)) \
    ROW(AT_ROOT, MPI_Comm_spawn, \
        (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm, \
         int array_of_errcodes[]), \
        (command, argv, maxprocs, real, root, comm, intercomm, array_of_errcodes)) \
    ROW(OUT, MPI_Comm_get_info, (MPI_Comm comm, MPI_Info *info_used), (comm, real)) \
    ROW(OUT, MPI_File_get_info, (MPI_File fh, MPI_Info *info_used), (fh, real)) \
    ROW(OUT, MPI_Win_get_info, (MPI_Win win, MPI_Info *info_used), (win, real))
/* clang-format on */

#if MPI_VERSION >= 4
#define RCUINFO__INTERPOSE_TABLE_NEWER(ROW)                                                                            \
    RCUINFO__INTERPOSE_TABLE_4(ROW)                                                                                    \
    RCUINFO__INTERPOSE_TABLE_TOOL(ROW)                                                                                 \
    RCUINFO__INTERPOSE_TABLE_PERSISTENT(ROW, MPI_, , int, int)                                                         \
    RCUINFO__INTERPOSE_TABLE_PERSISTENT(ROW, MPI_, _c, MPI_Count, MPI_Aint)                                            \
    RCUINFO__INTERPOSE_TABLE_BARRIER(ROW, MPI_)
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define RCUINFO__INTERPOSE_TABLE_NEWER(ROW)                                                                            \
    RCUINFO__INTERPOSE_TABLE_PERSISTENT(ROW, MPIX_, , int, int)                                                        \
    RCUINFO__INTERPOSE_TABLE_BARRIER(ROW, MPIX_)
#else
#define RCUINFO__INTERPOSE_TABLE_NEWER(ROW)
#endif

#define RCUINFO__INTERPOSE_TABLE(ROW) RCUINFO__INTERPOSE_TABLE_3(ROW) RCUINFO__INTERPOSE_TABLE_NEWER(ROW)

#endif
