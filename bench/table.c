/* SPDX-License-Identifier: BSD-3-Clause */
/* table: see table.h. */
#include "table.h"

#include <stdlib.h>

/* Lines of memory are not shared with whatever malloc puts beside a block: a peer gets the best layout. */
#define BLOCK_ALIGNMENT 64

#define LEAST_CAPACITY 4  /* pairs */
#define PAIR_TEXT      32 /* bytes of text that a pair is given room for at first */

void *table_memory(uint64_t bytes)
{
    if (bytes > UINT32_MAX - BLOCK_ALIGNMENT)
        return NULL;
    return aligned_alloc(BLOCK_ALIGNMENT, ((size_t)bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT);
}

rcuinfo_status_t table_create(struct table *table)
{
    *table = (struct table){.capacity = LEAST_CAPACITY, .text_room = LEAST_CAPACITY * PAIR_TEXT};
    table->block = table_memory(rcuinfo__snapshot_size(table->capacity, table->text_room));
    if (!table->block)
        return RCUINFO_ERR_NO_MEM;
    rcuinfo__snapshot_frame(table->block, table->capacity, table->text_room, 0);
    table->block->count = 0;
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

static struct rcuinfo__entry *entries_of(struct rcuinfo__snapshot *block)
{
    return (struct rcuinfo__entry *)(void *)((char *)block + block->entries);
}

/* A larger block, with room for another pair of `need` bytes of text, and without the texts that are no longer used. */
static rcuinfo_status_t grow(struct table *table, uint32_t need)
{
    const struct rcuinfo__snapshot *old = table->block;
    struct table next = {.capacity = old->count == table->capacity ? 2 * table->capacity : table->capacity};
    uint64_t room = 2 * ((uint64_t)table->text_used + need);
    next.block = table_memory(rcuinfo__snapshot_size(next.capacity, room));
    if (!next.block)
        return RCUINFO_ERR_NO_MEM;
    next.text_room = (uint32_t)room;
    rcuinfo__snapshot_frame(next.block, next.capacity, next.text_room, old->version);
    next.block->count = old->count;
    struct rcuinfo__entry *entries = entries_of(next.block);
    for (uint32_t i = 0; i < old->count; i++) {
        const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(old, i);
        uint32_t bytes = rcuinfo__snapshot_pair_bytes(entry->key_length, entry->value_length);
        entries[i] = *entry;
        entries[i].text = next.text_used;
        memcpy((char *)next.block + next.block->text + next.text_used, rcuinfo__snapshot_key(old, entry), bytes);
        next.text_used += bytes;
        if (!next.block->mask)
            ((char *)(next.block + 1))[i] = (char)rcuinfo__text_fingerprint(entry->hash);
    }
    rcuinfo__snapshot_fill_index(next.block);
    free(table->block);
    *table = next;
    return RCUINFO_SUCCESS;
}

/* Makes the last entry of the block known to those who look for it. */
static void announce(struct rcuinfo__snapshot *block, uint32_t hash)
{
    uint32_t *index = (uint32_t *)(void *)((char *)block + block->index), place = hash & block->mask;
    uint32_t position = block->count++;
    if (!block->mask) {
        ((char *)(block + 1))[position] = (char)rcuinfo__text_fingerprint(hash);
        return;
    }
    while (index[place])
        place = (place + 1) & block->mask;
    index[place] = position + 1;
}

rcuinfo_status_t table_set(struct table *table, const struct rcuinfo__edit *edit)
{
    uint32_t position = rcuinfo__snapshot_find_hashed(table->block, edit->key, edit->key_length, edit->hash);
    uint32_t need = rcuinfo__snapshot_pair_bytes(edit->key_length, edit->value_length);
    bool there = position != RCUINFO__NOT_FOUND;
    if (there) {
        const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(table->block, position);
        if (entry->value_length == edit->value_length) {
            size_t offset = (size_t)(rcuinfo__snapshot_value(table->block, entry) - (const char *)table->block);
            memcpy((char *)table->block + offset, edit->value, edit->value_length);
            table->block->version++;
            return RCUINFO_SUCCESS;
        }
    }
    if (table->text_room - table->text_used < need || (!there && table->block->count == table->capacity)) {
        rcuinfo_status_t status = grow(table, need);
        if (status != RCUINFO_SUCCESS)
            return status;
    }
    struct rcuinfo__snapshot *block = table->block;
    entries_of(block)[there ? position : block->count] =
        (struct rcuinfo__entry){.hash = edit->hash,
                                .text = table->text_used,
                                .value_length = (uint16_t)edit->value_length,
                                .key_length = (uint8_t)edit->key_length};
    rcuinfo__snapshot_put_pair((char *)block + block->text + table->text_used, edit->key, edit->key_length, edit->value,
                               edit->value_length);
    table->text_used += need;
    if (!there)
        announce(block, edit->hash);
    block->version++;
    return RCUINFO_SUCCESS;
}
