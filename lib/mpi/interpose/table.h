/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table: the functions of MPI-3.1, other than those on infos themselves, that take or give an info, and where the mpi.h
 * is of MPI-4.0 those of sessions. An array of infos is taken by one function only, MPI_Comm_spawn_multiple, which
 * forward.c writes out; MPI_Session_init is in init.c.
 *
 * Each line: name, parameters, arguments of the next function. In the arguments `real` stands for the info.
 *   IN       takes `info`
 *   AT_ROOT  takes `info`, and only at `root` of `comm`
 *   OUT      gives one out through `info_used`
 * A line that differs from the mpi.h of the flavour does not compile.
 */
#ifndef RCUINFO_MPI_INTERPOSE_TABLE_H
#define RCUINFO_MPI_INTERPOSE_TABLE_H

#include <mpi.h>

/* clang-format off */
#if MPI_VERSION >= 4
#define RCUINFO__INTERPOSE_TABLE_4(IN, AT_ROOT, OUT) \
    IN(Comm_create_from_group, \
       (MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm), \
       (group, stringtag, real, errhandler, newcomm)) \
    IN(Intercomm_create_from_groups, \
       (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char *stringtag, \
        MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newintercomm), \
       (local_group, local_leader, remote_group, remote_leader, stringtag, real, errhandler, newintercomm)) \
    IN(Session_get_nth_pset, (MPI_Session session, MPI_Info info, int n, int *pset_len, char *pset_name), \
       (session, real, n, pset_len, pset_name)) \
    IN(Session_get_num_psets, (MPI_Session session, MPI_Info info, int *npset_names), (session, real, npset_names)) \
    OUT(Session_get_info, (MPI_Session session, MPI_Info *info_used), (session, real)) \
    OUT(Session_get_pset_info, (MPI_Session session, const char *pset_name, MPI_Info *info_used), \
        (session, pset_name, real))
#else
#define RCUINFO__INTERPOSE_TABLE_4(IN, AT_ROOT, OUT)
#endif

#define RCUINFO__INTERPOSE_TABLE(IN, AT_ROOT, OUT) \
    IN(Alloc_mem, (MPI_Aint size, MPI_Info info, void *baseptr), (size, real, baseptr)) \
    IN(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm), (comm, real, newcomm)) \
    IN(Comm_set_info, (MPI_Comm comm, MPI_Info info), (comm, real)) \
    IN(Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm), \
       (comm, split_type, key, real, newcomm)) \
    IN(Dist_graph_create, \
       (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[], \
        const int weights[], MPI_Info info, int reorder, MPI_Comm *newcomm), \
       (comm, n, sources, degrees, destinations, weights, real, reorder, newcomm)) \
    IN(Dist_graph_create_adjacent, \
       (MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree, \
        const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm *newcomm), \
       (comm, indegree, sources, sourceweights, outdegree, destinations, destweights, real, reorder, newcomm)) \
    IN(File_open, (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh), \
       (comm, filename, amode, real, fh)) \
    IN(File_delete, (const char *filename, MPI_Info info), (filename, real)) \
    IN(File_set_info, (MPI_File fh, MPI_Info info), (fh, real)) \
    IN(File_set_view, \
       (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep, MPI_Info info), \
       (fh, disp, etype, filetype, datarep, real)) \
    IN(Lookup_name, (const char *service_name, MPI_Info info, char *port_name), (service_name, real, port_name)) \
    IN(Open_port, (MPI_Info info, char *port_name), (real, port_name)) \
    IN(Publish_name, (const char *service_name, MPI_Info info, const char *port_name), \
       (service_name, real, port_name)) \
    IN(Unpublish_name, (const char *service_name, MPI_Info info, const char *port_name), \
       (service_name, real, port_name)) \
    IN(Win_allocate, (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), \
       (size, disp_unit, real, comm, baseptr, win)) \
    IN(Win_allocate_shared, (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), \
       (size, disp_unit, real, comm, baseptr, win)) \
    IN(Win_create, (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), \
       (base, size, disp_unit, real, comm, win)) \
    IN(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (real, comm, win)) \
    IN(Win_set_info, (MPI_Win win, MPI_Info info), (win, real)) \
    AT_ROOT(Comm_accept, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), \
            (port_name, real, root, comm, newcomm)) \
    AT_ROOT(Comm_connect, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), \
            (port_name, real, root, comm, newcomm)) \
    AT_ROOT(Comm_spawn, \
            (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, \
             MPI_Comm *intercomm, int array_of_errcodes[]), \
            (command, argv, maxprocs, real, root, comm, intercomm, array_of_errcodes)) \
    OUT(Comm_get_info, (MPI_Comm comm, MPI_Info *info_used), (comm, real)) \
    OUT(File_get_info, (MPI_File fh, MPI_Info *info_used), (fh, real)) \
    OUT(Win_get_info, (MPI_Win win, MPI_Info *info_used), (win, real)) \
    RCUINFO__INTERPOSE_TABLE_4(IN, AT_ROOT, OUT)
/* clang-format on */

#endif
