/* SPDX-License-Identifier: BSD-3-Clause */
/* table: see table.h. */
#include "table.h"

#include <stdlib.h>

/* A block shares no cache line with neighbouring allocations, so that a peer gets the best layout. */
#define BLOCK_ALIGNMENT 64

void table_create(struct table *table)
{
    /* This program's copy of the seed, which is separate from that of the shared library. */
    atomic_store_explicit(&rcuinfo__log_seed, UINT64_C(0x9e3779b97f4a7c15), memory_order_relaxed);
    *table = (struct table){.last = RCUINFO__EMPTY};
}

void table_free(const struct rcuinfo__entry *last, size_t front)
{
    if (last != RCUINFO__EMPTY)
        free(table_memory(last, front));
}

rcuinfo_status_t table_check_set(const char *key, const char *value, struct rcuinfo__edit *edit)
{
    edit->key = key;
    edit->key_length = rcuinfo__text_key(key, RCUINFO_MAX_KEY);
    if (!edit->key_length)
        return RCUINFO_ERR_KEY;
    edit->value = value;
    edit->value_length = rcuinfo__text_value(value, RCUINFO_MAX_VALUE);
    if (edit->value_length == RCUINFO__TEXT_BAD)
        return RCUINFO_ERR_VALUE;
    edit->hash = rcuinfo__log_hash(key, edit->key_length);
    return RCUINFO_SUCCESS;
}

bool table_copy(struct rcuinfo__writing *writing, const struct rcuinfo__entry *from, const struct rcuinfo__shape *shape,
                size_t front)
{
    uint64_t bytes = rcuinfo__block_size(shape);
    if (bytes > UINT32_MAX)
        return false;
    size_t lines = (front + (size_t)bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT;
    char *memory = aligned_alloc(BLOCK_ALIGNMENT, lines * BLOCK_ALIGNMENT);
    if (memory)
        rcuinfo__log_copy(writing, rcuinfo__block_init(memory + front, (uint32_t)bytes, shape), from);
    return memory;
}

static bool apply(struct table *table, struct rcuinfo__writing *writing, const struct rcuinfo__edit *edit)
{
    bool fits = rcuinfo__log_write(writing, edit, rcuinfo__log_written(writing, edit));
    if (fits)
        *table = (struct table){.last = writing->last, .end = writing->end};
    return fits;
}

rcuinfo_status_t table_set(struct table *table, const struct rcuinfo__edit *edit)
{
    struct rcuinfo__block *block = rcuinfo__block_of(table->last);
    struct rcuinfo__writing writing = {
        .block = block, .last = rcuinfo__block_entry(block, table->last->position), .end = table->end};
    if (table->last != RCUINFO__EMPTY && apply(table, &writing, edit))
        return RCUINFO_SUCCESS;

    struct table old = *table;
    struct rcuinfo__shape shape = rcuinfo__log_shape(old.last, &old.end, edit, 1, UINT32_MAX);
    if (!table_copy(&writing, old.last, &shape, 0))
        return RCUINFO_ERR_NO_MEM;
    (void)apply(table, &writing, edit);
    table_free(old.last, 0);
    return RCUINFO_SUCCESS;
}
