! SPDX-License-Identifier: BSD-3-Clause
! Threads of OpenMP that share one info (threads.F90). Prints "good".
#include "interface.inc"
program test_openmp
  use omp_lib, only: omp_get_num_threads, omp_get_thread_num, omp_set_dynamic
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: threads = 8, rounds = 2000
  INFO_T :: info
  integer :: failed, started
  failed = 0
  started = 0
  call omp_set_dynamic(.false.)
  call begin_threads(info)
  !$omp parallel num_threads(threads) reduction(+:failed)
  if (omp_get_thread_num() == 0) started = omp_get_num_threads()
  call in_thread(info, omp_get_thread_num(), rounds, failed)
  !$omp end parallel
  call end_threads(info, threads, rounds, failed)
  if (started /= threads) error stop 2
  if (failed > 0) error stop 1
  print '(a)', 'good'
end program
