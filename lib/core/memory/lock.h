/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock: a mutex in two words of 32 bits, for slots and arenas. Zeroed memory is an unlocked mutex.
 *
 * After fork() every lock is free in the child, even one that another thread held: the word contains an epoch, the
 * number of forks so far, and a word of an earlier epoch counts as unlocked. Taking a lock reports whether it was held
 * at the fork, since what it protects may then be half changed.
 *
 * A waiter spins for a moment, then sleeps on a futex. Without contention, taking the lock is one atomic operation, and
 * giving it a store and a load. They are not ordered with each other, so the holder may miss a waiter that is just
 * about to sleep. Therefore the first waiter sleeps for a short time, and then looks again.
 *
 * Do not allocate or wait for anything while holding the lock of a slot.
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/order.h"

#define RCUINFO__LOCK_HELD  UINT32_C(1)
#define RCUINFO__LOCK_EPOCH UINT32_C(2) /* adds one to the epoch, the bits from here up */

typedef struct rcuinfo__lock {
    _Atomic uint32_t word;
    _Atomic uint32_t asleep; /* the futex: the word of the held lock if a thread may be sleeping, else anything else */
} rcuinfo__lock_t;

/* The word of a free lock, i.e. the current epoch. Changes only in the child of a fork, while that has one thread. */
extern _Atomic uint32_t rcuinfo__lock_free;

/* The slow paths of the two functions below. */
bool rcuinfo__lock_wait(rcuinfo__lock_t *lock);
void rcuinfo__lock_wake(rcuinfo__lock_t *lock);

/* Takes the lock. Returns true when it was left behind in a fork: its holder is a thread of the parent process, which
 * does not exist here and may have been in the middle of a write. */
static inline bool rcuinfo__lock_take(rcuinfo__lock_t *lock)
{
    /* Any other word than that of a free lock, also one of an earlier epoch, is for the slow path. */
    uint32_t seen = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__RELAXED);
    return __builtin_expect(!atomic_compare_exchange_strong_explicit(&lock->word, &seen, seen | RCUINFO__LOCK_HELD,
                                                                     RCUINFO__LOCK_TAKE, RCUINFO__RELAXED),
                            0) /* [P7] acquire */
           && rcuinfo__lock_wait(lock);
}

/* Takes the lock if it is free, also in an earlier epoch: a signal handler may have forked while its thread gave it.
 * Fails on a lock that was left behind held in a fork, which rcuinfo__lock_take takes. */
static inline bool rcuinfo__lock_try(rcuinfo__lock_t *lock)
{
    uint32_t free = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__RELAXED);
    uint32_t seen = free;
    bool is_taken;
    do
        is_taken = atomic_compare_exchange_strong_explicit(&lock->word, &seen, free | RCUINFO__LOCK_HELD,
                                                           RCUINFO__LOCK_TAKE, RCUINFO__RELAXED); /* [P7] acquire */
    while (__builtin_expect(!is_taken && !(seen & RCUINFO__LOCK_HELD), 0));
    return is_taken;
}

static inline void rcuinfo__lock_give(rcuinfo__lock_t *lock)
{
    uint32_t free = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__RELAXED);
    /* [P7] publish: what was written under the lock */
    atomic_store_explicit(&lock->word, free, RCUINFO__LOCK_GIVE);
    if (__builtin_expect(atomic_load_explicit(&lock->asleep, RCUINFO__RELAXED) == (free | RCUINFO__LOCK_HELD), 0))
        rcuinfo__lock_wake(lock);
}

/* Blocks all signals while a thread holds a process-wide lock: a signal handler that forks would wait for the lock. */
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

/* Frees every lock. Call in the child of a fork, while it has one thread. */
void rcuinfo__lock_after_fork(void);
