/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi: the part of the standard ABI that its interposer needs beyond the info functions. So the interposer is built
 * without the headers of an MPI library, and one build works with all of them.
 *
 * Functions with an info are declared by their rows (table.h). Source: MPI-5.0, appendix on the ABI.
 */
#pragma once

#include <stdint.h>

#include <rcuinfo/abi/mpi.h>

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Count;
typedef int64_t MPI_Offset;

typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Datatype *MPI_Datatype;
typedef struct MPI_ABI_Errhandler *MPI_Errhandler;
typedef struct MPI_ABI_File *MPI_File;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Request *MPI_Request;
typedef struct MPI_ABI_Session *MPI_Session;
typedef struct MPI_ABI_Win *MPI_Win;

typedef struct MPI_ABI_Status MPI_Status; /* never accessed here */

typedef struct MPI_ABI_T_enum *MPI_T_enum;
typedef struct MPI_ABI_T_event_instance *MPI_T_event_instance;
typedef struct MPI_ABI_T_event_registration *MPI_T_event_registration;

/* Enumerations in the ABI. Only their size matters here. */
typedef int MPI_T_cb_safety;
typedef int MPI_T_source_order;
typedef void MPI_T_event_cb_function(MPI_T_event_instance event_instance, MPI_T_event_registration event_registration,
                                     MPI_T_cb_safety cb_safety, void *user_data);

#define MPI_COMM_NULL  ((MPI_Comm)0x00000100)
#define MPI_COMM_WORLD ((MPI_Comm)0x00000101)
#define MPI_COMM_SELF  ((MPI_Comm)0x00000102)

#define MPI_FILE_NULL    ((MPI_File)0x00000118)
#define MPI_SESSION_NULL ((MPI_Session)0x00000120)
#define MPI_WIN_NULL     ((MPI_Win)0x00000110)

#define MPI_BYTE             ((MPI_Datatype)0x00000247)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x00000141)
#define MPI_ERRORS_RETURN    ((MPI_Errhandler)0x00000143)
#define MPI_STATUS_IGNORE    ((MPI_Status *)0)
#define MPI_MAX_OBJECT_NAME  128

#define MPI_MAX_LIBRARY_VERSION_STRING 8192

#define MPI_ERR_COMM     5
#define MPI_T_ERR_MEMORY 1005

int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int errorcode);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
                            const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,
                            int array_of_errcodes[]);

__typeof__(MPI_Comm_spawn_multiple) PMPI_Comm_spawn_multiple;
int PMPI_Initialized(int *flag);
int PMPI_Finalized(int *flag);
int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode);
int PMPI_Comm_free(MPI_Comm *comm);
int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler);
int PMPI_Comm_get_name(MPI_Comm comm, char *name, int *length);
int PMPI_Comm_get_parent(MPI_Comm *parent);
int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int PMPI_Comm_rank(MPI_Comm comm, int *rank);
int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int PMPI_Comm_size(MPI_Comm comm, int *size);
int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
int PMPI_Errhandler_free(MPI_Errhandler *handler);
int PMPI_File_get_group(MPI_File file, MPI_Group *group);
int PMPI_Get_library_version(char *version, int *length);
int PMPI_Group_free(MPI_Group *group);
int PMPI_Group_size(MPI_Group group, int *size);
int PMPI_Group_translate_ranks(MPI_Group group, int n, const int ranks[], MPI_Group other, int others_ranks[]);
int PMPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status);
int PMPI_Send(const void *buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm);
int PMPI_Win_get_group(MPI_Win win, MPI_Group *group);
int PMPI_Win_get_name(MPI_Win win, char *name, int *length);
