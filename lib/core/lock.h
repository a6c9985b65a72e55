/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock: mutual exclusion in 32 bits, for the slots. Zeroed memory is a free lock, and so is one that a fork's child
 * inherits, whoever held it: the word carries the fork epoch, and a word of another epoch counts as free.
 *
 * A waiter spins for a moment, then sleeps in the kernel (futex). Taking and giving are one atomic exchange each.
 * Callers owe: the holder of a slot's lock allocates nothing and waits for nothing, since who reclaims waits for it.
 */
#ifndef RCUINFO_CORE_LOCK_H
#define RCUINFO_CORE_LOCK_H

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

/* Locks that the calling thread holds. A fork out of a signal handler must not wait for one who waits for these. */
extern _Thread_local unsigned rcuinfo__lock_holding;

void rcuinfo__lock_wait(rcuinfo__lock_t *lock);
void rcuinfo__lock_wake(rcuinfo__lock_t *lock);

static inline void rcuinfo__lock_take(rcuinfo__lock_t *lock)
{
    uint32_t seen = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__COUNT);
    rcuinfo__lock_holding++;
    if (__builtin_expect(!atomic_compare_exchange_strong_explicit(lock, &seen, seen | RCUINFO__LOCK_HELD,
                                                                  RCUINFO__LOCK_TAKE, RCUINFO__COUNT),
                         0)) /* [P7] consume */
        rcuinfo__lock_wait(lock);
}

static inline void rcuinfo__lock_give(rcuinfo__lock_t *lock)
{
    uint32_t free = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__COUNT);
    /* [P7] publish: what the holder did */
    if (__builtin_expect(atomic_exchange_explicit(lock, free, RCUINFO__LOCK_GIVE) & RCUINFO__LOCK_SLEEPERS, 0))
        rcuinfo__lock_wake(lock);
    rcuinfo__lock_holding--;
}

/* In the child of a fork, while it has one thread: every lock is free. */
void rcuinfo__lock_after_fork(void);

#endif
