/* SPDX-License-Identifier: BSD-3-Clause */
/* recycle: see recycle.h. */
#include "core/recycle.h"

#include "core/alloc.h"
#include "core/debug.h"

/* The retire list. */

static struct stripe {
    _Alignas(64) ck_stack_t records;     /* [P4] field: writers push, the thread that reclaims pops all */
    _Atomic size_t bytes;                /* total retired */
} stripes[RCUINFO__RECYCLE_STRIPES + 1]; /* the last one is for other layers */

static _Alignas(64) _Atomic size_t closed; /* total bytes that began to wait when a snapshot was closed */
static _Atomic size_t closed_detached;     /* the part of `closed` that has been in a batch */
static _Atomic size_t recycled;            /* total bytes of all batches that have ended */

/* Whether the limits should be checked because of closed snapshots. */
static bool much_closed(void)
{
    size_t bytes = atomic_load_explicit(&closed, RCUINFO__COUNT);
    return bytes - atomic_load_explicit(&closed_detached, RCUINFO__COUNT) >= RCUINFO__RECYCLE_STEP;
}

static bool push_record(struct stripe *stripe, struct rcuinfo__record *record, size_t bytes)
{
    RCUINFO__CHECK(record->state == RCUINFO__RECORD_IDLE);
    record->state = RCUINFO__RECORD_RETIRED;
    ck_stack_push_upmc(&stripe->records, &record->link); /* [P4] publish */

    /* True whenever the sum passes a multiple of STEP. */
    size_t before = atomic_fetch_add_explicit(&stripe->bytes, bytes, RCUINFO__DONE_PUBLISH);
    return before / RCUINFO__RECYCLE_STEP != (before + bytes) / RCUINFO__RECYCLE_STEP || much_closed();
}

bool rcuinfo__recycle_retire(uint32_t slot, struct rcuinfo__record *record, size_t bytes)
{
    return push_record(&stripes[slot % RCUINFO__RECYCLE_STRIPES], record, bytes);
}

void rcuinfo__recycle_retire_layer(struct rcuinfo__record *record, size_t bytes)
{
    (void)push_record(&stripes[RCUINFO__RECYCLE_STRIPES], record, bytes);
}

void rcuinfo__recycle_count(size_t bytes)
{
    atomic_fetch_add_explicit(&closed, bytes, RCUINFO__COUNT);
}

/* The total number of bytes retired. */
static size_t sum_retired(void)
{
    size_t bytes = atomic_load_explicit(&closed, RCUINFO__DONE_LOAD);
    for (int i = 0; i <= RCUINFO__RECYCLE_STRIPES; i++)
        bytes += atomic_load_explicit(&stripes[i].bytes, RCUINFO__DONE_LOAD);
    return bytes;
}

size_t rcuinfo__recycle_waiting(void)
{
    size_t before;
    size_t bytes;

    /* Waiting is retired less recycled, counters that only grow. If no batch ended while the stripes were added up,
     * both belong to one moment, give or take what other threads are retiring right now. */
    do {
        before = atomic_load_explicit(&recycled, RCUINFO__DONE_LOAD);
        bytes = sum_retired();
    } while (before != atomic_load_explicit(&recycled, RCUINFO__COUNT));
    return bytes - before;
}

static struct rcuinfo__record *record_of(ck_stack_entry_t *link)
{
    return RCUINFO__BLOCK_CAST(struct rcuinfo__record, link); /* NULL stays NULL: link is the first field */
}

/* Takes all records off a stripe, and reverses them: a stack gives the newest first. */
static struct rcuinfo__record *pop_records(struct stripe *stripe)
{
    ck_stack_entry_t *oldest = NULL;
    ck_stack_entry_t *link = ck_stack_batch_pop_upmc(&stripe->records); /* [P4] acquire */

    while (link) {
        ck_stack_entry_t *next = link->next;
        RCUINFO__CHECK(record_of(link)->state == RCUINFO__RECORD_RETIRED);
        record_of(link)->state = RCUINFO__RECORD_DETACHED;
        link->next = oldest;
        oldest = link;
        link = next;
    }
    return record_of(oldest);
}

void rcuinfo__recycle_detach(struct rcuinfo__batch *batch)
{
    /* Read the counters before taking the records, so that bytes never count as recycled while they still wait. */
    atomic_store_explicit(&closed_detached, atomic_load_explicit(&closed, RCUINFO__COUNT), RCUINFO__COUNT);
    batch->bytes = sum_retired();

    batch->layers = pop_records(&stripes[RCUINFO__RECYCLE_STRIPES]);
    for (int i = 0; i < RCUINFO__RECYCLE_STRIPES; i++)
        batch->first[i] = pop_records(&stripes[i]);
}

struct rcuinfo__record *rcuinfo__recycle_next(struct rcuinfo__record *record)
{
    RCUINFO__CHECK(record->state == RCUINFO__RECORD_DETACHED);
    record->state = RCUINFO__RECORD_IDLE;
    return record_of(record->link.next);
}

void rcuinfo__recycle_done(const struct rcuinfo__batch *batch)
{
    atomic_store_explicit(&recycled, batch->bytes, RCUINFO__DONE_PUBLISH);
}

/* The pools: a ring of free blocks for each size. A ck_ring holds one element less than its size, a power of two. */

#define POOL_PLACES 16384
#define POOL                                                                                                           \
    {                                                                                                                  \
        .size = POOL_PLACES, .mask = POOL_PLACES - 1                                                                   \
    }
#define POOL7 POOL, POOL, POOL, POOL, POOL, POOL, POOL

static ck_ring_t pools[RCUINFO__RECYCLE_POOLS] = {POOL7, POOL7, POOL7, POOL7, POOL7, POOL7, POOL7, POOL7};
/* [P5] field: from the thread that reclaims to those that allocate */
static ck_ring_buffer_t places[RCUINFO__RECYCLE_POOLS][POOL_PLACES];

/*
 * Sizes of blocks, with the 8 bytes that malloc adds: 64, 128, ... 1024 in steps of 64 for pools 0 to 15, then eight
 * steps to each doubling, i.e. 1152, 1280, ... 2048 for pools 16 to 23, 2304, ... 4096 for pools 24 to 31, up to 32768
 * for 55.
 */
#define FINE       1024
#define STEP       64
#define LARGEST    32768
#define MALLOC_OWN 8

/* The pool for a block of *bytes bytes, which it rounds up to the size of the pool's blocks. */
static uint32_t pool_for(uint64_t *bytes)
{
    uint64_t whole = *bytes + MALLOC_OWN;

    if (whole > LARGEST)
        return RCUINFO__RECYCLE_POOLS;
    if (whole <= FINE) {
        uint32_t steps = (uint32_t)((whole + STEP - 1) / STEP);
        *bytes = steps * STEP - MALLOC_OWN;
        return steps - 1;
    }

    /* E.g. whole = 1300: doubling 10, step 128, steps 3, so 1408 bytes from pool 18. */
    uint32_t doubling = 63 - (uint32_t)__builtin_clzll(whole - 1); /* 2^doubling < whole <= 2^(doubling + 1) */
    uint64_t step = UINT64_C(1) << (doubling - 3);
    uint64_t steps = (whole - 1 - (UINT64_C(1) << doubling)) / step + 1; /* 1 to 8 */
    *bytes = (UINT64_C(1) << doubling) + steps * step - MALLOC_OWN;
    return FINE / STEP - 1 + (doubling - 10) * 8 + (uint32_t)steps;
}

/* Bytes of the blocks in a pool: the inverse of pool_for. */
static size_t pool_bytes(uint32_t pool)
{
    if (pool < FINE / STEP)
        return (size_t)(pool + 1) * STEP - MALLOC_OWN;
    size_t doubling = (size_t)FINE << (pool - FINE / STEP) / 8;
    return doubling + doubling / 8 * ((pool - FINE / STEP) % 8 + 1) - MALLOC_OWN;
}

/* A block out of a pool, or NULL. */
static struct rcuinfo__block *block_from_pool(uint32_t pool, uint64_t size, const struct rcuinfo__shape *shape)
{
    void *memory = NULL;
    if (pool == RCUINFO__RECYCLE_POOLS || !ck_ring_dequeue_spmc(&pools[pool], places[pool], &memory)) /* [P5] acquire */
        return NULL;
    return rcuinfo__block_init(memory, (uint32_t)size, shape);
}

struct rcuinfo__block *rcuinfo__recycle_reuse(const struct rcuinfo__shape *shape)
{
    uint64_t size = rcuinfo__block_size(shape);
    uint32_t pool = pool_for(&size);
    return block_from_pool(pool, size, shape);
}

struct rcuinfo__block *rcuinfo__recycle_alloc(const struct rcuinfo__shape *shape)
{
    uint64_t size = rcuinfo__block_size(shape);
    uint32_t pool = pool_for(&size);
    if (size > UINT32_MAX) /* offsets have 32 bits */
        return NULL;

    struct rcuinfo__block *block = block_from_pool(pool, size, shape);
    if (block)
        return block;

    void *memory = rcuinfo__alloc((size_t)size);
    if (!memory)
        return NULL;

    /* The age is the memory's, so only here it begins at 0. */
    block = rcuinfo__block_init(memory, (uint32_t)size, shape);
    atomic_store_explicit(&block->age, 0, RCUINFO__COUNT);
    return block;
}

void rcuinfo__recycle_free(struct rcuinfo__block *block)
{
    rcuinfo__alloc_free(rcuinfo__block_memory(block));
}

void rcuinfo__recycle_put(struct rcuinfo__block *block, size_t *pooled)
{
    uint64_t size = rcuinfo__block_bytes(block);
    void *memory = rcuinfo__block_memory(block);
    uint32_t pool = pool_for(&size);
    RCUINFO__CHECK(size == rcuinfo__block_bytes(block));

    /* [P5] publish */
    if (pool == RCUINFO__RECYCLE_POOLS || *pooled >= RCUINFO__RECYCLE_MOST ||
        !ck_ring_enqueue_spmc(&pools[pool], places[pool], memory))
        rcuinfo__alloc_free(memory);
    else
        *pooled += (size_t)size;
}

size_t rcuinfo__recycle_kept(void)
{
    size_t bytes = 0;
    for (uint32_t pool = 0; pool < RCUINFO__RECYCLE_POOLS; pool++)
        bytes += ck_ring_size(&pools[pool]) * pool_bytes(pool);
    return bytes;
}

void rcuinfo__recycle_trim(void)
{
    for (uint32_t pool = 0; pool < RCUINFO__RECYCLE_POOLS; pool++) {
        void *memory = NULL;
        while (ck_ring_dequeue_spmc(&pools[pool], places[pool], &memory)) /* [P5] acquire */
            rcuinfo__alloc_free(memory);
    }
}
