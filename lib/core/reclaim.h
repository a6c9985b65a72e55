/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reclaim: what was dropped waits here for a grace period, then goes back to its pool.
 *
 * Records queue in stripes, by the slot that they come from. Until reclaim has been there, what an object retires after
 * its queued record stays with its slot, behind that one, so that a writer who goes on writes nothing that others
 * share. All records of one object are worked off in the order in which its lock was held, since a record may lie in
 * the very cell that a later record drops. Whoever passes the soft limit and gets the lock detaches every stripe, waits
 * for a grace period, and recycles: an object that was written to more than once gets its cells back, as its slot's
 * stash; what it has not used by the next time goes to the pools, as all else does at once.
 *
 * What stands on the core and publishes blocks of its own, each with a reference on a cell, retires them here too: in a
 * stripe of their own, since they are no object's.
 *
 * Limits are in bytes and for the whole process. They count what only a grace period keeps from reuse. The soft limit
 * starts at 512 KiB, doubles (to nearly the hard limit) when a grace period was slow, and shrinks slowly while they are
 * quick. Past the hard limit of 16 MiB a writer waits until it is not. A thread that is inside a read section, of ours
 * or of the program's, never waits.
 *
 * Callers owe: rcuinfo__reclaim_retire under the slot's lock, after the record's cell was made unreachable;
 * rcuinfo__reclaim_balance without any lock.
 */
#ifndef RCUINFO_CORE_RECLAIM_H
#define RCUINFO_CORE_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/handle.h"

#define RCUINFO__RECLAIM_HARD_LIMIT ((size_t)16 << 20) /* bytes */
#define RCUINFO__RECLAIM_SOFT_LIMIT ((size_t)512 << 10)
#define RCUINFO__RECLAIM_MOST_SOFT  (RCUINFO__RECLAIM_HARD_LIMIT / 16 * 15)
#define RCUINFO__RECLAIM_STEP       ((size_t)16 << 10) /* bytes of one stripe between looks at the limits */

/* Queues a record of the object in `slot`, with the bytes that wait because of it. Returns whether the caller should
 * call rcuinfo__reclaim_balance once it holds no lock. Wait-free, but for the first record after reclaim: lock-free. */
bool rcuinfo__reclaim_retire(struct rcuinfo__slot *slot, struct rcuinfo__record *record, size_t bytes);

/*
 * Queues memory of rcuinfo__alloc that begins with this record and that nobody can reach any more: after a grace period
 * its reference on the cell `record->drop`, which rcuinfo__cell_retire has announced unless it is the empty one, is
 * dropped, as `record->both` says, and the memory freed. `bytes` as above; the caller calls rcuinfo__reclaim_balance
 * afterwards. Lock-free.
 */
void rcuinfo__reclaim_retire_block(struct rcuinfo__record *record, size_t bytes);

/* Counts bytes that wait because an open snapshot let go of them. */
void rcuinfo__reclaim_count(size_t bytes);

/* Keeps to the limits: may wait for a grace period. Leaves errno and the cancellation state as they are. */
void rcuinfo__reclaim_balance(void);

/* Reclaims everything that was retired before the call, unless the caller is inside a read section: then false. */
bool rcuinfo__reclaim_flush(void);

/* Bytes that wait now, the most that were seen, and grace periods waited for. */
size_t rcuinfo__reclaim_waiting(void);
size_t rcuinfo__reclaim_peak(void);
uint64_t rcuinfo__reclaim_grace_periods(void);

/* Around fork(), as rcuinfo__handle_before_fork, but that it may not get the lock: then false. */
bool rcuinfo__reclaim_before_fork(void);
void rcuinfo__reclaim_after_fork(bool child, bool locked);

#endif
