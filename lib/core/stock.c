/* SPDX-License-Identifier: BSD-3-Clause */
/* stock: see stock.h. */
#include "core/stock.h"

#include "core/alloc.h"
#include "core/check.h"

static uint64_t at_most(uint64_t n, uint64_t most)
{
    return n < most ? n : most;
}

void rcuinfo__need_limit(struct rcuinfo__need *need, uint64_t blocks, uint64_t replaced)
{
    for (uint32_t pools = need->pools; pools; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctz(pools);
        need->blocks[pool] = at_most(need->blocks[pool], blocks);
    }
    need->replaced = at_most(need->replaced, replaced);
}

static uint64_t twice(uint64_t n, uint64_t missing)
{
    return n + (n > missing ? n : missing);
}

void rcuinfo__need_more(struct rcuinfo__need *need, const struct rcuinfo__stock *stock,
                        const struct rcuinfo__need *missing)
{
    need->pools = missing->pools;
    for (uint32_t pools = need->pools; pools; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctz(pools);
        need->blocks[pool] = twice(rcuinfo__stock_count(stock, pool), missing->blocks[pool]);
    }
    if (missing->replaced)
        need->replaced = twice(need->replaced, missing->replaced);
}

void rcuinfo__stock_init(struct rcuinfo__stock *stock)
{
    stock->pools = 0;
}

bool rcuinfo__stock_holds(const struct rcuinfo__stock *stock, struct rcuinfo__need *need, uint64_t places)
{
    for (uint32_t pools = need->pools; pools; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctz(pools);
        if (need->blocks[pool] <= rcuinfo__stock_count(stock, pool))
            need->pools -= UINT32_C(1) << pool;
    }
    if (need->replaced <= places)
        need->replaced = 0;
    return !need->pools && !need->replaced;
}

static void put(struct rcuinfo__stock *stock, uint32_t pool, void *block)
{
    RCUINFO__CHECK(pool < RCUINFO__STOCK_POOLS);
    uint64_t count = rcuinfo__stock_count(stock, pool);
    *(void **)block = count ? stock->first[pool] : NULL;
    stock->first[pool] = block;
    stock->count[pool] = count + 1;
    stock->pools |= UINT32_C(1) << pool;
}

static bool fill(struct rcuinfo__stock *stock, const struct rcuinfo__need *need, bool allocate)
{
    for (uint32_t pools = need->pools; pools; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctz(pools);
        while (rcuinfo__stock_count(stock, pool) < need->blocks[pool]) {
            void *block = rcuinfo__pool_take(pool);
            if (!block && allocate)
                block = rcuinfo__alloc(rcuinfo__pool_bytes(pool));
            if (!block)
                return false;
            put(stock, pool, block);
        }
    }
    return true;
}

bool rcuinfo__stock_pools(struct rcuinfo__stock *stock, const struct rcuinfo__need *need)
{
    return fill(stock, need, false);
}

bool rcuinfo__stock_fill(struct rcuinfo__stock *stock, const struct rcuinfo__need *need)
{
    return fill(stock, need, true);
}

void *rcuinfo__stock_take(struct rcuinfo__stock *stock, uint64_t bytes)
{
    uint32_t pool = rcuinfo__pool_of(&bytes);
    RCUINFO__CHECK(rcuinfo__stock_count(stock, pool));
    void *block = stock->first[pool];
    stock->first[pool] = *(void **)block;
    stock->count[pool]--;
    return block;
}

void rcuinfo__stock_put(struct rcuinfo__stock *stock, struct rcuinfo__node *node)
{
    uint64_t bytes = rcuinfo__node_bytes(node);
    put(stock, rcuinfo__pool_of(&bytes), node);
}

void rcuinfo__stock_release(struct rcuinfo__stock *stock)
{
    for (uint32_t pools = stock->pools; pools; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctz(pools);
        for (; stock->count[pool]; stock->count[pool]--) {
            void *block = stock->first[pool];
            stock->first[pool] = *(void **)block;
            rcuinfo__alloc_free(block);
        }
    }
    stock->pools = 0;
}
