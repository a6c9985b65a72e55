/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stock: the memory that the nodes of one new version are made of, by pool. It is taken before the object's lock, so
 * that building allocates nothing.
 *
 * Callers owe: rcuinfo__stock_take only of what rcuinfo__stock_holds has found.
 */
#ifndef RCUINFO_CORE_STOCK_H
#define RCUINFO_CORE_STOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/check.h"
#include "core/node.h"
#include "core/pool.h"

#define RCUINFO__STOCK_POOLS 22 /* nodes are no larger than the blocks of the last of these */

/* What a change needs at most: blocks by pool, and places in the list of nodes that it replaces. */
struct rcuinfo__need {
    uint32_t pools; /* bit p is set: blocks[p] is */
    uint64_t replaced;
    uint64_t blocks[RCUINFO__STOCK_POOLS];
};

struct rcuinfo__stock {
    uint32_t pools;                    /* bit p is set: first[p] and count[p] are */
    void *first[RCUINFO__STOCK_POOLS]; /* linked by their first word */
    uint64_t count[RCUINFO__STOCK_POOLS];
};

static inline void rcuinfo__need_init(struct rcuinfo__need *need)
{
    need->pools = 0;
    need->replaced = 0;
}

/* Adds blocks for nodes of so many bytes. */
static inline void rcuinfo__need_add(struct rcuinfo__need *need, uint64_t bytes, uint64_t blocks)
{
    uint32_t pool = rcuinfo__pool_of(&bytes);
    RCUINFO__CHECK(pool < RCUINFO__STOCK_POOLS);
    need->blocks[pool] = (need->pools >> pool & 1 ? need->blocks[pool] : 0) + blocks;
    need->pools |= UINT32_C(1) << pool;
}

static inline uint64_t rcuinfo__stock_count(const struct rcuinfo__stock *stock, uint32_t pool)
{
    return stock->pools >> pool & 1 ? stock->count[pool] : 0;
}

/* Lowers it to so many blocks of each pool, and so many places. */
void rcuinfo__need_limit(struct rcuinfo__need *need, uint64_t blocks, uint64_t replaced);

/* Of what is missing, twice what the stock has, and what `need` has of places, at least. Of the rest there is enough.
 */
void rcuinfo__need_more(struct rcuinfo__need *need, const struct rcuinfo__stock *stock,
                        const struct rcuinfo__need *missing);

void rcuinfo__stock_init(struct rcuinfo__stock *stock);

/* Whether there are the blocks and places that are needed. Leaves in *need those that there are too few of. */
bool rcuinfo__stock_holds(const struct rcuinfo__stock *stock, struct rcuinfo__need *need, uint64_t places);

/* Adds what is missing as far as pools have it; whether the stock then has the blocks that are needed. Lock-free. */
bool rcuinfo__stock_pools(struct rcuinfo__stock *stock, const struct rcuinfo__need *need);

/* Adds what is missing, from pools and from malloc; false when there is no memory. What was got stays. */
bool rcuinfo__stock_fill(struct rcuinfo__stock *stock, const struct rcuinfo__need *need);

/* A block for a node of so many bytes. */
void *rcuinfo__stock_take(struct rcuinfo__stock *stock, uint64_t bytes);

/* Puts back a node that nobody has seen. */
void rcuinfo__stock_put(struct rcuinfo__stock *stock, struct rcuinfo__node *node);

/* Gives all of it to malloc. */
void rcuinfo__stock_release(struct rcuinfo__stock *stock);

#endif
