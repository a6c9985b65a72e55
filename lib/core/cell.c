/* SPDX-License-Identifier: BSD-3-Clause */
/* cell: see cell.h. */
#include "core/cell.h"

#include "core/alloc.h"
#include "core/check.h"

#define HEADER_BYTES   offsetof(struct rcuinfo__cell, snapshot)
#define SMALLEST_BYTES 128
#define POOL_PLACES    16384
#define POOLED_BYTES   ((size_t)16 << 20) /* as much as may await a grace period: a whole batch comes back at once */

/*
 * Pools for cells of 128 to 32,768 bytes, header included: four sizes to each doubling, as malloc implementations space
 * theirs, so at most a fifth of a cell is unused. ck_ring holds one less than its size, a power of two.
 */
#define POOL                                                                                                           \
    {                                                                                                                  \
        .size = POOL_PLACES, .mask = POOL_PLACES - 1                                                                   \
    }
#define POOL4  POOL, POOL, POOL, POOL
#define POOL16 POOL4, POOL4, POOL4, POOL4

static ck_ring_t pools[RCUINFO__CELL_POOLS] = {POOL16, POOL16, POOL};
/* [P5] field: from the one that recycles to those that allocate; a cell in here is reachable by nobody else */
static ck_ring_buffer_t places[RCUINFO__CELL_POOLS][POOL_PLACES];

struct rcuinfo__cell rcuinfo__cell_empty = {
    .holders = RCUINFO__CELL_HOLD,
    .capacity = RCUINFO__SNAPSHOT_EMPTY,
    .pool = RCUINFO__CELL_POOLS,
    .snapshot = {.bytes = RCUINFO__SNAPSHOT_EMPTY,
                 .entries = RCUINFO__SNAPSHOT_EMPTY,
                 .index = RCUINFO__SNAPSHOT_EMPTY,
                 .text = RCUINFO__SNAPSHOT_EMPTY},
};

/* The pool for a cell of so many bytes, which are rounded up to the size of its cells. */
static uint32_t pool_of(uint64_t *bytes)
{
    if (*bytes <= SMALLEST_BYTES) {
        *bytes = SMALLEST_BYTES;
        return 0;
    }
    if (*bytes > ((uint64_t)SMALLEST_BYTES << (RCUINFO__CELL_POOLS / 4)))
        return RCUINFO__CELL_POOLS;
    uint32_t doubling = 63 - (uint32_t)__builtin_clzll(*bytes - 1); /* 2^doubling < bytes <= 2^(doubling + 1) */
    uint64_t step = UINT64_C(1) << (doubling - 2);
    uint64_t steps = (*bytes - 1 - (UINT64_C(1) << doubling)) / step + 1; /* 1 to 4 */
    *bytes = (UINT64_C(1) << doubling) + steps * step;
    return (doubling - 7) * 4 + (uint32_t)steps;
}

/* Bytes of the cells in a pool: the inverse of pool_of. */
static size_t pool_cell_bytes(uint32_t pool)
{
    size_t doubling = (size_t)SMALLEST_BYTES << (pool / 4);
    return doubling + doubling / 4 * (pool % 4);
}

/* The pool for a cell with so many bytes for the snapshot, and in *bytes those that it will have. */
static uint32_t pool_for(uint64_t *bytes)
{
    *bytes += HEADER_BYTES;
    uint32_t pool = pool_of(bytes);
    *bytes -= HEADER_BYTES;
    return pool;
}

struct rcuinfo__cell *rcuinfo__cell_reuse(uint64_t bytes)
{
    struct rcuinfo__cell *cell;
    uint32_t pool = pool_for(&bytes);
    /* [P5] consume */
    if (pool == RCUINFO__CELL_POOLS || !ck_ring_dequeue_spmc(&pools[pool], places[pool], &cell))
        return NULL;
    atomic_store_explicit(&cell->holders, RCUINFO__CELL_HOLD, RCUINFO__COUNT);
    return cell;
}

struct rcuinfo__cell *rcuinfo__cell_alloc(uint64_t bytes)
{
    if (bytes > UINT32_MAX - HEADER_BYTES)
        return NULL;
    struct rcuinfo__cell *cell = rcuinfo__cell_reuse(bytes);
    if (cell)
        return cell;
    uint32_t pool = pool_for(&bytes);
    cell = rcuinfo__alloc(bytes + HEADER_BYTES);
    if (!cell)
        return NULL;
    atomic_init(&cell->age, 0);
    atomic_init(&cell->holders, RCUINFO__CELL_HOLD);
    cell->capacity = (uint32_t)bytes;
    cell->pool = pool;
    return cell;
}

void rcuinfo__cell_free(struct rcuinfo__cell *cell)
{
    rcuinfo__alloc_free(cell);
}

size_t rcuinfo__cell_retire(struct rcuinfo__cell *cell, struct rcuinfo__record *record)
{
    /* Sole holder: spare the cell a write. A dup that comes in between holds for itself, and both is dropped for us. */
    record->both = atomic_load_explicit(&cell->holders, RCUINFO__COUNT) == RCUINFO__CELL_HOLD;
    if (record->both)
        return cell->capacity;
    uint64_t before = atomic_fetch_sub_explicit(&cell->holders, UINT64_C(1) << 32, RCUINFO__COUNT);
    RCUINFO__CHECK(before >> 32);
    return before >> 32 == 1 ? cell->capacity : 0;
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

size_t rcuinfo__cell_close(struct rcuinfo__cell *cell)
{
    uint64_t owners;
    if (cell == &rcuinfo__cell_empty)
        return 0;
    size_t capacity = cell->capacity; /* the cell may be gone after the drop */
    if (drop(cell, true, &owners)) {
        rcuinfo__cell_free(cell);
        return 0;
    }
    return owners ? 0 : capacity;
}

bool rcuinfo__cell_drop(struct rcuinfo__cell *cell, bool both)
{
    uint64_t owners;
    return cell != &rcuinfo__cell_empty && drop(cell, both, &owners);
}

void rcuinfo__cell_recycle(struct rcuinfo__cell *cell, size_t *pooled)
{
    size_t bytes = HEADER_BYTES + cell->capacity; /* the cell is another's once it is in the ring */
    /* [P5] publish */
    if (cell->pool == RCUINFO__CELL_POOLS || *pooled >= POOLED_BYTES ||
        !ck_ring_enqueue_spmc(&pools[cell->pool], places[cell->pool], cell))
        rcuinfo__cell_free(cell);
    else
        *pooled += bytes;
}

size_t rcuinfo__cell_pooled(void)
{
    size_t bytes = 0;
    for (uint32_t pool = 0; pool < RCUINFO__CELL_POOLS; pool++)
        bytes += ck_ring_size(&pools[pool]) * pool_cell_bytes(pool);
    return bytes;
}

void rcuinfo__cell_trim(void)
{
    struct rcuinfo__cell *cell;
    for (uint32_t pool = 0; pool < RCUINFO__CELL_POOLS; pool++) {
        while (ck_ring_dequeue_spmc(&pools[pool], places[pool], &cell))
            rcuinfo__cell_free(cell);
    }
}
