! SPDX-License-Identifier: BSD-3-Clause
!
! mpif.h: the constants of mpi.h, beside it, for Fortran; in fixed and
! free form. The functions are librcuinfo_mpi_fortran's, and a handle is
! the INTEGER that MPI_Info_toint gives in C. Every call takes IERROR.
!
! No blank at either end is part of a key or a value, so the lengths
! here, which hold every key and every value, are one less than in C.
!
      integer MPI_VERSION, MPI_SUBVERSION
      parameter (MPI_VERSION=5, MPI_SUBVERSION=0)

      integer MPI_INFO_NULL, MPI_INFO_ENV
      parameter (MPI_INFO_NULL=304, MPI_INFO_ENV=305)

      integer MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL
      parameter (MPI_MAX_INFO_KEY=255, MPI_MAX_INFO_VAL=1023)

! An INTEGER has 4 bytes. With 8 (-fdefault-integer-8) every call would
! take and give half of each, so that this divides by zero.
      integer MPI_SUCCESS
      parameter (MPI_SUCCESS=0/(64-bit_size(0)))

      integer MPI_ERR_ARG, MPI_ERR_OTHER
      parameter (MPI_ERR_ARG=13, MPI_ERR_OTHER=16)
      integer MPI_ERR_INTERN, MPI_ERR_INFO_KEY
      parameter (MPI_ERR_INTERN=17, MPI_ERR_INFO_KEY=31)
      integer MPI_ERR_INFO_NOKEY, MPI_ERR_INFO_VALUE
      parameter (MPI_ERR_INFO_NOKEY=32, MPI_ERR_INFO_VALUE=33)
      integer MPI_ERR_INFO, MPI_ERR_NO_MEM
      parameter (MPI_ERR_INFO=34, MPI_ERR_NO_MEM=39)
