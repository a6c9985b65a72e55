! SPDX-License-Identifier: BSD-3-Clause
! An info object in ten steps, with the module in which handles have their own type. ierror is optional; without it,
! errors are not reported.
!
! Build: gfortran ten_steps_f08.f90 $(pkg-config --cflags --libs rcuinfo-mpi-fortran)
program ten_steps
  use rcuinfo_mpi_f08
  implicit none
  type(MPI_Info) :: info, copy
  integer :: n, count, length, ierror
  logical :: flag
  character(len=MPI_MAX_INFO_KEY) :: keys(3)
  character(len=20) :: value

  call MPI_Info_create(info, ierror)
  if (ierror /= MPI_SUCCESS) error stop 1
  call MPI_Info_get_nkeys(info, count)
  print '(a,i0,a)', '1 create: ', count, ' keys'

  call MPI_Info_set(info, 'host', 'node01')
  call MPI_Info_set(info, 'soft', '1:8:2')
  call MPI_Info_set(info, key='wdir', value='/home')
  call MPI_Info_get_nkeys(info, count)
  print '(a,i0,a)', '2 set: ', count, ' keys'

  call MPI_Info_set(info, ' wdir ', ' /scratch ') ! blanks at the ends are no part of keys and values
  call MPI_Info_get(info, 'wdir', len(value), value, flag)
  if (.not. flag) error stop 1
  print '(2a)', '3 override: wdir is ', trim(value)

  call MPI_Info_get_nkeys(info, count)
  print '(a,i0)', '4 nkeys: ', count

  do n = 1, 3
    call MPI_Info_get_nthkey(info, n - 1, keys(n))
  end do
  print '(6a)', '5 nthkey: ', trim(keys(1)), ' ', trim(keys(2)), ' ', trim(keys(3))

  call MPI_Info_get_valuelen(info, 'soft', length, flag)
  if (.not. flag) error stop 1
  print '(a,i0)', '6 valuelen: soft ', length

  call MPI_Info_get(info, 'host', len(value), value, flag)
  if (.not. flag) error stop 1
  print '(2a)', '7 get: host ', trim(value)

  call MPI_Info_dup(info, copy, ierror)
  if (ierror /= MPI_SUCCESS) error stop 1
  call MPI_Info_get_nkeys(copy, count)
  print '(a,i0,a)', '8 dup: ', count, ' keys'

  call MPI_Info_delete(info, 'soft', ierror)
  if (ierror /= MPI_SUCCESS) error stop 1
  call MPI_Info_get_nkeys(info, count)
  call MPI_Info_get(info, 'soft', len(value), value, flag)
  if (flag) error stop 1
  length = len(value)
  call MPI_Info_get_string(copy, 'soft', length, value, flag)
  if (.not. flag) error stop 1
  print '(a,i0,2a)', '9 delete: ', count, ' keys, soft is gone; the dup has ', value(:length)

  call MPI_Info_free(info)
  call MPI_Info_free(copy)
  if (info /= MPI_INFO_NULL .or. copy /= MPI_INFO_NULL) error stop 1
  print '(a)', '10 free: both handles are null'
end program
