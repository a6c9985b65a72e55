/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fill: see fill.h. An object that is about to become flat is larger at first, by a pair that fill_end deletes: without
 * it, and without the pairs of the history, it would be flat.
 */
#include "linear/fill.h"

#include <string.h>

#include "core/snapshot.h"
#include "support/check.h"

enum { FILLS = 8, KEY_BYTES = 8, BALLAST = 12 };

static const unsigned missing[FILLS / 2] = {50, 200, 400, 700}; /* bytes to the bound: some pairs of a history */
static struct fill fills[FILLS];

static const char *key_of(char to[KEY_BYTES], const char *kind, unsigned number)
{
    CHECK(snprintf(to, KEY_BYTES, "%s%02u", kind, number) == KEY_BYTES - 1);
    return to;
}

/* So many bytes in all, as a flat version. */
static void make_fixed(struct fill *fill, unsigned bytes)
{
    char key[KEY_BYTES];
    unsigned text = bytes - (unsigned)rcuinfo__snapshot_size(FILL_PAIRS, 0);
    for (unsigned i = 0; i < FILL_PAIRS; i++) {
        unsigned pair = text / (FILL_PAIRS - i);
        CHECK(pair - KEY_BYTES - 1 < RCUINFO_MAX_VALUE);
        memset(fill->values[i], (int)('A' + i), pair - KEY_BYTES - 1);
        CHECK_OK(rcuinfo_set(fill->object, key_of(key, "fixed", i), fill->values[i]));
        text -= pair;
    }
}

static void make_large(struct fill *fill)
{
    char key[KEY_BYTES], value[RCUINFO_MAX_VALUE] = "";
    memset(value, 'b', sizeof value - 1);
    for (unsigned i = 0; i < BALLAST; i++)
        CHECK_OK(rcuinfo_set(fill->object, key_of(key, "other", i), value));
    for (unsigned i = 1; i < BALLAST; i++)
        CHECK_OK(rcuinfo_delete(fill->object, key_of(key, "other", i)));
    fill->ballast = true;
}

void fill_make(void)
{
    for (unsigned i = 0; i < FILLS; i++) {
        struct fill *fill = &fills[i];
        CHECK_OK(rcuinfo_create(&fill->object));
        make_fixed(fill, (i % 2 ? RCUINFO__FLAT_LEAST : RCUINFO__FLAT_MOST) - missing[i / 2]);
        if (i % 2)
            make_large(fill);
        CHECK_OK(rcuinfo_version(fill->object, &fill->version));
        fill->version += fill->ballast;
    }
}

void fill_free(void)
{
    for (unsigned i = 0; i < FILLS; i++)
        CHECK_OK(rcuinfo_free(&fills[i].object));
}

const struct fill *fill_any(struct random *random)
{
    return &fills[random_below(random, FILLS)];
}

rcuinfo_t fill_begin(const struct fill *fill)
{
    rcuinfo_t object;
    CHECK_OK(rcuinfo_dup(fill->object, &object));
    return object;
}

void fill_end(const struct fill *fill, rcuinfo_t object)
{
    char key[KEY_BYTES];
    if (fill->ballast)
        CHECK_OK(rcuinfo_delete(object, key_of(key, "other", 0)));
}

bool fill_whole(const struct fill *fill, const rcuinfo_snapshot_t *snapshot)
{
    for (unsigned i = 0; i < FILL_PAIRS; i++) {
        rcuinfo_pair_t pair;
        char key[KEY_BYTES];
        if (rcuinfo_snapshot_nth(snapshot, i, &pair) != RCUINFO_SUCCESS ||
            strcmp(pair.key, key_of(key, "fixed", i)) != 0 || strcmp(pair.value, fill->values[i]) != 0)
            return false;
    }
    return true;
}
