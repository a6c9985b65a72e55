/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recycle: the way of a block from its last use to its next: the retire list, and the pools of free blocks.
 *
 *     in use --retire--> retired --detach--> detached --put--> recycled --alloc--> in use
 *
 * Retired: an object's reference on the block is to be dropped, and its record is in the retire list. The list has
 * stripes, chosen by the object's slot, so the records of one object are in the order in which they were retired.
 * Detached: the record is in a batch, which waits for a grace period. After that, core/reclaim.c drops the reference. A
 * block without references goes to the pool of its size, where the next writer finds it, or back to malloc.
 *
 * Layers above the core may publish memory of their own, with a reference on a block. They retire it here, too, in a
 * stripe of its own.
 *
 * Retire a record with the object's lock held, after its root no longer leads to the block, or its handle to the root.
 * Call rcuinfo__recycle_detach, _done and _put with the reclaim lock held.
 */
#ifndef RCUINFO_CORE_RECYCLE_H
#define RCUINFO_CORE_RECYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/block.h"

#define RCUINFO__RECYCLE_STRIPES 16
#define RCUINFO__RECYCLE_STEP                                                                                          \
    ((size_t)16 << 10)            /* the limits are checked each time a stripe has retired so many bytes */
#define RCUINFO__RECYCLE_POOLS 56 /* number of pools; as a pool: none, since the block is too large */
/* Bytes that the pools may keep: as many as may wait for a grace period, since a whole batch comes back at once. */
#define RCUINFO__RECYCLE_MOST ((size_t)16 << 20)

/* Queues a record, which makes `bytes` bytes wait. Returns whether to call rcuinfo__reclaim_balance. Lock-free. */
bool rcuinfo__recycle_retire(uint32_t slot, struct rcuinfo__record *record, size_t bytes);

/* Same for memory of another layer, which begins with the record. `bytes` includes that memory. */
void rcuinfo__recycle_retire_layer(struct rcuinfo__record *record, size_t bytes);

/* Counts the bytes of a block that began to wait for a grace period when a snapshot was closed. */
void rcuinfo__recycle_count(size_t bytes);

/* The number of bytes that wait for a grace period now. */
size_t rcuinfo__recycle_waiting(void);

/* Records that wait for the same grace period: a list for each stripe, oldest first. */
struct rcuinfo__batch {
    struct rcuinfo__record *first[RCUINFO__RECYCLE_STRIPES];
    struct rcuinfo__record *layers; /* those of the layers above */
    size_t bytes;                   /* total number of bytes retired so far, this batch included */
};

/* Moves all records from the retire list to a batch. */
void rcuinfo__recycle_detach(struct rcuinfo__batch *batch);

/* The next record of the batch, or NULL. Makes this one IDLE. */
struct rcuinfo__record *rcuinfo__recycle_next(struct rcuinfo__record *record);

/* Ends a batch: its bytes no longer wait. */
void rcuinfo__recycle_done(const struct rcuinfo__batch *batch);

/* Allocates a block of that shape or larger, with one reference and one owner; NULL without memory, or if no block can
 * be so large. _reuse takes it from its pool, or returns NULL; lock-free. */
struct rcuinfo__block *rcuinfo__recycle_alloc(const struct rcuinfo__shape *shape);
struct rcuinfo__block *rcuinfo__recycle_reuse(const struct rcuinfo__shape *shape);

/* Gives a block back to malloc: one that was never published, or whose last reference was dropped. */
void rcuinfo__recycle_free(struct rcuinfo__block *block);

/* Puts a block into its pool, or gives it back to malloc if the pools have enough. *pooled is the number of bytes in
 * the pools, which this updates. */
void rcuinfo__recycle_put(struct rcuinfo__block *block, size_t *pooled);

/* _kept returns the approximate number of bytes in the pools, and _trim gives them back to malloc. Any thread. */
size_t rcuinfo__recycle_kept(void);
void rcuinfo__recycle_trim(void);

#endif
