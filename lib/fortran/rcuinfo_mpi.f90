! SPDX-License-Identifier: BSD-3-Clause
!
! rcuinfo_mpi: the constants and functions of rcuinfo/abi/mpi.h, like the module mpi: a handle is an INTEGER, and the
! compiler checks the arguments of each call. The functions behave as in C.
!
! Here the standard leaves INTENT to the library. INTENT(INOUT) arguments keep their values if the call does not write
! them.
module rcuinfo_mpi
  implicit none
  public
  include 'mpif.h'

  interface
    subroutine MPI_Info_create(info, ierror)
      integer, intent(out) :: info, ierror
    end subroutine

    subroutine MPI_Info_set(info, key, value, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key, value
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_delete(info, key, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_get(info, key, valuelen, value, flag, ierror)
      integer, intent(in) :: info, valuelen
      character(len=*), intent(in) :: key
      character(len=*), intent(inout) :: value
      logical, intent(inout) :: flag
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(inout) :: valuelen
      logical, intent(inout) :: flag
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_get_string(info, key, buflen, value, flag, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(inout) :: buflen
      character(len=*), intent(inout) :: value
      logical, intent(inout) :: flag
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_get_nkeys(info, nkeys, ierror)
      integer, intent(in) :: info
      integer, intent(inout) :: nkeys
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_get_nthkey(info, n, key, ierror)
      integer, intent(in) :: info, n
      character(len=*), intent(inout) :: key
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_dup(info, newinfo, ierror)
      integer, intent(in) :: info
      integer, intent(out) :: newinfo, ierror
    end subroutine

    subroutine MPI_Info_free(info, ierror)
      integer, intent(inout) :: info
      integer, intent(out) :: ierror
    end subroutine

    subroutine MPI_Info_create_env(info, ierror)
      integer, intent(out) :: info, ierror
    end subroutine
  end interface

  ! The same procedures under their names for profiling tools.
  procedure(MPI_Info_create) :: PMPI_Info_create
  procedure(MPI_Info_set) :: PMPI_Info_set
  procedure(MPI_Info_delete) :: PMPI_Info_delete
  procedure(MPI_Info_get) :: PMPI_Info_get
  procedure(MPI_Info_get_valuelen) :: PMPI_Info_get_valuelen
  procedure(MPI_Info_get_string) :: PMPI_Info_get_string
  procedure(MPI_Info_get_nkeys) :: PMPI_Info_get_nkeys
  procedure(MPI_Info_get_nthkey) :: PMPI_Info_get_nthkey
  procedure(MPI_Info_dup) :: PMPI_Info_dup
  procedure(MPI_Info_free) :: PMPI_Info_free
  procedure(MPI_Info_create_env) :: PMPI_Info_create_env
end module
