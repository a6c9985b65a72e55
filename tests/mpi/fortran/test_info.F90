! SPDX-License-Identifier: BSD-3-Clause
! All info functions of Fortran, with one interface (interface.inc): the parts that test_strings.c does not test, which
! are the constants, the lengths that the compiler passes, logicals and predefined handles. Prints "good", and the line
! of each check that fails.
#include "interface.inc"
#define IS_TRUE(flag) (flag .and. transfer(flag, 0) == transfer(.true., 0))
program test_info
  USE_MPI
  implicit none
  INCLUDE_MPI
#if defined(OF_F08) && defined(FLAVOUR_mpich)
  ! Before MPICH 5 they are C's constants, which include the NUL.
  integer, parameter :: long_key = min(MPI_MAX_INFO_KEY, 254), long_value = min(MPI_MAX_INFO_VAL, 1023)
#else
  integer, parameter :: long_key = MPI_MAX_INFO_KEY, long_value = MPI_MAX_INFO_VAL
#endif
  ! All functions of the standard.
  character(len=*), parameter :: env_keys(9) = [character(len=12) :: 'command', 'argv', 'maxprocs', 'soft', 'host', 'arch', &
    'wdir', 'file', 'thread_level']
#if !defined(FLAVOUR_abi)
  integer :: provided
#endif
  integer :: failed, ierr
  failed = 0
  call outside()
#if !defined(FLAVOUR_abi)
  CALL(MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr))
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
#endif
  call pairs()
  call lengths()
  call same_process()
#if !defined(FLAVOUR_abi)
  call MPI_Finalize(ierr)
#endif
  call outside()
  if (failed > 0) error stop 1
  print '(a)', 'good'
contains

#include "checks.inc"

  ! Functions that also work before MPI is initialized and after it is finalized.
  subroutine outside()
    INFO_T :: info
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, ' key ', ' value ', ierr)
    CHECK(value_of(info, 'key') == '[value]')
    CALL(MPI_Info_free(info, ierr))
    call MPI_Info_set(info, 'key', 'value', ierr)
    CHECK(ierr /= MPI_SUCCESS)
    call same_process()
  end subroutine

  ! A new object and MPI_INFO_ENV have the same values for the standard's keys, whatever level was requested.
  subroutine same_process()
    INFO_T :: info, env
    integer :: n
    env = MPI_INFO_ENV
#if defined(HAS_4) && !(defined(OF_F08) && defined(FLAVOUR_mpich)) /* whose procedure, in 4.0, passes other arguments */
    CALL(MPI_Info_create_env(info, ierr))
#else
    CALL(MPI_Info_dup(env, info, ierr))
#endif
    do n = 1, size(env_keys)
      CHECK(value_of(info, env_keys(n)) == value_of(env, env_keys(n)))
    end do
    CHECK(value_of(env, 'thread_level') == 'none')
    CHECK(value_of(info, 'maxprocs') == '[1]')
    CALL(MPI_Info_free(info, ierr))
    CHECK(info == MPI_INFO_NULL)
  end subroutine

  ! Blanks at both ends are not part of keys and values; inner blanks are. ierror is optional in mpi_f08.
  subroutine pairs()
    INFO_T :: info, copy
    integer :: count
    CALL(MPI_Info_create(info, ierr))
    CALL(MPI_Info_set(info, '  two words ', '   a  b   ', ierr))
    CHECK(value_of(info, ' two words   ') == '[a  b]')
    CALL(MPI_Info_dup(info, copy, ierr))
    CHECK(copy /= info)
    CALL(MPI_Info_delete(info, '   two words  ', ierr))
    CHECK(value_of(info, 'two words') == 'none')
    CHECK(value_of(copy, 'two words') == '[a  b]')
    CALL(MPI_Info_get_nkeys(info, count, ierr))
    CHECK(count == 0)
#if defined(OF_F08)
    call MPI_Info_set(info, 'without', 'ierror')
    call MPI_Info_get_nkeys(info, count)
    CHECK(count == 1)
#endif
    CALL(MPI_Info_free(info, ierr))
    CHECK(info == MPI_INFO_NULL)
    call MPI_Info_free(copy, ierr)
  end subroutine

  ! The longest key and value that the constants allow, without writes beyond the variables, and one character more. The
  ! variables have room for a blank: the procedures of Open MPI 5.0.7 replace the last character of a longer text by a NUL,
  ! and that of get_string writes one character beyond them.
  subroutine lengths()
    INFO_T :: info
    character(len=long_key) :: key
    character(len=long_value) :: value
    character(len=long_key + 3) :: key_back
    character(len=long_value + 3) :: value_back
    integer :: length
    logical :: flag
    key = repeat('k', long_key)
    value = repeat('v', long_value)
    call MPI_Info_create(info, ierr)
    CALL(MPI_Info_set(info, '  ' // key // '  ', '  ' // value // '  ', ierr))
    key_back = repeat('?', len(key_back))
    CALL(MPI_Info_get_nthkey(info, 0, key_back(2:long_key + 2), ierr))
    CHECK(key_back == '?' // key // ' ?')
    CALL(MPI_Info_get_valuelen(info, key, length, flag, ierr))
    CHECK(IS_TRUE(flag) .and. length == long_value)
    value_back = repeat('?', len(value_back))
    CALL(MPI_Info_get(info, key, long_value, value_back(2:long_value + 2), flag, ierr))
    CHECK(IS_TRUE(flag) .and. value_back(:long_value + 1) == '?' // value .and. value_back(long_value + 3:) == '?')
#if defined(HAS_4)
    value_back = repeat('?', len(value_back))
    length = long_value
    CALL(MPI_Info_get_string(info, key, length, value_back(2:long_value + 1), flag, ierr))
    CHECK(IS_TRUE(flag) .and. length == long_value .and. value_back(:long_value + 1) == '?' // value)
#endif
    CALL(MPI_Info_get_valuelen(info, 'absent', length, flag, ierr))
    CHECK(.not. flag)
    REFUSED(MPI_Info_set(info, key // 'k', 'v', ierr), MPI_ERR_INFO_KEY)
    REFUSED(MPI_Info_set(info, 'key', value // 'v', ierr), MPI_ERR_INFO_VALUE)
    call MPI_Info_free(info, ierr)
  end subroutine
end program
