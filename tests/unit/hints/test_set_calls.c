/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls on a hint set one by one: when accept is asked and what it sees, imposing, reading as number and as text,
 * arguments that cannot be, long and many values, and each allocation failing once. White box: linked with the objects
 * of the library.
 */
#include <errno.h>
#include <pthread.h>

#include <rcuinfo/rcuinfo.h>

#include "hints/sets.h"
#include "support/left.h"
#include "support/nomem.h"

static rcuinfo_schema_t *schema;
static char seen[SETS_TEXT]; /* what was in use when accept was last asked */

/* What accept was asked, "row:value:number:creating " each; it refuses the rows in `refused`. */
struct asked {
    rcuinfo_hint_set_t *hints; /* NULL: it is being created */
    unsigned refused;
    int64_t depth; /* what is read while it is asked */
    char text[512];
};

static int ask(void *context, size_t row, const char *value, int64_t number, int creating)
{
    struct asked *asked = context;
    size_t at = strlen(asked->text);
    (void)snprintf(asked->text + at, sizeof asked->text - at, "%zu:%s:%ld:%d ", row, value, (long)number, creating);
    if (asked->hints) {
        asked->depth = sets_read(asked->hints, DEPTH);
        (void)strcpy(seen, sets_used(asked->hints));
    }
    return !(asked->refused >> row & 1);
}

/* It is asked in the info's order, and only of what is recognized, of its type, to be changed by a user, and new. */
static void accept_is_asked(void)
{
    struct asked asked = {.refused = 1U << EAGER};
    rcuinfo_hint_set_t *hints =
        sets_make(schema,
                  OBJECT("note", "n", "unknown", "u", "eager", "true", "depth", "8", "no_locks", "maybe", "same_size",
                         "true", "accumulate_ordering", "none", "provider", "x"),
                  ask, &asked);
    CHECK_TEXT(asked.text, "3:n:0:1 2:true:1:1 5:true:1:1 1:none:0:1 ");
    sets_check(hints, "no_locks=false accumulate_ordering=none note=n depth=8 same_size=true provider=shm ");
    asked = (struct asked){.refused = 1U << NO_LOCKS | 1U << DEPTH, .hints = hints};
    sets_set(hints, OBJECT("depth", "9", "eager", " true", "no_locks", "true", "note", "n", "same_size", "false",
                           "accumulate_ordering", "war , rar"));
    CHECK_TEXT(asked.text, "4:9:9:0 2: true:1:0 0:true:1:0 1:war , rar:5:0 ");
    /* What it saw is what was in use before. */
    CHECK_EQUAL(asked.depth, 8);
    CHECK_TEXT(seen, "no_locks=false accumulate_ordering=none note=n depth=8 same_size=true provider=shm ");
    sets_check(hints, "no_locks=false accumulate_ordering=war , rar note=n depth=8 same_size=true provider=shm "
                      "eager= true ");
    /* Refused once is not refused for ever. */
    asked = (struct asked){.hints = hints};
    sets_set(hints, OBJECT("depth", "9"));
    CHECK_EQUAL(asked.depth, 8);
    CHECK_EQUAL(sets_read(hints, DEPTH), 9);
    /* The same value in other words is another text. */
    asked.text[0] = '\0';
    sets_set(hints, OBJECT("depth", "09", "note", "n"));
    CHECK_TEXT(asked.text, "4:09:9:0 ");
    rcuinfo_hint_set_free(&hints);
}

static void impose(void)
{
    struct asked asked = {.refused = ~0U};
    rcuinfo_hint_set_t *hints = sets_make(schema, RCUINFO_NULL, ask, &asked);
    CHECK_OK(rcuinfo_hint_set_impose(hints, "depth", "11"));
    CHECK_OK(rcuinfo_hint_set_impose(hints, "same_size", "true"));
    CHECK_OK(rcuinfo_hint_set_impose(hints, "provider", "tcp"));
    CHECK_OK(rcuinfo_hint_set_impose(hints, "model", "b"));
    CHECK_OK(rcuinfo_hint_set_impose(hints, "not recognized", ""));
    CHECK_OK(rcuinfo_hint_set_impose(hints, "not recognized", "any"));
    CHECK_OK(rcuinfo_hint_set_impose(hints, "not recognized", "any"));
    CHECK_TEXT(asked.text, "");
    CHECK_STATUS(rcuinfo_hint_set_impose(hints, "depth", "0"), RCUINFO_ERR_TYPE);
    CHECK_STATUS(rcuinfo_hint_set_impose(hints, "model", "c"), RCUINFO_ERR_TYPE);
    /* A user cannot change what is not recognized, though it is there. */
    sets_set(hints, OBJECT("not recognized", "mine"));
    sets_check(hints, "no_locks=false accumulate_ordering=rar,raw,war,waw depth=11 same_size=true provider=tcp "
                      "model=b not recognized=any ");
    rcuinfo_hint_set_free(&hints);
}

static void read_as_text(void)
{
    rcuinfo_hint_set_t *hints = sets_make(schema, OBJECT("note", "0123456789"), NULL, NULL);
    char text[16] = "untouched";
    size_t length = 0;
    CHECK_OK(rcuinfo_hint_set_read_string(hints, NOTE, 0, NULL, &length));
    CHECK_EQUAL(length, 10);
    CHECK_OK(rcuinfo_hint_set_read_string(hints, NOTE, 0, text, &length));
    CHECK_TEXT(text, "untouched");
    memset(text, 'x', sizeof text);
    for (size_t size = 1; size <= 12; size++) {
        length = 0;
        CHECK_OK(rcuinfo_hint_set_read_string(hints, NOTE, size, text, &length));
        CHECK_EQUAL(length, 10);
        CHECK_EQUAL(strlen(text), size <= 10 ? size - 1 : 10);
        CHECK(memcmp(text, "0123456789", strlen(text)) == 0);
        CHECK_EQUAL(text[size < 11 ? size : 11], 'x');
    }
    length = 7;
    CHECK_STATUS(rcuinfo_hint_set_read_string(hints, EAGER, sizeof text, text, &length), RCUINFO_ERR_NOKEY);
    CHECK_EQUAL(length, 7);
    CHECK_TEXT(text, "0123456789");
    rcuinfo_hint_set_free(&hints);
}

static void bad_arguments(void)
{
    rcuinfo_hint_set_t *hints = sets_make(schema, RCUINFO_NULL, NULL, NULL), *none = (rcuinfo_hint_set_t *)seen;
    rcuinfo_t info = OBJECT("depth", "3"), stale = info;
    char text[RCUINFO_MAX_VALUE + 2];
    int64_t number = 77;
    size_t length = 4;
    CHECK_STATUS(rcuinfo_hint_set_create(NULL, info, NULL, NULL, &none), RCUINFO_ERR_ARG);
    CHECK((void *)none == seen);
    CHECK_STATUS(rcuinfo_hint_set_create(schema, info, NULL, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_merge(NULL, info), RCUINFO_ERR_ARG);
    CHECK_OK(rcuinfo_free(&info));
    CHECK_STATUS(rcuinfo_hint_set_create(schema, stale, NULL, NULL, &none), RCUINFO_ERR_INFO);
    CHECK(!none);
    CHECK_STATUS(rcuinfo_hint_set_merge(hints, stale), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_hint_set_merge(hints, RCUINFO_NULL), RCUINFO_ERR_INFO);

    CHECK_STATUS(rcuinfo_hint_set_impose(NULL, "depth", "3"), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_impose(hints, NULL, "3"), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_hint_set_impose(hints, "", "3"), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_hint_set_impose(hints, "k", NULL), RCUINFO_ERR_VALUE);
    memset(text, 'k', sizeof text);
    text[RCUINFO_MAX_VALUE] = '\0';
    CHECK_STATUS(rcuinfo_hint_set_impose(hints, "k", text), RCUINFO_ERR_VALUE);
    text[RCUINFO_MAX_KEY] = '\0';
    CHECK_STATUS(rcuinfo_hint_set_impose(hints, text, "v"), RCUINFO_ERR_KEY);

    CHECK_STATUS(rcuinfo_hint_set_get_info(NULL, &info), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_get_info(hints, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read(NULL, DEPTH, &number), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read(hints, DEPTH, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read(hints, SETS_ROWS, &number), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read(hints, SIZE_MAX, &number), RCUINFO_ERR_ARG);
    /* No number, with a value and without. */
    CHECK_STATUS(rcuinfo_hint_set_read(hints, PROVIDER, &number), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read(hints, NOTE, &number), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read(hints, MODEL, &number), RCUINFO_ERR_NOKEY);
    CHECK_EQUAL(number, 77);
    CHECK_STATUS(rcuinfo_hint_set_read_string(NULL, DEPTH, sizeof text, text, &length), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read_string(hints, SETS_ROWS, sizeof text, text, &length), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read_string(hints, DEPTH, sizeof text, text, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read_string(hints, DEPTH, 1, NULL, &length), RCUINFO_ERR_ARG);
    CHECK_EQUAL(length, 4);
    sets_check(hints, SETS_DEFAULTS);
    rcuinfo_hint_set_free(&hints);
    rcuinfo_hint_set_free(&hints);
    rcuinfo_hint_set_free(NULL);
}

/* Of each type, what has a number: no list but of a CHOICE. */
static void numbers_by_type(void)
{
    static const rcuinfo_hint_t rows[] = {
        {.key = "b", .type = RCUINFO_HINT_BOOL},
        {.key = "i", .type = RCUINFO_HINT_INT},
        {.key = "c", .type = RCUINFO_HINT_CHOICE, .allowed = "x,y,z"},
        {.key = "lc", .type = RCUINFO_HINT_CHOICE, .flags = RCUINFO_HINT_LIST, .allowed = "x,y,z"},
        {.key = "lb", .type = RCUINFO_HINT_BOOL, .flags = RCUINFO_HINT_LIST},
        {.key = "li", .type = RCUINFO_HINT_INT, .flags = RCUINFO_HINT_LIST},
        {.key = "s", .type = RCUINFO_HINT_STRING},
        {.key = "r", .type = RCUINFO_HINT_RANGE},
        {.key = "k", .type = RCUINFO_HINT_KIND},
    };
    static const int64_t numbers[] = {1, INT64_MIN, 2, 6};
    enum { ROWS = sizeof rows / sizeof rows[0], NUMBERS = sizeof numbers / sizeof numbers[0] };
    rcuinfo_schema_t *all = NULL;
    CHECK_OK(rcuinfo_schema_create(NULL, rows, ROWS, &all, NULL));
    rcuinfo_hint_set_t *hints = sets_make(all, RCUINFO_NULL, NULL, NULL);
    for (size_t row = 0; row < ROWS; row++) {
        int64_t number;
        CHECK_EQUAL(rcuinfo_hint_set_read(hints, row, &number), row < NUMBERS ? RCUINFO_ERR_NOKEY : RCUINFO_ERR_ARG);
    }
    sets_set(hints, OBJECT("b", "true", "i", "-9223372036854775808", "c", "z", "lc", "z,y", "lb", "true", "li", "1",
                           "s", "1", "r", "1", "k", "cpu"));
    for (size_t row = 0; row < ROWS; row++) {
        int64_t number = 77;
        CHECK_EQUAL(rcuinfo_hint_set_read(hints, row, &number), row < NUMBERS ? RCUINFO_SUCCESS : RCUINFO_ERR_ARG);
        CHECK_EQUAL(number, row < NUMBERS ? numbers[row] : 77);
    }
    rcuinfo_hint_set_free(&hints);
    rcuinfo_schema_free(&all);
}

/* Hints enough to make a large version of it, changed one by one and all at once, and imposed until it is large. */
static void long_and_many(void)
{
    rcuinfo_hint_set_t *hints = sets_make(schema, RCUINFO_NULL, NULL, NULL);
    char key[32], value[RCUINFO_MAX_VALUE], text[RCUINFO_MAX_VALUE];
    size_t length = 0;
    int nkeys = 0;
    rcuinfo_t info;
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    sets_set(hints, OBJECT("note", value));
    CHECK_OK(rcuinfo_hint_set_read_string(hints, NOTE, sizeof text, text, &length));
    CHECK_TEXT(text, value);
    for (int i = 0; i < 200; i++) {
        (void)snprintf(key, sizeof key, "extra%d", i % 150);
        value[0] = (char)('a' + i / 150);
        CHECK_OK(rcuinfo_hint_set_impose(hints, key, value));
        CHECK_EQUAL(sets_read(hints, DEPTH), i ? i % 64 ? i % 64 : 1 : 8);
        (void)snprintf(text, sizeof text, "%d", (i + 1) % 64 ? (i + 1) % 64 : 1);
        sets_set(hints, OBJECT("depth", text));
    }
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &info));
    CHECK_OK(rcuinfo_get_nkeys(info, &nkeys));
    CHECK_EQUAL(nkeys, 6 + 150);
    /* A given info that is large as well, back and forth. */
    CHECK_OK(rcuinfo_set(info, "depth", "33"));
    CHECK_OK(rcuinfo_hint_set_merge(hints, info));
    CHECK_EQUAL(sets_read(hints, DEPTH), 33);
    rcuinfo_hint_set_free(&hints);
    CHECK_OK(rcuinfo_free(&info));
}

static size_t retired(void)
{
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    return (size_t)stats.retired;
}

/* What awaits a grace period is counted: the numbers of the old version, and its text. */
static void bytes_are_counted(void)
{
    enum { MANY = 1000 };
    static rcuinfo_hint_t rows[MANY];
    static char keys[MANY][16], value[RCUINFO_MAX_VALUE];
    rcuinfo_schema_t *large = NULL;
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "%d", i);
        rows[i] = (rcuinfo_hint_t){.key = keys[i], .type = RCUINFO_HINT_STRING};
    }
    memset(value, 'v', sizeof value - 1);
    for (int texts = 0; texts < 2; texts++) {
        size_t n = texts ? 1 : MANY;
        CHECK_OK(rcuinfo_schema_create(NULL, rows, n, &large, NULL));
        rcuinfo_hint_set_t *hints = sets_make(large, RCUINFO_NULL, NULL, NULL);
        for (int i = 0; i < 9 * texts; i++)
            CHECK_OK(rcuinfo_hint_set_impose(hints, keys[i], value));
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
        CHECK_OK(rcuinfo_hint_set_impose(hints, "0", "x"));
        CHECK(retired() > (texts ? 9 * sizeof value : MANY * sizeof(int64_t)));
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
        rcuinfo_hint_set_free(&hints);
        rcuinfo_schema_free(&large);
    }
}

/* Makes each allocation of a call fail in its turn. */
#define FAIL_EACH(call, check)                                                                                         \
    for (nomem_start(); nomem_next();) {                                                                               \
        rcuinfo_status_t status;                                                                                       \
        CHECK(rcuinfo_store_drain() == 0); /* nothing is at hand */                                                    \
        if (NOMEM(status = (call)))                                                                                    \
            check;                                                                                                     \
        CHECK_STATUS(status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);                                        \
    }                                                                                                                  \
    CHECK(nomem.count > 1)

static void without_memory(void)
{
    rcuinfo_t info = OBJECT("no_locks", "true", "depth", "17", "note", "n", "eager", "false");
    rcuinfo_hint_set_t *hints = NULL;
    FAIL_EACH(rcuinfo_hint_set_create(schema, info, NULL, NULL, &hints), CHECK(!hints));
    CHECK_OK(rcuinfo_free(&info));
    CHECK(strstr(sets_used(hints), "depth=17 "));

    info = OBJECT("no_locks", "false", "depth", "18", "note", "other");
    FAIL_EACH(rcuinfo_hint_set_merge(hints, info),
              sets_check(hints, "no_locks=true accumulate_ordering=rar,raw,war,waw eager=false note=n depth=17 "
                                "same_size=false provider=shm "));
    CHECK_EQUAL(sets_read(hints, DEPTH), 18);
    CHECK_OK(rcuinfo_free(&info));

    FAIL_EACH(rcuinfo_hint_set_impose(hints, "depth", "19"), CHECK_EQUAL(sets_read(hints, DEPTH), 18));
    CHECK_EQUAL(sets_read(hints, DEPTH), 19);
    FAIL_EACH(rcuinfo_hint_set_impose(hints, "more", "20"), CHECK(!strstr(sets_used(hints), "more")));
    CHECK(strstr(sets_used(hints), "more=20 "));
    rcuinfo_hint_set_free(&hints);
}

/* In accept the thread cannot be cancelled, afterwards it can; errno and the cancellation state are left alone. */
static int cancel_me(void *context, size_t row, const char *value, int64_t number, int creating)
{
    (void)context, (void)row, (void)value, (void)number, (void)creating;
    CHECK_EQUAL(pthread_cancel(pthread_self()), 0);
    pthread_testcancel();
    return 1;
}

/* Out of line: AddressSanitizer takes the frame that a thread is cancelled in for in use, and it must hold nothing. */
static __attribute__((noinline)) void set_depth(rcuinfo_hint_set_t *hints)
{
    sets_set(hints, OBJECT("depth", "12"));
}

static __attribute__((noinline)) void create_with_depth(rcuinfo_hint_set_t **hints)
{
    *hints = sets_make(schema, OBJECT("depth", "12"), cancel_me, NULL);
}

static void *cancelled_in_set(void *argument)
{
    set_depth(argument);
    pthread_testcancel();
    return argument;
}

static void *cancelled_in_create(void *argument)
{
    create_with_depth(argument);
    pthread_testcancel();
    return argument;
}

static void run_cancelled(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    void *result = NULL;
    CHECK_EQUAL(pthread_create(&thread, NULL, body, argument), 0);
    CHECK_EQUAL(pthread_join(thread, &result), 0);
    CHECK(result == PTHREAD_CANCELED);
}

static void cancelled(void)
{
    rcuinfo_hint_set_t *made = NULL, *hints = sets_make(schema, RCUINFO_NULL, cancel_me, NULL);
    int cancel_state;
    run_cancelled(cancelled_in_set, hints);
    CHECK_EQUAL(sets_read(hints, DEPTH), 12);
    run_cancelled(cancelled_in_create, &made);
    CHECK_EQUAL(sets_read(made, DEPTH), 12);
    rcuinfo_hint_set_free(&made);
    /* The lock is free. */
    errno = 1234;
    CHECK_OK(rcuinfo_hint_set_impose(hints, "depth", "13"));
    CHECK_EQUAL(errno, 1234);
    CHECK_EQUAL(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel_state), 0);
    CHECK_EQUAL(cancel_state, PTHREAD_CANCEL_ENABLE);
    rcuinfo_hint_set_free(&hints);
}

int main(void)
{
    schema = sets_schema();
    accept_is_asked();
    impose();
    read_as_text();
    bad_arguments();
    numbers_by_type();
    long_and_many();
    without_memory();
    bytes_are_counted();
    cancelled();
    rcuinfo_schema_free(&schema);
    left_nothing();
    return 0;
}
