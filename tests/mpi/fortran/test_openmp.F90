! SPDX-License-Identifier: BSD-3-Clause
! Threads of OpenMP that share one info (threads.F90), which the first of them hands to MPI meanwhile, where there is one.
! Prints "good".
#include "interface.inc"
#undef CHECK
#define CHECK(what) call check(what, __LINE__, failed)
program test_openmp
  use omp_lib, only: omp_get_num_threads, omp_get_thread_num, omp_set_dynamic
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: threads = 8, rounds = 2000
  INFO_T :: info
  integer :: failed, started
#if !defined(FLAVOUR_ABI)
  integer :: provided, ierr
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr)
  if (provided /= MPI_THREAD_MULTIPLE) error stop 3
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr) ! a walk may come to what is gone
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
#endif
  failed = 0
  started = 0
  call omp_set_dynamic(.false.)
  call begin_threads(info)
  !$omp parallel num_threads(threads) reduction(+:failed)
  if (omp_get_thread_num() == 0) then
    started = omp_get_num_threads()
#if !defined(FLAVOUR_ABI)
    call hand_over(info, failed)
#endif
  end if
  call in_thread(info, omp_get_thread_num(), rounds, failed)
  !$omp end parallel
  call end_threads(info, threads, rounds, failed)
#if !defined(FLAVOUR_ABI)
  call MPI_Finalize(ierr)
#endif
  if (started /= threads) error stop 2
  if (failed > 0) error stop 1
  print '(a)', 'good'
#if !defined(FLAVOUR_ABI)
contains

  ! 60 conversions.
  subroutine hand_over(info, failed)
    INFO_T, intent(in) :: info
    integer, intent(inout) :: failed
    COMM_T :: comm
    FILE_T :: file
    character(len=40) :: name
    integer :: mode, turn
    write (name, '(a,i0,a)') './openmp-', getpid(), '.tmp'
    mode = MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE
    do turn = 1, 20
      call use_window(info, failed)
      CALL(MPI_File_open(MPI_COMM_SELF, name, mode, info, file, ierr))
      call MPI_File_close(file, ierr)
      CALL(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, comm, ierr))
      call MPI_Comm_free(comm, ierr)
    end do
  end subroutine

  subroutine use_window(info, failed)
    use, intrinsic :: iso_c_binding, only: c_ptr
    INFO_T, intent(in) :: info
    integer, intent(inout) :: failed
    WIN_T :: window
    integer(kind=MPI_ADDRESS_KIND) :: bytes
#if defined(OF_F08)
    type(c_ptr) :: place
#else
    integer(kind=MPI_ADDRESS_KIND) :: place
#endif
    bytes = 4096
    CALL(MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, place, window, ierr))
    call MPI_Win_free(window, ierr)
  end subroutine
#endif
end program
