/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pool: memory that keeps its size from one use to the next. Cells and the nodes of large versions come out of the same
 * pools.
 *
 * A block is of the size of its pool: 24 to 120 bytes in steps of 16, which is how malloc spaces them; then up to
 * 32,768 four sizes to each doubling, so at most a fifth of a block is unused. Larger ones are malloc's.
 *
 * Callers owe: rcuinfo__pool_recycle is called by one thread at a time (the holder of reclaim's lock); who gives a
 * block back is the only one that can reach it.
 */
#ifndef RCUINFO_CORE_POOL_H
#define RCUINFO_CORE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "core/alloc.h"
#include "core/ck.h"

#define RCUINFO__POOLS       40 /* as the pool of a block: none, it is too large */
#define RCUINFO__POOL_PLACES 16384
/* As much as may await a grace period: a whole batch comes back at once. */
#define RCUINFO__POOL_BYTES ((size_t)16 << 20)

extern ck_ring_t rcuinfo__pools[RCUINFO__POOLS];
/* [P5] field: from the one that recycles to those that allocate; a block in here is reachable by nobody else */
extern ck_ring_buffer_t rcuinfo__pool_places[RCUINFO__POOLS][RCUINFO__POOL_PLACES];

/* The pool for a block of so many bytes, which are rounded up to the size of its blocks. */
static inline uint32_t rcuinfo__pool_of(uint64_t *bytes)
{
    if (*bytes <= 120) {
        uint64_t steps = *bytes <= 24 ? 0 : (*bytes - 9) / 16;
        *bytes = 24 + steps * 16;
        return (uint32_t)steps;
    }
    if (*bytes <= 128) {
        *bytes = 128;
        return 7;
    }
    if (*bytes > 32768)
        return RCUINFO__POOLS;
    uint32_t doubling = 63 - (uint32_t)__builtin_clzll(*bytes - 1); /* 2^doubling < bytes <= 2^(doubling + 1) */
    uint64_t step = UINT64_C(1) << (doubling - 2);
    uint64_t steps = (*bytes - 1 - (UINT64_C(1) << doubling)) / step + 1; /* 1 to 4 */
    *bytes = (UINT64_C(1) << doubling) + steps * step;
    return 7 + (doubling - 7) * 4 + (uint32_t)steps;
}

/* Bytes of the blocks in a pool: the inverse of rcuinfo__pool_of. */
static inline size_t rcuinfo__pool_bytes(uint32_t pool)
{
    if (pool < 7)
        return 24 + (size_t)pool * 16;
    size_t doubling = (size_t)128 << ((pool - 7) / 4);
    return doubling + doubling / 4 * ((pool - 7) % 4);
}

/* A block out of a pool, or NULL when that is empty. Lock-free; any thread. */
static inline void *rcuinfo__pool_take(uint32_t pool)
{
    void *block = NULL;
    /* [P5] consume */
    return ck_ring_dequeue_spmc(&rcuinfo__pools[pool], rcuinfo__pool_places[pool], &block) ? block : NULL;
}

/* Puts a block of so many bytes into its pool, while *pooled, which it adds them to, is below the most that pools may
 * keep; else gives it back to malloc. */
static inline void rcuinfo__pool_recycle(uint32_t pool, void *block, size_t bytes, size_t *pooled)
{
    /* [P5] publish: the block is another's once it is in the ring */
    if (pool == RCUINFO__POOLS || *pooled >= RCUINFO__POOL_BYTES ||
        !ck_ring_enqueue_spmc(&rcuinfo__pools[pool], rcuinfo__pool_places[pool], block))
        rcuinfo__alloc_free(block);
    else
        *pooled += bytes;
}

/* Bytes in all pools, about. */
size_t rcuinfo__pool_kept(void);

/* Gives the memory in the pools back to malloc. Any thread. */
void rcuinfo__pool_trim(void);

#endif
