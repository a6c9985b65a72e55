/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * edit: several edits of a snapshot as one version, in time linear in pairs and edits.
 *
 * The draft in the scratch memory is a list of pairs in insertion order, deleted ones kept as holes, and an
 * open-addressing index over it; the block is written from it at the end. A pair that is deleted and set again within
 * the same update takes a new place at the end, as with the single calls.
 */
#include <string.h>

#include "core/snapshot.h"

struct draft_pair {
    const char *key;
    const char *value; /* NULL: deleted */
    uint32_t hash;
    uint16_t value_length;
    uint8_t key_length;
};

struct draft {
    struct draft_pair *pairs;
    uint32_t *index; /* positions + 1 */
    uint32_t used;
    uint32_t mask;
};

/* The most pairs that a draft can come to, holes included. */
static uint64_t draft_pairs(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edits, size_t n)
{
    uint64_t pairs = old->count;
    for (size_t i = 0; i < n; i++)
        pairs += edits[i].value != NULL;
    return pairs;
}

static uint64_t draft_places(uint64_t pairs)
{
    return UINT64_C(1) << (64 - __builtin_clzll(2 * pairs + 1));
}

uint64_t rcuinfo__snapshot_plan_all(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edits, size_t n,
                                    uint64_t *scratch)
{
    uint64_t text = rcuinfo__snapshot_text(old);
    uint64_t pairs = draft_pairs(old, edits, n);
    for (size_t i = 0; i < n; i++) {
        if (edits[i].value)
            text += rcuinfo__snapshot_pair_bytes(edits[i].key_length, edits[i].value_length);
    }
    *scratch = pairs * sizeof(struct draft_pair) + draft_places(pairs) * sizeof(uint32_t);
    return rcuinfo__snapshot_size(pairs, text); /* which grows with the pairs: an index is larger than fingerprints */
}

/* The place in the index where the key is, or where it would be put. */
static uint32_t draft_place(const struct draft *draft, const char *key, uint32_t length, uint32_t hash)
{
    uint32_t place = hash & draft->mask;
    for (; draft->index[place]; place = (place + 1) & draft->mask) {
        const struct draft_pair *pair = &draft->pairs[draft->index[place] - 1];
        if (pair->hash == hash && pair->key_length == length && rcuinfo__text_equal(pair->key, key, length))
            break;
    }
    return place;
}

static void draft_append(struct draft *draft, uint32_t place, struct draft_pair pair)
{
    draft->pairs[draft->used++] = pair;
    draft->index[place] = draft->used;
}

static void draft_open(struct draft *draft, const struct rcuinfo__snapshot *old)
{
    for (uint32_t i = 0; i < old->count; i++) {
        struct rcuinfo__pair pair;
        rcuinfo__snapshot_nth(old, i, &pair);
        draft_append(draft, draft_place(draft, pair.key, pair.key_length, pair.hash),
                     (struct draft_pair){.key = pair.key,
                                         .value = pair.value,
                                         .hash = pair.hash,
                                         .value_length = (uint16_t)pair.value_length,
                                         .key_length = (uint8_t)pair.key_length});
    }
}

static bool draft_edit(struct draft *draft, const struct rcuinfo__edit *edit)
{
    uint32_t place = draft_place(draft, edit->key, edit->key_length, edit->hash);
    struct draft_pair *pair = draft->index[place] ? &draft->pairs[draft->index[place] - 1] : NULL;
    bool there = pair && pair->value;
    if (!edit->value) {
        if (there)
            pair->value = NULL;
        return there;
    }
    if (there) {
        pair->value = edit->value;
        pair->value_length = (uint16_t)edit->value_length;
    } else {
        draft_append(draft, place,
                     (struct draft_pair){.key = edit->key,
                                         .value = edit->value,
                                         .hash = edit->hash,
                                         .value_length = (uint16_t)edit->value_length,
                                         .key_length = (uint8_t)edit->key_length});
    }
    return true;
}

static void draft_write(const struct draft *draft, uint64_t version, struct rcuinfo__snapshot *block)
{
    uint32_t count = 0;
    uint32_t text = 0;
    for (uint32_t i = 0; i < draft->used; i++) {
        if (draft->pairs[i].value) {
            count++;
            text += rcuinfo__snapshot_pair_bytes(draft->pairs[i].key_length, draft->pairs[i].value_length);
        }
    }
    rcuinfo__snapshot_frame(block, count, text, version);
    struct rcuinfo__entry *entry = (struct rcuinfo__entry *)(void *)((char *)block + block->entries);
    char *fingerprint = block->mask ? NULL : (char *)(block + 1);
    uint32_t at = 0;
    for (uint32_t i = 0; i < draft->used; i++) {
        const struct draft_pair *pair = &draft->pairs[i];
        if (!pair->value)
            continue;
        *entry++ = (struct rcuinfo__entry){
            .hash = pair->hash, .text = at, .value_length = pair->value_length, .key_length = pair->key_length};
        if (fingerprint)
            *fingerprint++ = (char)rcuinfo__text_fingerprint(pair->hash);
        rcuinfo__snapshot_put_pair((char *)block + block->text + at, pair->key, pair->key_length, pair->value,
                                   pair->value_length);
        at += rcuinfo__snapshot_pair_bytes(pair->key_length, pair->value_length);
    }
    rcuinfo__snapshot_fill_index(block);
}

size_t rcuinfo__snapshot_apply_all(const struct rcuinfo__snapshot *old, const struct rcuinfo__edit *edits, size_t n,
                                   void *scratch, struct rcuinfo__snapshot *block)
{
    uint64_t pairs = draft_pairs(old, edits, n);
    uint64_t places = draft_places(pairs);
    struct draft draft = {.pairs = scratch, .mask = (uint32_t)places - 1};
    draft.index = (uint32_t *)(void *)(draft.pairs + pairs);
    memset(draft.index, 0, (size_t)places * sizeof *draft.index);
    draft_open(&draft, old);
    for (size_t i = 0; i < n; i++) {
        if (!draft_edit(&draft, &edits[i]))
            return i;
    }
    draft_write(&draft, old->version + 1, block);
    return n;
}
