/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scenes of versions: an update of several keys is seen as a whole or not at all. One kind of update gives all keys
 * values of one writer and number, of all lengths, which name their object; the other exchanges the colours, keys
 * without a value.
 */
#include "scenes.h"

#include "support/left.h"
#include "support/selfcheck.h"

enum { COLOURS = 3, OBJECTS = SCALED(20000) };

static const char *const colours[2][COLOURS] = {{"red 0", "red 1", "red 2"}, {"blue 0", "blue 1", "blue 2"}};
static atomic_ulong updates;
static _Atomic(const rcuinfo_snapshot_t *) passed; /* an open snapshot, which whoever takes it closes */

static rcuinfo_status_t write_version(rcuinfo_t info, unsigned writer, unsigned long number)
{
    char texts[KEYS][SELFCHECK_MAX + 1];
    rcuinfo_change_t changes[KEYS];
    for (unsigned k = 0; k < KEYS; k++) {
        selfcheck_make_for(texts[k], info, writer * KEYS + k, number, selfcheck_length(k, number));
        changes[k] = (rcuinfo_change_t){scene_keys[k], texts[k]};
    }
    return rcuinfo_update(info, changes, KEYS, NULL);
}

/* What is deleted is set first: it may have gone already. */
static rcuinfo_status_t write_colour(rcuinfo_t info, unsigned new)
{
    rcuinfo_change_t changes[3 * COLOURS];
    for (size_t i = 0; i < COLOURS; i++) {
        changes[i] = (rcuinfo_change_t){colours[!new][i], "x"};
        changes[COLOURS + 2 * i] = (rcuinfo_change_t){colours[new][i], "x"};
        changes[COLOURS + 2 * i + 1] = (rcuinfo_change_t){colours[!new][i], NULL};
    }
    return rcuinfo_update(info, changes, sizeof changes / sizeof *changes, NULL);
}

static rcuinfo_t make_object(void)
{
    rcuinfo_t info;
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(write_version(info, 0, 0));
    CHECK_OK(write_colour(info, 0));
    atomic_fetch_add(&scene_made, 1);
    return info;
}

void start_versions(void)
{
    atomic_store(&scene_object, make_object());
}

/* The value must be whole, and that of the object and the key; returns writer and number as one. */
static unsigned long check_value(const char *value, rcuinfo_t object, unsigned k)
{
    unsigned long number;
    uint64_t of;
    unsigned by;
    CHECKF(selfcheck_verify_for(value, &of, &by, &number), "torn: \"%s\"", value);
    CHECKF(of == object && by % KEYS == k, "of object %#llx, key %u: \"%s\"", (unsigned long long)object, k, value);
    return number * KEYS + by / KEYS;
}

/* The snapshot must show one version of the object; returns which one. RCUINFO_NULL: any object. */
static unsigned long check_version(const rcuinfo_snapshot_t *snapshot, rcuinfo_t object)
{
    unsigned long first = 0, number;
    unsigned found[3] = {0}; /* red, blue, numbered */
    for (size_t n = 0; n < rcuinfo_snapshot_count(snapshot); n++) {
        rcuinfo_pair_t pair, same;
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, n, &pair));
        CHECK_OK(rcuinfo_snapshot_find(snapshot, pair.key, &same));
        CHECK(same.value == pair.value && strlen(pair.value) == pair.value_length);
        found[*pair.key == 'k' ? 2 : *pair.key == 'b'] += *pair.key != 'n'; /* noise */
        if (*pair.key != 'k')
            continue;
        if (object == RCUINFO_NULL)
            object = strtoull(pair.value, NULL, 16);
        number = check_value(pair.value, object, (unsigned)strtoul(pair.key + 3, NULL, 10));
        CHECKF(found[2] == 1 || number == first, "%lu beside %lu", number, first);
        first = number;
    }
    CHECKF(found[2] == KEYS && found[0] + found[1] == COLOURS && found[0] * found[1] == 0,
           "%u keys, %u red and %u blue ones", found[2], found[0], found[1]);
    return first * 2 + (found[1] > 0);
}

static unsigned long check_object(rcuinfo_t info, rcuinfo_t object)
{
    const rcuinfo_snapshot_t *snapshot;
    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
    unsigned long which = check_version(snapshot, object);
    rcuinfo_snapshot_close(snapshot);
    return which;
}

void write_versions(unsigned index)
{
    for (unsigned long i = 1; i < WRITES / 4; i++) {
        if (i % 4 == 3)
            CHECK_OK(rcuinfo_set(scene_object, i % 8 == 3 ? "noise" : "noise too", i % 3 ? "a" : "bb"));
        else
            CHECK_OK(i % 2 ? write_colour(scene_object, i / 4 % 2) : write_version(scene_object, index, i));
    }
}

unsigned long read_versions(unsigned index)
{
    unsigned long last = 0, changes = 0;
    (void)index;
    while (atomic_load(&scene_writers) > 0) {
        unsigned long now = check_object(scene_object, scene_object);
        changes += now != last;
        last = now;
    }
    return changes;
}

/* A dup is one version of its source. What is written to it shows in it and in its own dups alone. */
unsigned long read_dups(unsigned index)
{
    unsigned long last = 0, changes = 0;
    for (unsigned long i = index; atomic_load(&scene_writers) > 0; i++) {
        char before[SELFCHECK_MAX + 1], value[SELFCHECK_MAX + 1] = "";
        const char *key = scene_keys[i % KEYS];
        rcuinfo_t copy, second;
        int flag = 0;
        CHECK_OK(rcuinfo_dup(scene_object, &copy));
        unsigned long now = check_object(copy, scene_object);
        CHECK_OK(rcuinfo_get(copy, key, SELFCHECK_MAX, before, &flag));
        CHECK_OK(rcuinfo_set(copy, key, scene_keys[index]));
        CHECK_OK(rcuinfo_dup(copy, &second));
        CHECK_OK(rcuinfo_free(&copy));
        CHECK_OK(rcuinfo_get(second, key, SELFCHECK_MAX, value, &flag));
        CHECK_TEXT(value, scene_keys[index]);
        CHECK_OK(rcuinfo_set(second, key, before));
        CHECK_EQUAL(check_object(second, scene_object), now);
        CHECK_OK(rcuinfo_free(&second));
        changes += now != last;
        last = now;
    }
    return changes;
}

/* A new object takes the place of the one before, which goes, and gets some versions. */
static void replace(unsigned long objects, unsigned long versions)
{
    for (unsigned long i = 0; i < objects; i++) {
        rcuinfo_t next = make_object(), old = atomic_exchange(&scene_object, next);
        atomic_fetch_add(&scene_freed, rcuinfo_free(&old) == RCUINFO_SUCCESS);
        for (unsigned long j = 1; j < versions; j++) {
            CHECK_OK(j % 2 ? write_colour(next, j / 2 % 2 == 0) : write_version(next, 1, j));
            atomic_fetch_add(&updates, 1);
        }
    }
}

void replace_seldom(unsigned index)
{
    (void)index;
    replace(OBJECTS / 50, 200);
}

void replace_often(unsigned index)
{
    (void)index;
    replace(5 * OBJECTS, 0);
}

/* Snapshots that are read, outlive two versions and, now and then, their object, and are read again. */
unsigned long read_held(unsigned index)
{
    unsigned long held = 0;
    (void)index;
    while (atomic_load(&scene_writers) > 0) {
        const rcuinfo_snapshot_t *snapshot, *other;
        unsigned long which, since = atomic_load(&updates);
        unsigned spins = 0;
        rcuinfo_t object = atomic_load(&scene_object);
        if (rcuinfo_snapshot_open(object, &snapshot) != RCUINFO_SUCCESS)
            continue; /* freed meanwhile */
        which = check_version(snapshot, object);
        while (atomic_load(&updates) < since + 2 && atomic_load(&scene_writers) > 0)
            team_relax(&spins);
        CHECK_EQUAL(check_version(snapshot, object), which);
        held += atomic_load(&updates) >= since + 2;
        other = atomic_exchange(&passed, snapshot);
        if (other) {
            (void)check_version(other, RCUINFO_NULL);
            rcuinfo_snapshot_close(other);
        }
    }
    return held;
}

/* Its object goes first. */
void end_held(void)
{
    rcuinfo_t last = atomic_load(&scene_object);
    CHECK_OK(rcuinfo_free(&last));
    atomic_fetch_add(&scene_freed, 1);
    left_nothing();
    (void)check_version(atomic_load(&passed), RCUINFO_NULL);
    rcuinfo_snapshot_close(atomic_load(&passed));
}

/* Free beside any call on the same handle: the call finishes on the object's content, or finds no object. Of the frees
 * of one object one succeeds. */

static atomic_ulong on_content;

static bool one_call(rcuinfo_t info, unsigned long i)
{
    char text[SELFCHECK_MAX + 1] = "";
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_status_t status;
    rcuinfo_t copy;
    int flag = 1, size = sizeof text;
    unsigned k = (unsigned)(i / 8 % KEYS);
    switch (i % 8) {
    case 0:
        status = rcuinfo_get(info, scene_keys[k], SELFCHECK_MAX, text, &flag);
        break;
    case 1:
        status = rcuinfo_get_string(info, scene_keys[k], &size, text, &flag);
        break;
    case 2:
        status = rcuinfo_get_nthkey(info, (int)k, text);
        CHECK_TEXT(text, status == RCUINFO_SUCCESS ? scene_keys[k] : "");
        break;
    case 3:
        status = rcuinfo_dup(info, &copy);
        CHECK((status == RCUINFO_SUCCESS) == (copy != RCUINFO_NULL));
        if (status == RCUINFO_SUCCESS) {
            (void)check_object(copy, info);
            CHECK_OK(rcuinfo_free(&copy));
        }
        break;
    case 4:
        status = rcuinfo_snapshot_open(info, &snapshot);
        if (status == RCUINFO_SUCCESS) {
            (void)check_version(snapshot, info);
            rcuinfo_snapshot_close(snapshot);
        }
        break;
    case 5:
        status = write_version(info, 1, i);
        break;
    default:
        status = rcuinfo_set(info, "noise", "value");
        break;
    }
    CHECKF(status == RCUINFO_SUCCESS || status == RCUINFO_ERR_INFO, "status %d", (int)status);
    CHECK(flag == 1);
    if (i % 8 < 2 && status == RCUINFO_SUCCESS)
        (void)check_value(text, info, k);
    return status == RCUINFO_SUCCESS;
}

unsigned long use_and_free(unsigned index)
{
    unsigned long hits = 0, misses = 0;
    for (unsigned long i = index; atomic_load(&scene_writers) > 0; i++) {
        rcuinfo_t info = atomic_load(&scene_object);
        for (unsigned j = 0; j < 8; j++) {
            if (one_call(info, i + j))
                hits++;
            else
                misses++;
        }
        if (i % 16 == 0 && rcuinfo_free(&info) == RCUINFO_SUCCESS) {
            CHECK(info == RCUINFO_NULL);
            atomic_fetch_add(&scene_freed, 1);
        }
    }
    atomic_fetch_add(&on_content, hits);
    return misses;
}

void end_free(void)
{
    CHECK(atomic_load(&on_content) > 0);
}
