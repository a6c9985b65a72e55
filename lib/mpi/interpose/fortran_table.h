/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fortran_table: the Fortran procedures, apart from those on infos themselves, that take or return an info or
 * initialize or finalize MPI, and that do not call the C functions of the same name: on Open MPI all of them, on MPICH
 * those of mpi_f08 except the ones with a choice buffer. A test compares the table with mpi.h and the Fortran
 * libraries.
 *
 * Each row: kind, name, words, strings, info. `words` is the number of arguments including ierror, plus one for the
 * length of each of the `strings` strings. `info` is the position of the info among the arguments, from 1. The kinds:
 *   IN        takes an info
 *   SESSION   same, and creates a session
 *   AT_ROOT   same as IN, but the info is significant only at the root; root and communicator follow the info
 *   ARRAY     same as AT_ROOT, with an array of infos; the first argument is their number
 *   OUT       returns an info
 *   INIT      initializes MPI
 *   FINALIZE  finalizes MPI
 *   ABORT     aborts the program
 */
#pragma once

#include <mpi.h>

/* clang-format off */
/* Procedures with a second version that has MPI_Count instead of INTEGER. */
#define RCUINFO__FORTRAN_TABLE_LARGE(ROW, SUFFIX) \
    ROW(IN, mpi_win_allocate##SUFFIX, 7, 0, 3) \
    ROW(IN, mpi_win_allocate_shared##SUFFIX, 7, 0, 3)

#define RCUINFO__FORTRAN_TABLE(ROW, SUFFIX) \
    RCUINFO__FORTRAN_TABLE_LARGE(ROW, SUFFIX) \
    ROW(ABORT, mpi_abort##SUFFIX, 3, 0, 0) \
    ROW(IN, mpi_alloc_mem##SUFFIX, 4, 0, 2) \
    ROW(AT_ROOT, mpi_comm_accept##SUFFIX, 7, 1, 2) \
    ROW(AT_ROOT, mpi_comm_connect##SUFFIX, 7, 1, 2) \
    ROW(IN, mpi_comm_dup_with_info##SUFFIX, 4, 0, 2) \
    ROW(OUT, mpi_comm_get_info##SUFFIX, 3, 0, 2) \
    ROW(IN, mpi_comm_set_info##SUFFIX, 3, 0, 2) \
    ROW(AT_ROOT, mpi_comm_spawn##SUFFIX, 11, 2, 4) \
    ROW(ARRAY, mpi_comm_spawn_multiple##SUFFIX, 12, 2, 5) \
    ROW(IN, mpi_comm_split_type##SUFFIX, 6, 0, 4) \
    ROW(IN, mpi_dist_graph_create##SUFFIX, 10, 0, 7) \
    ROW(IN, mpi_dist_graph_create_adjacent##SUFFIX, 11, 0, 8) \
    ROW(IN, mpi_file_delete##SUFFIX, 4, 1, 2) \
    ROW(OUT, mpi_file_get_info##SUFFIX, 3, 0, 2) \
    ROW(IN, mpi_file_open##SUFFIX, 7, 1, 4) \
    ROW(IN, mpi_file_set_info##SUFFIX, 3, 0, 2) \
    ROW(IN, mpi_file_set_view##SUFFIX, 8, 1, 6) \
    ROW(FINALIZE, mpi_finalize##SUFFIX, 1, 0, 0) \
    ROW(INIT, mpi_init##SUFFIX, 1, 0, 0) \
    ROW(INIT, mpi_init_thread##SUFFIX, 3, 0, 0) \
    ROW(IN, mpi_lookup_name##SUFFIX, 6, 2, 2) \
    ROW(IN, mpi_open_port##SUFFIX, 4, 1, 1) \
    ROW(IN, mpi_publish_name##SUFFIX, 6, 2, 2) \
    ROW(IN, mpi_unpublish_name##SUFFIX, 6, 2, 2) \
    ROW(IN, mpi_win_create_dynamic##SUFFIX, 4, 0, 1) \
    ROW(OUT, mpi_win_get_info##SUFFIX, 3, 0, 2) \
    ROW(IN, mpi_win_set_info##SUFFIX, 3, 0, 2)

/* Since MPI-4.0, 4.1 and 5.0. */
#define RCUINFO__FORTRAN_TABLE_4(ROW, SUFFIX) \
    ROW(IN, mpi_barrier_init##SUFFIX, 4, 0, 2) \
    ROW(IN, mpi_comm_create_from_group##SUFFIX, 7, 1, 3) \
    ROW(IN, mpi_comm_idup_with_info##SUFFIX, 5, 0, 2) \
    ROW(IN, mpi_intercomm_create_from_groups##SUFFIX, 10, 1, 6) \
    ROW(OUT, mpi_session_get_info##SUFFIX, 3, 0, 2) \
    ROW(IN, mpi_session_get_nth_pset##SUFFIX, 7, 1, 2) \
    ROW(IN, mpi_session_get_num_psets##SUFFIX, 4, 0, 2) \
    ROW(OUT, mpi_session_get_pset_info##SUFFIX, 5, 1, 3) \
    ROW(SESSION, mpi_session_init##SUFFIX, 4, 0, 1) \
    ROW(OUT, mpi_get_hw_resource_info##SUFFIX, 2, 0, 1) \
    ROW(OUT, mpi_abi_get_fortran_info##SUFFIX, 2, 0, 1) \
    ROW(OUT, mpi_abi_get_info##SUFFIX, 2, 0, 1) \
    ROW(IN, mpi_abi_set_fortran_info##SUFFIX, 2, 0, 1)

#if !defined(OPEN_MPI)

/* All procedures: ROW for mpi_f08, MPIFH for mpif.h and `use mpi`. MPICH before 4.1 has `_large_`. */
#define RCUINFO__FORTRAN_PROCEDURES(ROW, MPIFH) \
    RCUINFO__FORTRAN_TABLE(ROW, _f08_) \
    RCUINFO__FORTRAN_TABLE_4(ROW, _f08_) \
    RCUINFO__FORTRAN_TABLE_LARGE(ROW, _f08_large_) \
    RCUINFO__FORTRAN_TABLE_LARGE(ROW, _c_f08_) \
    ROW(IN, mpix_stream_create_f08_, 3, 0, 1)

#else

/* The persistent collectives of MPI-4.0, and the extensions of Open MPI 4, without mpi_barrier_init. */
#define RCUINFO__FORTRAN_TABLE_PERSISTENT(ROW, PREFIX, SUFFIX) \
    ROW(IN, PREFIX##allgather_init##SUFFIX, 10, 0, 8) \
    ROW(IN, PREFIX##allgatherv_init##SUFFIX, 11, 0, 9) \
    ROW(IN, PREFIX##allreduce_init##SUFFIX, 9, 0, 7) \
    ROW(IN, PREFIX##alltoall_init##SUFFIX, 10, 0, 8) \
    ROW(IN, PREFIX##alltoallv_init##SUFFIX, 12, 0, 10) \
    ROW(IN, PREFIX##alltoallw_init##SUFFIX, 12, 0, 10) \
    ROW(IN, PREFIX##bcast_init##SUFFIX, 8, 0, 6) \
    ROW(IN, PREFIX##exscan_init##SUFFIX, 9, 0, 7) \
    ROW(IN, PREFIX##gather_init##SUFFIX, 11, 0, 9) \
    ROW(IN, PREFIX##gatherv_init##SUFFIX, 12, 0, 10) \
    ROW(IN, PREFIX##neighbor_allgather_init##SUFFIX, 10, 0, 8) \
    ROW(IN, PREFIX##neighbor_allgatherv_init##SUFFIX, 11, 0, 9) \
    ROW(IN, PREFIX##neighbor_alltoall_init##SUFFIX, 10, 0, 8) \
    ROW(IN, PREFIX##neighbor_alltoallv_init##SUFFIX, 12, 0, 10) \
    ROW(IN, PREFIX##neighbor_alltoallw_init##SUFFIX, 12, 0, 10) \
    ROW(IN, PREFIX##reduce_init##SUFFIX, 10, 0, 8) \
    ROW(IN, PREFIX##reduce_scatter_block_init##SUFFIX, 9, 0, 7) \
    ROW(IN, PREFIX##reduce_scatter_init##SUFFIX, 9, 0, 7) \
    ROW(IN, PREFIX##scan_init##SUFFIX, 9, 0, 7) \
    ROW(IN, PREFIX##scatter_init##SUFFIX, 11, 0, 9) \
    ROW(IN, PREFIX##scatterv_init##SUFFIX, 12, 0, 10)

/* Procedures with a choice buffer, which have other names in mpi_f08 of Open MPI 6. */
#define RCUINFO__FORTRAN_TABLE_BUFFER_LARGE(ROW, SUFFIX) \
    ROW(IN, mpi_win_create##SUFFIX, 7, 0, 4) \
    RCUINFO__FORTRAN_TABLE_PERSISTENT(ROW, mpi_, SUFFIX)

#define RCUINFO__FORTRAN_TABLE_BUFFER(ROW, SUFFIX) \
    RCUINFO__FORTRAN_TABLE_BUFFER_LARGE(ROW, SUFFIX) \
    ROW(IN, mpi_precv_init##SUFFIX, 10, 0, 8) \
    ROW(IN, mpi_psend_init##SUFFIX, 10, 0, 8)

#define RCUINFO__FORTRAN_TABLE_MPIX(ROW, SUFFIX) \
    ROW(IN, mpix_barrier_init##SUFFIX, 4, 0, 2) \
    RCUINFO__FORTRAN_TABLE_PERSISTENT(ROW, mpix_, SUFFIX)

/* Procedures that return a TYPE(C_PTR) instead of an address. Only `use mpi` has these names. */
#define RCUINFO__FORTRAN_TABLE_POINTER(ROW, SUFFIX) \
    ROW(IN, mpi_alloc_mem_cptr##SUFFIX, 4, 0, 2) \
    ROW(IN, mpi_win_allocate_cptr##SUFFIX, 7, 0, 3) \
    ROW(IN, mpi_win_allocate_shared_cptr##SUFFIX, 7, 0, 3)

#define RCUINFO__FORTRAN_PROCEDURES(ROW, MPIFH) \
    RCUINFO__FORTRAN_TABLE(ROW, _f08_) \
    RCUINFO__FORTRAN_TABLE_4(ROW, _f08_) \
    RCUINFO__FORTRAN_TABLE_LARGE(ROW, _c_f08_) \
    RCUINFO__FORTRAN_TABLE_BUFFER(ROW, _f08_) \
    RCUINFO__FORTRAN_TABLE_BUFFER(ROW, _f08ts_) \
    RCUINFO__FORTRAN_TABLE_BUFFER_LARGE(ROW, _c_f08ts_) \
    RCUINFO__FORTRAN_TABLE_MPIX(ROW, _f08_) \
    RCUINFO__FORTRAN_TABLE(MPIFH, _) \
    RCUINFO__FORTRAN_TABLE_4(MPIFH, _) \
    RCUINFO__FORTRAN_TABLE_BUFFER(MPIFH, _) \
    RCUINFO__FORTRAN_TABLE_MPIX(MPIFH, _) \
    RCUINFO__FORTRAN_TABLE_POINTER(MPIFH, _)

#endif

/* X(1), X(2), ... up to that number, for words as parameters and as arguments. */
#define RCUINFO__FORTRAN_EACH_1(X) X(1)
#define RCUINFO__FORTRAN_EACH_2(X) RCUINFO__FORTRAN_EACH_1(X), X(2)
#define RCUINFO__FORTRAN_EACH_3(X) RCUINFO__FORTRAN_EACH_2(X), X(3)
#define RCUINFO__FORTRAN_EACH_4(X) RCUINFO__FORTRAN_EACH_3(X), X(4)
#define RCUINFO__FORTRAN_EACH_5(X) RCUINFO__FORTRAN_EACH_4(X), X(5)
#define RCUINFO__FORTRAN_EACH_6(X) RCUINFO__FORTRAN_EACH_5(X), X(6)
#define RCUINFO__FORTRAN_EACH_7(X) RCUINFO__FORTRAN_EACH_6(X), X(7)
#define RCUINFO__FORTRAN_EACH_8(X) RCUINFO__FORTRAN_EACH_7(X), X(8)
#define RCUINFO__FORTRAN_EACH_9(X) RCUINFO__FORTRAN_EACH_8(X), X(9)
#define RCUINFO__FORTRAN_EACH_10(X) RCUINFO__FORTRAN_EACH_9(X), X(10)
#define RCUINFO__FORTRAN_EACH_11(X) RCUINFO__FORTRAN_EACH_10(X), X(11)
#define RCUINFO__FORTRAN_EACH_12(X) RCUINFO__FORTRAN_EACH_11(X), X(12)
#define RCUINFO__FORTRAN_PARAMETER(n) void *a##n
#define RCUINFO__FORTRAN_WORD(n) a##n
/* clang-format on */
