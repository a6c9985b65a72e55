! SPDX-License-Identifier: BSD-3-Clause
! Ten steps with an info object, as programs of Fortran 77 are written:
! fixed form, mpif.h, handles are integers, every call has an IERROR.
! It is looked at where handles come and go.
!
! Build: gfortran ten_steps_77.f $(pkg-config --cflags --libs rcuinfo-mpi-fortran)
      PROGRAM STEPS
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER INFO, COPY, N, COUNT, LENGTH, IERROR
      LOGICAL FLAG
      CHARACTER*(MPI_MAX_INFO_KEY) KEYS(3)
      CHARACTER*20 TEXT

      CALL MPI_INFO_CREATE(INFO, IERROR)
      CALL CHECK(IERROR)
      CALL MPI_INFO_GET_NKEYS(INFO, COUNT, IERROR)
      WRITE (*, '(A,I1,A)') '1 create: ', COUNT, ' keys'

      CALL MPI_INFO_SET(INFO, 'host', 'node01', IERROR)
      CALL MPI_INFO_SET(INFO, 'soft', '1:8:2', IERROR)
      CALL MPI_INFO_SET(INFO, 'wdir', '/home', IERROR)
      CALL MPI_INFO_GET_NKEYS(INFO, COUNT, IERROR)
      WRITE (*, '(A,I1,A)') '2 set: ', COUNT, ' keys'

! Blanks at the ends are no part of keys and values.
      CALL MPI_INFO_SET(INFO, ' wdir ', ' /scratch ', IERROR)
      CALL MPI_INFO_GET(INFO, 'wdir', 20, TEXT, FLAG, IERROR)
      IF (.NOT. FLAG) STOP 1
      WRITE (*, '(2A)') '3 override: wdir is ', TRIM(TEXT)

      CALL MPI_INFO_GET_NKEYS(INFO, COUNT, IERROR)
      WRITE (*, '(A,I1)') '4 nkeys: ', COUNT

      DO 10 N = 1, 3
         CALL MPI_INFO_GET_NTHKEY(INFO, N - 1, KEYS(N), IERROR)
   10 CONTINUE
      WRITE (*, '(6A)') '5 nthkey: ', TRIM(KEYS(1)), ' ',
     &   TRIM(KEYS(2)), ' ', TRIM(KEYS(3))

      CALL MPI_INFO_GET_VALUELEN(INFO, 'soft', LENGTH, FLAG, IERROR)
      IF (.NOT. FLAG) STOP 1
      WRITE (*, '(A,I1)') '6 valuelen: soft ', LENGTH

      CALL MPI_INFO_GET(INFO, 'host', 20, TEXT, FLAG, IERROR)
      IF (.NOT. FLAG) STOP 1
      WRITE (*, '(2A)') '7 get: host ', TRIM(TEXT)

      CALL MPI_INFO_DUP(INFO, COPY, IERROR)
      CALL CHECK(IERROR)
      CALL MPI_INFO_GET_NKEYS(COPY, COUNT, IERROR)
      WRITE (*, '(A,I1,A)') '8 dup: ', COUNT, ' keys'

      CALL MPI_INFO_DELETE(INFO, 'soft', IERROR)
      CALL CHECK(IERROR)
      CALL MPI_INFO_GET_NKEYS(INFO, COUNT, IERROR)
      CALL MPI_INFO_GET(INFO, 'soft', 20, TEXT, FLAG, IERROR)
      IF (FLAG) STOP 1
      LENGTH = 20
      CALL MPI_INFO_GET_STRING(COPY, 'soft', LENGTH, TEXT, FLAG,
     &   IERROR)
      IF (.NOT. FLAG) STOP 1
      WRITE (*, '(A,I1,2A)') '9 delete: ', COUNT,
     &   ' keys, soft is gone; the dup has ', TEXT(1:LENGTH)

      CALL MPI_INFO_FREE(INFO, IERROR)
      CALL CHECK(IERROR)
      CALL MPI_INFO_FREE(COPY, IERROR)
      CALL CHECK(IERROR)
      IF (INFO .NE. MPI_INFO_NULL .OR. COPY .NE. MPI_INFO_NULL) STOP 1
      WRITE (*, '(A)') '10 free: both handles are null'
      END

      SUBROUTINE CHECK(IERROR)
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER IERROR
      IF (IERROR .NE. MPI_SUCCESS) STOP 1
      END
