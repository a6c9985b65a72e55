/* SPDX-License-Identifier: BSD-3-Clause */
/* cell: see cell.h. */
#include "core/cell.h"

#include "core/alloc.h"
#include "core/check.h"

#define HEADER_BYTES   offsetof(struct rcuinfo__cell, snapshot)
#define SMALLEST_BYTES 128 /* one pool for all small cells: a block serves again though a text got longer */

struct rcuinfo__cell rcuinfo__cell_empty = {
    .holders = RCUINFO__CELL_HOLD,
    .capacity = RCUINFO__SNAPSHOT_EMPTY,
    .pool = RCUINFO__POOLS,
    .snapshot = {.bytes = RCUINFO__SNAPSHOT_EMPTY,
                 .entries = RCUINFO__SNAPSHOT_EMPTY,
                 .index = RCUINFO__SNAPSHOT_EMPTY,
                 .text = RCUINFO__SNAPSHOT_EMPTY},
};

/* The pool for a cell with so many bytes for the snapshot, and in *bytes those that it will have. */
static uint32_t pool_for(uint64_t *bytes)
{
    *bytes += HEADER_BYTES;
    if (*bytes < SMALLEST_BYTES)
        *bytes = SMALLEST_BYTES;
    uint32_t pool = rcuinfo__pool_of(bytes);
    *bytes -= HEADER_BYTES;
    return pool;
}

static struct rcuinfo__cell *make(struct rcuinfo__cell *cell, uint32_t pool, uint64_t bytes)
{
    atomic_store_explicit(&cell->holders, RCUINFO__CELL_HOLD, RCUINFO__COUNT);
    cell->capacity = (uint32_t)bytes;
    cell->pool = pool;
    cell->large = false;
    return cell;
}

struct rcuinfo__cell *rcuinfo__cell_reuse(uint64_t bytes)
{
    uint32_t pool = pool_for(&bytes);
    struct rcuinfo__cell *cell = pool == RCUINFO__POOLS ? NULL : rcuinfo__pool_take(pool);
    return cell ? make(cell, pool, bytes) : NULL;
}

struct rcuinfo__cell *rcuinfo__cell_alloc(uint64_t bytes)
{
    if (bytes > UINT32_MAX - HEADER_BYTES)
        return NULL;
    struct rcuinfo__cell *cell = rcuinfo__cell_reuse(bytes);
    if (cell)
        return cell;
    uint32_t pool = pool_for(&bytes);
    cell = rcuinfo__alloc((size_t)bytes + HEADER_BYTES);
    if (!cell)
        return NULL;
    atomic_init(&cell->age, 0);
    return make(cell, pool, bytes);
}

void rcuinfo__cell_free(struct rcuinfo__cell *cell)
{
    rcuinfo__alloc_free(cell);
}

/* What no other version has: bytes that wait once nobody will use the cell any more. */
static size_t bytes_of(const struct rcuinfo__cell *cell)
{
    return cell->capacity + (cell->large ? (size_t)rcuinfo__snapshot_tree(&cell->snapshot)->own : 0);
}

/* Whether one version was made of the other, and they have nodes in common. */
static bool derived(const struct rcuinfo__cell *cell, const struct rcuinfo__cell *successor)
{
    return cell->large && successor && successor->large;
}

size_t rcuinfo__cell_retire(struct rcuinfo__cell *cell, struct rcuinfo__record *record,
                            const struct rcuinfo__cell *successor)
{
    size_t replaced = 0;
    size_t bytes = cell->capacity;
    if (derived(cell, successor)) /* the rest is the successor's */
        replaced = (size_t)rcuinfo__snapshot_tree(&successor->snapshot)->replaced_bytes;
    else
        bytes = bytes_of(cell);
    /* Sole holder: spare the cell a write. A dup that comes in between holds for itself, and both is dropped for us. */
    record->both = atomic_load_explicit(&cell->holders, RCUINFO__COUNT) == RCUINFO__CELL_HOLD;
    if (record->both)
        return bytes + replaced;
    uint64_t before = atomic_fetch_sub_explicit(&cell->holders, UINT64_C(1) << 32, RCUINFO__COUNT);
    RCUINFO__CHECK(before >> 32);
    return (before >> 32 == 1 ? bytes : 0) + replaced;
}

/* Whether the reference was the last one; *owners is how many are left. The caller's reference is the only way to the
 * cell: it is unpublished and its grace period is over, or it is an open snapshot's. */
static bool drop(struct rcuinfo__cell *cell, bool both, uint64_t *owners)
{
    uint64_t less = both ? RCUINFO__CELL_HOLD : 1;
    uint64_t left = 0;
    /* The sole holder of what nobody can reach any more needs no exchange. [P6] consume */
    if (!both || atomic_load_explicit(&cell->holders, RCUINFO__REFS_SOLE) != RCUINFO__CELL_HOLD)
        /* [P6] publish: what was read of the cell happens before it is used again. [P6] consume */
        left = atomic_fetch_sub_explicit(&cell->holders, less, RCUINFO__REFS_DROP) - less;
    *owners = left >> 32;
    RCUINFO__CHECK(*owners <= (uint32_t)left);
    if ((uint32_t)left)
        return false;
    uint32_t age = atomic_load_explicit(&cell->age, RCUINFO__COUNT);
    atomic_store_explicit(&cell->age, age + 1, RCUINFO__COUNT);
    return true;
}

/* The last reference is gone: nobody has the version any more. Of one that was not settled with the one before, the
 * nodes may be that one's: see cell.h. */
static void drop_tree(struct rcuinfo__cell *cell, size_t *pooled)
{
    if (cell->large && cell->settled)
        rcuinfo__tree_drop(rcuinfo__snapshot_tree(&cell->snapshot), pooled);
}

size_t rcuinfo__cell_close(struct rcuinfo__cell *cell)
{
    uint64_t owners;
    if (cell == &rcuinfo__cell_empty)
        return 0;
    size_t bytes = bytes_of(cell); /* the cell may be gone after the drop */
    if (drop(cell, true, &owners)) {
        drop_tree(cell, NULL);
        rcuinfo__cell_free(cell);
        return 0;
    }
    return owners ? 0 : bytes;
}

/* Whether the caller's reference is the only one. Nobody can add another then. */
static bool sole(struct rcuinfo__cell *cell)
{
    return (uint32_t)atomic_load_explicit(&cell->holders, RCUINFO__REFS_SOLE) == 1; /* [P6] consume */
}

/*
 * Settles the versions: the older one's roots go to the list of what was replaced, with the reference if that is the
 * last, else they are shared with the newer first, since the others may drop theirs any time.
 */
static bool drop_settling(struct rcuinfo__cell *cell, struct rcuinfo__cell *successor, bool both, size_t *pooled)
{
    uint64_t owners;
    bool handed_over = cell->settled && sole(cell);
    if (!handed_over)
        rcuinfo__tree_share(rcuinfo__snapshot_tree(&cell->snapshot));
    bool last = drop(cell, both, &owners);
    if (last && !handed_over)
        drop_tree(cell, pooled);
    rcuinfo__tree_settle(rcuinfo__snapshot_tree(&successor->snapshot), pooled);
    successor->settled = true;
    return last;
}

bool rcuinfo__cell_drop(struct rcuinfo__cell *cell, struct rcuinfo__cell *successor, bool both, size_t *pooled)
{
    uint64_t owners;
    if (cell == &rcuinfo__cell_empty)
        return false;
    if (derived(cell, successor))
        return drop_settling(cell, successor, both, pooled);
    if (!drop(cell, both, &owners))
        return false;
    drop_tree(cell, pooled);
    return true;
}

void rcuinfo__cell_recycle(struct rcuinfo__cell *cell, size_t *pooled)
{
    rcuinfo__pool_recycle(cell->pool, cell, HEADER_BYTES + cell->capacity, pooled);
}
