! SPDX-License-Identifier: BSD-3-Clause
! A profiling tool in Fortran, by one interface (interface.inc): it defines a procedure of its own in place of the
! library's, counts the calls, and goes on by the second name. Prints "good".
#include "interface.inc"
#if defined(OF_F08)
#define NAME MPI_Info_set_f08
#define LIBRARY_NAME MPI_Info_set
#define OPTIONAL_IERROR , optional
#else
#define NAME MPI_Info_set
#define LIBRARY_NAME MPI_Info_set
#define OPTIONAL_IERROR
#endif
module counter
  implicit none
  integer :: calls = 0
end module

subroutine NAME(info, key, value, ierror)
  use counter
#if defined(OF_F08)
  use MODULE_F08, library_f08 => MPI_Info_set_f08
#elif defined(OF_MPI)
  use MODULE_MPI, library => MPI_Info_set
#endif
  implicit none
  INCLUDE_MPI
  INFO_T, intent(in) :: info
  character(len=*), intent(in) :: key, value
  integer, intent(out) OPTIONAL_IERROR :: ierror
  calls = calls + 1
  call PMPI_Info_set(info, key, value, ierror)
end subroutine

program test_profile
  use counter
  USE_MPI
  implicit none
  INCLUDE_MPI
  INFO_T :: info
  integer :: length, ierr
  logical :: flag
  call MPI_Info_create(info, ierr)
  call LIBRARY_NAME(info, 'key', 'value', ierr)
  call MPI_Info_get_valuelen(info, 'key', length, flag, ierr)
  if (calls /= 1 .or. .not. flag .or. length /= 5) error stop 1
#if defined(OF_F08)
  call LIBRARY_NAME(info, 'key', 'values')
  call MPI_Info_get_valuelen(info, 'key', length, flag, ierr)
  if (calls /= 2 .or. .not. flag .or. length /= 6) error stop 2
#endif
  call MPI_Info_free(info, ierr)
  print '(a)', 'good'
end program
