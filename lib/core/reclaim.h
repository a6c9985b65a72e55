/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reclaim: when to wait for a grace period, and what is done after it.
 *
 * Whoever retires more than the soft limit and gets the lock detaches the retire list (core/recycle.h), waits for a
 * grace period, and drops what was retired: blocks without references go to their pools, slots of freed objects to the
 * queue of free ones.
 *
 * Limits are in bytes and for the whole process. They count what only a grace period keeps from reuse. The soft limit
 * starts at 512 KiB, doubles (to nearly the hard limit) when a grace period was slow, and shrinks slowly while they are
 * quick. Past the hard limit of 16 MiB a writer waits until it is not. A thread that is inside a read section, of ours
 * or of the program's, never waits.
 *
 * Callers owe: all of these without a lock, but for rcuinfo__reclaim_unlock.
 */
#ifndef RCUINFO_CORE_RECLAIM_H
#define RCUINFO_CORE_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RCUINFO__RECLAIM_HARD_LIMIT ((size_t)16 << 20) /* bytes */
#define RCUINFO__RECLAIM_SOFT_LIMIT ((size_t)512 << 10)
#define RCUINFO__RECLAIM_MOST_SOFT  (RCUINFO__RECLAIM_HARD_LIMIT / 16 * 15)

/* Keeps to the limits: may wait for a grace period. Leaves errno and the cancellation state as they are. */
void rcuinfo__reclaim_balance(void);

/* Reclaims everything that was retired before the call, unless the caller may not wait: then false. */
bool rcuinfo__reclaim_flush(void);

/* The most bytes that were seen to wait, and grace periods waited for. */
size_t rcuinfo__reclaim_peak(void);
uint64_t rcuinfo__reclaim_grace_periods(void);

/* Keeps others from reclaiming, for fork. */
void rcuinfo__reclaim_lock(void);
void rcuinfo__reclaim_unlock(void);

#endif
