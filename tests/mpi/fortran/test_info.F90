! SPDX-License-Identifier: BSD-3-Clause
! The info functions of Fortran, all of them, by one interface (interface.inc): what the interface adds to the bytes
! that test_strings.c looks at, which are its constants, the lengths that the compiler passes, logicals and the
! predefined handles. In mpi_f08 a number that is INTENT(OUT) has no value when nothing is written to it. Prints "good"
! and the line of each check that fails.
#include "interface.inc"
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
  call pairs()
  call lengths()
  call errors()
#if defined(HAS_4)
  call strings()
#endif
  call same_process()
#if !defined(FLAVOUR_ABI)
  call MPI_Finalize(ierr)
#endif
  call outside()
  call MPI_Info_free(first, ierr)
  if (failed > 0) error stop 1
  print '(a)', 'good'
contains

#include "checks.inc"

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

  ! Blanks at both ends are no part of keys and values, those inside are; case counts. ierror is optional in mpi_f08.
  subroutine pairs()
    INFO_T :: info, copy
    character(len=12) :: key
    integer :: count
    CALL(MPI_Info_create(info, ierr))
    CALL(MPI_Info_set(info, '  two words ', '   a  b   ', ierr))
    CHECK(value_of(info, ' two words   ') == '[a  b]')
    CHECK(value_of(info, 'Two words') == 'none')
    key = '????????????'
    CALL(MPI_Info_get_nthkey(info, 0, key, ierr))
    CHECK(key == 'two words   ')
    CALL(MPI_Info_dup(info, copy, ierr))
    CHECK(copy /= info)
    CALL(MPI_Info_set(info, 'blanks', '     ', ierr))
    CHECK(value_of(info, 'blanks') == '[]')
    CALL(MPI_Info_delete(info, '   two words  ', ierr))
    CHECK(value_of(info, 'two words') == 'none')
    CHECK(value_of(copy, 'two words') == '[a  b]')
    CALL(MPI_Info_get_nkeys(info, count, ierr))
    CHECK(count == 1)
#if defined(OF_F08)
    call MPI_Info_set(info, 'without', 'ierror')
    call MPI_Info_get_nkeys(info, count)
    CHECK(count == 2)
#endif
    CALL(MPI_Info_free(info, ierr))
    CHECK(info == MPI_INFO_NULL)
    call MPI_Info_free(copy, ierr)
  end subroutine

  ! The longest key and value that the constants allow, with nothing written around them, and one character more; and a
  ! value that is longer than its place.
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
    CALL(MPI_Info_get_valuelen(info, key, length, flag, ierr))
    CHECK(flag .and. transfer(flag, 0) == transfer(.true., 0))
    CHECK(length == long_value)
    value_back = repeat('?', len(value_back))
    CALL(MPI_Info_get(info, key, long_value, value_back(2:long_value + 1), flag, ierr))
    CHECK(flag .and. transfer(flag, 0) == transfer(.true., 0))
    CHECK(value_back == '?' // value // '?')
    value_back = repeat('?', len(value_back))
    CALL(MPI_Info_get(info, key, 4, value_back(2:5), flag, ierr))
    CHECK(value_back(:7) == '?vvvv??')
    CALL(MPI_Info_get_valuelen(info, 'absent', length, flag, ierr))
    CHECK(.not. flag)
#if !defined(OF_F08)
    CHECK(length == long_value)
#endif
    REFUSED(MPI_Info_set(info, key // 'k', 'v', ierr), MPI_ERR_INFO_KEY)
    REFUSED(MPI_Info_set(info, 'key', value // 'v', ierr), MPI_ERR_INFO_VALUE)
    call MPI_Info_free(info, ierr)
  end subroutine

  ! With MPI_ERRORS_RETURN each error is a code, and nothing else is written.
  subroutine errors()
    INFO_T :: info, stale, null, env
    character(len=4) :: key
    integer :: count
    logical :: flag
    null = MPI_INFO_NULL
    env = MPI_INFO_ENV
    call MPI_Info_create(info, ierr)
    REFUSED(MPI_Info_set(info, '   ', 'v', ierr), MPI_ERR_INFO_KEY)
    REFUSED(MPI_Info_set(env, 'key', 'v', ierr), MPI_ERR_INFO)
    REFUSED(MPI_Info_delete(info, 'absent', ierr), MPI_ERR_INFO_NOKEY)
    key = '????'
    REFUSED(MPI_Info_get_nthkey(info, 0, key, ierr), MPI_ERR_ARG)
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

#if defined(HAS_4)
  ! buflen counts characters, without a NUL.
  subroutine strings()
    INFO_T :: info
    character(len=10) :: around
    integer :: length
    logical :: flag
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'key', 'abcdef', ierr)
    around = '??????????'
    length = 8
    CALL(MPI_Info_get_string(info, ' key ', length, around(2:9), flag, ierr))
    CHECK(flag .and. transfer(flag, 0) == transfer(.true., 0))
    CHECK(length == 6)
    CHECK(around == '?abcdef  ?')
    CALL(MPI_Info_get_string(info, 'absent', length, around(2:9), flag, ierr))
    CHECK(.not. flag)
    CHECK(length == 6)
    CHECK(around == '?abcdef  ?')
    call MPI_Info_free(info, ierr)
  end subroutine
#endif
end program
