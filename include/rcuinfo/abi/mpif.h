! SPDX-License-Identifier: BSD-3-Clause
!
! mpif.h: the constants of mpi.h for Fortran, in fixed and free form.
! The functions are in librcuinfo_mpi_fortran. A handle is an INTEGER,
! that of MPI_Info_toint in C. Every call has the argument IERROR.
!
! Keys and values have no leading or trailing blanks. The lengths of the
! longest ones are one less than the sizes in C, which include a NUL.
!
      integer MPI_VERSION, MPI_SUBVERSION
      parameter (MPI_VERSION=5, MPI_SUBVERSION=0)

      integer MPI_INFO_NULL, MPI_INFO_ENV
      parameter (MPI_INFO_NULL=304, MPI_INFO_ENV=305)

      integer MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL
      parameter (MPI_MAX_INFO_KEY=255, MPI_MAX_INFO_VAL=1023)

! INTEGER must have 4 bytes. If it has 8 (-fdefault-integer-8), the
! functions would read and write half of each, so this fails to compile
! with a division by zero.
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
