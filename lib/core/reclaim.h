/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reclaim: waits for grace periods, and drops what was retired. How that works is told on top of reclaim.c.
 *
 * Two limits, in bytes and for the whole process, bound the memory that nothing but a grace period keeps from reuse.
 * Past the soft limit, one of the threads that retire waits for a grace period and reclaims. It starts at 512 KiB, is
 * doubled (up to nearly the hard limit) when a grace period was slow, and slowly shrinks while they are quick. Past the
 * hard limit of 16 MiB, all threads that retire wait. A thread inside a read section, ours or the program's, never
 * waits.
 *
 * Do not hold any lock when calling these functions, except the reclaim lock for rcuinfo__reclaim_unlock.
 */
#ifndef RCUINFO_CORE_RECLAIM_H
#define RCUINFO_CORE_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RCUINFO__RECLAIM_HARD_LIMIT ((size_t)16 << 20) /* bytes */
#define RCUINFO__RECLAIM_SOFT_LIMIT ((size_t)512 << 10)
#define RCUINFO__RECLAIM_MOST_SOFT  (RCUINFO__RECLAIM_HARD_LIMIT / 16 * 15)

/* Enforces the limits: may wait for a grace period. Leaves errno and the cancellation state alone. */
void rcuinfo__reclaim_balance(void);

/* Reclaims everything that was retired before the call. Returns false when the caller may not wait. */
bool rcuinfo__reclaim_flush(void);

/* The largest number of waiting bytes seen so far, and the number of grace periods. */
size_t rcuinfo__reclaim_peak(void);
uint64_t rcuinfo__reclaim_grace_periods(void);

/* The reclaim lock: keeps other threads from reclaiming during a fork. */
void rcuinfo__reclaim_lock(void);
void rcuinfo__reclaim_unlock(void);

#endif
