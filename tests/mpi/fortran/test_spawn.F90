! SPDX-License-Identifier: BSD-3-Clause
! Processes that Fortran starts, with an info and with an array of infos, run where those say. Started again by itself as
! the child. For a launcher of Open MPI. Prints "good".
#include "interface.inc"
program test_spawn
  USE_MPI
  implicit none
  INCLUDE_MPI
  COMM_T :: parent, children, myself
  INFO_T :: infos(2)
  character(len=200) :: directory, program
  character(len=10) :: no_arguments(1)
#if defined(SPAWNS_MULTIPLE)
  character(len=200) :: programs(2)
  character(len=10) :: no_arguments_of_two(2, 1)
#endif
  integer :: ierr, codes(2)
  call MPI_Init(ierr)
  call MPI_Comm_get_parent(parent, ierr)
  if (parent /= MPI_COMM_NULL) then
    call getcwd(directory)
    call MPI_Send(directory, len(directory), MPI_CHARACTER, 0, 0, parent, ierr)
    call MPI_Comm_disconnect(parent, ierr)
    call MPI_Finalize(ierr)
    stop
  end if
  myself = MPI_COMM_SELF
  call get_command_argument(0, program)
  no_arguments = ''
  call MPI_Info_create(infos(1), ierr)
  call MPI_Info_set(infos(1), 'wdir', ' / ', ierr)
  call MPI_Info_dup(infos(1), infos(2), ierr)
  call MPI_Info_set(infos(2), 'wdir', '/usr', ierr)
  call MPI_Comm_spawn(program, no_arguments, 1, infos(2), 0, myself, children, codes, ierr)
  call expect(0, '/usr')
  call MPI_Comm_disconnect(children, ierr)
#if defined(SPAWNS_MULTIPLE)
  programs = program
  no_arguments_of_two = ''
  call MPI_Comm_spawn_multiple(2, programs, no_arguments_of_two, [1, 1], infos, 0, myself, children, codes, ierr)
  call expect(0, '/')
  call expect(1, '/usr')
  call MPI_Comm_disconnect(children, ierr)
#endif
  call MPI_Info_free(infos(1), ierr)
  call MPI_Info_free(infos(2), ierr)
  call MPI_Finalize(ierr)
  print '(a)', 'good'
contains
  subroutine expect(rank, wanted)
    integer, intent(in) :: rank
    character(len=*), intent(in) :: wanted
    call MPI_Recv(directory, len(directory), MPI_CHARACTER, rank, 0, children, MPI_STATUS_IGNORE, ierr)
    if (directory /= wanted) error stop 1
  end subroutine
end program
