! SPDX-License-Identifier: BSD-3-Clause
!
! rcuinfo_mpi_f08: the constants and functions of rcuinfo/abi/mpi.h, like the module mpi_f08, declared as in MPI-4.0.
! The functions behave as in C, except that an INTENT(OUT) number or LOGICAL is undefined if the call does not write it.
! The value of MPI_Info_get has valuelen characters: the rest of a longer variable is not changed.
!
! A handle has one member, the INTEGER of the other interfaces. So all procedures except MPI_Info_get are the same as
! there. Each has a name of its own nevertheless, which the standard prescribes for tools.
module rcuinfo_mpi_f08
  use rcuinfo_mpi, only: MPI_VERSION, MPI_SUBVERSION, MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL, MPI_SUCCESS, MPI_ERR_ARG, &
      MPI_ERR_OTHER, MPI_ERR_INTERN, MPI_ERR_INFO_KEY, MPI_ERR_INFO_NOKEY, MPI_ERR_INFO_VALUE, MPI_ERR_INFO, &
      MPI_ERR_NO_MEM, null_integer => MPI_INFO_NULL, env_integer => MPI_INFO_ENV
  implicit none
  public
  private :: null_integer, env_integer, equal, differ

  type, bind(C) :: MPI_Info
    integer :: MPI_VAL
  end type

  type(MPI_Info), parameter :: MPI_INFO_NULL = MPI_Info(null_integer), MPI_INFO_ENV = MPI_Info(env_integer)

  interface operator(==)
    procedure equal
  end interface

  interface operator(/=)
    procedure differ
  end interface

  interface
    subroutine MPI_Info_create_f08(info, ierror)
      import :: MPI_Info
      type(MPI_Info), intent(out) :: info
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_set_f08(info, key, value, ierror)
      import :: MPI_Info
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(in) :: key, value
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_delete_f08(info, key, ierror)
      import :: MPI_Info
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(in) :: key
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_get_f08(info, key, valuelen, value, flag, ierror)
      import :: MPI_Info
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(in) :: valuelen
      character(len=valuelen), intent(out) :: value
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_get_valuelen_f08(info, key, valuelen, flag, ierror)
      import :: MPI_Info
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(out) :: valuelen
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_get_string_f08(info, key, buflen, value, flag, ierror)
      import :: MPI_Info
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(inout) :: buflen
      character(len=*), intent(out) :: value
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_get_nkeys_f08(info, nkeys, ierror)
      import :: MPI_Info
      type(MPI_Info), intent(in) :: info
      integer, intent(out) :: nkeys
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_get_nthkey_f08(info, n, key, ierror)
      import :: MPI_Info
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: n
      character(len=*), intent(out) :: key
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_dup_f08(info, newinfo, ierror)
      import :: MPI_Info
      type(MPI_Info), intent(in) :: info
      type(MPI_Info), intent(out) :: newinfo
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_free_f08(info, ierror)
      import :: MPI_Info
      type(MPI_Info), intent(inout) :: info
      integer, optional, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_create_env_f08(info, ierror)
      import :: MPI_Info
      type(MPI_Info), intent(out) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  ! The same procedures under their names for profiling tools.
  procedure(MPI_Info_create_f08) :: PMPI_Info_create_f08
  procedure(MPI_Info_set_f08) :: PMPI_Info_set_f08
  procedure(MPI_Info_delete_f08) :: PMPI_Info_delete_f08
  procedure(MPI_Info_get_f08) :: PMPI_Info_get_f08
  procedure(MPI_Info_get_valuelen_f08) :: PMPI_Info_get_valuelen_f08
  procedure(MPI_Info_get_string_f08) :: PMPI_Info_get_string_f08
  procedure(MPI_Info_get_nkeys_f08) :: PMPI_Info_get_nkeys_f08
  procedure(MPI_Info_get_nthkey_f08) :: PMPI_Info_get_nthkey_f08
  procedure(MPI_Info_dup_f08) :: PMPI_Info_dup_f08
  procedure(MPI_Info_free_f08) :: PMPI_Info_free_f08
  procedure(MPI_Info_create_env_f08) :: PMPI_Info_create_env_f08

  interface MPI_Info_create; procedure MPI_Info_create_f08; end interface
  interface PMPI_Info_create; procedure PMPI_Info_create_f08; end interface
  interface MPI_Info_set; procedure MPI_Info_set_f08; end interface
  interface PMPI_Info_set; procedure PMPI_Info_set_f08; end interface
  interface MPI_Info_delete; procedure MPI_Info_delete_f08; end interface
  interface PMPI_Info_delete; procedure PMPI_Info_delete_f08; end interface
  interface MPI_Info_get; procedure MPI_Info_get_f08; end interface
  interface PMPI_Info_get; procedure PMPI_Info_get_f08; end interface
  interface MPI_Info_get_valuelen; procedure MPI_Info_get_valuelen_f08; end interface
  interface PMPI_Info_get_valuelen; procedure PMPI_Info_get_valuelen_f08; end interface
  interface MPI_Info_get_string; procedure MPI_Info_get_string_f08; end interface
  interface PMPI_Info_get_string; procedure PMPI_Info_get_string_f08; end interface
  interface MPI_Info_get_nkeys; procedure MPI_Info_get_nkeys_f08; end interface
  interface PMPI_Info_get_nkeys; procedure PMPI_Info_get_nkeys_f08; end interface
  interface MPI_Info_get_nthkey; procedure MPI_Info_get_nthkey_f08; end interface
  interface PMPI_Info_get_nthkey; procedure PMPI_Info_get_nthkey_f08; end interface
  interface MPI_Info_dup; procedure MPI_Info_dup_f08; end interface
  interface PMPI_Info_dup; procedure PMPI_Info_dup_f08; end interface
  interface MPI_Info_free; procedure MPI_Info_free_f08; end interface
  interface PMPI_Info_free; procedure PMPI_Info_free_f08; end interface
  interface MPI_Info_create_env; procedure MPI_Info_create_env_f08; end interface
  interface PMPI_Info_create_env; procedure PMPI_Info_create_env_f08; end interface

contains

  elemental logical function equal(a, b)
    type(MPI_Info), intent(in) :: a, b
    equal = a%MPI_VAL == b%MPI_VAL
  end function

  elemental logical function differ(a, b)
    type(MPI_Info), intent(in) :: a, b
    differ = a%MPI_VAL /= b%MPI_VAL
  end function
end module
