/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table_4: the functions with an info that MPI-4.0, 4.1 and 5.0 add, except for the persistent collectives, and
 * extensions of the libraries. Only for table.h, which explains the rows.
 */
#pragma once

/* clang-format off */
#define RCUINFO__INTERPOSE_TABLE_4(ROW) \
    RCUINFO__ROW(ROW, IN, MPI_Comm_create_from_group, (COMMUNICATOR, newcomm, NULL), \
        (MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm), \
        (group, stringtag, real, errhandler, newcomm)) \
    RCUINFO__ROW(ROW, IN, MPI_Comm_idup_with_info, (COMMUNICATOR, NULL, NULL), \
        (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request), \
        (comm, real, newcomm, request)) \
    RCUINFO__ROW(ROW, IN, MPI_Intercomm_create_from_groups, (COMMUNICATOR, newintercomm, NULL), \
        (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char *stringtag, \
         MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newintercomm), \
        (local_group, local_leader, remote_group, remote_leader, stringtag, real, errhandler, newintercomm)) \
    RCUINFO__ROW(ROW, IN, MPI_Precv_init, (OTHER, NULL, NULL), \
        (void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm, \
         MPI_Info info, MPI_Request *request), \
        (buf, partitions, count, datatype, rank, tag, comm, real, request)) \
    RCUINFO__ROW(ROW, IN, MPI_Psend_init, (OTHER, NULL, NULL), \
        (RCUINFO__PSEND_BUFFER *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int rank, int tag, \
         MPI_Comm comm, MPI_Info info, MPI_Request *request), \
        (buf, partitions, count, datatype, rank, tag, comm, real, request)) \
    RCUINFO__ROW(ROW, IN, MPI_Session_get_nth_pset, (SESSION, NULL, NULL), \
        (MPI_Session session, MPI_Info info, int n, int *pset_len, char *pset_name), \
        (session, real, n, pset_len, pset_name)) \
    RCUINFO__ROW(ROW, IN, MPI_Session_get_num_psets, (SESSION, NULL, NULL), \
        (MPI_Session session, MPI_Info info, int *npset_names), \
        (session, real, npset_names)) \
    RCUINFO__ROW(ROW, IN, MPI_Session_init, (SESSION, made_session, NULL), \
        (MPI_Info info, MPI_Errhandler errhandler, MPI_Session *made_session), \
        (real, errhandler, made_session)) \
    RCUINFO__ROW(ROW, IN, MPI_Win_allocate_c, (WINDOW, win, NULL), \
        (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), \
        (size, disp_unit, real, comm, baseptr, win)) \
    RCUINFO__ROW(ROW, IN, MPI_Win_allocate_shared_c, (WINDOW, win, NULL), \
        (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), \
        (size, disp_unit, real, comm, baseptr, win)) \
    RCUINFO__ROW(ROW, IN, MPI_Win_create_c, (WINDOW, win, NULL), \
        (void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), \
        (base, size, disp_unit, real, comm, win)) \
    RCUINFO__ROW(ROW, OUT, MPI_Session_get_info, (), (MPI_Session session, MPI_Info *info_used), (session, real)) \
    RCUINFO__ROW(ROW, OUT, MPI_Session_get_pset_info, (), \
        (MPI_Session session, const char *pset_name, MPI_Info *info_used), \
        (session, pset_name, real))

#define RCUINFO__INTERPOSE_TABLE_TOOL(ROW) \
    RCUINFO__ROW_TYPED(ROW, TOOL_IN, MPI_T_event_callback_set_info, (), \
        (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info), \
        (event_registration, cb_safety, real)) \
    RCUINFO__ROW_TYPED(ROW, TOOL_IN, MPI_T_event_handle_alloc, (), \
        (int event_index, void *obj_handle, MPI_Info info, MPI_T_event_registration *event_registration), \
        (event_index, obj_handle, real, event_registration)) \
    RCUINFO__ROW_TYPED(ROW, TOOL_IN, MPI_T_event_handle_set_info, (), \
        (MPI_T_event_registration event_registration, MPI_Info info), \
        (event_registration, real)) \
    RCUINFO__ROW_TYPED(ROW, TOOL_IN, MPI_T_event_register_callback, (), \
        (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info, void *user_data, \
         MPI_T_event_cb_function event_cb_function), \
        (event_registration, cb_safety, real, user_data, event_cb_function)) \
    RCUINFO__ROW_TYPED(ROW, TOOL_OUT, MPI_T_event_callback_get_info, (), \
        (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info *info_used), \
        (event_registration, cb_safety, real)) \
    RCUINFO__ROW_TYPED(ROW, TOOL_OUT, MPI_T_event_get_info, (), \
        (int event_index, char *name, int *name_len, int *verbosity, MPI_Datatype array_of_datatypes[], \
         MPI_Aint array_of_displacements[], int *num_elements, MPI_T_enum *enumtype, MPI_Info *info_used, char *desc, \
         int *desc_len, int *bind), \
        (event_index, name, name_len, verbosity, array_of_datatypes, array_of_displacements, num_elements, enumtype, \
         real, desc, desc_len, bind)) \
    RCUINFO__ROW_TYPED(ROW, TOOL_OUT, MPI_T_event_handle_get_info, (), \
        (MPI_T_event_registration event_registration, MPI_Info *info_used), \
        (event_registration, real)) \
    RCUINFO__ROW_TYPED(ROW, TOOL_OUT, MPI_T_source_get_info, (), \
        (int source_index, char *name, int *name_len, char *desc, int *desc_len, MPI_T_source_order *ordering, \
         MPI_Count *ticks_per_second, MPI_Count *max_ticks, MPI_Info *info_used), \
        (source_index, name, name_len, desc, desc_len, ordering, ticks_per_second, max_ticks, real))

#define RCUINFO__INTERPOSE_TABLE_5(ROW) \
    RCUINFO__ROW(ROW, IN, MPI_Abi_set_fortran_info, (OTHER, NULL, NULL), (MPI_Info info), (real)) \
    RCUINFO__ROW(ROW, OUT, MPI_Abi_get_fortran_info, (), (MPI_Info *info_used), (real)) \
    RCUINFO__ROW(ROW, OUT, MPI_Abi_get_info, (), (MPI_Info *info_used), (real)) \
    RCUINFO__ROW(ROW, OUT, MPI_Get_hw_resource_info, (), (MPI_Info *info_used), (real))

/* Extensions of Open MPI 5 and MPICH 4.1. */
#define RCUINFO__INTERPOSE_TABLE_OWN(ROW) \
    RCUINFO__ROW_TYPED(ROW, IN, MPI_Session_set_info, (SESSION, &session, NULL), \
        (MPI_Session session, MPI_Info info), (session, real)) \
    RCUINFO__ROW_TYPED(ROW, IN, MPIX_Stream_create, (OTHER, NULL, NULL), (MPI_Info info, MPIX_Stream *stream), (real, stream))
/* clang-format on */
