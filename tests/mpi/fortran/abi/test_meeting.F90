! SPDX-License-Identifier: BSD-3-Clause
! A program over the standard ABI in a process where an interposer comes first, which has procedures of the same names but
! none of the second names. Whoever answers, an object is what it was made to be, and a handle of the other side is that
! object or none: never another one, and never a crash. Prints "good".
program test_meeting
  use rcuinfo_mpi_f08
  implicit none
  type(MPI_Info) :: first, second
  character(len=10) :: value
  integer :: ierr
  logical :: flag
  call MPI_Info_create(first, ierr)
  if (ierr /= MPI_SUCCESS) error stop 1
  call PMPI_Info_create(second, ierr)
  if (ierr /= MPI_SUCCESS) error stop 2
  call MPI_Info_set(first, 'key', 'first', ierr)
  if (ierr /= MPI_SUCCESS) error stop 3
  call PMPI_Info_set(second, 'key', 'second', ierr)
  if (ierr /= MPI_SUCCESS) error stop 4
  call MPI_Info_get(first, 'key', 10, value, flag, ierr)
  if (ierr /= MPI_SUCCESS .or. .not. flag .or. value /= 'first') error stop 5
  call PMPI_Info_get(second, 'key', 10, value, flag, ierr)
  if (ierr /= MPI_SUCCESS .or. .not. flag .or. value /= 'second') error stop 6
  call PMPI_Info_get(first, 'key', 10, value, flag, ierr)
  if (ierr == MPI_SUCCESS .and. value /= 'first') error stop 7
  call MPI_Info_get(second, 'key', 10, value, flag, ierr)
  if (ierr == MPI_SUCCESS .and. value /= 'second') error stop 8
  call MPI_Info_free(first, ierr)
  if (ierr /= MPI_SUCCESS) error stop 9
  call PMPI_Info_free(second, ierr)
  if (ierr /= MPI_SUCCESS .or. second /= MPI_INFO_NULL) error stop 10
  call PMPI_Info_get(MPI_INFO_ENV, 'maxprocs', 10, value, flag, ierr)
  if (ierr /= MPI_SUCCESS .or. .not. flag .or. value /= '1') error stop 11
  call MPI_Info_get(MPI_INFO_ENV, 'maxprocs', 10, value, flag, ierr)
  if (ierr == MPI_SUCCESS .and. value /= '1') error stop 12
  print '(a)', 'good'
end program
