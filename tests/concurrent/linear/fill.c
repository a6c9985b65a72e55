/* SPDX-License-Identifier: BSD-3-Clause */
/* fill: see fill.h. */
#include "linear/fill.h"

#include <string.h>

#include "core/handle.h"
#include "core/log.h"
#include "support/check.h"

enum {
    KEY_BYTES = 8,
    HOT = 64, /* sets after which a block gets as much room as there is for its pairs */
};

static const struct fill fills[] = {
    {3, 60, 0, 0, FILL_BYTES},      {3, 60, 0, 1, FILL_BYTES},    {3, 60, 2, 2, FILL_BYTES},
    {3, 60, 9, 100, FILL_BYTES},    {20, 100, 0, 1, FILL_EITHER}, /* places if there are more keys: the next block may
                                                                     be of the other kind */
    {40, 20, 0, 0, FILL_PLACES},    {40, 20, 0, 2, FILL_PLACES},  {40, 20, 3, 1, FILL_PLACES},
    {40, 20, 15, 100, FILL_PLACES},
};

static const char *key_of(char to[KEY_BYTES], const char *kind, unsigned number)
{
    CHECK(snprintf(to, KEY_BYTES, "%s%02u", kind, number) == KEY_BYTES - 1);
    return to;
}

static char letter(unsigned number)
{
    return (char)('A' + number % 26);
}

static void set(const struct fill *fill, rcuinfo_t object, const char *kind, unsigned number)
{
    char key[KEY_BYTES], value[RCUINFO_MAX_VALUE];
    memset(value, letter(number), fill->value);
    value[fill->value] = '\0';
    CHECK_OK(rcuinfo_set(object, key_of(key, kind, number), value));
}

/* Nobody else has the object yet. */
static const struct rcuinfo__entry *version_of(rcuinfo_t object)
{
    return rcuinfo__handle_root(object, RCUINFO__NATIVE_BITS);
}

/* Sets of fixed pairs that fit into the object's block. */
static unsigned room_of(const struct fill *fill, rcuinfo_t object)
{
    const struct rcuinfo__entry *last = version_of(object);
    const struct rcuinfo__block *block = rcuinfo__block_of(last);
    unsigned bytes = KEY_BYTES + fill->value + 1 + (unsigned)sizeof(struct rcuinfo__links) + 3;
    unsigned entries = block->capacity - last->position - 1;
    unsigned texts = (block->bytes - rcuinfo__handle_slot(object)->end.text) / bytes;
    return texts < entries ? texts : entries;
}

/* Whether a set leads to another block. */
static bool copies(const struct fill *fill, rcuinfo_t object)
{
    const struct rcuinfo__block *before = rcuinfo__block_of(version_of(object));
    set(fill, object, "fixed", 0);
    return rcuinfo__block_of(version_of(object)) != before;
}

const struct fill *fill_any(struct random *random)
{
    return &fills[random_below(random, sizeof fills / sizeof *fills)];
}

rcuinfo_t fill_begin(const struct fill *fill)
{
    rcuinfo_t object;
    CHECK_OK(rcuinfo_create(&object));
    for (unsigned i = 0; i < fill->pairs; i++)
        set(fill, object, "fixed", i);
    for (unsigned i = 0; i < fill->holes; i++)
        set(fill, object, "other", i);
    return object;
}

uint64_t fill_end(const struct fill *fill, rcuinfo_t object)
{
    char key[KEY_BYTES];
    uint64_t version;
    for (unsigned i = 0; !copies(fill, object) || i < HOT;)
        i++;
    for (unsigned i = 0; i < fill->holes; i++)
        CHECK_OK(rcuinfo_delete(object, key_of(key, "other", i)));
    while (room_of(fill, object) > fill->room)
        set(fill, object, "fixed", fill->pairs - 1);
    bool places = rcuinfo__block_of(version_of(object))->mask != 0;
    CHECK(fill->finder == FILL_EITHER || places == (fill->finder == FILL_PLACES));
    CHECK_OK(rcuinfo_current_version(object, &version));
    return version;
}

bool fill_whole(const struct fill *fill, const rcuinfo_snapshot_t *snapshot)
{
    for (unsigned i = 0; i < fill->pairs; i++) {
        rcuinfo_pair_t pair, found;
        char key[KEY_BYTES];
        if (rcuinfo_snapshot_nth(snapshot, i, &pair) != RCUINFO_SUCCESS ||
            strcmp(pair.key, key_of(key, "fixed", i)) != 0 || pair.value_length != fill->value ||
            strspn(pair.value, (char[]){letter(i), '\0'}) != fill->value ||
            rcuinfo_snapshot_find(snapshot, key, &found) != RCUINFO_SUCCESS || found.value != pair.value)
            return false;
    }
    return true;
}
