! SPDX-License-Identifier: BSD-3-Clause
! Sessions with mpi_f08, in a process without MPI_Init. The thread level that the info requests is not that of
! MPI_INFO_ENV. Prints "good".
program test_session
  use mpi_f08
  implicit none
  type(MPI_Session) :: session
  type(MPI_Info) :: info, used
  type(MPI_Group) :: group
  type(MPI_Comm) :: comm
  character(len=30) :: level
  logical :: flag
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'thread_level', ' MPI_THREAD_SERIALIZED ')
  call MPI_Session_init(info, MPI_ERRORS_RETURN, session)
  call MPI_Info_get(MPI_INFO_ENV, 'thread_level', len(level), level, flag)
  if (flag) error stop 1
  call MPI_Session_get_info(session, used)
  call MPI_Info_get(used, 'thread_level', len(level), level, flag)
  if (.not. flag) error stop 2
  call MPI_Info_free(used)
  call MPI_Group_from_session_pset(session, 'mpi://SELF', group)
  call MPI_Comm_create_from_group(group, 'tag', info, MPI_ERRORS_RETURN, comm)
  call MPI_Comm_free(comm)
  call MPI_Group_free(group)
  call MPI_Info_free(info)
  call MPI_Session_finalize(session)
  print '(a)', 'good'
end program
