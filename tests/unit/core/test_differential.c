/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random calls of the native interface on several objects, each compared with a naive model: what it returns, what it
 * writes, and, now and then, all that is in the object. Objects grow to some hundreds of keys and shrink to none.
 *
 * usage: test_differential [seed [calls]]
 */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/model.h"
#include "support/scale.h"
#include "support/workload.h"

enum { OBJECTS = 6, SNAPSHOTS = 8, ALPHABET = 500, MOST_CHANGES = 24 };

struct object {
    rcuinfo_t info;
    struct model model;
    unsigned alphabet; /* keys in use: bounds the size */
    unsigned growth;   /* of 100 changes, how many are sets */
};

struct view {
    const rcuinfo_snapshot_t *snapshot;
    struct model model;
};

static struct random rng;
static struct object objects[OBJECTS];
static struct view views[SNAPSHOTS];
static unsigned long seed = 1, call_number;

/* Like CHECK, and says how to run it again. */
#define AGREE(condition) CHECKF(condition, "seed %lu, call %lu", seed, call_number)

static void choose_shape(struct object *o)
{
    static const unsigned alphabets[] = {1, 2, 12, 33, 34, 48, 66, 130, ALPHABET};
    o->alphabet = alphabets[random_below(&rng, sizeof alphabets / sizeof *alphabets)];
    o->growth = random_below(&rng, 3) == 0 ? 20 : 70;
}

static void create(struct object *o)
{
    AGREE(rcuinfo_create(&o->info) == RCUINFO_SUCCESS && o->info != RCUINFO_NULL);
    model_init(&o->model);
    choose_shape(o);
}

/* A key that is there with good probability; sometimes none at all. */
static const char *some_key(const struct object *o)
{
    static char key[RCUINFO_MAX_KEY + 8];
    unsigned choice = random_below(&rng, 200);
    if (choice == 0)
        return NULL;
    if (choice == 1)
        return "";
    if (choice == 2) {
        memset(key, 'x', RCUINFO_MAX_KEY + random_below(&rng, 6));
        key[RCUINFO_MAX_KEY + 6] = '\0';
        return key;
    }
    if (choice < 60 && o->model.count > 0)
        return strcpy(key, o->model.pairs[random_below(&rng, (unsigned)o->model.count)].key);
    workload_key(key, random_below(&rng, o->alphabet));
    return key;
}

static const char *some_value(void)
{
    static char value[RCUINFO_MAX_VALUE + 8];
    unsigned choice = random_below(&rng, 300);
    if (choice == 0)
        return NULL;
    if (choice == 1) {
        memset(value, 'y', RCUINFO_MAX_VALUE + 1);
        value[RCUINFO_MAX_VALUE + random_below(&rng, 2)] = '\0';
        return value;
    }
    workload_value(value, &rng);
    return value;
}

static void change_one(struct object *o)
{
    const char *key = some_key(o);
    if (random_below(&rng, 100) < o->growth) {
        const char *value = some_value();
        rcuinfo_status_t wanted = model_set(&o->model, key, value);
        AGREE(rcuinfo_set(o->info, key, value) == wanted);
    } else {
        rcuinfo_status_t wanted = model_delete(&o->model, key);
        AGREE(rcuinfo_delete(o->info, key) == wanted);
    }
}

static void update(struct object *o)
{
    static char keys[MOST_CHANGES][RCUINFO_MAX_KEY + 8], values[MOST_CHANGES][RCUINFO_MAX_VALUE + 8];
    rcuinfo_change_t changes[MOST_CHANGES] = {0};
    size_t n = random_below(&rng, MOST_CHANGES + 1), failed = 99, wanted_failed = 99;
    rcuinfo_status_t wanted;
    for (size_t i = 0; i < n; i++) {
        const char *key = some_key(o), *value = random_below(&rng, 100) < o->growth + 20 ? some_value() : NULL;
        changes[i].key = key ? strcpy(keys[i], key) : NULL;
        changes[i].value = value ? strcpy(values[i], value) : NULL;
    }
    wanted = model_update(&o->model, changes, n, &wanted_failed);
    AGREE(rcuinfo_update(o->info, n ? changes : NULL, n, random_below(&rng, 9) ? &failed : NULL) == wanted);
    if (wanted == RCUINFO_SUCCESS)
        AGREE(failed == 99);
    else
        AGREE(failed == 99 || failed == wanted_failed);
}

static void compare_and_set(struct object *o)
{
    static char expected[RCUINFO_MAX_VALUE + 8];
    const char *key = some_key(o), *desired = some_value(), *wish = NULL;
    size_t at = key ? model_find(&o->model, key) : o->model.count;
    int swapped = 77, wanted_swapped = 77;
    rcuinfo_status_t wanted;
    if (at < o->model.count && random_below(&rng, 3))
        wish = strcpy(expected, o->model.pairs[at].value);
    else if (random_below(&rng, 3) == 0)
        wish = "not this";
    if (random_below(&rng, 4) == 0)
        desired = NULL;
    wanted = model_compare_and_set(&o->model, key, wish, desired, &wanted_swapped);
    AGREE(rcuinfo_compare_and_set(o->info, key, wish, desired, &swapped) == wanted);
    AGREE(swapped == wanted_swapped);
}

static void read_value(const struct object *o)
{
    const char *key = some_key(o), *wanted;
    char value[RCUINFO_MAX_VALUE];
    size_t at = key ? model_find(&o->model, key) : 0, length, copied;
    rcuinfo_status_t good = key && key[0] && strlen(key) < RCUINFO_MAX_KEY ? RCUINFO_SUCCESS : RCUINFO_ERR_KEY;
    int flag = 77, valuelen = (int)random_below(&rng, RCUINFO_MAX_VALUE), size = valuelen + 1, number = 77;
    memset(value, '#', sizeof value);
    AGREE(rcuinfo_get(o->info, key, valuelen, value, &flag) == good);
    AGREE(rcuinfo_get_valuelen(o->info, key, &number, &flag) == good);
    if (good != RCUINFO_SUCCESS || at == o->model.count) {
        AGREE(flag == (good == RCUINFO_SUCCESS ? 0 : 77) && number == 77 && value[0] == '#');
        AGREE(rcuinfo_get_string(o->info, key, &size, value, &flag) == good);
        AGREE(size == valuelen + 1 && value[0] == '#');
        return;
    }
    wanted = o->model.pairs[at].value;
    length = strlen(wanted);
    copied = length < (size_t)valuelen ? length : (size_t)valuelen;
    AGREE(flag == 1 && number == (int)length);
    AGREE(memcmp(value, wanted, copied) == 0 && value[copied] == '\0');
    AGREE(copied + 1 == sizeof value || value[copied + 1] == '#');
    memset(value, '#', sizeof value);
    flag = 77;
    AGREE(rcuinfo_get_string(o->info, key, &size, value, &flag) == RCUINFO_SUCCESS);
    AGREE(flag == 1 && size == (int)length + 1);
    AGREE(memcmp(value, wanted, copied) == 0 && value[copied] == '\0');
    AGREE(copied + 1 == sizeof value || value[copied + 1] == '#');
}

static void read_order(const struct object *o)
{
    int nkeys = -1, n = (int)random_below(&rng, (unsigned)o->model.count + 2) - (int)random_below(&rng, 2);
    char key[RCUINFO_MAX_KEY] = "#";
    uint64_t version = 77;
    AGREE(rcuinfo_get_nkeys(o->info, &nkeys) == RCUINFO_SUCCESS && nkeys == (int)o->model.count);
    AGREE(rcuinfo_version(o->info, &version) == RCUINFO_SUCCESS && version == o->model.version);
    if (n >= 0 && n < nkeys) {
        AGREE(rcuinfo_get_nthkey(o->info, n, key) == RCUINFO_SUCCESS);
        AGREE(strcmp(key, o->model.pairs[n].key) == 0);
    } else {
        AGREE(rcuinfo_get_nthkey(o->info, n, key) == RCUINFO_ERR_ARG && key[0] == '#');
    }
}

/* Checks and closes a view when it is open, opens it on some object when it is not. */
static void turn_view(struct view *v)
{
    struct object *o = &objects[random_below(&rng, OBJECTS)];
    if (v->snapshot) {
        AGREE(!model_differs_from_snapshot(&v->model, v->snapshot));
        rcuinfo_snapshot_close(v->snapshot);
        v->snapshot = NULL;
        model_clear(&v->model);
        return;
    }
    AGREE(rcuinfo_snapshot_open(o->info, &v->snapshot) == RCUINFO_SUCCESS);
    model_copy(&v->model, &o->model);
}

/* Frees an object and puts a new one, or a dup of another, in its place. */
static void replace(struct object *o)
{
    struct object *from = &objects[random_below(&rng, OBJECTS)];
    rcuinfo_t stale = o->info;
    AGREE(rcuinfo_free(&o->info) == RCUINFO_SUCCESS && o->info == RCUINFO_NULL);
    AGREE(rcuinfo_set(stale, "key", "value") == RCUINFO_ERR_INFO);
    model_clear(&o->model);
    if (from == o) {
        create(o);
        return;
    }
    AGREE(rcuinfo_dup(from->info, &o->info) == RCUINFO_SUCCESS);
    model_copy(&o->model, &from->model);
    choose_shape(o);
    if (o->alphabet < o->model.count)
        o->growth = 20;
}

static void one_call(void)
{
    struct object *o = &objects[random_below(&rng, OBJECTS)];
    unsigned choice = random_below(&rng, 1000);
    if (choice < 450)
        change_one(o);
    else if (choice < 490)
        update(o);
    else if (choice < 560)
        compare_and_set(o);
    else if (choice < 800)
        read_value(o);
    else if (choice < 980)
        read_order(o);
    else if (choice < 990)
        turn_view(&views[random_below(&rng, SNAPSHOTS)]);
    else if (choice < 993)
        replace(o);
    else if (choice < 996)
        choose_shape(o);
    else
        AGREE(!model_differs_from_object(&o->model, o->info));
}

int main(int argc, char **argv)
{
    unsigned long calls = SCALED(1000000);
    if (argc > 1)
        seed = strtoul(argv[1], NULL, 10);
    if (argc > 2)
        calls = strtoul(argv[2], NULL, 10);
    rng.state = seed;
    for (size_t i = 0; i < OBJECTS; i++)
        create(&objects[i]);
    for (call_number = 0; call_number < calls; call_number++)
        one_call();
    for (size_t i = 0; i < SNAPSHOTS; i++) {
        if (views[i].snapshot)
            turn_view(&views[i]);
    }
    for (size_t i = 0; i < OBJECTS; i++) {
        AGREE(!model_differs_from_object(&objects[i].model, objects[i].info));
        AGREE(rcuinfo_free(&objects[i].info) == RCUINFO_SUCCESS);
        model_clear(&objects[i].model);
    }
    AGREE(rcuinfo_store_drain() == 0);
    printf("seed %lu: %lu calls agree\n", seed, calls);
    return 0;
}
