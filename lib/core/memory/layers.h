/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layers: retired memory of a layer above the core. Its readers are read sections of liburcu-bp (core/rcu.h), which say
 * nothing, so it waits for a grace period. All functions leave errno and the cancellation state alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ck.h"
#include "core/memory/block.h"

/* Such memory begins with this. */
struct rcuinfo__layer {
    ck_stack_entry_t link;       /* [P4] field */
    struct rcuinfo__block *drop; /* the block on which the memory has a reference */
    size_t bytes;
};

/* Retires such memory, from which the layer's pointers have gone. No lock may be held: past a limit, a thread waits
 * that is in no read section. */
void rcuinfo__layers_retire(struct rcuinfo__layer *layer);

/* Reclaims everything that was retired before the call, of layers and otherwise: see rcuinfo__reclaim_flush. */
bool rcuinfo__layers_drain(void);

uint64_t rcuinfo__layers_grace_periods(void);

/* Around a fork: keeps other threads from waiting for a grace period. The last one may be called without the first. */
void rcuinfo__layers_before_fork(void);
void rcuinfo__layers_after_fork_parent(void);
void rcuinfo__layers_after_fork_child(void);
