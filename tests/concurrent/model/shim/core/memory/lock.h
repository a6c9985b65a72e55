/* SPDX-License-Identifier: BSD-3-Clause */
/* lock: in place of core/memory/lock.h, where that is not what is modelled: a lock of Relacy's. No lock was left in a
 * fork. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/order.h"

#define RCUINFO__LOCK_HELD UINT32_C(1)

typedef struct rcuinfo__lock {
    _Atomic uint32_t word;
    uint32_t asleep;
} rcuinfo__lock_t;

extern _Atomic uint32_t rcuinfo__lock_free;

bool rcuinfo__lock_take(rcuinfo__lock_t *lock);
bool rcuinfo__lock_try(rcuinfo__lock_t *lock);
void rcuinfo__lock_give(rcuinfo__lock_t *lock);

static inline void rcuinfo__lock_hold_signals(sigset_t *mask)
{
    (void)mask;
}

static inline void rcuinfo__lock_release_signals(const sigset_t *mask)
{
    (void)mask;
}
