! SPDX-License-Identifier: BSD-3-Clause
! What MPI_Info_create_env and MPI_INFO_ENV say of the keys of the standard is the same before MPI is initialized, after it
! and after it is finalized, key by key and value by value, whatever the program asks for: tests/mpi/interpose/test_create_env.c
! by one interface of Fortran (interface.inc). Where that has no MPI_Info_create_env, copies of MPI_INFO_ENV stand in its
! place. For any number of processes. Prints "good" and the line of each check that fails.
!
! usage: test_create_env HOW    init, or 0 to 3 for MPI_Init_thread
#include "interface.inc"
program test_create_env
  USE_MPI
  implicit none
  INCLUDE_MPI
  character(len=*), parameter :: keys(9) = [character(len=12) :: 'command', 'argv', 'maxprocs', 'soft', 'host', 'arch', &
    'wdir', 'file', 'thread_level']
  character(len=40) :: how, maxprocs
  integer :: failed, ierr, provided, processes
  INFO_T :: first, env
  failed = 0
  call get_command_argument(1, how)
  env = MPI_INFO_ENV
  call make(first)
  call ask()
  select case (how)
  case ('init')
    call MPI_Init(ierr)
  case ('0')
    call MPI_Init_thread(MPI_THREAD_SINGLE, provided, ierr)
  case ('1')
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  case ('2')
    call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierr)
  case ('3')
    call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr)
  case default
    error stop 2
  end select
  CHECK(ierr == MPI_SUCCESS)
  call ask()
  call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)
  write (maxprocs, '(i0)') processes
  CHECK(value_of(env, 'maxprocs') == '[' // trim(maxprocs) // ']')
  call MPI_Finalize(ierr)
  call ask()
  call MPI_Info_free(first, ierr)
  if (failed > 0) error stop 1
  print '(a)', 'good'
contains

#include "checks.inc"

  subroutine make(info)
    INFO_T, intent(out) :: info
#if defined(HAS_4)
    call MPI_Info_create_env(info, ierr)
#else
    call MPI_Info_dup(env, info, ierr)
#endif
    CHECK(ierr == MPI_SUCCESS)
  end subroutine

  ! A new object and MPI_INFO_ENV are as the object that was made before all else.
  subroutine ask()
    INFO_T :: info
    integer :: n
    call make(info)
    do n = 1, size(keys)
      CHECK(value_of(info, keys(n)) == value_of(first, keys(n)))
      CHECK(value_of(env, keys(n)) == value_of(first, keys(n)))
    end do
    CHECK(value_of(env, 'command') /= 'none')
    CHECK(value_of(env, 'thread_level') == 'none')
    call MPI_Info_set(info, 'thread_level', 'changed', ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Info_free(info, ierr)
  end subroutine
end program
