/* SPDX-License-Identifier: BSD-3-Clause */
/* pool: see pool.h. */
#include "core/pool.h"

/* ck_ring holds one less than its size, a power of two. */
#define POOL                                                                                                           \
    {                                                                                                                  \
        .size = RCUINFO__POOL_PLACES, .mask = RCUINFO__POOL_PLACES - 1                                                 \
    }
#define POOL10 POOL, POOL, POOL, POOL, POOL, POOL, POOL, POOL, POOL, POOL

ck_ring_t rcuinfo__pools[RCUINFO__POOLS] = {POOL10, POOL10, POOL10, POOL10};
ck_ring_buffer_t rcuinfo__pool_places[RCUINFO__POOLS][RCUINFO__POOL_PLACES];

size_t rcuinfo__pool_kept(void)
{
    size_t bytes = 0;
    for (uint32_t pool = 0; pool < RCUINFO__POOLS; pool++)
        bytes += ck_ring_size(&rcuinfo__pools[pool]) * rcuinfo__pool_bytes(pool);
    return bytes;
}

void rcuinfo__pool_trim(void)
{
    for (uint32_t pool = 0; pool < RCUINFO__POOLS; pool++) {
        for (void *block = rcuinfo__pool_take(pool); block; block = rcuinfo__pool_take(pool))
            rcuinfo__alloc_free(block);
    }
}
