! SPDX-License-Identifier: BSD-3-Clause
! Infos passed to Fortran procedures and returned by them, with one interface (interface.inc): checks the real library's
! hints, and that the info is unchanged. test_forward.c has all procedures. For any number of processes. Prints
! "good" and the line of each check that fails.
#include "interface.inc"
program test_calls
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: failed, ierr, rank, processes
  character(len=8) :: maxprocs
  INFO_T :: hints, env
  COMM_T :: world
  failed = 0
  call MPI_Init(ierr)
  world = MPI_COMM_WORLD
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  env = MPI_INFO_ENV
  call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)
  write (maxprocs, '(a,i0,a)') '[', processes, ']'
  CHECK(value_of(env, 'maxprocs') == maxprocs)
  call MPI_Info_create(hints, ierr)
  call MPI_Info_set(hints, ' no_locks ', ' true ', ierr)
  call MPI_Info_set(hints, 'which_accumulate_ops', 'sum,max,cswap', ierr)
  call MPI_Info_set(hints, 'cb_buffer_size', '1048576', ierr)
  call communicators()
  call windows()
  call files()
#if !defined(NO_PERSISTENT)
  call persistent()
#endif
  CHECK(value_of(hints, 'which_accumulate_ops') == '[sum,max,cswap]')
  call MPI_Info_free(hints, ierr)
  call MPI_Finalize(ierr)
  if (failed > 0) error stop 1
  print '(a)', 'good'
contains

#include "checks.inc"

  ! 5 conversions: one is of MPI_INFO_ENV.
  subroutine communicators()
    COMM_T :: comm, node
    INFO_T :: used
    integer :: count
    CALL(MPI_Comm_dup_with_info(world, env, comm, ierr))
    call MPI_Comm_free(comm, ierr)
    CALL(MPI_Comm_dup_with_info(world, hints, comm, ierr))
    CALL(MPI_Comm_set_info(comm, hints, ierr))
    CALL(MPI_Comm_get_info(comm, used, ierr))
    CALL(MPI_Info_set(used, 'mine', 'yes', ierr))
    call MPI_Info_get_nkeys(used, count, ierr)
    CHECK(count >= 1)
    call MPI_Info_free(used, ierr)
    CALL(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, hints, node, ierr))
    call MPI_Comm_free(node, ierr)
    call MPI_Comm_free(comm, ierr)
  end subroutine

#if !defined(NO_PERSISTENT)
  ! 1 conversion, beside a buffer. What is begun goes on after the info is freed.
  subroutine persistent()
#if defined(OF_F08)
#if defined(PERSISTENT_IS_MPIX)
    use mpi_f08_ext
#endif
    type(MPI_Request) :: request
#else
    integer :: request
#endif
    INFO_T :: info
    integer :: buffer(4)
    call MPI_Info_dup(hints, info, ierr)
    buffer = merge(42, 0, rank == 0)
#if defined(PERSISTENT_IS_MPIX)
    call MPIX_Bcast_init(buffer, 4, MPI_INTEGER, 0, world, info, request, ierr)
#else
    call MPI_Bcast_init(buffer, 4, MPI_INTEGER, 0, world, info, request, ierr)
#endif
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Info_free(info, ierr)
    CALL(MPI_Start(request, ierr))
    CALL(MPI_Wait(request, MPI_STATUS_IGNORE, ierr))
    call MPI_Request_free(request, ierr)
    CHECK(all(buffer == 42))
  end subroutine
#endif

  ! 3 conversions.
  subroutine windows()
    use, intrinsic :: iso_c_binding, only: c_ptr
    WIN_T :: window
    INFO_T :: used
#if defined(OF_F08)
    type(c_ptr) :: place
#else
    integer(kind=MPI_ADDRESS_KIND) :: place
#endif
    integer(kind=MPI_ADDRESS_KIND) :: bytes
    bytes = 64
    CALL(MPI_Win_allocate(bytes, 1, hints, world, place, window, ierr))
    CALL(MPI_Win_get_info(window, used, ierr))
#if defined(FLAVOUR_openmpi) && !defined(PERSISTENT_IS_MPIX)
    CHECK(value_of(used, 'no_locks') == '[true]' .or. value_of(used, 'no_locks') == 'none') ! since version 5, by who makes the window
#else
    CHECK(value_of(used, 'no_locks') == '[true]')
#endif
    call MPI_Info_free(used, ierr)
    CALL(MPI_Win_set_info(window, hints, ierr))
    call MPI_Win_free(window, ierr)
  end subroutine

  ! 6 conversions.
  subroutine files()
    FILE_T :: file
    INFO_T :: used
    integer(kind=MPI_OFFSET_KIND) :: start
    character(len=40) :: name
    write (name, '(a,i0,a)') '  fortran-', getpid(), '.tmp' ! other tests run in the same folder
    start = 0
    CALL(MPI_File_open(MPI_COMM_SELF, adjustl(name), MPI_MODE_RDWR + MPI_MODE_CREATE, hints, file, ierr))
    CALL(MPI_File_get_info(file, used, ierr))
    CHECK(any(value_of(used, 'cb_buffer_size') == ['[1048576]', '[7654321]'])) ! the latter by rules.hints
    call MPI_Info_free(used, ierr)
    CALL(MPI_File_set_view(file, start, MPI_INTEGER, MPI_INTEGER, 'native', hints, ierr))
    CALL(MPI_File_set_info(file, hints, ierr))
    call MPI_File_close(file, ierr)
    CALL(MPI_File_delete(adjustl(name), hints, ierr))
    REFUSED(MPI_File_delete(adjustl(name), hints, ierr), MPI_ERR_NO_SUCH_FILE)
  end subroutine
end program
