/* SPDX-License-Identifier: BSD-3-Clause */
/* snapshot: layout and the edits of one pair; see snapshot.h. */
#include "core/snapshot.h"

#include <string.h>

#define FINGERPRINT_BLOCK 16

static uint64_t fingerprint_bytes(uint64_t count)
{
    if (count > RCUINFO__SCANNED)
        return 0;
    return (count + FINGERPRINT_BLOCK - 1) / FINGERPRINT_BLOCK * FINGERPRINT_BLOCK;
}

/* Places of the index: a power of two, at least twice the pairs; 0 where fingerprints are scanned instead. */
static uint64_t index_places(uint64_t count)
{
    if (count <= RCUINFO__SCANNED)
        return 0;
    return UINT64_C(1) << (64 - __builtin_clzll(2 * count - 1));
}

static uint32_t text_bytes(const struct rcuinfo__snapshot *s)
{
    return s->bytes - s->text;
}

static struct rcuinfo__entry *entries_of(struct rcuinfo__snapshot *block)
{
    return (struct rcuinfo__entry *)(void *)((char *)block + block->entries);
}

static uint32_t pair_bytes(const struct rcuinfo__entry *entry)
{
    return rcuinfo__snapshot_pair_bytes(entry->key_length, entry->value_length);
}

uint64_t rcuinfo__snapshot_size(uint64_t count, uint64_t text)
{
    return RCUINFO__SNAPSHOT_EMPTY + fingerprint_bytes(count) + count * sizeof(struct rcuinfo__entry) +
           index_places(count) * sizeof(uint32_t) + text;
}

void rcuinfo__snapshot_frame(struct rcuinfo__snapshot *block, uint32_t count, uint32_t text, uint64_t version)
{
    uint64_t places = index_places(count);
    block->version = version;
    block->count = count;
    block->entries = (uint32_t)(RCUINFO__SNAPSHOT_EMPTY + fingerprint_bytes(count));
    block->index = (uint32_t)(block->entries + count * sizeof(struct rcuinfo__entry));
    block->mask = places ? (uint32_t)places - 1 : 0;
    block->text = (uint32_t)(block->index + places * sizeof(uint32_t));
    block->bytes = block->text + text;
    memset(block + 1, 0, (size_t)fingerprint_bytes(count));
}

void rcuinfo__snapshot_init(struct rcuinfo__snapshot *block)
{
    rcuinfo__snapshot_frame(block, 0, 0, 0);
}

static void index_add(struct rcuinfo__snapshot *block, uint32_t position)
{
    uint32_t *index = (uint32_t *)(void *)((char *)block + block->index);
    uint32_t place = entries_of(block)[position].hash & block->mask;
    while (index[place])
        place = (place + 1) & block->mask;
    index[place] = position + 1;
}

void rcuinfo__snapshot_fill_index(struct rcuinfo__snapshot *block)
{
    if (!block->mask)
        return;
    memset((char *)block + block->index, 0, block->text - block->index);
    for (uint32_t i = 0; i < block->count; i++)
        index_add(block, i);
}

/* The value of the pair at `position` becomes the edit's: everything before it is copied as it is, the rest moves. */
static void override(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edit, uint32_t position,
                     struct rcuinfo__snapshot *block)
{
    const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(old, position);
    uint32_t value_at = old->text + entry->text + entry->key_length + 1;
    uint32_t tail_at = value_at + entry->value_length;
    uint32_t moved = edit->value_length - entry->value_length; /* modulo 2^32, as the sums below */
    memcpy(block, old, moved ? value_at : old->bytes);
    rcuinfo__text_copy((char *)block + value_at, edit->value, edit->value_length);
    block->version = old->version + 1;
    if (!moved)
        return;
    memcpy((char *)block + value_at + edit->value_length, (const char *)old + tail_at, old->bytes - tail_at);
    struct rcuinfo__entry *entries = entries_of(block);
    block->bytes = old->bytes + moved;
    entries[position].value_length = (uint16_t)edit->value_length;
    for (uint32_t i = position + 1; i < block->count; i++)
        entries[i].text += moved;
}

static void append(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edit,
                   struct rcuinfo__snapshot *block)
{
    uint32_t text = text_bytes(old);
    uint32_t last = old->count;
    rcuinfo__snapshot_frame(block, last + 1, text + rcuinfo__snapshot_pair_bytes(edit->key_length, edit->value_length),
                            old->version + 1);
    struct rcuinfo__entry *entries = entries_of(block);
    memcpy(entries, (const char *)old + old->entries, last * sizeof *entries);
    entries[last] = (struct rcuinfo__entry){.hash = edit->hash,
                                            .text = text,
                                            .value_length = (uint16_t)edit->value_length,
                                            .key_length = (uint8_t)edit->key_length};
    memcpy((char *)block + block->text, (const char *)old + old->text, text);
    rcuinfo__snapshot_put_pair((char *)block + block->text + text, edit->key, edit->key_length, edit->value,
                               edit->value_length);
    if (!block->mask) {
        char *fingerprints = (char *)(block + 1);
        memcpy(fingerprints, old + 1, last);
        fingerprints[last] = (char)rcuinfo__text_fingerprint(edit->hash);
    } else if (block->mask == old->mask) {
        memcpy((char *)block + block->index, (const char *)old + old->index, old->text - old->index);
        index_add(block, last);
    } else {
        rcuinfo__snapshot_fill_index(block);
    }
}

static void erase(const struct rcuinfo__snapshot *old, uint32_t position, struct rcuinfo__snapshot *block)
{
    const struct rcuinfo__entry *gone = rcuinfo__snapshot_entry(old, position);
    uint32_t shorter = pair_bytes(gone);
    uint32_t behind = old->count - position - 1; /* pairs that move down */
    const char *old_text = (const char *)old + old->text;
    rcuinfo__snapshot_frame(block, old->count - 1, text_bytes(old) - shorter, old->version + 1);
    struct rcuinfo__entry *entries = entries_of(block);
    char *text = (char *)block + block->text;
    memcpy(entries, rcuinfo__snapshot_entry(old, 0), position * sizeof *entries);
    memcpy(entries + position, gone + 1, behind * sizeof *entries);
    for (uint32_t i = position; i < block->count; i++)
        entries[i].text -= shorter;
    memcpy(text, old_text, gone->text);
    memcpy(text + gone->text, old_text + gone->text + shorter, text_bytes(old) - gone->text - shorter);
    char *fingerprints = (char *)(block + 1);
    for (uint32_t i = 0; !block->mask && i < block->count; i++)
        fingerprints[i] = (char)rcuinfo__text_fingerprint(entries[i].hash);
    rcuinfo__snapshot_fill_index(block);
}

uint64_t rcuinfo__snapshot_plan(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edit,
                                uint32_t position)
{
    if (position == RCUINFO__NOT_FOUND)
        return rcuinfo__snapshot_size((uint64_t)old->count + 1,
                                      (uint64_t)text_bytes(old) +
                                          rcuinfo__snapshot_pair_bytes(edit->key_length, edit->value_length));
    const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(old, position);
    if (edit->value)
        return (uint64_t)old->bytes - entry->value_length + edit->value_length;
    return rcuinfo__snapshot_size(old->count - 1, text_bytes(old) - pair_bytes(entry));
}

void rcuinfo__snapshot_apply(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edit, uint32_t position,
                             struct rcuinfo__snapshot *block)
{
    if (position == RCUINFO__NOT_FOUND)
        append(old, edit, block);
    else if (edit->value)
        override(old, edit, position, block);
    else
        erase(old, position, block);
}

/* Whether entry i lies where the one before it ends, and is found again at i by its own key. */
static bool entry_valid(const struct rcuinfo__snapshot *s, uint32_t i, uint32_t *text_end)
{
    const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(s, i);
    const char *key = rcuinfo__snapshot_key(s, entry);
    if (entry->text != *text_end)
        return false;
    *text_end += pair_bytes(entry);
    if (*text_end > text_bytes(s) || key[entry->key_length] || rcuinfo__snapshot_value(s, entry)[entry->value_length])
        return false;
    return entry->hash == rcuinfo__text_hash(key, entry->key_length) &&
           rcuinfo__snapshot_find(s, key, entry->key_length) == i;
}

void rcuinfo__snapshot_head(struct rcuinfo__snapshot *block, uint64_t version)
{
    const struct rcuinfo__tree *tree = rcuinfo__snapshot_tree(block);
    *block = (struct rcuinfo__snapshot){
        .version = version,
        .count = tree->count,
        .bytes = (uint32_t)(sizeof *block + sizeof *tree + tree->replaced_n * sizeof(struct rcuinfo__node *)),
        .mask = RCUINFO__LARGE};
}

static bool large_valid(const struct rcuinfo__snapshot *s)
{
    const struct rcuinfo__tree *tree = rcuinfo__snapshot_tree(s);
    return s->count == tree->count && rcuinfo__snapshot_size(tree->count, tree->text) >= RCUINFO__FLAT_LEAST &&
           rcuinfo__tree_valid(tree);
}

bool rcuinfo__snapshot_valid(const struct rcuinfo__snapshot *s)
{
    uint32_t text_end = 0;
    if (rcuinfo__snapshot_large(s))
        return large_valid(s);
    for (uint32_t i = 0; i < s->count; i++) {
        if (!entry_valid(s, i, &text_end))
            return false;
    }
    return text_end == text_bytes(s) && s->bytes == rcuinfo__snapshot_size(s->count, text_end);
}
