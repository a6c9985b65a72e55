/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi: the types and constants of MPI that an interposer needs, in each of the three flavours, so that it is built
 * without an MPI library and works with all versions of each. interpose.functions compares them with the installed
 * mpi.h. The functions are declared by rcuinfo_forwarders.h, which is made from functions.txt, and at the end.
 *
 * Source: the mpi.h of MPICH 4.0 to 5.0 and of Open MPI 4.1 to 6.0, which keep these within each family; MPI-5.0,
 * appendix on the ABI.
 */
#pragma once

#include <stdint.h>

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;
typedef int MPI_Fint;

typedef struct rcuinfo__mpi_status MPI_Status; /* never accessed here */

/* Enumerations. Only their size matters here. */
typedef int MPI_T_cb_safety;
typedef int MPI_T_source_order;
typedef void *MPI_T_enum;
typedef void *MPI_T_event_registration;
typedef void *MPI_T_event_cb_function; /* as a parameter, a pointer to a function */

#if defined(RCUINFO__FLAVOUR_MPICH)

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Errhandler;
typedef struct rcuinfo__mpi_file *MPI_File;
typedef int MPI_Group;
typedef int MPI_Info;
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Session;
typedef int MPI_Win;
typedef int MPIX_Stream;

#define MPI_COMM_NULL        ((MPI_Comm)0x04000000)
#define MPI_COMM_WORLD       ((MPI_Comm)0x44000000)
#define MPI_COMM_SELF        ((MPI_Comm)0x44000001)
#define MPI_WIN_NULL         ((MPI_Win)0x20000000)
#define MPI_FILE_NULL        ((MPI_File)0)
#define MPI_SESSION_NULL     ((MPI_Session)0x38000000)
#define MPI_INFO_NULL        ((MPI_Info)0x1c000000)
#define MPI_INFO_ENV         ((MPI_Info)0x5c000001)
#define MPI_BYTE             ((MPI_Datatype)0x4c00010d)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x54000000)
#define MPI_ERRORS_RETURN    ((MPI_Errhandler)0x54000001)
#define MPI_STATUS_IGNORE    ((MPI_Status *)1)

#define MPI_MAX_INFO_KEY               255
#define MPI_MAX_INFO_VAL               1024
#define MPI_MAX_OBJECT_NAME            128
#define MPI_MAX_LIBRARY_VERSION_STRING 8192

#define MPI_SUCCESS        0
#define MPI_ERR_COMM       5
#define MPI_ERR_ARG        12
#define MPI_ERR_OTHER      15
#define MPI_ERR_INTERN     16
#define MPI_ERR_INFO       28
#define MPI_ERR_INFO_KEY   29
#define MPI_ERR_INFO_VALUE 30
#define MPI_ERR_INFO_NOKEY 31
#define MPI_ERR_NO_MEM     34
#define MPI_T_ERR_MEMORY   59

#else

typedef struct rcuinfo__mpi_comm *MPI_Comm;
typedef struct rcuinfo__mpi_datatype *MPI_Datatype;
typedef struct rcuinfo__mpi_errhandler *MPI_Errhandler;
typedef struct rcuinfo__mpi_file *MPI_File;
typedef struct rcuinfo__mpi_group *MPI_Group;
typedef struct rcuinfo__mpi_op *MPI_Op;
typedef struct rcuinfo__mpi_request *MPI_Request;
typedef struct rcuinfo__mpi_session *MPI_Session;
typedef struct rcuinfo__mpi_win *MPI_Win;
typedef struct rcuinfo__mpi_stream *MPIX_Stream;

#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_ERR_COMM      5

#if defined(RCUINFO__FLAVOUR_OPENMPI)

#include "mpi/next.h"

typedef struct rcuinfo__mpi_info *MPI_Info;

/* The predefined handles are addresses of objects in the library. */
#define RCUINFO__PREDEFINED(type, name) ((type)RCUINFO__NEXT_SYMBOL(#name, true))

#define MPI_COMM_NULL        RCUINFO__PREDEFINED(MPI_Comm, ompi_mpi_comm_null)
#define MPI_COMM_WORLD       RCUINFO__PREDEFINED(MPI_Comm, ompi_mpi_comm_world)
#define MPI_COMM_SELF        RCUINFO__PREDEFINED(MPI_Comm, ompi_mpi_comm_self)
#define MPI_WIN_NULL         RCUINFO__PREDEFINED(MPI_Win, ompi_mpi_win_null)
#define MPI_FILE_NULL        RCUINFO__PREDEFINED(MPI_File, ompi_mpi_file_null)
#define MPI_SESSION_NULL     RCUINFO__PREDEFINED(MPI_Session, ompi_mpi_instance_null)
#define MPI_INFO_NULL        RCUINFO__PREDEFINED(MPI_Info, ompi_mpi_info_null)
#define MPI_INFO_ENV         RCUINFO__PREDEFINED(MPI_Info, ompi_mpi_info_env)
#define MPI_BYTE             RCUINFO__PREDEFINED(MPI_Datatype, ompi_mpi_byte)
#define MPI_ERRORS_ARE_FATAL RCUINFO__PREDEFINED(MPI_Errhandler, ompi_mpi_errors_are_fatal)
#define MPI_ERRORS_RETURN    RCUINFO__PREDEFINED(MPI_Errhandler, ompi_mpi_errors_return)
#define MPI_ERRORS_ABORT     RCUINFO__PREDEFINED(MPI_Errhandler, ompi_mpi_errors_abort) /* NULL before version 5 */

#define MPI_MAX_INFO_KEY               36
#define MPI_MAX_INFO_VAL               256
#define MPI_MAX_OBJECT_NAME            64
#define MPI_MAX_LIBRARY_VERSION_STRING 256

#define MPI_SUCCESS        0
#define MPI_ERR_ARG        13
#define MPI_ERR_OTHER      16
#define MPI_ERR_INTERN     17
#define MPI_ERR_INFO_KEY   31
#define MPI_ERR_INFO_NOKEY 32
#define MPI_ERR_INFO_VALUE 33
#define MPI_ERR_INFO       34
#define MPI_ERR_NO_MEM     39
#define MPI_T_ERR_MEMORY   54

#else

#include <rcuinfo/abi/mpi.h>

#define MPI_COMM_NULL        ((MPI_Comm)0x00000100)
#define MPI_COMM_WORLD       ((MPI_Comm)0x00000101)
#define MPI_COMM_SELF        ((MPI_Comm)0x00000102)
#define MPI_WIN_NULL         ((MPI_Win)0x00000110)
#define MPI_FILE_NULL        ((MPI_File)0x00000118)
#define MPI_SESSION_NULL     ((MPI_Session)0x00000120)
#define MPI_BYTE             ((MPI_Datatype)0x00000247)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x00000141)

#define MPI_MAX_OBJECT_NAME            128
#define MPI_MAX_LIBRARY_VERSION_STRING 8192

#define MPI_T_ERR_MEMORY 1005

#endif
#endif

/* What an interposer calls, besides the functions that it forwards. */
int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode);
int PMPI_Comm_free(MPI_Comm *comm);
int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler);
int PMPI_Comm_get_name(MPI_Comm comm, char *name, int *length);
int PMPI_Comm_get_parent(MPI_Comm *parent);
int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int PMPI_Comm_rank(MPI_Comm comm, int *rank);
int PMPI_Comm_remote_size(MPI_Comm comm, int *size);
int PMPI_Comm_size(MPI_Comm comm, int *size);
int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
int PMPI_Errhandler_free(MPI_Errhandler *handler);
int PMPI_Error_class(int errorcode, int *errorclass);
int PMPI_Error_string(int errorcode, char *string, int *resultlen);
int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler *handler);
int PMPI_File_get_group(MPI_File file, MPI_Group *group);
int PMPI_Finalized(int *flag);
int PMPI_Get_library_version(char *version, int *length);
int PMPI_Get_version(int *version, int *subversion);
int PMPI_Abi_get_version(int *version, int *subversion);
int PMPI_Group_free(MPI_Group *group);
int PMPI_Group_size(MPI_Group group, int *size);
int PMPI_Group_translate_ranks(MPI_Group group, int n, const int ranks[], MPI_Group other, int others_ranks[]);
int PMPI_Initialized(int *flag);
int PMPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status);
int PMPI_Send(const void *buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm);
int PMPI_Win_get_group(MPI_Win win, MPI_Group *group);
int PMPI_Win_get_name(MPI_Win win, char *name, int *length);
