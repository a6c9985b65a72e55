! SPDX-License-Identifier: BSD-3-Clause
! A program whose integers have 8 bytes, for the MPI library that has procedures for them. It prints what its infos hold, and
! what MPI makes of them. See ilp64.py.
program ilp64
    implicit none
    include 'mpif.h'
    integer :: info, other, error, number, rank, comm, file, window
    integer(kind=MPI_ADDRESS_KIND) :: memory, bytes
    character(len=MPI_MAX_INFO_KEY) :: key

    call MPI_Info_create(info, error)
    call MPI_Info_set(info, 'cb_buffer_size', '1048576', error)
    call MPI_Info_set(info, 'no_locks', 'true', error)
    call MPI_Info_set(info, 'removed', ' padded ', error)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call show('info', info)
    call MPI_Info_dup(info, other, error)
    call MPI_Info_delete(info, 'removed', error)
    call show('after a delete', info)
    call MPI_Info_get_nthkey(info, 1, key, error)
    print '(2a)', 'the second key: ', trim(key)
    call show('dup', other)
    call MPI_Info_free(other, error)
    print '(a, l2)', 'null:', other == MPI_INFO_NULL

    call MPI_File_open(MPI_COMM_WORLD, 'ilp64.data', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, info, file, error)
    call MPI_File_get_info(file, other, error)
    call show('file', other)
    call MPI_Info_free(other, error)
    call MPI_File_close(file, error)
    bytes = 64
    number = 1
    call MPI_Win_allocate(bytes, number, info, MPI_COMM_WORLD, memory, window, error)
    call MPI_Win_get_info(window, other, error)
    call show('window', other)
    call MPI_Info_free(other, error)
    call MPI_Win_free(window, error)
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, info, comm, error)
    call MPI_Comm_size(comm, number, error)
    print '(a, i0)', 'processes: ', number
    call MPI_Comm_free(comm, error)
    call MPI_Info_free(info, error)
    call MPI_Finalize(error)

contains

    subroutine show(what, handle)
        character(len=*), intent(in) :: what
        integer, intent(in) :: handle
        character(len=16), parameter :: names(3) = [character(len=16) :: 'cb_buffer_size', 'no_locks', 'removed']
        character(len=64) :: text
        integer :: keys, length, i
        logical :: found

        keys = -1
        call MPI_Info_get_nkeys(handle, keys, error)
        print '(2a, i0, a)', what, ': ', keys, ' keys'
        do i = 1, size(names)
            found = .false.
            length = len(text)
            call MPI_Info_get_valuelen(handle, names(i), length, found, error)
            if (.not. found) cycle
            call MPI_Info_get(handle, names(i), len(text), text, found, error)
            print '(4x, 3a, i0, l2)', names(i), trim(text), ' ', length, found
        end do
    end subroutine
end program
