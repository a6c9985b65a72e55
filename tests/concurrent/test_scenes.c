/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads that share an object must never see: a torn value, an older version after a newer one, half an update,
 * another object's data, a snapshot or a dup that changes. One scene for each, a row of the table at the end: who
 * writes, who reads until the writers are done, and what must hold then.
 *
 * usage: test_scenes SCENE
 */
#include "scenes.h"

#include "support/left.h"

enum { VALUES = 26, TAIL = 24, LOCKING = 16 };

struct scene {
    const char *name;
    unsigned writers;
    void (*write)(unsigned index);
    unsigned readers;
    unsigned long (*read)(unsigned index); /* how often it met what the scene is about */
    void (*start)(void);
    void (*end)(void); /* NULL: nothing more must hold */
};

_Atomic rcuinfo_t scene_object;
atomic_uint scene_writers;
atomic_ulong scene_made, scene_freed;
char scene_keys[KEYS][8];

static const struct scene *scene;

static void read_snapshot(rcuinfo_t object, const char *key, rcuinfo_pair_t *pair, char *value, uint64_t *version)
{
    const rcuinfo_snapshot_t *snapshot;
    CHECK_OK(rcuinfo_snapshot_open(object, &snapshot));
    CHECK_OK(rcuinfo_snapshot_find(snapshot, key, pair));
    *version = rcuinfo_snapshot_version(snapshot);
    memcpy(value, pair->value, pair->value_length + 1);
    rcuinfo_snapshot_close(snapshot);
}

void start_empty(void)
{
    rcuinfo_t info;
    CHECK_OK(rcuinfo_create(&info));
    atomic_store(&scene_object, info);
    atomic_fetch_add(&scene_made, 1);
}

/* Torn: no read gives a mixture of two values, the length of one with the content of another, or, cut, the beginning of
 * two. The first letter of a value tells the rest. */

static const size_t lengths[VALUES] = {0,   1,   7,   8,   9,   16,  33,  63,  64,  126, 127,  128,  129,
                                       130, 200, 255, 256, 257, 400, 500, 512, 513, 700, 1000, 1022, 1023};
static char values[VALUES][RCUINFO_MAX_VALUE];

static void start_torn(void)
{
    start_empty();
    for (unsigned which = 0; which < VALUES; which++) {
        for (size_t i = 0; i < lengths[which]; i++)
            values[which][i] = (char)('a' + (which + i) % 26);
    }
    for (unsigned k = 0; k < KEYS; k++)
        CHECK_OK(rcuinfo_set(scene_object, scene_keys[k], values[k]));
}

static void write_values(unsigned index)
{
    for (unsigned long i = 0; i < 2 * WRITES; i++)
        CHECK_OK(rcuinfo_set(scene_object, scene_keys[i % 4], values[(i * 7 + i / VALUES + index) % VALUES]));
}

/* The text must be the first `room` bytes of a value, or all of it; returns the value's length. */
static size_t check_text(const char *text, size_t room)
{
    unsigned which = *text ? (unsigned)(*text - 'a') : 0;
    CHECKF(which < VALUES, "torn: \"%s\"", text);
    size_t shown = lengths[which] < room ? lengths[which] : room;
    CHECKF(strlen(text) == shown && memcmp(text, values[which], shown) == 0, "torn: \"%s\"", text);
    return lengths[which];
}

static unsigned long read_values(unsigned index)
{
    unsigned long changes = 0;
    size_t last[4] = {0, 1, 7, 8};
    for (unsigned long i = index; atomic_load(&scene_writers) > 0; i++) {
        char text[RCUINFO_MAX_VALUE];
        const char *key = scene_keys[i / 3 % 4];
        int flag = 1, room = 1 + (int)(i * 31 % (RCUINFO_MAX_VALUE - 1)), size = room + 1;
        rcuinfo_pair_t pair;
        uint64_t version;
        size_t length;
        if (i % 3 == 0) {
            CHECK_OK(rcuinfo_get(scene_object, key, room, text, &flag));
            length = check_text(text, (size_t)room);
            CHECK_OK(rcuinfo_get_valuelen(scene_object, key, &size, &flag));
            CHECK_RANGE(size, 0, RCUINFO_MAX_VALUE - 1);
        } else if (i % 3 == 1) {
            CHECK_OK(rcuinfo_get_string(scene_object, key, &size, text, &flag));
            length = check_text(text, (size_t)room);
            CHECK_EQUAL(size, length + 1);
        } else {
            read_snapshot(scene_object, key, &pair, text, &version);
            length = check_text(text, RCUINFO_MAX_VALUE);
            CHECK_EQUAL(pair.value_length, length);
        }
        CHECK(flag == 1);
        changes += length != last[i / 3 % 4];
        last[i / 3 % 4] = length;
    }
    return changes;
}

/*
 * Counting: no increment by compare-and-set is lost or made twice, and the object's version counts every change. A
 * second key is taken and given back, by set-if-absent and delete-if-mine, as a lock around a plain counter. Who reads
 * never meets an older number or version than it saw before, nor than another thread said that it had seen.
 */

static unsigned long plain;  /* guarded by the key "lock" */
static atomic_ulong largest; /* that any reader has seen */

static void start_count(void)
{
    start_empty();
    CHECK_OK(rcuinfo_set(scene_object, "counter", "0"));
}

static unsigned long get_count(bool as_string)
{
    char value[24] = "";
    int flag = 0, size = sizeof value;
    if (as_string)
        CHECK_OK(rcuinfo_get_string(scene_object, "counter", &size, value, &flag));
    else
        CHECK_OK(rcuinfo_get(scene_object, "counter", size - 1, value, &flag));
    CHECK(flag == 1);
    return strtoul(value, NULL, 10);
}

static void count(void)
{
    int swapped = 0;
    while (!swapped) {
        char expected[24], desired[24];
        unsigned long now = get_count(false);
        (void)snprintf(expected, sizeof expected, "%lu", now);
        (void)snprintf(desired, sizeof desired, "%lu", now + 1);
        swapped = 77;
        CHECK_OK(rcuinfo_compare_and_set(scene_object, "counter", expected, desired, &swapped));
        CHECK(swapped == 0 || swapped == 1);
    }
}

static void count_under_lock(const char *owner)
{
    int swapped = 0;
    for (;;) {
        CHECK_OK(rcuinfo_compare_and_set(scene_object, "lock", NULL, owner, &swapped));
        if (swapped)
            break;
        sched_yield();
    }
    plain++;
    CHECK_OK(rcuinfo_compare_and_set(scene_object, "lock", owner, NULL, &swapped));
    CHECK(swapped == 1);
}

static void write_count(unsigned index)
{
    for (unsigned long i = 0; i < WRITES; i++) {
        count();
        if (i % LOCKING == 0)
            count_under_lock(scene_keys[index]);
    }
}

static unsigned long read_count(unsigned index)
{
    unsigned long mine = 0, advances = 0;
    uint64_t version = 0;
    for (unsigned long i = index; atomic_load(&scene_writers) > 0; i++) {
        unsigned long told = atomic_load(&largest), now;
        uint64_t before = version;
        if (i % 2) {
            CHECK_OK(rcuinfo_version(scene_object, &version));
            now = get_count(i % 4 == 1);
        } else {
            char value[RCUINFO_MAX_VALUE];
            rcuinfo_pair_t pair;
            read_snapshot(scene_object, "counter", &pair, value, &version);
            now = strtoul(value, NULL, 10);
        }
        CHECKF(version >= before, "version %llu after %llu", (unsigned long long)version, (unsigned long long)before);
        CHECKF(now >= mine, "%lu after %lu", now, mine);
        CHECKF(now >= told, "%lu after another thread had seen %lu", now, told);
        advances += now > mine;
        mine = now;
        while (told < now && !atomic_compare_exchange_weak(&largest, &told, now))
            continue;
    }
    return advances;
}

static void end_count(void)
{
    unsigned long locked = (WRITES + LOCKING - 1) / LOCKING;
    uint64_t version = 0;
    int nkeys = 0;
    CHECK_EQUAL(get_count(false), scene->writers * WRITES);
    CHECK_EQUAL(plain, scene->writers * locked);
    CHECK_OK(rcuinfo_version(scene_object, &version));
    CHECK_EQUAL(version, 1 + scene->writers * (WRITES + 2 * locked));
    CHECK_OK(rcuinfo_get_nkeys(scene_object, &nkeys));
    CHECK_EQUAL(nkeys, 1);
}

/* nthkey: beside deletes it gives the key of that place, or RCUINFO_ERR_ARG with the output untouched. The object
 * shrinks to nothing, from its end, and grows again. */

static void tail_key(char *key, unsigned n)
{
    (void)snprintf(key, RCUINFO_MAX_KEY, "key number %u", n);
}

static void write_tail(unsigned index)
{
    char key[RCUINFO_MAX_KEY];
    (void)index;
    for (unsigned i = 0; i < 4 * WRITES; i++) {
        bool grows = i / TAIL % 2 == 0;
        tail_key(key, grows ? i % TAIL : TAIL - 1 - i % TAIL);
        CHECK_OK(grows ? rcuinfo_set(scene_object, key, "value") : rcuinfo_delete(scene_object, key));
    }
}

static unsigned long read_tail(unsigned index)
{
    unsigned long changes = 0;
    rcuinfo_status_t last = RCUINFO_SUCCESS;
    for (unsigned i = index; atomic_load(&scene_writers) > 0; i++) {
        char key[RCUINFO_MAX_KEY] = "#", wanted[RCUINFO_MAX_KEY];
        rcuinfo_status_t status = rcuinfo_get_nthkey(scene_object, (int)(i % TAIL), key);
        CHECK(status == RCUINFO_SUCCESS || status == RCUINFO_ERR_ARG);
        tail_key(wanted, i % TAIL);
        CHECK_TEXT(key, status ? "#" : wanted);
        changes += status != last;
        last = status;
    }
    return changes;
}

static const struct scene scenes[] = {
    {"torn", 3, write_values, 3, read_values, start_torn, NULL},
    {"monotonic", 2, write_count, 4, read_count, start_count, end_count},
    {"compare_and_set", 4, write_count, 0, NULL, start_count, end_count},
    {"nthkey", 1, write_tail, 3, read_tail, start_empty, NULL},
    {"update_atomic", 2, write_versions, 3, read_versions, start_versions, NULL},
    {"dup", 2, write_versions, 3, read_dups, start_versions, NULL},
    {"large", 6, write_large, 0, NULL, start_large, end_large},
    {"snapshot", 1, replace_seldom, 3, read_held, start_versions, end_held},
    {"free_race", 1, replace_often, 3, use_and_free, start_versions, end_free},
};

static void body(unsigned index, void *met)
{
    if (index < scene->writers) {
        scene->write(index);
        atomic_fetch_sub(&scene_writers, 1);
    } else {
        atomic_fetch_add((atomic_ulong *)met, scene->read(index));
    }
}

int main(int argc, char **argv)
{
    atomic_ulong met = 0;
    rcuinfo_t last;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        if (argc == 2 && strcmp(argv[1], scenes[i].name) == 0)
            scene = &scenes[i];
    }
    CHECK(scene != NULL);
    for (unsigned k = 0; k < KEYS; k++)
        (void)snprintf(scene_keys[k], sizeof scene_keys[k], "key%u", k);
    scene->start();
    atomic_store(&scene_writers, scene->writers);
    team_run(scene->writers + scene->readers, body, &met);
    CHECKF(atomic_load(&met) >= scene->readers, "%s: met %lu times", scene->name, atomic_load(&met));
    if (scene->end)
        scene->end();
    last = atomic_load(&scene_object);
    atomic_fetch_add(&scene_freed, rcuinfo_free(&last) == RCUINFO_SUCCESS);
    CHECK_EQUAL(atomic_load(&scene_freed), atomic_load(&scene_made)); /* each exactly once */
    left_nothing();
    printf("%s: met %lu times\n", scene->name, atomic_load(&met));
    return 0;
}
