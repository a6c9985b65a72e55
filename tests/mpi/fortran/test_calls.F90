! SPDX-License-Identifier: BSD-3-Clause
! Infos handed to procedures of Fortran and got from them, by one interface (interface.inc): what the real library says of
! the hints, that the info is as it was, MPI_INFO_NULL, MPI_INFO_ENV and a stale info in its place. For any number of
! processes. Prints "good" and the line of each check that fails.
#include "interface.inc"
#if defined(OF_F08)
#define POINTER_T type(c_ptr)
#define C_POINTER(pointer) pointer
#else
#define POINTER_T integer(kind=MPI_ADDRESS_KIND)
#define C_POINTER(pointer) transfer(pointer, c_null_ptr)
#endif
program test_calls
  use, intrinsic :: iso_c_binding
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
  CHECK(value_of(env, 'thread_level') == 'none')
  call MPI_Info_create(hints, ierr)
  call MPI_Info_set(hints, ' no_locks ', ' true ', ierr)
  call MPI_Info_set(hints, 'which_accumulate_ops', 'sum,max,cswap', ierr)
  call MPI_Info_set(hints, 'cb_buffer_size', '1048576', ierr)
#if defined(FLAVOUR_OPENMPI)
  CHECK(value_of(env, 'ompi_np') /= 'none') ! its own MPI_INFO_ENV has more
#endif
  call memory()
  call communicators()
  call graphs()
  call windows()
  call files()
  call names()
  call persistent()
  CHECK(value_of(hints, 'which_accumulate_ops') == '[sum,max,cswap]')
  call MPI_Info_free(hints, ierr)
  call MPI_Finalize(ierr)
  if (failed > 0) error stop 1
  print '(a)', 'good'
contains

#include "checks.inc"

  integer function class_of(code) result(class)
    integer, intent(in) :: code
    call MPI_Error_class(code, class, ierr)
  end function

  ! Also what each place says to infos of other kinds: converted are 2, of hints and MPI_INFO_ENV.
  subroutine memory()
    POINTER_T :: place
    INFO_T :: stale, null
    integer(kind=MPI_ADDRESS_KIND) :: bytes
    null = MPI_INFO_NULL
    bytes = 64
    CALL(MPI_Alloc_mem(bytes, hints, place, ierr))
    call free_memory(C_POINTER(place))
    CALL(MPI_Alloc_mem(bytes, null, place, ierr))
    call free_memory(C_POINTER(place))
    CALL(MPI_Alloc_mem(bytes, env, place, ierr))
    call free_memory(C_POINTER(place))
    call MPI_Info_create(stale, ierr)
    null = stale
    call MPI_Info_free(null, ierr)
    REFUSED(MPI_Alloc_mem(bytes, stale, place, ierr), MPI_ERR_INFO)
#if defined(OF_MPI) && defined(FLAVOUR_OPENMPI)
    call pointer_of_c()
#endif
  end subroutine

  subroutine free_memory(place)
    type(c_ptr), intent(in) :: place
    integer, pointer :: memory(:)
    call c_f_pointer(place, memory, [16])
    memory(:) = 7
    CALL(MPI_Free_mem(memory, ierr))
  end subroutine

#if defined(OF_MPI) && defined(FLAVOUR_OPENMPI)
  ! Open MPI's `use mpi` has procedures of other names for a pointer of C. 3 conversions.
  subroutine pointer_of_c()
    type(c_ptr) :: place
    integer :: window
    integer(kind=MPI_ADDRESS_KIND) :: bytes
    bytes = 64
    CALL(MPI_Alloc_mem(bytes, hints, place, ierr))
    call free_memory(place)
    CALL(MPI_Win_allocate(bytes, 1, hints, MPI_COMM_WORLD, place, window, ierr))
    call MPI_Win_free(window, ierr)
    CALL(MPI_Win_allocate_shared(bytes, 1, hints, MPI_COMM_WORLD, place, window, ierr))
    call MPI_Win_free(window, ierr)
  end subroutine
#endif

  ! 4 conversions.
  subroutine communicators()
    COMM_T :: comm, node
    INFO_T :: used
    integer :: count
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

  ! 2 conversions; the LOGICAL goes through. By a pair of neighbours: each process is its own.
  subroutine graphs()
    COMM_T :: graph
    integer :: one(1), me(1), indegree, outdegree
    logical :: weighted
    one = 1
    me = rank
    CALL(MPI_Dist_graph_create(world, 1, me, one, me, one, hints, .false., graph, ierr))
    call MPI_Dist_graph_neighbors_count(graph, indegree, outdegree, weighted, ierr)
    CHECK(indegree == 1 .and. outdegree == 1 .and. weighted)
    call MPI_Comm_free(graph, ierr)
    CALL(MPI_Dist_graph_create_adjacent(world, 1, me, MPI_UNWEIGHTED, 1, me, MPI_UNWEIGHTED, hints, .false., graph, ierr))
    call MPI_Dist_graph_neighbors_count(graph, indegree, outdegree, weighted, ierr)
    CHECK(indegree == 1 .and. outdegree == 1 .and. .not. weighted)
    call MPI_Comm_free(graph, ierr)
  end subroutine

  ! 2 conversions: without a buffer and with one. What is begun goes on after the info is freed.
  subroutine persistent()
#if defined(OF_F08)
#if defined(PERSISTENT_IS_MPIX)
    use mpi_f08_ext
#endif
    type(MPI_Request) :: requests(2)
#else
    integer :: requests(2)
#endif
    INFO_T :: info
    integer :: n, buffer(4)
    call MPI_Info_dup(hints, info, ierr)
    buffer = merge(42, 0, rank == 0)
#if defined(PERSISTENT_IS_MPIX)
    CALL(MPIX_Barrier_init(world, info, requests(1), ierr))
    call MPIX_Bcast_init(buffer, 4, MPI_INTEGER, 0, world, info, requests(2), ierr)
#else
    CALL(MPI_Barrier_init(world, info, requests(1), ierr))
    call MPI_Bcast_init(buffer, 4, MPI_INTEGER, 0, world, info, requests(2), ierr)
#endif
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Info_free(info, ierr)
    do n = 1, 2
      CALL(MPI_Start(requests(n), ierr))
      CALL(MPI_Wait(requests(n), MPI_STATUS_IGNORE, ierr))
      call MPI_Request_free(requests(n), ierr)
    end do
    CHECK(all(buffer == 42))
  end subroutine

  ! 6 conversions.
  subroutine windows()
    COMM_T :: node
    WIN_T :: window
    INFO_T :: used
    POINTER_T :: place
    integer :: buffer(16)
    integer(kind=MPI_ADDRESS_KIND) :: bytes
    bytes = 64
    CALL(MPI_Win_allocate(bytes, 1, hints, world, place, window, ierr))
    CALL(MPI_Win_get_info(window, used, ierr))
#if defined(FLAVOUR_OPENMPI) && !defined(PERSISTENT_IS_MPIX)
    CHECK(value_of(used, 'no_locks') == '[true]' .or. value_of(used, 'no_locks') == 'none') ! since version 5, by who makes the window
#else
    CHECK(value_of(used, 'no_locks') == '[true]')
#endif
    call MPI_Info_free(used, ierr)
    CALL(MPI_Win_set_info(window, hints, ierr))
    call MPI_Win_free(window, ierr)
    call MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, ierr)
    CALL(MPI_Win_allocate_shared(bytes, 1, hints, node, place, window, ierr))
    call MPI_Win_free(window, ierr)
    call MPI_Comm_free(node, ierr)
    call MPI_Win_create_dynamic(hints, world, window, ierr)
    if (ierr == MPI_SUCCESS) call MPI_Win_free(window, ierr)
    ! Open MPI has windows of given memory only where there is more than one process.
    call MPI_Win_create(buffer, bytes, 4, hints, world, window, ierr)
    if (ierr == MPI_SUCCESS) call MPI_Win_free(window, ierr)
  end subroutine

  ! 6 conversions.
  subroutine files()
    FILE_T :: file
    INFO_T :: used
    integer(kind=MPI_OFFSET_KIND) :: start
    character(len=40) :: name
    write (name, '(a,i0,a,i0)') '  fortran-', rank, '.tmp'
    start = 0
    CALL(MPI_File_open(MPI_COMM_SELF, adjustl(name), MPI_MODE_RDWR + MPI_MODE_CREATE, hints, file, ierr))
    CALL(MPI_File_get_info(file, used, ierr))
    CHECK(value_of(used, 'cb_buffer_size') == '[1048576]')
    call MPI_Info_free(used, ierr)
    CALL(MPI_File_set_view(file, start, MPI_INTEGER, MPI_INTEGER, 'native', hints, ierr))
    CALL(MPI_File_set_info(file, hints, ierr))
    call MPI_File_close(file, ierr)
    CALL(MPI_File_delete(adjustl(name), hints, ierr))
    REFUSED(MPI_File_delete(adjustl(name), hints, ierr), MPI_ERR_NO_SUCH_FILE)
  end subroutine

  ! 4 conversions; whether a launcher can do it is not for us to say.
  subroutine names()
    character(len=MPI_MAX_PORT_NAME) :: port
    character(len=20) :: service
    write (service, '(a,i0)') 'rcuinfo-', rank
    call MPI_Open_port(hints, port, ierr)
    if (ierr == MPI_SUCCESS) call MPI_Close_port(port, ierr)
    call MPI_Publish_name(service, hints, 'a-port', ierr)
    call MPI_Lookup_name(service, hints, port, ierr)
    if (ierr == MPI_SUCCESS) then
      CHECK(port == 'a-port')
    end if
    call MPI_Unpublish_name(service, hints, 'a-port', ierr)
  end subroutine
end program
