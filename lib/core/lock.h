/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock: mutual exclusion in 32 bits, for the slots. Zeroed memory is a free lock, and so is one that a fork's child
 * inherits, whoever held it: the word carries the fork epoch, and a word of another epoch counts as free. Who takes a
 * lock that was held when the process was forked is told.
 *
 * A waiter spins for a moment, then sleeps in the kernel (futex). Taking and giving are one atomic exchange each.
 * Callers owe: the holder of a slot's lock allocates nothing and waits for nothing.
 */
#ifndef RCUINFO_CORE_LOCK_H
#define RCUINFO_CORE_LOCK_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/order.h"

#define RCUINFO__LOCK_HELD     UINT32_C(1)
#define RCUINFO__LOCK_SLEEPERS UINT32_C(2) /* somebody may sleep on it */
#define RCUINFO__LOCK_EPOCH    UINT32_C(4) /* one fork; above, how many there were */

typedef _Atomic uint32_t rcuinfo__lock_t;

/* The word of a free lock: a multiple of RCUINFO__LOCK_EPOCH that only a fork's child changes, while it is alone. */
extern _Atomic uint32_t rcuinfo__lock_free;

bool rcuinfo__lock_wait(rcuinfo__lock_t *lock);
void rcuinfo__lock_wake(rcuinfo__lock_t *lock);

/* Returns whether the lock was left behind: its holder is a thread of the parent process, which does not exist here,
 * and may have been in the middle of something. */
static inline bool rcuinfo__lock_take(rcuinfo__lock_t *lock)
{
    uint32_t seen = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__COUNT);
    return __builtin_expect(!atomic_compare_exchange_strong_explicit(lock, &seen, seen | RCUINFO__LOCK_HELD,
                                                                     RCUINFO__LOCK_TAKE, RCUINFO__COUNT),
                            0) /* [P7] acquire */
           && rcuinfo__lock_wait(lock);
}

/* Takes a lock that is free; one that was left behind is for rcuinfo__lock_take. */
static inline bool rcuinfo__lock_try(rcuinfo__lock_t *lock)
{
    uint32_t seen = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__COUNT);
    return atomic_compare_exchange_strong_explicit(lock, &seen, seen | RCUINFO__LOCK_HELD, RCUINFO__LOCK_TAKE,
                                                   RCUINFO__COUNT); /* [P7] acquire */
}

static inline void rcuinfo__lock_give(rcuinfo__lock_t *lock)
{
    uint32_t free = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__COUNT);
    /* [P7] publish: what the holder did */
    if (__builtin_expect(atomic_exchange_explicit(lock, free, RCUINFO__LOCK_GIVE) & RCUINFO__LOCK_SLEEPERS, 0))
        rcuinfo__lock_wake(lock);
}

/* While a thread has a process-wide lock it holds signals back: a handler that forks would wait for that lock. */
static inline void rcuinfo__lock_hold_signals(sigset_t *mask)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, mask);
}

static inline void rcuinfo__lock_release_signals(const sigset_t *mask)
{
    pthread_sigmask(SIG_SETMASK, mask, NULL);
}

/* In the child of a fork, while it has one thread: every lock is free. */
void rcuinfo__lock_after_fork(void);

#endif
