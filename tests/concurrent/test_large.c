/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many versions of a large object lie in one block. Writers override, delete and add pairs, and now and then make it
 * small and large again in one update; others meanwhile get values, check open snapshots pair by pair, and change dups
 * of it. Every value begins with its key, so one that is another pair's, or was used again, shows.
 */
#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "support/random.h"
#include "support/scale.h"
#include "support/threads.h"

enum { KEYS = 600, STAYING = 100, THREADS = 6, ROUNDS = SCALED(60000), KEPT = 4, KEY_BYTES = 16, VALUE_BYTES = 64 };

static rcuinfo_t info;
static char keys[KEYS][KEY_BYTES];
static char values[KEYS][VALUE_BYTES]; /* of the updates that make it large */
static atomic_ulong snapshots_of_large;
static atomic_ulong snapshots_of_small;

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
    unsigned key = random_below(r, KEYS);
    make_value(value, key, random_next(r));
    CHECK_OK(rcuinfo_set(object, keys[key], value));
}

static void delete_one(rcuinfo_t object, struct random *r)
{
    unsigned key = STAYING + random_below(r, KEYS - STAYING);
    rcuinfo_status_t status = rcuinfo_delete(object, keys[key]);
    CHECK(status == RCUINFO_SUCCESS || status == RCUINFO_ERR_NOKEY);
}

/* All pairs that need not stay go or come at once. Deletes of what may have gone already are of what is set first. */
static void change_all(rcuinfo_t object, bool large)
{
    rcuinfo_change_t changes[2 * KEYS];
    size_t n = 0;
    for (unsigned key = STAYING; key < KEYS; key++) {
        changes[n++] = (rcuinfo_change_t){keys[key], values[key]};
        if (!large)
            changes[n++] = (rcuinfo_change_t){keys[key], NULL};
    }
    CHECK_OK(rcuinfo_update(object, changes, n, NULL));
}

static void get_one(rcuinfo_t object, struct random *r)
{
    char value[VALUE_BYTES], key[RCUINFO_MAX_KEY];
    unsigned wanted = random_below(r, KEYS);
    int flag = 0, nkeys = 0;
    CHECK_OK(rcuinfo_get(object, keys[wanted], VALUE_BYTES - 1, value, &flag));
    CHECK(flag || wanted >= STAYING);
    if (flag)
        check_value(wanted, value);
    CHECK_OK(rcuinfo_get_nkeys(object, &nkeys));
    CHECK(nkeys >= STAYING && nkeys <= KEYS);
    CHECK_OK(rcuinfo_get_nthkey(object, (int)random_below(r, STAYING), key));
    CHECK(strncmp(key, "key", 3) == 0);
}

static void check_snapshot(const rcuinfo_snapshot_t *snapshot)
{
    bool seen[KEYS] = {false};
    rcuinfo_pair_t pair, same;
    size_t count = rcuinfo_snapshot_count(snapshot);
    for (size_t n = 0; n < count; n++) {
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, n, &pair));
        unsigned key = (unsigned)strtoul(pair.key + 3, NULL, 10);
        CHECK(key < KEYS && !seen[key] && strcmp(pair.key, keys[key]) == 0);
        seen[key] = true;
        check_value(key, pair.value);
        CHECK_OK(rcuinfo_snapshot_find(snapshot, pair.key, &same));
        CHECK(same.key == pair.key && same.value == pair.value);
    }
    for (unsigned key = 0; key < STAYING; key++)
        CHECK(seen[key]);
    atomic_fetch_add(count > KEYS / 2 ? &snapshots_of_large : &snapshots_of_small, 1);
}

static void open_one(const rcuinfo_snapshot_t **kept, struct random *r)
{
    const rcuinfo_snapshot_t **place = &kept[random_below(r, KEPT)];
    if (*place) {
        check_snapshot(*place);
        rcuinfo_snapshot_close(*place);
        *place = NULL;
    } else {
        CHECK_OK(rcuinfo_snapshot_open(info, place));
    }
}

static void dup_one(struct random *r)
{
    rcuinfo_t copy;
    CHECK_OK(rcuinfo_dup(info, &copy));
    for (unsigned i = random_below(r, 6); i; i--) {
        set_one(copy, r);
        delete_one(copy, r);
        get_one(copy, r);
    }
    CHECK_OK(rcuinfo_free(&copy));
}

static void body(unsigned index, void *argument)
{
    const rcuinfo_snapshot_t *kept[KEPT] = {NULL};
    struct random r = {index};
    (void)argument;
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned choice = random_below(&r, 1000);
        if (choice < 250)
            set_one(info, &r);
        else if (choice < 330)
            delete_one(info, &r);
        else if (choice < 332)
            change_all(info, choice == 330);
        else if (choice < 372)
            open_one(kept, &r);
        else if (choice < 400)
            dup_one(&r);
        else
            get_one(info, &r);
    }
    for (unsigned i = 0; i < KEPT; i++) {
        if (kept[i])
            check_snapshot(kept[i]);
        rcuinfo_snapshot_close(kept[i]);
    }
}

int main(void)
{
    CHECK_OK(rcuinfo_create(&info));
    for (unsigned key = 0; key < KEYS; key++) {
        (void)snprintf(keys[key], KEY_BYTES, "key%u", key);
        make_value(values[key], key, 0);
        CHECK_OK(rcuinfo_set(info, keys[key], values[key]));
    }
    team_run(THREADS, body, NULL);
    CHECK(atomic_load(&snapshots_of_large) > 0);
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
    printf("%lu snapshots of large and %lu of small versions\n", atomic_load(&snapshots_of_large),
           atomic_load(&snapshots_of_small));
    return 0;
}
