! SPDX-License-Identifier: BSD-3-Clause
! What a thread does with an info that others share with it, by one interface (interface.inc); see test_threads.c. It
! alone changes its own key, and reads back what it has set. All change "shared", to the value of each: the nth letter n
! times, so a length or a letter of another version shows.
#include "interface.inc"
recursive subroutine in_thread(info, thread, rounds)
  USE_MPI
  implicit none
  INCLUDE_MPI
  INFO_T, intent(in) :: info
  integer, intent(in) :: thread, rounds
  INFO_T :: copy
  character(len=40) :: around, key
  character(len=26) :: mine
  integer :: round, length, count, ierr
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
    length = 30
    call MPI_Info_get_string(info, 'shared', length, around(6:35), flag, ierr)
    CHECK(flag .and. length >= 1 .and. length <= 26)
    CHECK(around == '?????' // repeat(achar(iachar('a') + length - 1), length) // repeat(' ', 30 - length) // '?????')
    CALL(MPI_Info_dup(info, copy, ierr))
    CALL(MPI_Info_delete(copy, key, ierr))
    call MPI_Info_get_valuelen(copy, key, length, flag, ierr)
    CHECK(.not. flag)
    call MPI_Info_get_nthkey(copy, 0, around, ierr)
    CHECK(around == 'shared')
    call MPI_Info_get_nkeys(copy, count, ierr)
    CHECK(count >= 1 .and. count <= 26)
    call MPI_Info_free(copy, ierr)
    CHECK(copy == MPI_INFO_NULL)
  end do
end subroutine
