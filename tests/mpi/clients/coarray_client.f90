! SPDX-License-Identifier: BSD-3-Clause
! A program that uses OpenCoarrays: static and allocatable coarrays, puts and gets between images, a lock, a collective.
program coarray_client
    use iso_fortran_env, only: lock_type
    implicit none
    integer, parameter :: length = 8
    integer :: row(length)[*]
    integer, allocatable :: table(:)[:]
    type(lock_type) :: door[*]
    integer :: counter[*]
    integer :: n, me, all, next, total

    me = this_image()
    all = num_images()
    next = merge(1, me + 1, me == all)
    allocate (table(length)[*])
    counter = 0
    table = -me
    row = [(100 * me + n, n=1, length)]
    sync all

    table(:)[next] = row
    sync all
    print '(a,i0,a,8i5)', "image ", me, " has the row ", table
    print '(a,i0,a,8i5)', "image ", me, " gets ", row(:)[next]

    do n = 1, 50
        lock (door[1])
        counter[1] = counter[1] + 1
        unlock (door[1])
    end do
    sync all
    total = sum(row)
    call co_sum(total)
    print '(a,i0,a,i0,a,i0)', "image ", me, " counts ", counter[1], ", sums ", total
    deallocate (table)
end program coarray_client
