! SPDX-License-Identifier: BSD-3-Clause
! An info object in ten steps: with the module in which handles have their own type; with integer handles, as in older
! programs, and a module, so that the compiler checks the arguments of each call; or with mpif.h. ierror is checked where
! handles are created and freed.
!
! Build: gfortran -DF08 ten_steps.F90 $(pkg-config --cflags --libs rcuinfo-mpi-fortran)
!        gfortran ten_steps.F90 $(pkg-config --cflags --libs rcuinfo-mpi-fortran)
!        gfortran -DOLD ten_steps.F90 $(pkg-config --cflags --libs rcuinfo-mpi-fortran)
program ten_steps
#ifdef F08
  use rcuinfo_mpi_f08
  implicit none
  type(MPI_Info) :: info, copy
#elif defined OLD
  implicit none
  include 'mpif.h'
  integer :: info, copy
#else
  use rcuinfo_mpi
  implicit none
  integer :: info, copy
#endif
  integer :: n, count, length, ierror
  logical :: flag
  character(len=MPI_MAX_INFO_KEY) :: keys(3)
  character(len=20) :: value

  call MPI_Info_create(info, ierror)
  call check()
  call MPI_Info_get_nkeys(info, count, ierror)
  print '(a,i0,a)', '1 create: ', count, ' keys'

  call MPI_Info_set(info, 'host', 'node01', ierror)
  call MPI_Info_set(info, 'soft', '1:8:2', ierror)
#ifdef F08
  call MPI_Info_set(info, key='wdir', value='/home') ! without ierror, errors are not reported
#else
  call MPI_Info_set(info, 'wdir', '/home', ierror)
#endif
  call MPI_Info_get_nkeys(info, count, ierror)
  print '(a,i0,a)', '2 set: ', count, ' keys'

  call MPI_Info_set(info, ' wdir ', ' /scratch ', ierror) ! blanks at the ends are no part of keys and values
  call MPI_Info_get(info, 'wdir', len(value), value, flag, ierror)
  if (.not. flag) error stop 1
  print '(2a)', '3 override: wdir is ', trim(value)

  call MPI_Info_get_nkeys(info, count, ierror)
  print '(a,i0)', '4 nkeys: ', count

  do n = 1, 3
    call MPI_Info_get_nthkey(info, n - 1, keys(n), ierror)
  end do
  print '(6a)', '5 nthkey: ', trim(keys(1)), ' ', trim(keys(2)), ' ', trim(keys(3))

  call MPI_Info_get_valuelen(info, 'soft', length, flag, ierror)
  if (.not. flag) error stop 1
  print '(a,i0)', '6 valuelen: soft ', length

  call MPI_Info_get(info, 'host', len(value), value, flag, ierror)
  if (.not. flag) error stop 1
  print '(2a)', '7 get: host ', trim(value)

  call MPI_Info_dup(info, copy, ierror)
  call check()
  call MPI_Info_get_nkeys(copy, count, ierror)
  print '(a,i0,a)', '8 dup: ', count, ' keys'

  call MPI_Info_delete(info, 'soft', ierror)
  call check()
  call MPI_Info_get_nkeys(info, count, ierror)
  call MPI_Info_get(info, 'soft', len(value), value, flag, ierror)
  if (flag) error stop 1
  length = len(value)
  call MPI_Info_get_string(copy, 'soft', length, value, flag, ierror)
  if (.not. flag) error stop 1
  print '(a,i0,2a)', '9 delete: ', count, ' keys, soft is gone; the dup has ', value(:length)

  call MPI_Info_free(info, ierror)
  call check()
  call MPI_Info_free(copy, ierror)
  call check()
  if (info /= MPI_INFO_NULL .or. copy /= MPI_INFO_NULL) error stop 1
  print '(a)', '10 free: both handles are null'

contains

  subroutine check()
    if (ierror /= MPI_SUCCESS) error stop 1
  end subroutine
end program
