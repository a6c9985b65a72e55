/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cell: the memory of one snapshot, with the count of those that hold it.
 *
 * holders counts two things at once. Low 32 bits, references: objects and open snapshots that have not dropped it; at 0
 * the cell goes. High 32 bits, owners: those that have not said that they will. An object says so when it retires its
 * reference, and drops it after a grace period; a snapshot does both at once. When owners reach 0 the bytes of the cell
 * await a grace period and nothing else, which is what the limits of reclaim count.
 *
 * A large version is settled (core/node.h) with the one that it was made of when the object drops its reference on that
 * one. An object does so in order, so a version is settled before its last reference goes; but the child of a fork
 * loses what other threads were at. There the nodes of a version that was not settled stay for ever.
 *
 * Invariant: owners <= references. Inside a read section a plain increment of both is safe on a cell that an object
 * showed: the object's reference outlives the section.
 * Callers owe: rcuinfo__cell_drop and _recycle are called by one thread at a time (the holder of reclaim's lock).
 */
#ifndef RCUINFO_CORE_CELL_H
#define RCUINFO_CORE_CELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ck.h"
#include "core/order.h"
#include "core/pool.h"
#include "core/snapshot.h"

struct rcuinfo__cell;

/*
 * A reference that an object has dropped and that awaits its grace period. It lies in the cell of the version that
 * replaced the dropped one, or in the slot of the object that was freed, so retiring allocates nothing.
 */
struct rcuinfo__record {
    ck_stack_entry_t link;      /* [P4] field: owned by the retire queue from push to the end of the grace period */
    struct rcuinfo__cell *drop; /* NULL: the record is a slot's, and the slot names the cell */
    uint32_t slot;              /* index of the object's slot */
    bool both;                  /* drop the owner with the reference: retiring left it */
};

struct rcuinfo__cell {
    _Atomic uint64_t holders;      /* [P6] field: owners << 32 | references; the drop to 0 hands the cell over */
    struct rcuinfo__record record; /* of the version that this one replaced */
    uint32_t capacity;             /* bytes for the snapshot */
    uint32_t pool;                 /* index of the pool it goes back to; RCUINFO__POOLS: to malloc */
    _Atomic uint32_t age; /* versions whose memory it was: a reader that sees it change saw its cell recycled */
    bool large;           /* as the snapshot; here, so that a flat one need not be touched when it is recycled */
    bool settled;         /* of a large one; the holder of reclaim's lock's */
    struct rcuinfo__snapshot snapshot;
};

#define RCUINFO__CELL_HOLD (UINT64_C(1) << 32 | 1)

/* The snapshot of every new object: immortal, and not counted, so that creators share no line that they write. */
extern struct rcuinfo__cell rcuinfo__cell_empty;

/* A cell for a snapshot of `bytes` bytes, held once, its content not set; NULL when there is no memory. _reuse: NULL
 * when its pool is empty; lock-free. */
struct rcuinfo__cell *rcuinfo__cell_alloc(uint64_t bytes);
struct rcuinfo__cell *rcuinfo__cell_reuse(uint64_t bytes);

/* Whether others than the caller own it too, about. */
static inline bool rcuinfo__cell_shared(const struct rcuinfo__cell *cell)
{
    return atomic_load_explicit(&cell->holders, RCUINFO__COUNT) >> 32 > 1;
}

/* Gives a cell back to malloc that nobody else has seen, or whose last reference is gone. */
void rcuinfo__cell_free(struct rcuinfo__cell *cell);

/* Adds a reference and an owner; false when there are too many (2^31: a program that never closes its snapshots). */
static inline bool rcuinfo__cell_take(struct rcuinfo__cell *cell)
{
    if (cell == &rcuinfo__cell_empty)
        return true;
    uint64_t before = atomic_fetch_add_explicit(&cell->holders, RCUINFO__CELL_HOLD, RCUINFO__REFS_TAKE);
    if (__builtin_expect((uint32_t)before < UINT32_C(1) << 31, 1))
        return true;
    atomic_fetch_sub_explicit(&cell->holders, RCUINFO__CELL_HOLD, RCUINFO__REFS_TAKE);
    return false;
}

/*
 * An owner's word that its reference will be dropped by this record after a grace period. The successor is the version
 * that replaced it, or NULL. Returns the bytes that await the grace period from now on: those of the cell when no other
 * owner is left, and of nodes that were replaced. (A dup that comes in at the same moment can make it one time more or
 * less for this cell: the limits are no finer than that.)
 */
size_t rcuinfo__cell_retire(struct rcuinfo__cell *cell, struct rcuinfo__record *record,
                            const struct rcuinfo__cell *successor);

/* Drops the reference of an open snapshot, and its owner. Returns what rcuinfo__cell_retire would. */
size_t rcuinfo__cell_close(struct rcuinfo__cell *cell);

/* Drops the reference that `both` belongs to after its grace period, and settles the version with the successor, that
 * of rcuinfo__cell_retire, which still has its reference. True: it was the last reference, and the cell is the
 * caller's, who puts it into a stash or into a pool. `pooled` as in core/pool.h. */
bool rcuinfo__cell_drop(struct rcuinfo__cell *cell, struct rcuinfo__cell *successor, bool both, size_t *pooled);

/* Puts a cell that is nobody's into its pool. */
void rcuinfo__cell_recycle(struct rcuinfo__cell *cell, size_t *pooled);

/* A stash is a list of cells that are nobody's, linked by what would be their records. */
static inline void rcuinfo__cell_stash(struct rcuinfo__cell **stash, struct rcuinfo__cell *cell)
{
    cell->record.drop = *stash;
    *stash = cell;
}

/* Takes the first cell out of a stash that is not empty, held once, its content not set. */
static inline struct rcuinfo__cell *rcuinfo__cell_unstash(struct rcuinfo__cell **stash)
{
    struct rcuinfo__cell *cell = *stash;
    *stash = cell->record.drop;
    atomic_store_explicit(&cell->holders, RCUINFO__CELL_HOLD, RCUINFO__COUNT);
    return cell;
}

#endif
