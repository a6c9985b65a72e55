/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * needed: stands in for libmpi_abi.so.1 when the interposer of the standard ABI is linked. It defines the symbols that
 * the interposer, and tests, refer to, and is not installed.
 */
#define NEEDED(name)                                                                                                   \
    __attribute__((visibility("default"))) void name(void);                                                            \
    void name(void)                                                                                                    \
    {                                                                                                                  \
    }

NEEDED(MPI_Info_create)
NEEDED(MPI_Info_free)
NEEDED(MPI_Info_get)
NEEDED(MPI_Info_set)
NEEDED(PMPI_Abort)
NEEDED(PMPI_Comm_call_errhandler)
NEEDED(PMPI_Comm_free)
NEEDED(PMPI_Comm_get_info)
NEEDED(PMPI_Comm_get_name)
NEEDED(PMPI_Comm_get_parent)
NEEDED(PMPI_Comm_group)
NEEDED(PMPI_Comm_rank)
NEEDED(PMPI_Comm_set_errhandler)
NEEDED(PMPI_Comm_size)
NEEDED(PMPI_Comm_split)
NEEDED(PMPI_File_get_group)
NEEDED(PMPI_File_get_info)
NEEDED(PMPI_Finalize)
NEEDED(PMPI_Finalized)
NEEDED(PMPI_Get_library_version)
NEEDED(PMPI_Group_free)
NEEDED(PMPI_Group_size)
NEEDED(PMPI_Group_translate_ranks)
NEEDED(PMPI_Info_create)
NEEDED(PMPI_Info_delete)
NEEDED(PMPI_Info_dup)
NEEDED(PMPI_Info_free)
NEEDED(PMPI_Info_fromint)
NEEDED(PMPI_Info_get)
NEEDED(PMPI_Info_get_nkeys)
NEEDED(PMPI_Info_get_nthkey)
NEEDED(PMPI_Info_get_string)
NEEDED(PMPI_Info_get_valuelen)
NEEDED(PMPI_Info_set)
NEEDED(PMPI_Info_toint)
NEEDED(PMPI_Init)
NEEDED(PMPI_Init_thread)
NEEDED(PMPI_Initialized)
NEEDED(PMPI_Recv)
NEEDED(PMPI_Send)
NEEDED(PMPI_Session_init)
NEEDED(PMPI_Win_get_group)
NEEDED(PMPI_Win_get_info)
NEEDED(PMPI_Win_get_name)
NEEDED(PMPI_Comm_spawn_multiple)
