! SPDX-License-Identifier: BSD-3-Clause
! An ordinary hybrid program in Fortran, by mpi_f08 and OpenMP, that knows nothing of rcuinfo; what shared_info.c does. On
! each rank several threads set, get, delete, walk and dup one info object, while the first thread hands the same object
! to MPI_Win_allocate, MPI_File_open and MPI_Comm_dup_with_info.
!
! Usage: shared_info [-s SECONDS] [-t THREADS] [-d DIRECTORY FOR A SMALL FILE]
!
! Every value proves itself: it says which thread wrote it and with which number, and the rest, of varying length, follows
! from the number. What does not hold together counts as torn. Each thread sets a key of its own with increasing numbers;
! a reader that finds a smaller number after a greater one, or the writer that does not find its own last one, counts it
! as wrong (order). A call that fails although it may not counts as an error.
!
! Prints a line for each rank and one for all. Exit status 1 when anything was torn, wrong or an error.
module shared_work
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: iso_c_binding, only: c_ptr
  use mpi_f08
  implicit none
  integer, parameter :: most_threads = 64, most_tail = 200, none = -1, spares = 4, value_size = 220
  integer, parameter :: gets = 1, sets = 2, deletes = 3, walks = 4, dups = 5, calls = 6, torn = 7, wrong = 8, errors = 9
  character(len=7), parameter :: count_names(9) = &
    [character(len=7) :: 'gets', 'sets', 'deletes', 'walks', 'dups', 'mpi', 'torn', 'wrong', 'errors']
  character(len=*), parameter :: hint_key = 'which_accumulate_ops', hint_value = 'sum,max,cswap'

  type :: worker
    integer :: id = 0
    integer(int64) :: random = 0
    integer :: written = none ! the number that is in the own key now; none: the key was deleted
    integer :: next = 0       ! the number to write next
    integer :: seen(0:most_threads - 1) = none ! the greatest number met in the key of each thread
    integer(int64) :: counts(9) = 0
  end type

  character(len=32) :: own_key(0:most_threads - 1), spare_key(0:spares - 1, 0:most_threads - 1)
  character(len=26 + most_tail) :: letters
  type(MPI_Info) :: shared
  integer :: threads = 4
  logical :: stopped = .false.

contains

  integer function pick(me, below)
    type(worker), intent(inout) :: me
    integer, intent(in) :: below
    me%random = ieor(me%random, ishft(me%random, 13))
    me%random = ieor(me%random, ishft(me%random, -7))
    me%random = ieor(me%random, ishft(me%random, 17))
    pick = int(modulo(me%random, int(below, int64)))
  end function

  subroutine count_one(me, what)
    type(worker), intent(inout) :: me
    integer, intent(in) :: what
    me%counts(what) = me%counts(what) + 1
  end subroutine

  ! Whether a call succeeded; one that did not is an error.
  logical function good(me, ierror)
    type(worker), intent(inout) :: me
    integer, intent(in) :: ierror
    good = ierror == MPI_SUCCESS
    if (.not. good) call count_one(me, errors)
  end function

  ! Whole texts, made once: what a thread does between two calls should cost little beside the calls.
  subroutine make_texts()
    integer :: thread, n
    do thread = 0, most_threads - 1
      write (own_key(thread), '(a,i0)') 'own_', thread
      do n = 0, spares - 1
        write (spare_key(n, thread), '(a,i0,a,i0)') 'spare_', thread, '_', n
      end do
    end do
    do n = 1, len(letters)
      letters(n:n) = achar(iachar('a') + mod(n - 1, 26))
    end do
  end subroutine

  subroutine put_digits(text, number)
    character(len=*), intent(out) :: text
    integer, intent(in) :: number
    integer :: n, rest
    rest = number
    do n = len(text), 1, -1
      text(n:n) = achar(iachar('0') + mod(rest, 10))
      rest = rest / 10
    end do
  end subroutine

  ! The number that some digits make; none when one of them is something else.
  integer function take_digits(text) result(number)
    character(len=*), intent(in) :: text
    integer :: n
    number = none
    if (verify(text, '0123456789') /= 0) return
    number = 0
    do n = 1, len(text)
      number = number * 10 + iachar(text(n:n)) - iachar('0')
    end do
  end function

  ! "thread.number.tail", the tail made from the number: its length and where in the alphabet it starts. The rest is blank.
  subroutine make_value(thread, number, value)
    integer, intent(in) :: thread, number
    character(len=value_size), intent(out) :: value
    integer :: start
    start = 1 + mod(number, 26)
    call put_digits(value(1:2), thread)
    value(3:3) = '.'
    call put_digits(value(4:12), number)
    value(13:) = '.' // letters(start:start + tail_length(number) - 1)
  end subroutine

  integer function tail_length(number)
    integer, intent(in) :: number
    tail_length = int(mod(int(number, int64) * 37, int(most_tail, int64)))
  end function

  ! The number in a value of a thread's; none when it is torn.
  integer function read_value(thread, value) result(number)
    integer, intent(in) :: thread
    character(len=value_size), intent(in) :: value
    character(len=value_size) :: whole
    number = take_digits(value(4:12))
    if (number == none) return
    call make_value(thread, number, whole)
    if (value /= whole) number = none
  end function

  subroutine set_own(me)
    type(worker), intent(inout) :: me
    character(len=value_size) :: value
    integer :: ierror
    call make_value(me%id, me%next, value)
    call MPI_Info_set(shared, own_key(me%id), value, ierror)
    if (.not. good(me, ierror)) return
    call count_one(me, sets)
    me%written = me%next
    me%next = me%next + 1
  end subroutine

  ! Sets a key and deletes it again; both are this thread's alone, so both must succeed.
  subroutine come_and_go(me)
    type(worker), intent(inout) :: me
    character(len=value_size) :: value
    integer :: ierror, n
    n = pick(me, spares)
    call make_value(me%id, me%next, value)
    call MPI_Info_set(shared, spare_key(n, me%id), value, ierror)
    if (.not. good(me, ierror)) return
    call count_one(me, sets)
    call MPI_Info_delete(shared, spare_key(n, me%id), ierror)
    if (good(me, ierror)) call count_one(me, deletes)
  end subroutine

  subroutine delete_own(me)
    type(worker), intent(inout) :: me
    integer :: ierror
    if (me%written == none) return
    call MPI_Info_delete(shared, own_key(me%id), ierror)
    if (.not. good(me, ierror)) return
    call count_one(me, deletes)
    me%written = none
  end subroutine

  ! Reads the key of a thread in the shared object, or in a dup of it that was made just now.
  subroutine get_from(me, info, thread)
    type(worker), intent(inout) :: me
    type(MPI_Info), intent(in) :: info
    integer, intent(in) :: thread
    character(len=value_size) :: value
    integer :: number, ierror
    logical :: flag
    call MPI_Info_get(info, own_key(thread), len(value), value, flag, ierror)
    if (.not. good(me, ierror)) return
    call count_one(me, gets)
    if (thread == me%id .and. (flag .neqv. me%written /= none)) call count_one(me, wrong)
    if (.not. flag) return
    number = read_value(thread, value)
    if (number == none) then
      call count_one(me, torn)
    else if (number < me%seen(thread) .or. (thread == me%id .and. number /= me%written)) then
      call count_one(me, wrong)
    else
      me%seen(thread) = number
    end if
  end subroutine

  ! The one pair that nobody writes: neither may the MPI that was given the object.
  subroutine get_hint(me)
    type(worker), intent(inout) :: me
    character(len=40) :: value
    integer :: ierror
    logical :: flag
    call MPI_Info_get(shared, hint_key, len(value), value, flag, ierror)
    if (.not. good(me, ierror)) return
    call count_one(me, gets)
    if (.not. flag) value = ''
    if (value /= hint_value) call count_one(me, torn)
  end subroutine

  logical function known_key(key)
    character(len=*), intent(in) :: key
    known_key = key == hint_key .or. any(own_key(:threads - 1) == key) .or. any(spare_key(:, :threads - 1) == key)
  end function

  ! Others write meanwhile, so keys may be met twice or not at all, and the last may be gone: an error past the end.
  subroutine walk(me)
    type(worker), intent(inout) :: me
    character(len=MPI_MAX_INFO_KEY) :: key
    integer :: n, nkeys, ierror
    call MPI_Info_get_nkeys(shared, nkeys, ierror)
    if (.not. good(me, ierror)) return
    if (nkeys < 1 .or. nkeys > 1 + threads * (1 + spares)) call count_one(me, torn)
    do n = 0, nkeys - 1
      call MPI_Info_get_nthkey(shared, n, key, ierror)
      if (ierror /= MPI_SUCCESS) exit
      if (.not. known_key(key)) call count_one(me, torn)
    end do
    call count_one(me, walks)
  end subroutine

  subroutine dup_and_read(me)
    type(worker), intent(inout) :: me
    type(MPI_Info) :: copy
    integer :: thread, ierror
    call MPI_Info_dup(shared, copy, ierror)
    if (.not. good(me, ierror)) return
    call count_one(me, dups)
    do thread = 0, threads - 1
      call get_from(me, copy, thread)
    end do
    call MPI_Info_free(copy, ierror)
    if (.not. good(me, ierror)) return
  end subroutine

  subroutine work(me)
    type(worker), intent(inout) :: me
    logical :: over
    integer :: n
    do
      !$omp atomic read
      over = stopped
      if (over) exit
      call set_own(me)
      do n = 1, 8
        call get_from(me, shared, pick(me, threads))
      end do
      select case (pick(me, 16))
      case (0)
        call dup_and_read(me)
      case (1:2)
        call walk(me)
      case (3)
        call delete_own(me)
      case (4:5)
        call come_and_go(me)
      case default
        call get_hint(me)
      end select
    end do
  end subroutine

  ! Hands the shared object to MPI, each time to three procedures. The file is this rank's own: no shared disk needed.
  subroutine hand_over(me, file_name)
    type(worker), intent(inout) :: me
    character(len=*), intent(in) :: file_name
    type(MPI_Win) :: window
    type(MPI_File) :: file
    type(MPI_Comm) :: comm
    type(c_ptr) :: base
    integer(kind=MPI_ADDRESS_KIND) :: bytes
    integer :: ierror
    bytes = 4096
    call MPI_Win_allocate(bytes, 1, shared, MPI_COMM_WORLD, base, window, ierror)
    if (good(me, ierror)) call MPI_Win_free(window)
    call MPI_File_open(MPI_COMM_SELF, file_name, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, shared, &
                       file, ierror)
    if (good(me, ierror)) call MPI_File_close(file)
    call MPI_Comm_dup_with_info(MPI_COMM_WORLD, shared, comm, ierror)
    if (good(me, ierror)) call MPI_Comm_free(comm)
    me%counts(calls) = me%counts(calls) + 3
  end subroutine

  ! Runs the threads until rank 0 says that the time is over; the first one hands over. Adds up in total.
  subroutine run(rank, seconds, file_name, total)
    use omp_lib, only: omp_get_thread_num
    integer, intent(in) :: rank
    real(real64), intent(inout) :: seconds
    character(len=*), intent(in) :: file_name
    type(worker), intent(inout) :: total
    type(worker) :: me
    real(real64) :: start
    logical :: go_on
    start = MPI_Wtime()
    !$omp parallel num_threads(threads + 1) default(shared) private(me)
    if (omp_get_thread_num() == 0) then
      go_on = .true.
      do while (go_on)
        call hand_over(total, file_name)
        go_on = MPI_Wtime() - start < seconds
        call MPI_Bcast(go_on, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD)
      end do
      !$omp atomic write
      stopped = .true.
    else
      me = worker()
      me%id = omp_get_thread_num() - 1
      me%random = 88172645463325252_int64 + rank * most_threads + me%id
      call work(me)
      !$omp critical
      total%counts = total%counts + me%counts
      !$omp end critical
    end if
    !$omp end parallel
    seconds = MPI_Wtime() - start
  end subroutine

  subroutine print_counts(who, number, counts, seconds)
    character(len=*), intent(in) :: who
    integer, intent(in) :: number
    integer(int64), intent(in) :: counts(9)
    real(real64), intent(in) :: seconds
    character(len=400) :: line
    integer :: n
    write (line, '(3a,i0)') 'shared_info: ', who, ' ', number
    do n = 1, 9
      write (line(len_trim(line) + 1:), '(3a,i0)') ' ', trim(count_names(n)), ' ', counts(n)
    end do
    write (line(len_trim(line) + 1:), '(a,f0.3)') ' seconds ', seconds
    print '(a)', trim(line)
    flush (6)
  end subroutine
end module

program shared_info
  use shared_work
  implicit none
  type(worker) :: total
  integer(int64) :: sums(9)
  real(real64) :: seconds = 2, longest
  character(len=400) :: directory = '/tmp', file_name
  integer :: provided, rank, size, ierror
  call read_options()
  call make_texts()
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  if (provided < MPI_THREAD_MULTIPLE) error stop 'shared_info: this MPI does not provide MPI_THREAD_MULTIPLE'
  write (file_name, '(2a,i0,a,i0)') trim(directory), '/shared_info_f.', rank, '.', getpid()

  call MPI_Info_create(shared)
  call MPI_Info_set(shared, hint_key, hint_value)
  call run(rank, seconds, trim(file_name), total)
  call MPI_Info_free(shared, ierror)
  if (.not. good(total, ierror)) print '(a)', 'the object could not be freed'

  call print_counts('rank', rank, total%counts, seconds)
  sums = total%counts
  call MPI_Reduce(total%counts, sums, 9, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD)
  call MPI_Reduce(seconds, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD)
  if (rank == 0) call print_counts('ranks', size, sums, longest)
  call MPI_Finalize()
  if (sum(sums(torn:errors)) /= 0) error stop 1
contains
  subroutine read_options()
    character(len=400) :: option, value
    integer :: n, status
    do n = 1, command_argument_count(), 2
      call get_command_argument(n, option)
      call get_command_argument(n + 1, value)
      status = 1
      if (option == '-s') read (value, *, iostat=status) seconds
      if (option == '-t') read (value, *, iostat=status) threads
      if (option == '-d') status = 0
      if (option == '-d') directory = value
      if (status /= 0 .or. threads < 1 .or. threads > most_threads) &
        error stop 'usage: shared_info [-s SECONDS] [-t THREADS, at most 64] [-d DIRECTORY]'
    end do
  end subroutine
end program
