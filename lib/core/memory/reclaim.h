/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reclaim: retired memory, until no reader can be looking at it. The head of reclaim.c explains how that works.
 *
 * Retire a block after its root has left it, and a slot after its handle has become stale. No lock may be held: what
 * is retired may exceed a limit, at which a thread waits that is in no read section. All functions leave errno and the
 * cancellation state alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/memory/arena.h"

/* Bytes that may wait for a scan, in all arenas together. Past that, a thread that retires waits for readers. */
#define RCUINFO__RECLAIM_HARD_LIMIT ((size_t)16 << 20)

/* When more than this waits in all arenas together, each arena asks for a scan after its smallest batch. */
#define RCUINFO__RECLAIM_MUCH (RCUINFO__RECLAIM_HARD_LIMIT / 4)

/* BATCH: bytes retired in an arena after which it asks for a scan; the more waits in all arenas, the fewer are needed.
 * STEP: bytes retired between two checks of whether the arena has a batch. */
#define RCUINFO__RECLAIM_BATCH ((size_t)1 << 20)
#define RCUINFO__RECLAIM_STEP  ((size_t)32 << 10)

/* Retires a block for which rcuinfo__block_drop has returned true. Cannot fail. */
void rcuinfo__reclaim_retire(struct rcuinfo__block *block);

/* Ends what a freed object had: retires its slot, and drops its reference on its block. `owned`, as
 * rcuinfo__handle_owned said: then the slot is free at once. */
void rcuinfo__reclaim_freed(struct rcuinfo__slot *slot, bool owned);

/*
 * Reclaims everything that was retired before the call, and waits for the readers that may be looking at it. Returns
 * false when the caller may not wait, because it is in a read section itself: then what is in use stays.
 */
bool rcuinfo__reclaim_flush(void);

/* The same, but waits only until no slot is left, and not for blocks that views read. */
void rcuinfo__reclaim_flush_slots(void);

/* Gives all free blocks back to malloc. */
void rcuinfo__reclaim_trim(void);

/* Bytes of an arena that count towards the limit. */
size_t rcuinfo__reclaim_waiting_in(const struct rcuinfo__arena *arena);

/* Whether the calling thread may wait for readers: it is in no read section. */
bool rcuinfo__reclaim_may_wait(void);

/* Bytes that wait for a grace period: deferred.c counts them, and they are part of the following. */
extern _Atomic size_t rcuinfo__reclaim_deferred;

/* Bytes that wait now, and the most seen; the number of scans. */
size_t rcuinfo__reclaim_waiting(void);
size_t rcuinfo__reclaim_peak(void);
uint64_t rcuinfo__reclaim_scans(void);

void rcuinfo__reclaim_after_fork(void); /* in the child */
