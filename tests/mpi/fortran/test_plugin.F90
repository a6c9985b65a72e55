! SPDX-License-Identifier: BSD-3-Clause
! The library that test_plugin.c loads: creates an info and passes it to MPI with mpi_f08. Returns 0 on success.
integer(c_int) function plugin_run() bind(c)
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  type(MPI_Info) :: info
  type(MPI_Comm) :: comm
  integer :: ierr
  plugin_run = 1
  call MPI_Info_create(info)
  call MPI_Info_set(info, ' key ', ' value ')
  call MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, comm, ierr)
  if (ierr /= MPI_SUCCESS) return
  call MPI_Comm_free(comm)
  call MPI_Info_free(info)
  plugin_run = 0
end function
