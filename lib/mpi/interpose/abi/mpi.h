/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi: what the interposer of the standard ABI knows of it beyond the info functions. No header of an MPI library is
 * needed to build that interposer, and one library is in front of every real one.
 *
 * The functions with an info are declared by their rows (table.h). Source: MPI-5.0, appendix on the ABI.
 */
#ifndef RCUINFO_MPI_INTERPOSE_ABI_MPI_H
#define RCUINFO_MPI_INTERPOSE_ABI_MPI_H

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

typedef struct MPI_ABI_T_enum *MPI_T_enum;
typedef struct MPI_ABI_T_event_instance *MPI_T_event_instance;
typedef struct MPI_ABI_T_event_registration *MPI_T_event_registration;

/* Enumerations of the ABI, of which only the size counts here. */
typedef int MPI_T_cb_safety;
typedef int MPI_T_source_order;
typedef void MPI_T_event_cb_function(MPI_T_event_instance event_instance, MPI_T_event_registration event_registration,
                                     MPI_T_cb_safety cb_safety, void *user_data);

#define MPI_COMM_NULL  ((MPI_Comm)0x00000100)
#define MPI_COMM_WORLD ((MPI_Comm)0x00000101)
#define MPI_COMM_SELF  ((MPI_Comm)0x00000102)

#define MPI_ERR_COMM     5
#define MPI_T_ERR_MEMORY 1005

int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
int MPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
                            const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,
                            int array_of_errcodes[]);

int PMPI_Init(int *argc, char ***argv);
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
int PMPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                             const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm,
                             MPI_Comm *intercomm, int array_of_errcodes[]);
int PMPI_Initialized(int *flag);
int PMPI_Finalized(int *flag);
int PMPI_Comm_rank(MPI_Comm comm, int *rank);
int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode);

#endif
