! SPDX-License-Identifier: BSD-3-Clause
! A profiling tool in Fortran: it defines a procedure of its own in place of the library's, counts the calls, and goes
! on by the second name. Prints "good".
module counter
  implicit none
  integer :: calls = 0
end module

subroutine MPI_Info_set_f08(info, key, value, ierror)
  use counter
  use rcuinfo_mpi_f08, library => MPI_Info_set_f08
  implicit none
  type(MPI_Info), intent(in) :: info
  character(len=*), intent(in) :: key, value
  integer, intent(out), optional :: ierror
  calls = calls + 1
  call PMPI_Info_set(info, key, value, ierror)
end subroutine

program test_profile
  use counter
  use rcuinfo_mpi_f08
  implicit none
  type(MPI_Info) :: info
  integer :: length, ierr
  logical :: flag
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'key', 'value', ierr)
  call MPI_Info_set(info, 'key', 'values')
  call MPI_Info_get_valuelen(info, 'key', length, flag)
  if (calls /= 2 .or. .not. flag .or. length /= 6) error stop 1
  call MPI_Info_free(info)
  print '(a)', 'good'
end program
