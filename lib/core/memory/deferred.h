/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deferred: memory that waits for a grace period of liburcu-bp, as with call_rcu; struct rcuinfo__deferred is its
 * rcu_head. For readers in sections of liburcu (core/rcu.h), which do not say what they read: those of hint sets. All
 * functions leave errno and the cancellation state alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ck.h"
#include "core/memory/block.h"

/* Such memory begins with this. */
struct rcuinfo__deferred {
    ck_stack_entry_t link;       /* [P4] field */
    struct rcuinfo__block *drop; /* the block on which the memory has a reference */
    size_t bytes;
};

/* Retires such memory, to which no pointer leads any more. No lock may be held: past a limit, a thread waits
 * that is in no read section. */
void rcuinfo__deferred_retire(struct rcuinfo__deferred *deferred);

/* Reclaims everything that was retired before the call, deferred and otherwise: see rcuinfo__reclaim_flush. */
bool rcuinfo__deferred_drain(void);

uint64_t rcuinfo__deferred_grace_periods(void);

/* Around a fork: keeps other threads from waiting for a grace period. The last one may be called without the first. */
void rcuinfo__deferred_before_fork(void);
void rcuinfo__deferred_after_fork_parent(void);
void rcuinfo__deferred_after_fork_child(void);
