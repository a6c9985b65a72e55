! SPDX-License-Identifier: BSD-3-Clause
! The rules that the process was started with (rules.hints) reach procedures of Fortran, by one interface
! (interface.inc), and by the name of a file without the blanks behind it: what the real library says is in use.
! Prints "good" and the line of each check that fails.
#include "interface.inc"
program test_rules
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: failed, ierr
  INFO_T :: hints, null
  failed = 0
  call MPI_Init(ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  null = MPI_INFO_NULL
  call MPI_Info_create(hints, ierr)
  call MPI_Info_set(hints, 'cb_buffer_size', '1048576', ierr)
  CHECK(size_in_use('ruled', null) == '[1234567]')
  CHECK(size_in_use('unruled', null) /= '[1234567]')
  CHECK(size_in_use('ruled', hints) == '[1048576]')
  CHECK(size_in_use('imposed', hints) == '[7654321]')
  CHECK(value_of(hints, 'cb_buffer_size') == '[1048576]')
  call MPI_Info_free(hints, ierr)
  call MPI_Finalize(ierr)
  if (failed > 0) error stop 1
  print '(a)', 'good'
contains

#include "checks.inc"

  ! A file of this process, opened: what its buffer's size is.
  function size_in_use(what, info) result(text)
    character(len=*), intent(in) :: what
    INFO_T, intent(in) :: info
    character(len=:), allocatable :: text
    character(len=80) :: name
    FILE_T :: file
    INFO_T :: used
    integer :: mode
    write (name, '(a,i0,a)') './fortran-', getpid(), '.' // what
    mode = MPI_MODE_RDWR + MPI_MODE_CREATE + MPI_MODE_DELETE_ON_CLOSE
    CALL(MPI_File_open(MPI_COMM_SELF, name, mode, info, file, ierr))
    CALL(MPI_File_get_info(file, used, ierr))
    text = value_of(used, 'cb_buffer_size')
    call MPI_Info_free(used, ierr)
    CALL(MPI_File_close(file, ierr))
  end function
end program
