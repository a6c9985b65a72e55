/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scene of a large object, of which many versions lie in one block. Threads override, delete and add pairs, and now
 * and then make it small and large again in one update; they get values, check open snapshots pair by pair, and change
 * dups of it meanwhile. Every value begins with its key, so one that is another pair's, or was used again, shows.
 */
#include "scenes.h"

#include "support/random.h"

enum { PAIRS = 600, STAYING = 100, ROUNDS = SCALED(60000), KEPT = 4, KEY_BYTES = 16, VALUE_BYTES = 64 };

static char keys[PAIRS][KEY_BYTES];
static char values[PAIRS][VALUE_BYTES]; /* of the updates that make it large */
static atomic_ulong snapshots_of_large;

static void make_value(char *value, unsigned key, uint64_t number)
{
    (void)snprintf(value, VALUE_BYTES, "key%u is %020llu", key, (unsigned long long)number);
}

static void check_value(unsigned key, const char *value)
{
    size_t length = strlen(keys[key]);
    CHECKF(strncmp(value, keys[key], length) == 0 && strncmp(value + length, " is ", 4) == 0 &&
               strlen(value) == length + 24,
           "\"%s\" has \"%s\"", keys[key], value);
}

static void set_one(rcuinfo_t object, struct random *r)
{
    char value[VALUE_BYTES];
    unsigned key = random_below(r, PAIRS);
    make_value(value, key, random_next(r));
    CHECK_OK(rcuinfo_set(object, keys[key], value));
}

static void delete_one(rcuinfo_t object, struct random *r)
{
    unsigned key = STAYING + random_below(r, PAIRS - STAYING);
    rcuinfo_status_t status = rcuinfo_delete(object, keys[key]);
    CHECK(status == RCUINFO_SUCCESS || status == RCUINFO_ERR_NOKEY);
}

/* All pairs that need not stay go or come at once. Deletes of what may have gone already are of what is set first. */
static void change_all(bool large)
{
    rcuinfo_change_t changes[2 * PAIRS];
    size_t n = 0;
    for (unsigned key = STAYING; key < PAIRS; key++) {
        changes[n++] = (rcuinfo_change_t){keys[key], values[key]};
        if (!large)
            changes[n++] = (rcuinfo_change_t){keys[key], NULL};
    }
    CHECK_OK(rcuinfo_update(scene_object, changes, n, NULL));
}

static void get_one(rcuinfo_t object, struct random *r)
{
    char value[VALUE_BYTES], key[RCUINFO_MAX_KEY];
    unsigned wanted = random_below(r, PAIRS);
    int flag = 0, nkeys = 0;
    CHECK_OK(rcuinfo_get(object, keys[wanted], VALUE_BYTES - 1, value, &flag));
    CHECK(flag || wanted >= STAYING);
    if (flag)
        check_value(wanted, value);
    CHECK_OK(rcuinfo_get_nkeys(object, &nkeys));
    CHECK(nkeys >= STAYING && nkeys <= PAIRS);
    CHECK_OK(rcuinfo_get_nthkey(object, (int)random_below(r, STAYING), key));
    CHECK(strncmp(key, "key", 3) == 0);
}

static void check_snapshot(const rcuinfo_snapshot_t *snapshot)
{
    bool seen[PAIRS] = {false};
    rcuinfo_pair_t pair, same;
    size_t count = rcuinfo_snapshot_count(snapshot);
    for (size_t n = 0; n < count; n++) {
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, n, &pair));
        unsigned key = (unsigned)strtoul(pair.key + 3, NULL, 10);
        CHECK(key < PAIRS && !seen[key] && strcmp(pair.key, keys[key]) == 0);
        seen[key] = true;
        check_value(key, pair.value);
        CHECK_OK(rcuinfo_snapshot_find(snapshot, pair.key, &same));
        CHECK(same.key == pair.key && same.value == pair.value);
    }
    for (unsigned key = 0; key < STAYING; key++)
        CHECK(seen[key]);
    atomic_fetch_add(&snapshots_of_large, count > PAIRS / 2);
}

static void open_one(const rcuinfo_snapshot_t **kept, struct random *r)
{
    const rcuinfo_snapshot_t **place = &kept[random_below(r, KEPT)];
    if (*place) {
        check_snapshot(*place);
        rcuinfo_snapshot_close(*place);
        *place = NULL;
    } else {
        CHECK_OK(rcuinfo_snapshot_open(scene_object, place));
    }
}

static void dup_one(struct random *r)
{
    rcuinfo_t copy;
    CHECK_OK(rcuinfo_dup(scene_object, &copy));
    for (unsigned i = random_below(r, 6); i; i--) {
        set_one(copy, r);
        delete_one(copy, r);
        get_one(copy, r);
    }
    CHECK_OK(rcuinfo_free(&copy));
}

void start_large(void)
{
    start_empty();
    for (unsigned key = 0; key < PAIRS; key++) {
        (void)snprintf(keys[key], KEY_BYTES, "key%u", key);
        make_value(values[key], key, 0);
        CHECK_OK(rcuinfo_set(scene_object, keys[key], values[key]));
    }
}

void write_large(unsigned index)
{
    const rcuinfo_snapshot_t *kept[KEPT] = {NULL};
    struct random r = {index};
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned choice = random_below(&r, 1000);
        if (choice < 250)
            set_one(scene_object, &r);
        else if (choice < 330)
            delete_one(scene_object, &r);
        else if (choice < 332)
            change_all(choice == 330);
        else if (choice < 372)
            open_one(kept, &r);
        else if (choice < 400)
            dup_one(&r);
        else
            get_one(scene_object, &r);
    }
    for (unsigned i = 0; i < KEPT; i++) {
        if (kept[i])
            check_snapshot(kept[i]);
        rcuinfo_snapshot_close(kept[i]);
    }
}

void end_large(void)
{
    CHECK(atomic_load(&snapshots_of_large) > 0);
}
