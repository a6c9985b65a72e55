/* SPDX-License-Identifier: BSD-3-Clause */
/* table: see table.h. */
#include "table.h"

#include <stdlib.h>

/* Lines of memory are not shared with whatever malloc puts beside a block: a peer gets the best layout. */
#define BLOCK_ALIGNMENT 64

static struct rcuinfo__snapshot *block_of(uint64_t bytes)
{
    if (bytes > UINT32_MAX)
        return NULL;
    return aligned_alloc(BLOCK_ALIGNMENT, (bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT);
}

rcuinfo_status_t table_create(struct table *table)
{
    table->block = block_of(RCUINFO__SNAPSHOT_EMPTY);
    if (!table->block)
        return RCUINFO_ERR_NO_MEM;
    rcuinfo__snapshot_init(table->block);
    return RCUINFO_SUCCESS;
}

void table_destroy(struct table *table)
{
    free(table->block);
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
    edit->hash = rcuinfo__text_hash(key, edit->key_length);
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t table_set(struct table *table, const struct rcuinfo__edit *edit)
{
    struct rcuinfo__snapshot *old = table->block;
    uint32_t position = rcuinfo__snapshot_find_hashed(old, edit->key, edit->key_length, edit->hash);
    if (position != RCUINFO__NOT_FOUND) {
        const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(old, position);
        if (entry->value_length == edit->value_length) {
            size_t offset = (size_t)(rcuinfo__snapshot_value(old, entry) - (const char *)old);
            memcpy((char *)old + offset, edit->value, edit->value_length);
            old->version++;
            return RCUINFO_SUCCESS;
        }
    }
    struct rcuinfo__snapshot *next = block_of(rcuinfo__snapshot_plan(old, edit, position));
    if (!next)
        return RCUINFO_ERR_NO_MEM;
    rcuinfo__snapshot_apply(old, edit, position, next);
    table->block = next;
    free(old);
    return RCUINFO_SUCCESS;
}
