! SPDX-License-Identifier: BSD-3-Clause
#include "interface.inc"
! One program by mpif.h, `use mpi`, `use mpi_f08` and C: an info goes through all of them as an integer, each of which
! leaves a pair and finds those of the others; a copy of each is freed by the next one. Prints "good".
subroutine by_mpifh(info, copy)
  implicit none
  include 'mpif.h'
  integer :: info, copy, ierr, count
  call MPI_Info_free(copy, ierr)
  call MPI_Info_set(info, 'mpif.h', 'yes', ierr)
  call MPI_Info_get_nkeys(info, count, ierr)
  if (ierr /= MPI_SUCCESS .or. count < 1) error stop 2
  call MPI_Info_dup(info, copy, ierr)
end subroutine

subroutine by_mpi(info, copy)
  use MODULE_MPI
  implicit none
  integer :: info, copy, ierr
  character(len=10) :: value
  logical :: flag
  call MPI_Info_free(copy, ierr)
  if (ierr /= MPI_SUCCESS .or. copy /= MPI_INFO_NULL) error stop 3
  call MPI_Info_get(info, 'mpif.h', 10, value, flag, ierr)
  if (.not. flag .or. value /= 'yes') error stop 4
  call MPI_Info_set(info, 'use mpi', 'yes', ierr)
  call MPI_Info_dup(info, copy, ierr)
end subroutine

subroutine by_f08(number, copy_number)
  use MODULE_F08
  implicit none
  integer :: number, copy_number
  type(MPI_Info) :: info, copy
  character(len=10) :: value
  logical :: flag
  info%MPI_VAL = number
  copy%MPI_VAL = copy_number
  call MPI_Info_free(copy)
  if (copy /= MPI_INFO_NULL) error stop 5
  call MPI_Info_get(info, 'use mpi', 10, value, flag)
  if (.not. flag .or. value /= 'yes') error stop 6
  call MPI_Info_set(info, 'mpi_f08', 'yes')
  call MPI_Info_dup(info, copy)
  copy_number = copy%MPI_VAL
end subroutine

program test_mixed
  use MODULE_F08
  implicit none
  type(MPI_Info) :: info, first
#if !defined(FLAVOUR_ABI)
  type(MPI_Comm) :: comm
#endif
  integer :: number, copy, null, env, count, turn
  character(len=10) :: value
  logical :: flag
#if !defined(FLAVOUR_ABI)
  call MPI_Init()
#endif
  call from_c(number)
  info%MPI_VAL = number
  call MPI_Info_dup(info, first)
  copy = first%MPI_VAL
  null = MPI_INFO_NULL%MPI_VAL
  env = MPI_INFO_ENV%MPI_VAL
  do turn = 1, 3
    call by_mpifh(number, copy)
    call by_mpi(number, copy)
    call by_f08(number, copy)
    call by_c(number, copy, null, env)
  end do
  info%MPI_VAL = copy
  call MPI_Info_free(info)
  info%MPI_VAL = number
  call MPI_Info_get_nkeys(info, count)
  if (count /= 5) error stop 7
  call MPI_Info_get(info, 'C', 10, value, flag)
  if (.not. flag .or. value /= 'yes') error stop 8
#if !defined(FLAVOUR_ABI)
  call MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, comm)
  call MPI_Comm_free(comm)
#endif
  call MPI_Info_free(info)
#if !defined(FLAVOUR_ABI)
  call MPI_Finalize()
#endif
  print '(a)', 'good'
end program
