/* SPDX-License-Identifier: BSD-3-Clause */
/* lock: see lock.h. */
#include "core/memory/lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Before a waiter sleeps, it polls for 100 to 200 microseconds. To hand the lock over, with all lines that a set
 * writes, takes a microsecond, and a set 40 ns: so the pauses between two polls let the holder do many sets in a row.
 */
#define POLLS          12
#define SHORTEST_PAUSE 16 /* in `pause` instructions, of 20 to 50 ns */
#define LONGEST_PAUSE  512
#define SHORT_SLEEP    1000000   /* ns */
#define LONG_SLEEP     100000000 /* ns */

_Atomic uint32_t rcuinfo__lock_free;

/* Lets the other hyperthread of this core run, and leaves the loop without a pipeline flush. */
static void pause_a_moment(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory"); /* takes about as long; yield does nothing on most */
#endif
}

/* Takes the lock unless it is held, e.g. with free = 4 by the word 5. *seen receives the word that it had. */
static bool try_to_take(rcuinfo__lock_t *lock, uint32_t free, uint32_t *seen)
{
    *seen = atomic_load_explicit(&lock->word, RCUINFO__RELAXED);
    return *seen != (free | RCUINFO__LOCK_HELD) &&
           atomic_compare_exchange_strong_explicit(&lock->word, seen, free | RCUINFO__LOCK_HELD, RCUINFO__LOCK_TAKE,
                                                   RCUINFO__RELAXED); /* [P7] acquire */
}

bool rcuinfo__lock_wait(rcuinfo__lock_t *lock)
{
    uint32_t free, seen;
    int saved_errno = errno;

    for (int poll = 0, length = SHORTEST_PAUSE; poll < POLLS; poll++) {
        free = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__RELAXED); /* a signal handler may have forked */
        if (try_to_take(lock, free, &seen))
            return seen & RCUINFO__LOCK_HELD;

        for (int i = 0; i < length; i++)
            pause_a_moment();
        length = length < LONGEST_PAUSE ? 2 * length : LONGEST_PAUSE;
    }

    /* Mark the lock as having a sleeper, and try again. If that takes the lock, the mark stays, as others may be
     * asleep: our unlock wakes one, at worst for nothing. The first sleeper sleeps briefly, since the holder may have
     * looked for the mark before it was set; later ones can rely on it. Even a long sleep ends: if a signal handler
     * forks just before it, no thread in the child would wake us. */
    for (;;) {
        free = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__RELAXED);
        uint32_t held = free | RCUINFO__LOCK_HELD;
        uint32_t before = atomic_exchange_explicit(&lock->asleep, held, RCUINFO__LOCK_TAKE);
        if (try_to_take(lock, free, &seen))
            break;
        const long timeout[] = {0, before == held ? LONG_SLEEP : SHORT_SLEEP}; /* as the kernel's timespec */
        syscall(SYS_futex, &lock->asleep, FUTEX_WAIT_PRIVATE, held, timeout, NULL, 0);
    }
    errno = saved_errno;
    return seen & RCUINFO__LOCK_HELD; /* at a fork, in an earlier epoch */
}

void rcuinfo__lock_wake(rcuinfo__lock_t *lock)
{
    int saved_errno = errno;
    atomic_store_explicit(&lock->asleep, 0, RCUINFO__RELAXED);
    syscall(SYS_futex, &lock->asleep, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved_errno;
}

void rcuinfo__lock_after_fork(void)
{
    atomic_fetch_add_explicit(&rcuinfo__lock_free, RCUINFO__LOCK_EPOCH, RCUINFO__RELAXED);
}
