! SPDX-License-Identifier: BSD-3-Clause
! spawner: apps/spawned.c in Fortran, with one interface (interface.inc), without its pairs.
#include "interface.inc"
program spawner
  USE_MPI
  implicit none
  INCLUDE_MPI
  character(len=256) :: commands(2)
  character(len=8) :: arguments(3) = ['a       ', 'b  c    ', '        '], all_arguments(2, 3) = ' '
  character(len=1) :: count
  integer :: ierr, code, class, errors(2)
  COMM_T :: children
  INFO_T :: infos(2)
  call MPI_Init(ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  call get_command_argument(1, count)
  call get_command_argument(2, commands(1))
  commands(2) = commands(1)
  all_arguments(1, :) = arguments
  call MPI_Info_create(infos(1), ierr)
  infos(2) = infos(1)
  if (count == '1') then
    call MPI_Comm_spawn(commands(1), arguments, 1, infos(1), 0, MPI_COMM_WORLD, children, errors, code)
  else
    call MPI_Comm_spawn_multiple(2, commands, all_arguments, [1, 1], infos, 0, MPI_COMM_WORLD, children, errors, code)
  end if
  call MPI_Error_class(code, class, ierr)
  if (class == MPI_SUCCESS) then
    call MPI_Barrier(children, ierr)
    call MPI_Comm_disconnect(children, ierr)
  end if
  call MPI_Info_free(infos(1), ierr)
  print '(a,i0)', 'spawned: class ', class
  call MPI_Finalize(ierr)
end program
