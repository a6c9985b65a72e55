! SPDX-License-Identifier: BSD-3-Clause
! The info functions of Fortran, all of them, by one interface (interface.inc): blanks, lengths, cuts, logicals, errors, and
! the predefined handles. In mpi_f08 a number that is INTENT(OUT) has no value when nothing is written to it. Prints "good"
! and the line of each check that fails.
#include "interface.inc"
#define CUT(valuelen, room, wanted) call cut(info, valuelen, room, wanted, __LINE__)
#define CUT_STRING(buflen, room, wanted) call cut_string(info, buflen, room, wanted, __LINE__)
program test_info
  USE_MPI
  implicit none
  INCLUDE_MPI
#if defined(OF_F08) && defined(FLAVOUR_MPICH)
  ! Before MPICH 5 they are the constants of C, which count a NUL.
  integer, parameter :: long_key = min(MPI_MAX_INFO_KEY, 254), long_value = min(MPI_MAX_INFO_VAL, 1023)
#else
  integer, parameter :: long_key = MPI_MAX_INFO_KEY, long_value = MPI_MAX_INFO_VAL
#endif
  ! A key that MPI_INFO_ENV has, and its value; and all that the standard has.
  character(len=*), parameter :: env_key = 'maxprocs', env_value = '[1]'
  character(len=*), parameter :: env_keys(9) = [character(len=12) :: 'command', 'argv', 'maxprocs', 'soft', 'host', 'arch', &
    'wdir', 'file', 'thread_level']
  INFO_T :: first ! what describes this process, made before all else
#if !defined(FLAVOUR_ABI)
  integer :: provided
#endif
  integer :: failed, ierr
  failed = 0
  call describe_process(first)
  call outside()
#if !defined(FLAVOUR_ABI)
  CALL(MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr))
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
#endif
  call blanks()
  call nothing_but_blanks()
  call cuts()
  call objects()
  call lengths()
  call errors()
  call environment()
#if defined(HAS_4)
  call strings()
#endif
  call same_process()
#if defined(OF_F08)
  call without_ierror()
#endif
#if !defined(FLAVOUR_ABI)
  call MPI_Finalize(ierr)
#endif
  call outside()
  call MPI_Info_free(first, ierr)
  if (failed > 0) error stop 1
  print '(a)', 'good'
contains

#include "checks.inc"

  integer function class_of(code) result(class)
    integer, intent(in) :: code
#if defined(FLAVOUR_ABI)
    class = code
#else
    call MPI_Error_class(code, class, ierr)
#endif
  end function

  ! What works before MPI is initialized and after it is finalized, too.
  subroutine outside()
    INFO_T :: info, copy
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, ' key ', ' value ', ierr)
    call MPI_Info_dup(info, copy, ierr)
    call MPI_Info_free(info, ierr)
    CHECK(value_of(copy, 'key') == '[value]')
    call MPI_Info_set(info, 'key', 'value', ierr)
    CHECK(ierr /= MPI_SUCCESS)
    CALL(MPI_Info_free(copy, ierr))
    call same_process()
  end subroutine

  ! Where there is no MPI_Info_create_env, a copy of MPI_INFO_ENV stands in its place.
  subroutine describe_process(info)
    INFO_T, intent(out) :: info
#if defined(HAS_4)
    CALL(MPI_Info_create_env(info, ierr))
#else
    INFO_T :: env
    env = MPI_INFO_ENV
    CALL(MPI_Info_dup(env, info, ierr))
#endif
  end subroutine

  ! A new object and MPI_INFO_ENV say of the standard's keys what was said before all else, whatever level was asked for.
  subroutine same_process()
    INFO_T :: info, env
    integer :: n
    env = MPI_INFO_ENV
    call describe_process(info)
    do n = 1, size(env_keys)
      CHECK(value_of(info, env_keys(n)) == value_of(first, env_keys(n)))
      CHECK(value_of(env, env_keys(n)) == value_of(first, env_keys(n)))
    end do
    CHECK(value_of(env, 'thread_level') == 'none')
    CHECK(value_of(info, env_key) == env_value)
    CALL(MPI_Info_set(info, env_key, 'mine', ierr))
    CHECK(value_of(info, env_key) == '[mine]')
    CALL(MPI_Info_free(info, ierr))
    CHECK(info == MPI_INFO_NULL)
  end subroutine

  ! Blanks at both ends are no part of keys and values, those inside are; case counts.
  subroutine blanks()
    INFO_T :: info
    character(len=12) :: key
    CALL(MPI_Info_create(info, ierr))
    CALL(MPI_Info_set(info, '  two words ', '   a  b   ', ierr))
    CHECK(value_of(info, 'two words') == '[a  b]')
    CHECK(value_of(info, ' two words') == '[a  b]')
    CHECK(value_of(info, 'two words   ') == '[a  b]')
    CHECK(value_of(info, 'Two words') == 'none')
    CHECK(value_of(info, 'twowords') == 'none')
    key = '????????????'
    CALL(MPI_Info_get_nthkey(info, 0, key, ierr))
    CHECK(key == 'two words   ')
    call MPI_Info_set(info, 'two words', ' over ', ierr)
    CHECK(value_of(info, 'two words') == '[over]')
    CALL(MPI_Info_delete(info, '   two words  ', ierr))
    CHECK(value_of(info, 'two words') == 'none')
    CALL(MPI_Info_free(info, ierr))
    CHECK(info == MPI_INFO_NULL)
  end subroutine

  ! A value of blanks is one of no length; a key of blanks is none.
  subroutine nothing_but_blanks()
    INFO_T :: info
    character(len=6) :: around
    integer :: length
    logical :: flag
    call MPI_Info_create(info, ierr)
    CALL(MPI_Info_set(info, 'blanks', '     ', ierr))
    CALL(MPI_Info_set(info, 'nothing', '', ierr))
    around = '??????'
    call MPI_Info_get(info, 'blanks', 4, around(2:5), flag, ierr)
    CHECK(flag)
    CHECK(around == '?    ?')
    call MPI_Info_get_valuelen(info, 'blanks', length, flag, ierr)
    CHECK(flag .and. length == 0)
    call MPI_Info_get_valuelen(info, 'nothing', length, flag, ierr)
    CHECK(flag .and. length == 0)
    REFUSED(MPI_Info_set(info, '', 'v', ierr), MPI_ERR_INFO_KEY)
    REFUSED(MPI_Info_set(info, '    ', 'v', ierr), MPI_ERR_INFO_KEY)
    REFUSED(MPI_Info_delete(info, '    ', ierr), MPI_ERR_INFO_KEY)
    around = '??????'
    REFUSED(MPI_Info_get(info, '    ', 4, around(2:5), flag, ierr), MPI_ERR_INFO_KEY)
    CHECK(around == '??????')
    REFUSED(MPI_Info_get_valuelen(info, ' ', length, flag, ierr), MPI_ERR_INFO_KEY)
    call MPI_Info_get_nkeys(info, length, ierr)
    CHECK(length == 2)
    call MPI_Info_free(info, ierr)
  end subroutine

  ! Into `room` characters comes this, and nothing around it.
  subroutine cut(info, valuelen, room, wanted, line)
    INFO_T, intent(in) :: info
    integer, intent(in) :: valuelen, room, line
    character(len=*), intent(in) :: wanted
    character(len=10) :: around
    logical :: flag
    around = '??????????'
    call MPI_Info_get(info, 'key', valuelen, around(2:1 + room), flag, ierr)
    call check(ierr == MPI_SUCCESS .and. flag .and. transfer(flag, 0) == transfer(.true., 0), line)
    call check(around == '?' // wanted // repeat('?', 9 - len(wanted)), line)
  end subroutine

  ! A value into a place that is longer, as long and shorter, by its own length or by valuelen.
  subroutine cuts()
    INFO_T :: info
    character(len=10) :: around
    logical :: flag
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'key', 'abcdef', ierr)
    CUT(8, 8, 'abcdef  ')
    CUT(6, 6, 'abcdef')
    CUT(4, 4, 'abcd')
    CUT(8, 4, 'abcd')
#if defined(OF_F08)
    CUT(3, 8, 'abc?????') ! it is declared to have valuelen characters
#else
    CUT(3, 8, 'abc     ')
#endif
    around = '??????????'
    CALL(MPI_Info_get_nthkey(info, 0, around(2:3), ierr))
    CHECK(around == '?ke???????')
    around = '??????????'
    flag = .true.
    CALL(MPI_Info_get(info, 'absent', 8, around(2:9), flag, ierr))
    CHECK(.not. flag)
    CHECK(around == '??????????')
    call MPI_Info_free(info, ierr)
  end subroutine

  ! Objects, their order, and copies that do not follow each other.
  subroutine objects()
    INFO_T :: info, copy
    character(len=long_key) :: key
    integer :: n, count
    character(len=2) :: name
    call MPI_Info_create(info, ierr)
    do n = 1, 40
      write (name, '(i2)') n
      call MPI_Info_set(info, 'key' // adjustl(name), name, ierr)
    end do
    call MPI_Info_get_nkeys(info, count, ierr)
    CHECK(count == 40)
    CALL(MPI_Info_dup(info, copy, ierr))
    CHECK(copy /= info)
    call MPI_Info_set(copy, 'key7', 'other', ierr)
    call MPI_Info_delete(copy, 'key8', ierr)
    CHECK(value_of(info, 'key7') == '[7]')
    CHECK(value_of(copy, 'key7') == '[other]')
    CHECK(value_of(copy, 'key8') == 'none')
    call MPI_Info_free(info, ierr)
    call MPI_Info_get_nkeys(copy, count, ierr)
    CHECK(count == 39)
    do n = 0, count - 1
      call MPI_Info_get_nthkey(copy, n, key, ierr)
      write (name, '(i2)') merge(n + 1, n + 2, n < 7)
      CHECK(key == 'key' // adjustl(name))
    end do
    call MPI_Info_free(copy, ierr)
  end subroutine

  ! The longest key and value that the constants allow, and one character more.
  subroutine lengths()
    INFO_T :: info
    character(len=long_key) :: key
    character(len=long_value) :: value
    character(len=long_key + 2) :: key_back
    character(len=long_value + 2) :: value_back
    integer :: length
    logical :: flag
    key = repeat('k', long_key)
    value = repeat('v', long_value)
    call MPI_Info_create(info, ierr)
    CALL(MPI_Info_set(info, '  ' // key // '  ', '  ' // value // '  ', ierr))
    key_back = repeat('?', len(key_back))
    CALL(MPI_Info_get_nthkey(info, 0, key_back(2:long_key + 1), ierr))
    CHECK(key_back == '?' // key // '?')
    call MPI_Info_get_valuelen(info, key, length, flag, ierr)
    CHECK(flag)
    CHECK(length == long_value)
    value_back = repeat('?', len(value_back))
    call MPI_Info_get(info, key, long_value, value_back(2:long_value + 1), flag, ierr)
    CHECK(flag)
    CHECK(value_back == '?' // value // '?')
    CALL(MPI_Info_get_valuelen(info, 'absent', length, flag, ierr))
    CHECK(.not. flag)
#if !defined(OF_F08)
    CHECK(length == long_value)
#endif
    REFUSED(MPI_Info_set(info, key // 'k', 'v', ierr), MPI_ERR_INFO_KEY)
    REFUSED(MPI_Info_set(info, 'key', value // 'v', ierr), MPI_ERR_INFO_VALUE)
    REFUSED(MPI_Info_set(info, 'key', repeat('v', 5 * long_value), ierr), MPI_ERR_INFO_VALUE)
    call MPI_Info_get_nkeys(info, length, ierr)
    CHECK(length == 1)
    call MPI_Info_free(info, ierr)
  end subroutine

  ! With MPI_ERRORS_RETURN each error is a code, and nothing else is written.
  subroutine errors()
    INFO_T :: info, stale, null
    character(len=4) :: key
    integer :: count
    logical :: flag
    null = MPI_INFO_NULL
    call MPI_Info_create(info, ierr)
    REFUSED(MPI_Info_set(info, '   ', 'v', ierr), MPI_ERR_INFO_KEY)
    REFUSED(MPI_Info_delete(info, 'absent', ierr), MPI_ERR_INFO_NOKEY)
    key = '????'
    REFUSED(MPI_Info_get_nthkey(info, 0, key, ierr), MPI_ERR_ARG)
    CHECK(key == '????')
    REFUSED(MPI_Info_get(info, 'key', -1, key, flag, ierr), MPI_ERR_ARG)
    CHECK(key == '????')
    stale = info
    call MPI_Info_free(info, ierr)
    REFUSED(MPI_Info_set(stale, 'key', 'v', ierr), MPI_ERR_INFO)
    REFUSED(MPI_Info_free(stale, ierr), MPI_ERR_INFO)
    CHECK(stale /= MPI_INFO_NULL)
    count = -7
    REFUSED(MPI_Info_get_nkeys(null, count, ierr), MPI_ERR_INFO)
#if !defined(OF_F08)
    CHECK(count == -7)
#endif
    REFUSED(MPI_Info_free(null, ierr), MPI_ERR_INFO)
    info = MPI_INFO_NULL
    REFUSED(MPI_Info_dup(stale, info, ierr), MPI_ERR_INFO)
    CHECK(info == MPI_INFO_NULL)
  end subroutine

  ! MPI_INFO_ENV describes the process, can be copied, and cannot be changed.
  subroutine environment()
    INFO_T :: info, copy
    info = MPI_INFO_ENV
    CHECK(value_of(info, env_key) == env_value)
    CHECK(value_of(info, 'command') /= 'none')
    REFUSED(MPI_Info_set(info, 'key', 'v', ierr), MPI_ERR_INFO)
    CALL(MPI_Info_dup(info, copy, ierr))
    call MPI_Info_set(copy, env_key, 'mine', ierr)
    CHECK(value_of(copy, env_key) == '[mine]')
    CHECK(value_of(info, env_key) == env_value)
    call MPI_Info_free(copy, ierr)
  end subroutine

#if defined(HAS_4)
  ! As cut. buflen counts characters, without a NUL.
  subroutine cut_string(info, buflen, room, wanted, line)
    INFO_T, intent(in) :: info
    integer, intent(in) :: buflen, room, line
    character(len=*), intent(in) :: wanted
    character(len=10) :: around
    integer :: length
    logical :: flag
    around = '??????????'
    length = buflen
    call MPI_Info_get_string(info, ' key ', length, around(2:1 + room), flag, ierr)
    call check(ierr == MPI_SUCCESS .and. flag .and. length == 6, line)
    call check(around == '?' // wanted // repeat('?', 9 - len(wanted)), line)
  end subroutine

  subroutine strings()
    INFO_T :: info
    character(len=10) :: around
    integer :: length
    logical :: flag
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'key', 'abcdef', ierr)
    CUT_STRING(0, 8, '????????')
    CUT_STRING(6, 6, 'abcdef')
    CUT_STRING(8, 8, 'abcdef  ')
    CUT_STRING(4, 4, 'abcd')
    around = '??????????'
    length = 8
    CALL(MPI_Info_get_string(info, 'absent', length, around(2:9), flag, ierr))
    CHECK(.not. flag)
    CHECK(length == 8)
    CHECK(around == '??????????')
    call MPI_Info_free(info, ierr)
  end subroutine
#endif

#if defined(OF_F08)
  subroutine without_ierror()
    INFO_T :: info, copy
    character(len=6) :: text
    integer :: n
    logical :: flag
    call MPI_Info_create(info)
    call MPI_Info_set(info, 'key', 'value')
    call MPI_Info_dup(info, copy)
    call MPI_Info_delete(info, 'key')
    call MPI_Info_get_nkeys(info, n)
    CHECK(n == 0)
    call MPI_Info_get_nthkey(copy, 0, text)
    CHECK(text == 'key')
    call MPI_Info_get_valuelen(copy, 'key', n, flag)
    CHECK(flag .and. n == 5)
    call MPI_Info_get(copy, 'key', 6, text, flag)
    CHECK(flag .and. text == 'value')
    call MPI_Info_free(info)
    call MPI_Info_free(copy)
    CHECK(copy == MPI_INFO_NULL)
  end subroutine
#endif
end program
