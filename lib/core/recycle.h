/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recycle: the way of a block from its last use to its next.
 *
 *     in use --retire--> retired --detach--> detached --put--> recycled --alloc--> in use
 *
 * Retired: a reference on the block is to be dropped, and its record queues in the retire list, in stripes by the slot
 * that it comes from; the records of one object stand there in the order in which its lock was held. Detached: the
 * record is in a batch, and a grace period runs. When that has passed, core/reclaim.c drops the reference; a block
 * without references goes to the pool of its size, where the next writer finds it, or to malloc.
 *
 * Layers above the core that publish memory of their own, each with a reference on a block, retire it here too: in a
 * stripe of their own, since it is no object's.
 *
 * Callers owe: a record is retired by one who holds the lock of its object, after the block was made unreachable;
 * rcuinfo__recycle_detach, _done and _put are called by one thread at a time (the holder of reclaim's lock).
 */
#ifndef RCUINFO_CORE_RECYCLE_H
#define RCUINFO_CORE_RECYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/block.h"

#define RCUINFO__RECYCLE_STRIPES 16
#define RCUINFO__RECYCLE_STEP    ((size_t)16 << 10) /* bytes of one stripe between looks at the limits */
#define RCUINFO__RECYCLE_POOLS   56                 /* as the pool of a block: none, it is too large */
/* What the pools may keep: as much as may await a grace period, since a whole batch comes back at once. */
#define RCUINFO__RECYCLE_MOST ((size_t)16 << 20)

/* Queues a record with the bytes that wait because of it. Returns whether it is time to look at the limits. Lock-free.
 */
bool rcuinfo__recycle_retire(uint32_t slot, struct rcuinfo__record *record, size_t bytes);

/* The same for memory that is no object's and begins with the record; `bytes` are its own, and what waits besides. */
void rcuinfo__recycle_retire_foreign(struct rcuinfo__record *record, size_t bytes);

/* Counts bytes that wait because an open snapshot let go of them. */
void rcuinfo__recycle_count(size_t bytes);

/* Bytes that wait now. */
size_t rcuinfo__recycle_waiting(void);

/* Records that wait for one grace period, oldest first, linked by `link`. */
struct rcuinfo__batch {
    struct rcuinfo__record *first[RCUINFO__RECYCLE_STRIPES];
    struct rcuinfo__record *foreign;
    size_t bytes; /* ever retired, up to this batch */
};

/* Takes all that is retired. */
void rcuinfo__recycle_detach(struct rcuinfo__batch *batch);

/* The record behind one of a batch, or NULL; the one itself is IDLE from here on. */
struct rcuinfo__record *rcuinfo__recycle_next(struct rcuinfo__record *record);

/* The batch is worked off: its bytes wait no more. */
void rcuinfo__recycle_done(const struct rcuinfo__batch *batch);

/* A block of that shape, or larger, held once; NULL when there is no memory, or no block is so large. _reuse: out of
 * its pool alone, NULL when that is empty; lock-free. */
struct rcuinfo__block *rcuinfo__recycle_alloc(const struct rcuinfo__shape *shape);
struct rcuinfo__block *rcuinfo__recycle_reuse(const struct rcuinfo__shape *shape);

/* Gives a block back to malloc that nobody else has seen, or whose last reference is gone. */
void rcuinfo__recycle_free(struct rcuinfo__block *block);

/* Puts a block that nobody can reach into its pool while *pooled, which it adds to, is below the most that pools may
 * keep; else gives it back to malloc. */
void rcuinfo__recycle_put(struct rcuinfo__block *block, size_t *pooled);

/* Bytes in all pools, about; and giving them back to malloc, by any thread. */
size_t rcuinfo__recycle_kept(void);
void rcuinfo__recycle_trim(void);

#endif
