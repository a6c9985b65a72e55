! SPDX-License-Identifier: BSD-3-Clause
! A program over the standard ABI in a process where an interposer comes first. The interposer has procedures of the
! same names, but without the second names. Whichever is called, an object has its contents, and a handle of the other
! library is that object or invalid: never another object, and never a crash. Prints "good".
#include "interface.inc"
program test_meeting
  USE_MPI
  implicit none
  INFO_T :: first, second
  character(len=10) :: value
  integer :: failed, ierr
  logical :: flag
  failed = 0
  CALL(MPI_Info_create(first, ierr))
  CALL(PMPI_Info_create(second, ierr))
  CALL(MPI_Info_set(first, 'key', 'first', ierr))
  CALL(PMPI_Info_set(second, 'key', 'second', ierr))
  CHECK(value_of(first, 'key') == '[first]')
  CALL(PMPI_Info_get(second, 'key', 10, value, flag, ierr))
  CHECK(flag .and. value == 'second')
  call PMPI_Info_get(first, 'key', 10, value, flag, ierr)
  CHECK(ierr /= MPI_SUCCESS .or. value == 'first')
  call MPI_Info_get(second, 'key', 10, value, flag, ierr)
  CHECK(ierr /= MPI_SUCCESS .or. value == 'second')
  CALL(MPI_Info_free(first, ierr))
  CALL(PMPI_Info_free(second, ierr))
  CHECK(second == MPI_INFO_NULL)
  CALL(PMPI_Info_get(MPI_INFO_ENV, 'maxprocs', 10, value, flag, ierr))
  CHECK(flag .and. value == '1')
  call MPI_Info_get(MPI_INFO_ENV, 'maxprocs', 10, value, flag, ierr)
  CHECK(ierr /= MPI_SUCCESS .or. value == '1')
  if (failed > 0) error stop 1
  print '(a)', 'good'
contains

#include "checks.inc"
end program
