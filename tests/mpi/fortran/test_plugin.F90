! SPDX-License-Identifier: BSD-3-Clause
! The plugin of foreign/host.c in Fortran, also for foreign.sh. Passes an info to a communicator, and gets it back.
function plugin_run() bind(C, name='plugin_run') result(status)
  use mpi_f08
  use iso_c_binding
  implicit none
  integer(c_int) :: status
  type(MPI_Info) :: info
  type(MPI_Comm) :: comm
  character(len=MPI_MAX_INFO_VAL) :: value
  logical :: is_initialized, flag
  integer :: ierror

  call MPI_Initialized(is_initialized)
  if (.not. is_initialized) call MPI_Init()
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'mpi_assert_no_any_tag', 'true')
  call MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, comm, ierror)
  call MPI_Info_free(info)
  call MPI_Comm_get_info(comm, info)
  value = '?'
  call MPI_Info_get(info, 'mpi_assert_no_any_tag', MPI_MAX_INFO_VAL, value, flag)
  print '(a, i0, 2a)', 'ierror ', ierror, ', mpi_assert_no_any_tag=', trim(value)
  call MPI_Info_free(info)
  call MPI_Comm_free(comm)
  if (.not. is_initialized) call MPI_Finalize()
  status = 0
end function
