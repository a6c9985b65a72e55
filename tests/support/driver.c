/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/driver.h"

#include "support/guard.h"
#include "support/inside.h"
#include "support/model.h"
#include "support/nomem.h"

enum { SNAPSHOTS = 16, MOST_CHANGES = 40, MOST_PAIRS = 500, FEW_PAIRS = 6 };

static struct modelled objects[DRIVER_OBJECTS];
static struct kept views[SNAPSHOTS];
static unsigned thorough_calls;

/* Makes a string of that many bytes. The caller frees it, as every string returned in this file. */
static char *repeated(char c, size_t length)
{
    char *text = calloc(length + 1, 1);
    CHECK(text);
    memset(text, c, length);
    return text;
}

static char *numbered(const char *prefix, int digits, unsigned number)
{
    char *text = repeated('\0', RCUINFO_MAX_KEY);
    (void)snprintf(text, RCUINFO_MAX_KEY, "%s%0*u", prefix, digits, number);
    return text;
}

/* Mostly keys from a small set, sometimes arbitrary bytes, or a length around the limit; or NULL. */
static char *take_key(struct fuzz_input *in)
{
    unsigned kind = fuzz_byte(in), number = fuzz_byte(in);
    if (kind < 200)
        return numbered("k", 1, kind < 100 ? number % FEW_PAIRS : (2 * number + kind % 2) % MOST_PAIRS);
    if (kind < 220)
        return numbered("", 250, number);
    if (kind < 240)
        return repeated('x', RCUINFO_MAX_KEY - 3 + number % 6);
    return kind < 255 ? fuzz_text(in, number) : NULL;
}

static char *take_value(struct fuzz_input *in)
{
    unsigned kind = fuzz_byte(in), number = fuzz_byte(in);
    if (kind < 160)
        return numbered("v", 1, number);
    if (kind < 230)
        return repeated((char)('a' + number % 26), kind < 190 ? number : RCUINFO_MAX_VALUE - 3 + number % 6);
    return kind < 250 ? fuzz_text(in, number) : NULL;
}

static void view_close(struct kept *view)
{
    CHECK(!view->snapshot || rcuinfo__log_valid((const struct rcuinfo__entry *)(const void *)view->snapshot));
    kept_close(view);
}

static void object_end(struct modelled *o)
{
    if (!o->info)
        return;
    modelled_check(o);
    modelled_free(o);
}

static void call_free(struct modelled *o, struct fuzz_input *in)
{
    (void)in;
    object_end(o);
}

static void call_dup(struct modelled *o, struct fuzz_input *in)
{
    struct modelled *to = &objects[fuzz_byte(in) % DRIVER_OBJECTS];
    if (to == o)
        return;
    object_end(to);
    modelled_dup(to, o);
    modelled_check(to);
}

static void call_set(struct modelled *o, struct fuzz_input *in)
{
    char *key = take_key(in), *value = take_value(in);
    (void)modelled_set(o, key, value);
    free(key);
    free(value);
}

static void call_delete(struct modelled *o, struct fuzz_input *in)
{
    char *key = take_key(in);
    (void)modelled_delete(o, key);
    free(key);
}

/* Deletes an existing key, chosen by its position. */
static void call_delete_nth(struct modelled *o, struct fuzz_input *in)
{
    size_t at = fuzz_byte(in);
    char key[RCUINFO_MAX_KEY];
    if (!o->model.count)
        return;
    strcpy(key, o->model.pairs[at % o->model.count].key);
    (void)modelled_delete(o, key);
}

/* Many sets, so that a short input reaches the sizes at which the layout changes. */
static void call_grow(struct modelled *o, struct fuzz_input *in)
{
    unsigned first = 2 * fuzz_byte(in), n = fuzz_byte(in) % 48;
    for (unsigned i = 0; i < n; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "k%u", (first + i) % MOST_PAIRS);
        (void)modelled_set(o, key, "grown");
    }
}

static void call_update(struct modelled *o, struct fuzz_input *in)
{
    rcuinfo_change_t changes[MOST_CHANGES] = {0};
    size_t n = fuzz_byte(in) % (MOST_CHANGES + 1);
    for (size_t i = 0; i < n; i++)
        changes[i] = (rcuinfo_change_t){take_key(in), fuzz_byte(in) % 4 ? take_value(in) : NULL};
    (void)modelled_update(o, changes, n);
    for (size_t i = 0; i < n; i++) {
        free((char *)(uintptr_t)changes[i].key);
        free((char *)(uintptr_t)changes[i].value);
    }
}

static void call_compare_and_set(struct modelled *o, struct fuzz_input *in)
{
    char *key = take_key(in), *desired = take_value(in), *expected = NULL;
    size_t at = key ? model_find(&o->model, key) : o->model.count;
    unsigned kind = fuzz_byte(in) % 4;
    if (kind == 0)
        expected = take_value(in);
    else if (at < o->model.count)
        CHECK(expected = strdup(o->model.pairs[at].value));
    if (kind == 1 && expected && *expected)
        expected[strlen(expected) - 1] = '\0'; /* a prefix of it */
    (void)modelled_compare_and_set(o, key, expected, desired);
    free(key);
    free(desired);
    free(expected);
}

/* get and get_string into a buffer for `room` bytes and the NUL. NULL: the key does not exist. */
static void check_value(rcuinfo_t info, const char *key, const char *wanted, int room)
{
    for (int string = 0; string < 2; string++) {
        char *value = guard_new((size_t)room + 1);
        int flag = 77, size = room + 1;
        size_t copied = wanted ? strnlen(wanted, (size_t)room) : 0;
        CHECK_OK(string ? rcuinfo_get_string(info, key, &size, value, &flag)
                        : rcuinfo_get(info, key, room, value, &flag));
        CHECK(flag == (wanted != NULL) && guard_intact(value, (size_t)room + 1, wanted ? copied + 1 : 0));
        CHECK(!wanted || (memcmp(value, wanted, copied) == 0 && value[copied] == '\0'));
        CHECK(size == (string && wanted ? (int)strlen(wanted) : room) + 1);
        guard_free(value);
    }
}

/* The lookups by key that write no version, also into buffers that are too small for the value. */
static void call_get(struct modelled *o, struct fuzz_input *in)
{
    char *key = take_key(in), out[] = "#";
    int flag = 77, length = -7, size = 2;
    if (key && *key && strlen(key) < RCUINFO_MAX_KEY) {
        size_t at = model_find(&o->model, key);
        const char *wanted = at < o->model.count ? o->model.pairs[at].value : NULL;
        CHECK_OK(rcuinfo_get_valuelen(o->info, key, &length, &flag));
        CHECK(flag == (wanted != NULL) && length == (wanted ? (int)strlen(wanted) : -7));
        const int rooms[] = {0, length > 0 ? length - 1 : 1, length > 0 ? length : 2, RCUINFO_MAX_VALUE - 1};
        for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
            check_value(o->info, key, wanted, rooms[i]);
    } else {
        CHECK_STATUS(rcuinfo_get(o->info, key, 1, out, &flag), RCUINFO_ERR_KEY);
        CHECK_STATUS(rcuinfo_get_valuelen(o->info, key, &length, &flag), RCUINFO_ERR_KEY);
        CHECK_STATUS(rcuinfo_get_string(o->info, key, &size, out, &flag), RCUINFO_ERR_KEY);
        CHECK(flag == 77 && length == -7 && size == 2 && out[0] == '#');
    }
    free(key);
}

/* The number of keys, and the name of one. */
static void call_nthkey(struct modelled *o, struct fuzz_input *in)
{
    int n = (int)(int8_t)fuzz_byte(in), nkeys = -1;
    bool there = n >= 0 && (size_t)n < o->model.count;
    size_t room = there ? strlen(o->model.pairs[n].key) + 1 : 0;
    char *key = guard_new(room);
    CHECK_STATUS(rcuinfo_get_nthkey(o->info, n, key), there ? RCUINFO_SUCCESS : RCUINFO_ERR_ARG);
    CHECK(!there || strcmp(key, o->model.pairs[n].key) == 0);
    CHECK(guard_intact(key, room, room));
    CHECK_OK(rcuinfo_get_nkeys(o->info, &nkeys));
    CHECK(nkeys == (int)o->model.count);
    guard_free(key);
}

static void call_open(struct modelled *o, struct fuzz_input *in)
{
    kept_open(&views[fuzz_byte(in) % SNAPSHOTS], o);
}

/* Changes may run out of memory; calls that only read or free do not allocate. */
static void call_on(struct modelled *o, unsigned call, struct fuzz_input *in, int fail_at)
{
    static const struct {
        void (*make)(struct modelled *o, struct fuzz_input *in);
        enum { CHANGES, READS, MAKES } kind;
    } calls[DRIVER_CALLS] = {
        [DRIVER_SET] = {call_set, CHANGES},       [DRIVER_SET_TOO] = {call_set, CHANGES},
        [DRIVER_DELETE] = {call_delete, CHANGES}, [DRIVER_DELETE_NTH] = {call_delete_nth, CHANGES},
        [DRIVER_GROW] = {call_grow, CHANGES},     [DRIVER_DUP] = {call_dup, MAKES},
        [DRIVER_UPDATE] = {call_update, CHANGES}, [DRIVER_COMPARE_AND_SET] = {call_compare_and_set, CHANGES},
        [DRIVER_GET] = {call_get, READS},         [DRIVER_NTHKEY] = {call_nthkey, READS},
        [DRIVER_OPEN] = {call_open, READS},       [DRIVER_FREE] = {call_free, READS},
    };
    call %= DRIVER_CALLS;
    nomem_arm(calls[call].kind == READS ? 1 : calls[call].kind == CHANGES ? fail_at : 0);
    calls[call].make(o, in);
    CHECK(!nomem_disarm() || calls[call].kind == CHANGES);
}

/* Keeps the previous version every fourth time, as an open snapshot changes how the call uses memory. */
static void call_thoroughly(struct modelled *o, unsigned call, struct fuzz_input *in, int fail_at)
{
    struct kept before = {0};
    if (thorough_calls++ % 4 == 0)
        kept_open(&before, o);
    call_on(o, call, in, fail_at);
    if (o->info) {
        modelled_check(o);
        check_log(o->info);
        kept_check(&before, &o->model);
    }
    kept_close(&before);
}

void driver_call(struct fuzz_input *in, bool thorough, int fail_at)
{
    unsigned what = fuzz_byte(in), call = what / DRIVER_OBJECTS;
    struct modelled *o = &objects[what % DRIVER_OBJECTS];
    size_t waiting;
    if (call == DRIVER_CLOSE) {
        CHECK(!NOMEM_AT(1, view_close(&views[fuzz_byte(in) % SNAPSHOTS])));
    } else if (call == DRIVER_DRAIN) {
        CHECK(!NOMEM_AT(1, waiting = rcuinfo_store_drain()) && waiting == 0);
    } else if (!o->info || call == DRIVER_CREATE) {
        object_end(o);
        modelled_create(o);
    } else if (thorough) {
        call_thoroughly(o, call, in, fail_at);
    } else {
        call_on(o, call, in, fail_at);
    }
}

void driver_end(void)
{
    for (int i = 0; i < DRIVER_OBJECTS; i++)
        object_end(&objects[i]);
    for (int i = 0; i < SNAPSHOTS; i++)
        view_close(&views[i]);
    CHECK(rcuinfo_store_drain() == 0);
    thorough_calls = 0;
}
