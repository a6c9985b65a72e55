/* SPDX-License-Identifier: BSD-3-Clause */
/* log_write: the writing half of log.h. Only one thread at a time writes to a block, after what readers look at. */
#include <string.h>

#include "core/debug.h"
#include "core/log/log.h"

/* The room for further sets that a copy reserves. */
#define LEAST_ROOM  8    /* entries; enough for most new objects */
#define HOT_ENTRIES 64   /* entries in all, of a small object that is set often */
#define HOT_BYTES   4096 /* bytes of entries and text that such an object may reserve */

#define AHEAD      8                               /* pairs to prefetch in a copy */
#define MOST_HOLES (UINT16_MAX / sizeof(uint32_t)) /* that fit into the value of an entry */

struct rcuinfo__shape rcuinfo__log_shape(const struct rcuinfo__entry *last, const struct rcuinfo__end *end,
                                         const struct rcuinfo__edit *edits, size_t n, uint32_t sets)
{
    uint64_t text = end ? end->live : rcuinfo__log_text(last);
    uint64_t added = 0;
    uint64_t added_text = 0;

    for (size_t i = 0; i < n; i++) {
        if (edits[i].value) {
            added++;
            added_text += rcuinfo__log_pair_bytes(edits[i].key_length, edits[i].value_length);
        }
    }

    uint32_t pairs = last->pairs + (uint32_t)added;
    uint32_t average = (uint32_t)(text + added_text) / (pairs + !pairs) + 1; /* without pairs, divide by 1 */

    /*
     * The number of entries to reserve, for the edits and for later sets. Half the number of pairs: then on average a
     * set copies two pairs. More in a small object: HOT_ENTRIES in all, if they fit into HOT_BYTES. But no more than
     * the object has seen sets, so that one that is filled once wastes little. E.g. with 100 pairs and 1000 sets, 50;
     * with 4 pairs and 1000 sets, 60; with 4 pairs and 4 sets, LEAST_ROOM.
     */
    uint32_t most = HOT_BYTES / ((uint32_t)sizeof(struct rcuinfo__entry) + average);
    uint32_t few = last->pairs < HOT_ENTRIES ? HOT_ENTRIES - last->pairs : 0;
    if (most > few)
        most = few;
    if (most < last->pairs / 2)
        most = last->pairs / 2;
    uint64_t room = sets < most ? sets : most;
    if (room < LEAST_ROOM)
        room = LEAST_ROOM;
    if (room < added)
        room = added;

    uint64_t entries = last->pairs + room;
    if (entries > RCUINFO__BLOCK_SMALL) /* most entries will have links */
        average += (uint32_t)sizeof(struct rcuinfo__links);
    return (struct rcuinfo__shape){
        .entries = entries, .text = text + added_text + (room - added) * average, .average = average};
}

/* Makes the finder lead to an entry. `newest` is the key's newest entry so far, or NULL. */
static inline void finder_add(struct rcuinfo__block *block, const struct rcuinfo__entry *entry,
                              const struct rcuinfo__entry *newest)
{
    RCUINFO__SYNC_POINT(WRITTEN);

    /* Bytes: set the entry's byte by an OR. It was 0, because an entry is written only once. E.g. the byte of entry 21
     * is byte 5 of group 1, so bits 40 to 47 of the group's first word. */
    if (!block->mask) {
        uint32_t byte = entry->position % RCUINFO__BLOCK_GROUP;
        _Atomic uint64_t *word = RCUINFO__BLOCK_CAST(_Atomic uint64_t, block) -
                                 2 * ((size_t)entry->position / RCUINFO__BLOCK_GROUP + 1) + byte / 8;
        uint32_t shift = byte % 8 * 8;
        uint64_t bytes = atomic_load_explicit(word, RCUINFO__RELAXED);
        bytes |= (uint64_t)rcuinfo__text_fingerprint(entry->hash) << shift;
        atomic_store_explicit(word, bytes, RCUINFO__RELAXED);
        return;
    }

    /* Places: replace the key's place, or for a new key take the first that is empty. */
    uint32_t wanted = newest ? newest->position + 1 : 0;
    uint32_t place = entry->hash & block->mask;
    while (atomic_load_explicit(rcuinfo__log_place(block, place), RCUINFO__RELAXED) != wanted)
        place = (place + 1) & block->mask;
    /* [P9] publish: readers of older versions may find the entry here and follow its links. */
    atomic_store_explicit(RCUINFO__BLOCK_CAST(_Atomic uint32_t, rcuinfo__log_place(block, place)), entry->position + 1,
                          RCUINFO__PLACE_PUBLISH);
}

static inline void write_text(char *at, const char *key, uint32_t key_length, const char *value, uint32_t value_length)
{
    rcuinfo__text_copy(at, key, key_length);
    at[key_length] = '\0';
    rcuinfo__text_copy(at + key_length + 1, value, value_length);
    at[key_length + 1 + value_length] = '\0';
}

void rcuinfo__log_continue(struct rcuinfo__writing *writing, const struct rcuinfo__entry *last, struct rcuinfo__end end,
                           size_t entries)
{
    struct rcuinfo__block *block = rcuinfo__block_of(last);
    *writing = (struct rcuinfo__writing){.block = block,
                                         .last = rcuinfo__block_entry(block, last->position),
                                         .end = end,
                                         .skipped = rcuinfo__log_links(last)->skipped + (uint32_t)entries - 1,
                                         .published = true};
}

void rcuinfo__log_copy(struct rcuinfo__writing *writing, struct rcuinfo__block *block,
                       const struct rcuinfo__entry *from)
{
    const struct rcuinfo__block *old = rcuinfo__block_of(from);
    struct rcuinfo__holes holes = rcuinfo__log_holes(from);
    *writing = (struct rcuinfo__writing){.block = block, .end = {.text = rcuinfo__block_text(block)}};
    if (!from->pairs)
        return;

    /*
     * The newest entry of each pair goes to the index of the pair, which is its rank less the holes below it. Entries
     * come in the order of the writes, so a later one overwrites an earlier one of the same key; those of deleted keys
     * are left out. E.g. set a=1, set b=2, set c=3, delete b, set a=4: rank 1 is a hole, so index 0 gets a=1 and then
     * a=4, index 1 gets c=3.
     */
    for (uint32_t i = 0; i <= from->position; i++) {
        const struct rcuinfo__entry *entry = rcuinfo__block_entry(old, i);
        uint32_t before = holes.n ? rcuinfo__log_holes_before(&holes, entry->rank, false) : 0;
        bool lives = before == holes.n || rcuinfo__log_hole(&holes, before) != entry->rank;
        if (lives)
            *rcuinfo__block_entry(block, entry->rank - before) = *entry;
    }

    /* Then copy the texts, and make each entry one that adds its key. */
    uint32_t at = writing->end.text;
    for (uint32_t n = 0; n < from->pairs; n++) {
        struct rcuinfo__entry *entry = rcuinfo__block_entry(block, n);
        uint32_t bytes = rcuinfo__log_bytes(entry);
        if (n + AHEAD < from->pairs) /* the text of a large version is in no cache */
            __builtin_prefetch((const char *)old + rcuinfo__block_entry(block, n + AHEAD)->text);

        rcuinfo__text_copy((char *)block + at, (const char *)old + entry->text, bytes);
        entry->text = at;
        entry->flags = RCUINFO__ENTRY_FIRST;
        entry->position = n;
        entry->pairs = n + 1;
        entry->rank = n;
        finder_add(block, entry, NULL);
        at += bytes;
    }

    writing->end.live = at - writing->end.text;
    writing->end.text = at;
    writing->last = rcuinfo__block_entry(block, from->pairs - 1);
}

const struct rcuinfo__entry *rcuinfo__log_written(const struct rcuinfo__writing *writing,
                                                  const struct rcuinfo__edit *edit)
{
    return writing->last ? rcuinfo__log_find(writing->last, edit->key, edit->key_length, edit->hash) : NULL;
}

/* Overrides or removes a pair in a block that is not published. */
static bool write_in_place(struct rcuinfo__writing *writing, const struct rcuinfo__edit *edit,
                           struct rcuinfo__entry *entry)
{
    struct rcuinfo__block *block = writing->block;
    if (!edit->value) {
        writing->end.live -= rcuinfo__log_bytes(entry);
        entry->flags |= RCUINFO__ENTRY_DELETED;
        writing->removed = true;
        return true;
    }

    /* A value that is not longer than the old one goes to the same place, else to the free text. */
    uint32_t bytes = rcuinfo__log_pair_bytes(edit->key_length, edit->value_length);
    if (edit->value_length > entry->value_length) {
        if (bytes > block->extent - writing->end.text)
            return false;
        entry->text = writing->end.text;
        writing->end.text += bytes;
    }

    writing->end.live += bytes - rcuinfo__log_bytes(entry);
    entry->value_length = (uint16_t)edit->value_length;
    write_text((char *)block + entry->text, edit->key, edit->key_length, edit->value, edit->value_length);
    return true;
}

/* The number of holes that a block may have, about 2 sqrt(pairs): with more, a delete, which lists them all, would cost
 * more than its share of a copy. */
static uint32_t most_holes(uint32_t pairs)
{
    uint32_t root = UINT32_C(1) << (31 - __builtin_clz(pairs | 1)) / 2; /* 2^(log2(pairs) / 2), e.g. 8 for 64 to 255 */
    return 8 + 2 * (root < MOST_HOLES / 4 ? root : (uint32_t)MOST_HOLES / 4);
}

/* The links of the entry to be appended. */
static struct rcuinfo__links links_of_next(const struct rcuinfo__writing *writing, const struct rcuinfo__entry *newest)
{
    struct rcuinfo__links links = {.deletes = rcuinfo__log_links(writing->last)->deletes, .skipped = writing->skipped};
    if (newest && writing->block->mask)
        links.previous = newest->position + 1;
    return links;
}

/* Writes the ranks of the holes with one more, in ascending order. */
static void write_holes(char *at, const struct rcuinfo__holes *holes, uint32_t rank)
{
    uint32_t before = rcuinfo__log_holes_before(holes, rank, false);
    size_t bytes = before * sizeof rank;

    if (holes->n) {
        memcpy(at, holes->ranks, bytes);
        memcpy(at + bytes + sizeof rank, holes->ranks + bytes, holes->n * sizeof rank - bytes);
    }
    memcpy(at + bytes, &rank, sizeof rank);
}

/* Writes an entry, and its text at offset `at`, to a block that has room. The caller writes the value of a delete. */
static inline __attribute__((always_inline)) struct rcuinfo__entry *
write_entry(struct rcuinfo__block *block, uint32_t position, uint32_t pairs, uint32_t rank, uint32_t at,
            const struct rcuinfo__edit *edit, uint32_t value_length, uint32_t flags)
{
    struct rcuinfo__entry *entry = rcuinfo__block_entry(block, position);
    entry->hash = edit->hash;
    entry->text = at;
    entry->value_length = (uint16_t)value_length;
    entry->key_length = (uint8_t)edit->key_length;
    entry->flags = (uint8_t)flags;
    entry->position = position;
    entry->pairs = pairs;
    entry->rank = rank;
    write_text((char *)block + at, edit->key, edit->key_length, edit->value ? edit->value : "",
               edit->value ? value_length : 0);
    return entry;
}

bool rcuinfo__log_write(struct rcuinfo__writing *writing, const struct rcuinfo__edit *edit,
                        const struct rcuinfo__entry *newest)
{
    struct rcuinfo__block *block = writing->block;
    struct rcuinfo__entry *last = writing->last;
    bool there = newest && !(newest->flags & RCUINFO__ENTRY_DELETED);
    RCUINFO__CHECK(edit->value || there);
    if (there && !writing->published)
        return write_in_place(writing, edit, rcuinfo__block_entry(block, newest->position));

    uint32_t position = last ? last->position + 1 : 0;
    uint32_t pairs = last ? last->pairs : 0;
    uint32_t flags = there ? 0 : RCUINFO__ENTRY_FIRST;
    uint32_t at = writing->end.text;
    uint32_t value_length = edit->value_length;
    struct rcuinfo__holes holes = {NULL, 0};
    struct rcuinfo__links links;

    /* Readers may see the older entries, so these stay as they are, and this one links to them. In a block that nobody
     * else sees, the key is new or was removed in place, and no links are needed. */
    if (writing->published) {
        RCUINFO__CHECK(last);
        links = links_of_next(writing, newest);
        if (links.deletes)
            holes = rcuinfo__log_holes(last);
        if (!edit->value) {
            if (holes.n >= most_holes(pairs))
                return false; /* a copy closes the holes */
            flags |= RCUINFO__ENTRY_DELETED;
            value_length = (holes.n + 1) * (uint32_t)sizeof(uint32_t); /* the ranks of all holes */
            links.deletes = position + 1;
        }
        if (links.previous || links.deletes || links.skipped) {
            flags |= RCUINFO__ENTRY_LINKED;
            at = (at + 3) / 4 * 4 + (uint32_t)sizeof links; /* the links come first, aligned to 4 bytes */
        }
    }
    if (position == block->capacity || at > block->extent ||
        rcuinfo__log_pair_bytes(edit->key_length, value_length) > block->extent - at)
        return false;

    /* A new key gets the next rank. Every rank given out so far is either that of a pair or a hole. */
    uint32_t rank = there ? newest->rank : pairs + holes.n;
    if (!edit->value)
        pairs--;
    else if (!there)
        pairs++;
    struct rcuinfo__entry *entry = write_entry(block, position, pairs, rank, at, edit, value_length, flags);
    if (flags & RCUINFO__ENTRY_LINKED)
        memcpy((char *)block + at - sizeof links, &links, sizeof links);
    if (!edit->value)
        write_holes((char *)block + at + edit->key_length + 1, &holes, rank);

    /* `live` is the text that a copy of the new version would copy: neither that of the entry that this one overrides,
     * nor that of a delete. The NUL is for a delete: its ranks have overwritten the one that write_entry wrote. */
    writing->end.text = at + rcuinfo__log_bytes(entry);
    writing->end.live += (edit->value ? rcuinfo__log_bytes(entry) : 0) - (there ? rcuinfo__log_bytes(newest) : 0);
    ((char *)block)[writing->end.text - 1] = '\0';
    finder_add(block, entry, newest); /* last, since it makes the entry visible */
    writing->last = entry;
    return true;
}

const struct rcuinfo__entry *rcuinfo__log_append(const struct rcuinfo__entry *last, struct rcuinfo__end *end,
                                                 const struct rcuinfo__edit *edit, const struct rcuinfo__entry *newest)
{
    struct rcuinfo__block *block = rcuinfo__block_of(last);

    if (last->flags & RCUINFO__ENTRY_LINKED || (newest && block->mask)) {
        struct rcuinfo__writing writing;
        rcuinfo__log_continue(&writing, last, *end, 1);
        if (!rcuinfo__log_write(&writing, edit, newest))
            return NULL;
        *end = writing.end;
        return writing.last;
    }

    /* The usual case: no links are needed. These are the steps of rcuinfo__log_write that remain without them. */
    uint32_t bytes = rcuinfo__log_pair_bytes(edit->key_length, edit->value_length);
    uint32_t position = last->position + 1;
    if (position == block->capacity || bytes > block->extent - end->text)
        return NULL;

    uint32_t pairs = last->pairs + !newest;
    uint32_t rank = newest ? newest->rank : last->pairs;
    struct rcuinfo__entry *entry = write_entry(block, position, pairs, rank, end->text, edit, edit->value_length,
                                               newest ? 0 : RCUINFO__ENTRY_FIRST);
    end->text += bytes;
    end->live += bytes - (newest ? rcuinfo__log_bytes(newest) : 0);
    finder_add(block, entry, newest);
    return entry;
}

/* Closes the gaps that write_in_place left in a block that is not published. */
static void squeeze(struct rcuinfo__writing *writing)
{
    struct rcuinfo__block *block = writing->block;
    uint32_t end = writing->last->position + 1;
    uint32_t n = 0;

    memset(rcuinfo__block_memory(block), 0, rcuinfo__block_finder_of(block));
    for (uint32_t i = 0; i < end; i++) {
        struct rcuinfo__entry *entry = rcuinfo__block_entry(block, n);
        *entry = *rcuinfo__block_entry(block, i);
        if (entry->flags & RCUINFO__ENTRY_DELETED)
            continue;

        entry->position = n;
        entry->pairs = n + 1;
        entry->rank = n;
        finder_add(block, entry, NULL);
        n++;
    }
    writing->last = n ? rcuinfo__block_entry(block, n - 1) : NULL;
}

const struct rcuinfo__entry *rcuinfo__log_finish(struct rcuinfo__writing *writing, uint64_t version)
{
    struct rcuinfo__block *block = writing->block;
    if (writing->published) /* the block numbers it: see rcuinfo__log_version */
        return writing->last;

    if (writing->removed)
        squeeze(writing);
    if (!writing->last) { /* even a version without pairs ends with an entry: one without a key */
        writing->last = rcuinfo__block_entry(block, 0);
        *writing->last = (struct rcuinfo__entry){.text = writing->end.text};
    }

    block->base = version - writing->last->position;
    if (RCUINFO__DEFECT(VERSION_BACK) && version % 8 == 7)
        block->base -= 3;
    return writing->last;
}
