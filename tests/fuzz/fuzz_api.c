/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target api: the bytes as calls of the native interface on several objects, their dups, their stale handles and open
 * snapshots. The object that a call was made on is compared with the naive model after the call, all others and the
 * snapshots at the end.
 */
#include <rcuinfo/rcuinfo.h>

#include "fuzz/fuzz.h"
#include "support/guard.h"
#include "support/model.h"

enum { OBJECTS = 6, SNAPSHOTS = 4, STALE = 4, MOST_CALLS = 300, MOST_CHANGES = 40, MOST_PAIRS = 160, FEW_PAIRS = 6 };

struct object {
    rcuinfo_t info; /* RCUINFO_NULL: none */
    struct model model;
};

struct view {
    const rcuinfo_snapshot_t *snapshot; /* NULL: none */
    struct model model;
};

static struct object objects[OBJECTS];
static struct view views[SNAPSHOTS];
static rcuinfo_t stale[STALE];
static unsigned stale_next;

/* Mostly keys that come again, now and then any bytes, or a length around the limit; NULL for no key at all. The caller
 * frees it. */
static char *take_key(struct fuzz_input *in)
{
    unsigned kind = fuzz_byte(in), number = fuzz_byte(in);
    char *key = malloc(RCUINFO_MAX_KEY + 8);
    CHECK(key);
    if (kind < 200) {
        (void)snprintf(key, RCUINFO_MAX_KEY, "k%u", number % (kind < 100 ? FEW_PAIRS : MOST_PAIRS));
    } else if (kind < 220) {
        (void)snprintf(key, RCUINFO_MAX_KEY, "%0250u", number);
    } else if (kind < 240) {
        size_t length = RCUINFO_MAX_KEY - 3 + number % 6;
        memset(key, 'x', length);
        key[length] = '\0';
    } else if (kind < 255) {
        free(key);
        return fuzz_text(in, number);
    } else {
        free(key);
        return NULL;
    }
    return key;
}

static char *take_value(struct fuzz_input *in)
{
    unsigned kind = fuzz_byte(in), number = fuzz_byte(in);
    char *value = malloc(RCUINFO_MAX_VALUE + 8);
    CHECK(value);
    if (kind < 160) {
        (void)snprintf(value, RCUINFO_MAX_VALUE, "v%u", number);
    } else if (kind < 230) {
        size_t length = kind < 190 ? number : RCUINFO_MAX_VALUE - 3 + number % 6;
        memset(value, 'a' + (int)number % 26, length);
        value[length] = '\0';
    } else if (kind < 250) {
        free(value);
        return fuzz_text(in, number);
    } else {
        free(value);
        return NULL;
    }
    return value;
}

static void object_end(struct object *o)
{
    stale[stale_next++ % STALE] = o->info;
    CHECK_OK(rcuinfo_free(&o->info));
    CHECK(o->info == RCUINFO_NULL);
    model_clear(&o->model);
}

static void call_create(struct object *o)
{
    if (o->info)
        object_end(o);
    CHECK_OK(rcuinfo_create(&o->info));
    CHECK(o->info != RCUINFO_NULL);
    model_init(&o->model);
}

static void call_dup(struct object *o, struct fuzz_input *in)
{
    struct object *to = &objects[fuzz_byte(in) % OBJECTS];
    if (to == o)
        return;
    if (to->info)
        object_end(to);
    CHECK_OK(rcuinfo_dup(o->info, &to->info));
    CHECK(to->info != o->info);
    model_copy(&to->model, &o->model);
    CHECK(!model_differs_from_object(&to->model, to->info));
}

static void call_set(struct object *o, struct fuzz_input *in)
{
    char *key = take_key(in), *value = take_value(in);
    rcuinfo_status_t wanted = model_set(&o->model, key, value);
    CHECK_STATUS(rcuinfo_set(o->info, key, value), wanted);
    free(key);
    free(value);
}

static void call_delete(struct object *o, struct fuzz_input *in)
{
    char *key = take_key(in);
    rcuinfo_status_t wanted = model_delete(&o->model, key);
    CHECK_STATUS(rcuinfo_delete(o->info, key), wanted);
    free(key);
}

/* Deletes what is there, by its place. */
static void call_delete_nth(struct object *o, struct fuzz_input *in)
{
    size_t at = fuzz_byte(in);
    if (!o->model.count)
        return;
    char key[RCUINFO_MAX_KEY];
    strcpy(key, o->model.pairs[at % o->model.count].key);
    CHECK_OK(model_delete(&o->model, key));
    CHECK_OK(rcuinfo_delete(o->info, key));
}

/* Many sets, so that few bytes reach the sizes at which the layout changes. */
static void call_grow(struct object *o, struct fuzz_input *in)
{
    unsigned first = fuzz_byte(in), n = fuzz_byte(in) % 48;
    for (unsigned i = 0; i < n; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "k%u", (first + i) % MOST_PAIRS);
        CHECK_OK(model_set(&o->model, key, "grown"));
        CHECK_OK(rcuinfo_set(o->info, key, "grown"));
    }
}

static void call_update(struct object *o, struct fuzz_input *in)
{
    rcuinfo_change_t changes[MOST_CHANGES];
    size_t n = fuzz_byte(in) % (MOST_CHANGES + 1), failed = 99, failed_in_model = 99;
    for (size_t i = 0; i < n; i++)
        changes[i] = (rcuinfo_change_t){take_key(in), fuzz_byte(in) % 4 ? take_value(in) : NULL};
    rcuinfo_status_t wanted = model_update(&o->model, changes, n, &failed_in_model);
    CHECK_STATUS(rcuinfo_update(o->info, changes, n, &failed), wanted);
    CHECK(wanted == RCUINFO_SUCCESS ? failed == 99 : failed == failed_in_model);
    for (size_t i = 0; i < n; i++) {
        free((char *)(uintptr_t)changes[i].key);
        free((char *)(uintptr_t)changes[i].value);
    }
}

static void call_compare_and_set(struct object *o, struct fuzz_input *in)
{
    char *key = take_key(in), *desired = take_value(in), *expected = NULL;
    int swapped = 77, wanted_swapped = 77;
    size_t at = key ? model_find(&o->model, key) : o->model.count;
    unsigned kind = fuzz_byte(in) % 4;
    if (kind == 0)
        expected = take_value(in);
    else if (at < o->model.count)
        CHECK(expected = strdup(o->model.pairs[at].value));
    if (kind == 1 && expected && *expected)
        expected[strlen(expected) - 1] = '\0'; /* what it begins with */
    rcuinfo_status_t wanted = model_compare_and_set(&o->model, key, expected, desired, &wanted_swapped);
    CHECK_STATUS(rcuinfo_compare_and_set(o->info, key, expected, desired, &swapped), wanted);
    CHECK(swapped == wanted_swapped);
    free(key);
    free(desired);
    free(expected);
}

/* The lookups by key that write no version. */
static void call_get(struct object *o, struct fuzz_input *in)
{
    char *key = take_key(in), out[RCUINFO_MAX_VALUE];
    int flag = 77, length = -7, size = sizeof out;
    size_t at = key ? model_find(&o->model, key) : o->model.count;
    bool there = at < o->model.count;
    rcuinfo_status_t wanted = key && *key && strlen(key) < RCUINFO_MAX_KEY ? RCUINFO_SUCCESS : RCUINFO_ERR_KEY;
    CHECK_STATUS(rcuinfo_get(o->info, key, RCUINFO_MAX_VALUE - 1, out, &flag), wanted);
    CHECK(flag == (wanted ? 77 : there) && (!there || strcmp(out, o->model.pairs[at].value) == 0));
    CHECK_STATUS(rcuinfo_get_valuelen(o->info, key, &length, &flag), wanted);
    CHECK(length == (there ? (int)strlen(o->model.pairs[at].value) : -7));
    CHECK_STATUS(rcuinfo_get_string(o->info, key, &size, out, &flag), wanted);
    CHECK(size == (there ? length + 1 : (int)sizeof out));
    free(key);
}

static void call_nthkey(struct object *o, struct fuzz_input *in)
{
    int n = (int)(int8_t)fuzz_byte(in);
    bool there = n >= 0 && (size_t)n < o->model.count;
    size_t room = there ? strlen(o->model.pairs[n].key) + 1 : 0;
    char *key = guard_new(room);
    CHECK_STATUS(rcuinfo_get_nthkey(o->info, n, key), there ? RCUINFO_SUCCESS : RCUINFO_ERR_ARG);
    CHECK(!there || strcmp(key, o->model.pairs[n].key) == 0);
    CHECK(guard_intact(key, room, room));
    guard_free(key);
}

static void view_end(struct view *view)
{
    if (!view->snapshot)
        return;
    CHECK(!model_differs_from_snapshot(&view->model, view->snapshot));
    rcuinfo_snapshot_close(view->snapshot);
    model_clear(&view->model);
    view->snapshot = NULL;
}

static void call_open(struct object *o, struct fuzz_input *in)
{
    struct view *view = &views[fuzz_byte(in) % SNAPSHOTS];
    view_end(view);
    CHECK_OK(rcuinfo_snapshot_open(o->info, &view->snapshot));
    model_copy(&view->model, &o->model);
}

/* What the calls say of a handle whose object is gone. */
static void check_stale(rcuinfo_t info)
{
    const rcuinfo_change_t change = {"k1", "v"};
    const rcuinfo_snapshot_t *snapshot = NULL;
    rcuinfo_t out = 77;
    uint64_t version = 77;
    int number = 77, flag = 77;
    char text[RCUINFO_MAX_VALUE] = "untouched";
    CHECK_STATUS(rcuinfo_set(info, "k1", "v"), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_delete(info, "k1"), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_update(info, &change, 1, NULL), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_update(info, NULL, 0, NULL), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_compare_and_set(info, "k1", NULL, "v", &flag), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_get(info, "k1", 9, text, &flag), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_get_valuelen(info, "k1", &number, &flag), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_get_string(info, "k1", &number, text, &flag), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_get_nkeys(info, &number), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_get_nthkey(info, 0, text), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_version(info, &version), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_ERR_INFO);
    CHECK(number == 77 && flag == 77 && version == 77 && !snapshot && strcmp(text, "untouched") == 0);
    CHECK_STATUS(rcuinfo_dup(info, &out), RCUINFO_ERR_INFO);
    CHECK(out == RCUINFO_NULL);
    out = info;
    CHECK_STATUS(rcuinfo_free(&out), RCUINFO_ERR_INFO);
    CHECK(out == info);
}

static void call_on(struct object *o, unsigned call, struct fuzz_input *in)
{
    static void (*const calls[])(struct object * o, struct fuzz_input * in) = {
        call_set, call_set,    call_delete, call_delete_nth, call_grow, call_dup, call_update, call_compare_and_set,
        call_get, call_nthkey, call_open,
    };
    unsigned n = sizeof calls / sizeof *calls;
    if (call % (n + 1) == n) {
        object_end(o);
        return;
    }
    calls[call % (n + 1)](o, in);
    CHECK(!model_differs_from_object(&o->model, o->info));
}

static void end_all(void)
{
    for (int i = 0; i < OBJECTS; i++) {
        if (!objects[i].info)
            continue;
        CHECK(!model_differs_from_object(&objects[i].model, objects[i].info));
        object_end(&objects[i]);
    }
    for (int i = 0; i < SNAPSHOTS; i++)
        view_end(&views[i]);
    for (int i = 0; i < STALE; i++)
        check_stale(stale[i]);
    CHECK(rcuinfo_store_drain() == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    for (int i = 0; i < MOST_CALLS && fuzz_left(&in); i++) {
        unsigned what = fuzz_byte(&in);
        struct object *o = &objects[what % OBJECTS];
        unsigned call = what / OBJECTS;
        if (call == 41)
            view_end(&views[fuzz_byte(&in) % SNAPSHOTS]);
        else if (call == 42)
            check_stale(stale[fuzz_byte(&in) % STALE]);
        else if (call == 40)
            CHECK(rcuinfo_store_drain() == 0);
        else if (!o->info || call == 39)
            call_create(o);
        else
            call_on(o, call, &in);
    }
    end_all();
    return 0;
}
