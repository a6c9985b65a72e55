/* SPDX-License-Identifier: BSD-3-Clause */
/* log: see log.h. */
#include "core/log/log.h"

#include <string.h>

#include "core/debug.h"

_Atomic uint64_t rcuinfo__log_seed;

const struct rcuinfo__links rcuinfo__log_unlinked;

const struct rcuinfo__entry *rcuinfo__log_older(const struct rcuinfo__entry *entry, uint32_t prefix)
{
    const struct rcuinfo__block *block = rcuinfo__block_of(entry);
    while (entry->position >= prefix) {
        uint32_t older = rcuinfo__log_links(entry)->previous;
        if (!older)
            return NULL; /* the key was first set beyond the prefix */
        entry = rcuinfo__block_entry(block, older - 1);
    }
    return entry;
}

struct rcuinfo__holes rcuinfo__log_holes(const struct rcuinfo__entry *last)
{
    uint32_t delete = rcuinfo__log_links(last)->deletes;
    if (!delete)
        return (struct rcuinfo__holes){NULL, 0};

    /* The newest delete lists all holes, its own included. */
    const struct rcuinfo__entry *entry = rcuinfo__block_entry(rcuinfo__block_of(last), delete - 1);
    return (struct rcuinfo__holes){rcuinfo__log_value(entry), entry->value_length / (uint32_t)sizeof(uint32_t)};
}

uint32_t rcuinfo__log_holes_before(const struct rcuinfo__holes *holes, uint32_t limit, bool by_pairs)
{
    uint32_t low = 0;
    uint32_t high = holes->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rcuinfo__log_hole(holes, middle) - (by_pairs ? middle : 0) < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The number of ranks given out up to this entry. */
static uint32_t ranks_upto(const struct rcuinfo__entry *entry)
{
    return entry->pairs + rcuinfo__log_holes(entry).n;
}

const struct rcuinfo__entry *rcuinfo__log_nth_search(const struct rcuinfo__entry *last, uint32_t n)
{
    const struct rcuinfo__block *block = rcuinfo__block_of(last);
    struct rcuinfo__holes holes = rcuinfo__log_holes(last);

    /* E.g. with holes 1 and 2, pairs 0, 1, 2 have the ranks 0, 3, 4. */
    uint32_t rank = n + rcuinfo__log_holes_before(&holes, n + 1, true);

    /* Each of the first entries adds a key, if they were copied or no key was set twice. */
    const struct rcuinfo__entry *entry = rcuinfo__block_entry(block, rank);
    if (entry->rank == rank && entry->flags & RCUINFO__ENTRY_FIRST)
        return entry;

    /* Else find the first entry up to which more than `rank` ranks were given out, which is at `rank` or later. */
    uint32_t low = rank;
    uint32_t high = last->position;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ranks_upto(rcuinfo__block_entry(block, middle)) <= rank)
            low = middle + 1;
        else
            high = middle;
    }
    return rcuinfo__block_entry(block, high);
}

uint64_t rcuinfo__log_text(const struct rcuinfo__entry *last)
{
    uint64_t text = 0;
    for (uint32_t n = 0; n < last->pairs; n++)
        text += rcuinfo__log_bytes(rcuinfo__log_nth(last, n));
    return text;
}
