! SPDX-License-Identifier: BSD-3-Clause
! What threads do with one info that they share, by one interface (interface.inc): begin_threads makes it, each thread of
! 0 to threads - 1, at most 26, calls in_thread, and end_threads looks at what is left and frees it. Both kinds start them:
! test_openmp.F90 and test_threads.c. `failed` counts checks that fail, and the line of each is printed.
#include "interface.inc"
recursive subroutine check(what, line, failed)
  implicit none
  logical, intent(in) :: what
  integer, intent(in) :: line
  integer, intent(inout) :: failed
  if (what) return
  failed = failed + 1
  print '(a,i0)', 'failed: line ', line
end subroutine
#undef CHECK
#define CHECK(what) call check(what, __LINE__, failed)

subroutine begin_threads(info)
  USE_MPI
  implicit none
  INCLUDE_MPI
  INFO_T, intent(out) :: info
  integer :: ierr
  call MPI_Info_create(info, ierr)
  if (ierr /= MPI_SUCCESS) error stop 1
  call MPI_Info_set(info, 'shared', 'a', ierr)
  if (ierr /= MPI_SUCCESS) error stop 1
end subroutine

! A thread alone changes its own key, which comes and goes, and reads back what it has set. All change "shared", to the
! value of each: the nth letter n times, so a length or a letter of another version shows. Who walks the keys may meet one
! twice or not at all, and the last may be gone, an error past the end; each is one of those that are set.
recursive subroutine in_thread(info, thread, rounds, failed)
  USE_MPI
  implicit none
  INCLUDE_MPI
  INFO_T, intent(in) :: info
  integer, intent(in) :: thread, rounds
  integer, intent(inout) :: failed
  INFO_T :: copy
  character(len=40) :: around, key
  character(len=26) :: mine
  integer :: round, length, count, n, ierr
  logical :: flag
  key = 'key' // achar(iachar('A') + thread)
  do round = 1, rounds
    length = 1 + mod(thread + round, 26)
    mine = repeat(achar(iachar('a') + length - 1), length)
    CALL(MPI_Info_set(info, key, mine, ierr))
    CALL(MPI_Info_set(info, 'shared', mine, ierr))
    around = repeat('?', 40)
    call MPI_Info_get(info, key, 30, around(6:35), flag, ierr)
    CHECK(flag .and. around == '?????' // mine // '    ?????')
    around = repeat('?', 40)
#if defined(HAS_4)
    length = 30
    call MPI_Info_get_string(info, 'shared', length, around(6:35), flag, ierr)
#else
    call MPI_Info_get(info, 'shared', 30, around(6:35), flag, ierr)
    length = len_trim(around(6:35))
#endif
    CHECK(flag .and. length >= 1 .and. length <= 26)
    CHECK(around(6:35) == repeat(achar(iachar('a') + length - 1), length))
    CHECK(around(:5) == '?????' .and. around(36:) == '?????')
    if (mod(round, 8) == 0) then
      CALL(MPI_Info_dup(info, copy, ierr))
      CALL(MPI_Info_delete(copy, key, ierr))
      call MPI_Info_get_nthkey(copy, 0, around, ierr)
      CHECK(around == 'shared')
      call MPI_Info_free(copy, ierr)
      CHECK(copy == MPI_INFO_NULL)
      CALL(MPI_Info_delete(info, key, ierr))
      call MPI_Info_get(info, key, 30, around, flag, ierr)
      CHECK(.not. flag)
      CALL(MPI_Info_set(info, key, mine, ierr))
      call MPI_Info_get_nkeys(info, count, ierr)
      CHECK(count >= 2 .and. count <= 27)
      do n = 0, count - 1
        call MPI_Info_get_nthkey(info, n, around, ierr)
        if (ierr /= MPI_SUCCESS) exit
        CHECK(around == 'shared' .or. (around(:3) == 'key' .and. verify(trim(around(4:)), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') == 0))
      end do
    end if
  end do
end subroutine

subroutine end_threads(info, threads, rounds, failed)
  USE_MPI
  implicit none
  INCLUDE_MPI
  INFO_T, intent(inout) :: info
  integer, intent(in) :: threads, rounds
  integer, intent(inout) :: failed
  integer :: thread, count, length, ierr
  logical :: flag
  call MPI_Info_get_nkeys(info, count, ierr)
  CHECK(count == 1 + threads)
  do thread = 0, threads - 1
    call MPI_Info_get_valuelen(info, 'key' // achar(iachar('A') + thread), length, flag, ierr)
    CHECK(flag .and. length == 1 + mod(thread + rounds, 26))
  end do
  call MPI_Info_free(info, ierr)
  CHECK(info == MPI_INFO_NULL)
end subroutine
