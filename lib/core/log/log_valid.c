/* SPDX-License-Identifier: BSD-3-Clause */
/* log_valid: the invariant of a log, in builds with RCUINFO_CHECKS and for tests. */
#include "core/log/log.h"

#include <string.h>

/* Whether entry, text and links lie within the block, and the links lead backward. */
static bool entry_fits(const struct rcuinfo__block *block, uint32_t i)
{
    const struct rcuinfo__entry *entry = rcuinfo__block_entry(block, i);
    if (i >= block->capacity || entry->position != i || entry->text < rcuinfo__block_text(block) ||
        entry->text > block->extent)
        return false;
    if (!entry->key_length)
        return i == 0 && !entry->flags && !entry->pairs && !entry->rank;
    if (entry->flags & RCUINFO__ENTRY_LINKED &&
        (entry->text % 4 || entry->text - rcuinfo__block_text(block) < sizeof(struct rcuinfo__links)))
        return false;

    const struct rcuinfo__links *links = rcuinfo__log_links(entry);
    return rcuinfo__log_bytes(entry) <= block->extent - entry->text && links->previous <= i;
}

/* Whether key and value are terminated and have no NUL inside, and the hash is that of the key. */
static bool text_valid(const struct rcuinfo__entry *entry)
{
    const char *key = rcuinfo__log_key(entry);
    const char *value = rcuinfo__log_value(entry);
    if (entry->flags & RCUINFO__ENTRY_DELETED ? entry->value_length % sizeof(uint32_t)
                                              : strnlen(value, entry->value_length) < entry->value_length)
        return false;
    return !key[entry->key_length] && !value[entry->value_length] &&
           entry->hash == rcuinfo__log_hash(key, entry->key_length);
}

/* Whether the links are right. `older` is the newest entry of the key before this one, or NULL. */
static bool links_valid(const struct rcuinfo__entry *entry, const struct rcuinfo__entry *older)
{
    const struct rcuinfo__block *block = rcuinfo__block_of(entry);
    const struct rcuinfo__links *links = rcuinfo__log_links(entry);
    uint32_t before = entry->position ? rcuinfo__log_links(entry - 1)->deletes : 0;
    if (links->deletes != (entry->flags & RCUINFO__ENTRY_DELETED ? entry->position + 1 : before))
        return false;

    /* Only a finder of places needs links to older entries: one of bytes finds them itself. */
    if (!block->mask || !older)
        return !links->previous;
    return links->previous == older->position + 1;
}

/*
 * The invariant: each entry up to the last lies within the block, its pairs, rank and links follow from the entries
 * before it, and the finder leads to it in the version that it ends. The last entry is not in the middle of an update.
 * For each n, pair n leads from the entry that added its key to one that does not delete it, and pairs are in the order
 * of their ranks.
 */
bool rcuinfo__log_valid(const struct rcuinfo__entry *last)
{
    const struct rcuinfo__block *block = rcuinfo__block_of(last);
    uint32_t pairs = 0;
    uint32_t ranks = 0;
    uint32_t skipped = 0;

    /* `skipped` is the sum of n - 1 over the updates appended so far. An update of n edits raises it in its first
     * entry; `left` is the number of its entries that have not been seen yet. */
    uint32_t left = 0;

    for (uint32_t i = 0; i <= last->position; i++) {
        if (!entry_fits(block, i))
            return false;
    }

    for (uint32_t i = 0; i <= last->position; i++) {
        const struct rcuinfo__entry *entry = rcuinfo__block_entry(block, i);
        if (!entry->key_length)
            continue;

        const char *key = rcuinfo__log_key(entry);
        const struct rcuinfo__entry *older =
            i ? rcuinfo__log_find(entry - 1, key, entry->key_length, entry->hash) : NULL;
        bool there = older && !(older->flags & RCUINFO__ENTRY_DELETED);
        bool first = entry->flags & RCUINFO__ENTRY_FIRST;
        bool deleted = entry->flags & RCUINFO__ENTRY_DELETED;
        uint32_t more = rcuinfo__log_links(entry)->skipped - skipped; /* > 0: an update of more + 1 entries begins */
        if (first == there || (deleted && !there) || entry->rank != (there ? older->rank : ranks) ||
            entry->pairs != pairs + first - deleted || !links_valid(entry, older) || !text_valid(entry) ||
            (more && left) || rcuinfo__log_find(entry, key, entry->key_length, entry->hash) != entry)
            return false;

        ranks += first;
        pairs = entry->pairs;
        left = more ? more : left - (left > 0);
        skipped += more;
        if (rcuinfo__log_holes(entry).n != ranks - pairs)
            return false;
    }

    for (uint32_t n = 0; n < pairs && !left; n++) {
        const struct rcuinfo__entry *first = rcuinfo__log_nth_key(last, n);
        const struct rcuinfo__entry *newest = rcuinfo__log_nth(last, n);
        if (!(first->flags & RCUINFO__ENTRY_FIRST) || !newest || newest->flags & RCUINFO__ENTRY_DELETED ||
            newest->rank != first->rank || (n && first->rank <= rcuinfo__log_nth_key(last, n - 1)->rank))
            return false;
    }
    return !left;
}

bool rcuinfo__log_may_be_valid(const struct rcuinfo__entry *last)
{
    return (last->pairs > 64 && rcuinfo__log_version(last) % 1024) || rcuinfo__log_valid(last);
}
