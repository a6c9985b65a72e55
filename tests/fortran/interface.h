! SPDX-License-Identifier: BSD-3-Clause
! interface: the three interfaces of MPI in Fortran as one. Exactly one of OF_MPIFH, OF_MPI and OF_F08 is defined by the
! build, and HAS_4 where the interface, or the interposer in front of it, has the info functions of MPI-4.0.
#if defined(OF_F08)
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#define INFO_T type(MPI_Info)
#define COMM_T type(MPI_Comm)
#define WIN_T type(MPI_Win)
#define FILE_T type(MPI_File)
#define NUMBER(handle) handle%MPI_VAL
#elif defined(OF_MPI)
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#endif
#if !defined(OF_F08)
#define INFO_T integer
#define COMM_T integer
#define WIN_T integer
#define FILE_T integer
#define NUMBER(handle) handle
#endif
#define CHECK(what) call check(what, __LINE__)
