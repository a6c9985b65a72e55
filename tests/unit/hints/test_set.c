/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hint sets: each sentence of the standard on window info (MPI-4.1, 12.2.7; "SET_INFO" is rcuinfo_hint_set_merge here,
 * and so on), and what the header promises beyond it: when accept is called and what it sees, impose, reading, invalid
 * arguments, long and many values, and a failure of each allocation in turn. hints.histories tests that a merge is
 * atomic. White box: linked with the library's object files.
 */
#include <errno.h>
#include <pthread.h>

#include "support/inside.h"
#include "support/left.h"
#include "support/nomem.h"
#include "support/objects.h"
#include "support/test.h"

/* The rows: first those that have a number. */
enum { NO_LOCKS, ORDER, EAGER, DEPTH, SAME_SIZE, MODEL, NUMBERS };
enum { NOTE = NUMBERS, PROVIDER, BOOLS, INTS, RANGE, KIND, ROWS };

static const rcuinfo_hint_t rows[ROWS] = {
    [NO_LOCKS] = {.key = "no_locks", .type = RCUINFO_TYPE_BOOL, .initial = "false"},
    [ORDER] = {.key = "order",
               .type = RCUINFO_TYPE_CHOICE,
               .flags = RCUINFO_FLAG_LIST,
               .allowed = "rar,raw,war,waw",
               .alone = "none",
               .initial = "rar,raw"},
    [EAGER] = {.key = "eager", .type = RCUINFO_TYPE_BOOL},
    [DEPTH] = {.key = "depth", .type = RCUINFO_TYPE_INT, .least = 1, .most = 64, .initial = "8"},
    [SAME_SIZE] = {.key = "same_size", .type = RCUINFO_TYPE_BOOL, .flags = RCUINFO_FLAG_FIXED, .initial = "false"},
    [MODEL] = {.key = "model", .type = RCUINFO_TYPE_CHOICE, .flags = RCUINFO_FLAG_GET_ONLY, .allowed = "a,b"},
    [NOTE] = {.key = "note", .type = RCUINFO_TYPE_STRING},
    [PROVIDER] = {.key = "provider", .type = RCUINFO_TYPE_STRING, .flags = RCUINFO_FLAG_GET_ONLY, .initial = "shm"},
    [BOOLS] = {.key = "bools", .type = RCUINFO_TYPE_BOOL, .flags = RCUINFO_FLAG_LIST},
    [INTS] = {.key = "ints", .type = RCUINFO_TYPE_INT, .flags = RCUINFO_FLAG_LIST},
    [RANGE] = {.key = "range", .type = RCUINFO_TYPE_RANGE},
    [KIND] = {.key = "kind", .type = RCUINFO_TYPE_KIND},
};

#define DEFAULTS "no_locks=false order=rar,raw depth=8 same_size=false provider=shm "

static rcuinfo_schema_t *schema;

/* Writes the pairs of an info in order, each as "key=value ". */
enum { TEXT = 8 * RCUINFO_MAX_VALUE };
static const char *text_of(rcuinfo_t info, char *text)
{
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    rcuinfo_pair_t pair;
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < rcuinfo_snapshot_count(snapshot); i++) {
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, i, &pair));
        at += (size_t)snprintf(text + at, TEXT - at, "%s=%s ", pair.key, pair.value);
        CHECK(at < TEXT);
    }
    rcuinfo_snapshot_close(snapshot);
    return text;
}

/* Returns the hints in use, in the same format. */
static const char *used(const rcuinfo_hint_set_t *hints)
{
    static char text[TEXT];
    rcuinfo_t info;
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &info));
    text_of(info, text);
    object_free(info);
    return text;
}

/* Checks that the value of a row, read as a text and as a number, is that in `info`. */
static void check_row(const rcuinfo_hint_set_t *hints, size_t row, rcuinfo_t info)
{
    char value[RCUINFO_MAX_VALUE], text[RCUINFO_MAX_VALUE];
    int64_t wanted = 77, number = 77;
    size_t length;
    int flag;
    CHECK_OK(rcuinfo_get(info, rows[row].key, sizeof value - 1, value, &flag));
    rcuinfo_status_t status = flag ? RCUINFO_SUCCESS : RCUINFO_ERR_NOKEY;
    CHECK_STATUS(rcuinfo_hint_set_read_string(hints, row, text, sizeof text, &length), status);
    CHECK_STATUS(rcuinfo_hint_set_read(hints, row, &number), row < NUMBERS ? status : RCUINFO_ERR_ARG);
    if (flag) {
        CHECK_OK(rcuinfo_hint_check(&rows[row], value, &wanted, NULL));
        CHECK_TEXT(text, value);
    }
    CHECK_EQUAL(number, wanted);
}

/* Checks that exactly these hints are in use, by every way to read them. Reading must not change them (in Open MPI a
 * key appears once it has been read). */
static void check(const rcuinfo_hint_set_t *hints, const char *wanted)
{
    rcuinfo_t info;
    CHECK_TEXT(used(hints), wanted);
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &info));
    for (size_t row = 0; row < ROWS; row++)
        check_row(hints, row, info);
    object_free(info);
    CHECK_TEXT(used(hints), wanted);
}

/* Merges an info and frees it. */
static void merge(rcuinfo_hint_set_t *hints, rcuinfo_t info)
{
    CHECK_OK(rcuinfo_hint_set_merge(hints, info));
    object_free(info);
}

/* Creates a set from an info (RCUINFO_NULL: none), and frees the info. */
static rcuinfo_hint_set_t *make(rcuinfo_t info, rcuinfo_hint_accept_t *accept, void *context)
{
    rcuinfo_hint_set_t *hints = NULL;
    CHECK_OK(rcuinfo_hint_set_create(schema, info, accept, context, &hints));
    CHECK(hints);
    if (info != RCUINFO_NULL)
        object_free(info);
    return hints;
}

static int64_t read_depth(const rcuinfo_hint_set_t *hints)
{
    int64_t number = INT64_MIN;
    CHECK_OK(rcuinfo_hint_set_read(hints, DEPTH, &number));
    return number;
}

/* The context of `ask`. */
struct asked {
    rcuinfo_hint_set_t *hints; /* NULL: it is being created */
    unsigned refused;          /* bits of the rows to refuse */
    int64_t depth;             /* the value that the last call has read */
    char seen[TEXT];           /* the hints in use that it has read */
    char text[512];            /* the arguments of all calls, each as "row:value:number:creating " */
};

static int ask(void *context, size_t row, const char *value, int64_t number, int creating)
{
    struct asked *asked = context;
    size_t at = strlen(asked->text);
    (void)snprintf(asked->text + at, sizeof asked->text - at, "%zu:%s:%ld:%d ", row, value, (long)number, creating);
    if (asked->hints) {
        asked->depth = read_depth(asked->hints);
        (void)strcpy(asked->seen, used(asked->hints));
    }
    return !(asked->refused >> row & 1);
}

enum { MOST = 20 }; /* texts of an info, and the NULL after them */

/* The infos that are passed to the creation of a set and to two calls of SET_INFO, and what GET_INFO then returns. */
static const struct {
    const char *created[MOST], *set[2][MOST];
    const char *used;
    unsigned refused; /* bits of rows */
} sentences[] = {
    /* No hint is mandatory: the user need not give any. For each supported hint there is a default if the user gives no
     * value. Some hints have no default here; they are not in use. */
    {{NULL}, {{NULL}}, DEFAULTS, 0},
    /* An implementation may ignore all hints. (It still has defaults, and GET_INFO returns them.) */
    {{"no_locks", "true", "note", "x"}, {{"no_locks", "true", "depth", "9", "eager", "true"}}, DEFAULTS, ~0U},
    /* GET_INFO returns the hints in use. SET_INFO has no effect on hints, set before or by default, that its info does
     * not contain. An empty info contains none. */
    {{"no_locks", "true", "depth", "31"},
     {{"note", "a note"}, {NULL}},
     "no_locks=true order=rar,raw depth=31 same_size=false provider=shm note=a note ",
     0},
    /* Hints that are not supported are ignored, by creation and by SET_INFO. */
    {{"NO_LOCKS", "true", "other", "x"},
     {{"another", "y", "no_lock", "true", "depth", "6"}},
     "no_locks=false order=rar,raw depth=6 same_size=false provider=shm ",
     0},
    /* SET_INFO updates the hints with those of the info. It has no effect on hints that are in the info but ignored in
     * this call: values of another type or out of range. Invalid or unavailable values are not an error. */
    {{"depth", "65", "no_locks", "yes"},
     {{"depth", "9", "eager", "true", "order", "none"},
      {"depth", "0", "eager", "TRUE", "no_locks", "", "order", "rar,none", "note", "n"}},
     "no_locks=false order=none depth=9 same_size=false provider=shm eager=true note=n ",
     0},
    /* An implementation may ignore in SET_INFO a hint that it accepts at creation. GET_INFO shows the value in use. */
    {{"same_size", "true", "provider", "mine"},
     {{"same_size", "false", "provider", "mine", "model", "a"}},
     "no_locks=false order=rar,raw depth=8 same_size=true provider=shm ",
     0},
    /* Ours: hints that had a value at creation come first, in the order of the schema, then the others as set. */
    {{"note", "1", "unknown", "u", "eager", "false"},
     {{"kind", "a:b", "range", "1:2", "ints", "1,2", "bools", "true"}, {"eager", "true"}},
     "no_locks=false order=rar,raw eager=true depth=8 same_size=false note=1 provider=shm kind=a:b range=1:2 ints=1,2 "
     "bools=true ",
     0},
};

TEST(each_sentence)
{
    for (size_t n = 0; n < sizeof sentences / sizeof *sentences; n++) {
        struct asked asked = {.refused = sentences[n].refused};
        rcuinfo_hint_set_t *hints = make(object_make(sentences[n].created), asked.refused ? ask : NULL, &asked);
        for (size_t i = 0; i < 2; i++)
            merge(hints, object_make(sentences[n].set[i]));
        printf("sentence %zu\n", n);
        check(hints, sentences[n].used);
        rcuinfo_hint_set_free(&hints);
        CHECK(!hints);
    }
}

/* GET_INFO returns a new info object each time. The user owns it: changing or freeing it does not change the window's
 * hints. Neither does changing or freeing the info that was given. That info is never written to (MPICH cuts a list in
 * it at the first comma). */
TEST(infos_are_the_users)
{
    static const char in_use[] = "no_locks=false order=rar, raw depth=4 same_size=false note=  a,b:c  provider=shm ";
    rcuinfo_t first, second, given = OBJECT("order", "rar, raw", "note", "  a,b:c ", "zzz", "1,2", "depth", "4");
    uint64_t version = object_version(given);
    rcuinfo_hint_set_t *hints = NULL;
    char before[TEXT], text[TEXT];
    text_of(given, before);
    CHECK_OK(rcuinfo_hint_set_create(schema, given, NULL, NULL, &hints));
    CHECK_OK(rcuinfo_hint_set_merge(hints, given));
    CHECK_TEXT(text_of(given, text), before);
    CHECK_EQUAL(object_version(given), version);
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &first));
    atomic_store(&block_of(first)->refcount, UINT64_C(1) << 31); /* as if there were so many objects of this version */
    second = first;
    CHECK_STATUS(rcuinfo_hint_set_get_info(hints, &second), RCUINFO_ERR_NO_MEM);
    CHECK(second == RCUINFO_NULL);
    atomic_store(&block_of(first)->refcount, 2);
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &second));
    CHECK(first != second && first != given && first != RCUINFO_NULL);
    CHECK_OK(rcuinfo_set(first, "depth", "5"));
    CHECK_OK(rcuinfo_delete(first, "no_locks"));
    object_free(first);
    CHECK_OK(rcuinfo_set(given, "depth", "6"));
    object_free(given);
    check(hints, in_use);
    /* Later changes of the set do not change it. */
    merge(hints, OBJECT("depth", "7"));
    CHECK_TEXT(text_of(second, text), in_use);
    rcuinfo_hint_set_free(&hints);
    CHECK_TEXT(text_of(second, text), in_use);
    object_free(second);
}

/* If no hints are in use, GET_INFO returns a new info without pairs, which is freed like any other. */
TEST(none_is_an_empty_info)
{
    for (size_t n = 0; n <= 1; n++) {
        rcuinfo_schema_t *small = NULL;
        rcuinfo_hint_set_t *hints = NULL;
        CHECK_OK(rcuinfo_schema_create(NULL, &rows[NOTE], n, &small, NULL));
        CHECK_OK(rcuinfo_hint_set_create(small, RCUINFO_NULL, NULL, NULL, &hints));
        CHECK_TEXT(used(hints), "");
        /* The first hint. */
        CHECK_OK(rcuinfo_hint_set_impose(hints, "k", "v"));
        CHECK_TEXT(used(hints), "k=v ");
        rcuinfo_hint_set_free(&hints);
        rcuinfo_schema_free(&small);
    }
}

/* accept is called in the order of the info, only for recognized, valid hints that users may set and that change. */
TEST(accept_is_asked)
{
    struct asked asked = {.refused = 1U << EAGER};
    rcuinfo_hint_set_t *hints = make(OBJECT("note", "n", "unknown", "u", "eager", "true", "depth", "8", "no_locks",
                                            "maybe", "same_size", "true", "order", "none", "provider", "x"),
                                     ask, &asked);
    CHECK_TEXT(asked.text, "6:n:0:1 2:true:1:1 4:true:1:1 1:none:0:1 ");
    check(hints, "no_locks=false order=none depth=8 same_size=true note=n provider=shm ");
    asked = (struct asked){.refused = 1U << NO_LOCKS | 1U << DEPTH, .hints = hints};
    merge(hints, OBJECT("depth", "9", "eager", " true", "no_locks", "true", "note", "n", "same_size", "false", "order",
                        "war , rar"));
    CHECK_TEXT(asked.text, "3:9:9:0 2: true:1:0 0:true:1:0 1:war , rar:5:0 ");
    /* accept saw the hints that were in use before. */
    CHECK_EQUAL(asked.depth, 8);
    CHECK_TEXT(asked.seen, "no_locks=false order=none depth=8 same_size=true note=n provider=shm ");
    check(hints, "no_locks=false order=war , rar depth=8 same_size=true note=n provider=shm eager= true ");
    /* A hint that was refused is asked for again. Another spelling of the same number is another value. */
    asked = (struct asked){.hints = hints};
    merge(hints, OBJECT("depth", "9"));
    merge(hints, OBJECT("depth", "09", "note", "n"));
    CHECK_TEXT(asked.text, "3:9:9:0 3:09:9:0 ");
    CHECK_EQUAL(read_depth(hints), 9);
    rcuinfo_hint_set_free(&hints);
}

TEST(impose)
{
    static const char *const pairs[][2] = {
        {"depth", "11"},        {"same_size", "true"},     {"provider", "tcp"},       {"model", "b"},
        {"not recognized", ""}, {"not recognized", "any"}, {"not recognized", "any"},
    };
    struct asked asked = {.refused = ~0U};
    rcuinfo_hint_set_t *hints = make(RCUINFO_NULL, ask, &asked);
    for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++)
        CHECK_OK(rcuinfo_hint_set_impose(hints, pairs[n][0], pairs[n][1]));
    CHECK_TEXT(asked.text, "");
    CHECK_STATUS(rcuinfo_hint_set_impose(hints, "depth", "0"), RCUINFO_ERR_TYPE);
    CHECK_STATUS(rcuinfo_hint_set_impose(hints, "model", "c"), RCUINFO_ERR_TYPE);
    /* A user cannot change an imposed hint that is not recognized. */
    merge(hints, OBJECT("not recognized", "mine"));
    check(hints, "no_locks=false order=rar,raw depth=11 same_size=true provider=tcp model=b not recognized=any ");
    rcuinfo_hint_set_free(&hints);
}

TEST(read_as_text)
{
    rcuinfo_hint_set_t *hints = make(OBJECT("note", "0123456789"), NULL, NULL);
    char text[16] = "untouched";
    size_t length = 0;
    CHECK_OK(rcuinfo_hint_set_read_string(hints, NOTE, NULL, 0, &length));
    CHECK_EQUAL(length, 10);
    CHECK_OK(rcuinfo_hint_set_read_string(hints, NOTE, text, 0, &length));
    CHECK_TEXT(text, "untouched");
    memset(text, 'x', sizeof text);
    for (size_t size = 1; size <= 12; size++) {
        length = 0;
        CHECK_OK(rcuinfo_hint_set_read_string(hints, NOTE, text, size, &length));
        CHECK_EQUAL(length, 10);
        CHECK_EQUAL(strlen(text), size <= 10 ? size - 1 : 10);
        CHECK(memcmp(text, "0123456789", strlen(text)) == 0);
        CHECK_EQUAL(text[size < 11 ? size : 11], 'x');
    }
    length = 7;
    CHECK_STATUS(rcuinfo_hint_set_read_string(hints, EAGER, text, sizeof text, &length), RCUINFO_ERR_NOKEY);
    CHECK_EQUAL(length, 7);
    CHECK_TEXT(text, "0123456789");
    rcuinfo_hint_set_free(&hints);
}

TEST(bad_arguments)
{
    char text[RCUINFO_MAX_VALUE + 2];
    rcuinfo_hint_set_t *hints = make(RCUINFO_NULL, NULL, NULL), *none = (rcuinfo_hint_set_t *)text;
    rcuinfo_t info = OBJECT("depth", "3"), stale = info;
    int64_t number = 77;
    size_t length = 4;
    CHECK_STATUS(rcuinfo_hint_set_create(NULL, info, NULL, NULL, &none), RCUINFO_ERR_ARG);
    CHECK((void *)none == text);
    CHECK_STATUS(rcuinfo_hint_set_create(schema, info, NULL, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_merge(NULL, info), RCUINFO_ERR_ARG);
    object_free(info);
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
    CHECK_STATUS(rcuinfo_hint_set_read(hints, ROWS, &number), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read(hints, SIZE_MAX, &number), RCUINFO_ERR_ARG);
    CHECK_EQUAL(number, 77);
    CHECK_STATUS(rcuinfo_hint_set_read_string(NULL, DEPTH, text, sizeof text, &length), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read_string(hints, ROWS, text, sizeof text, &length), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read_string(hints, DEPTH, text, sizeof text, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_set_read_string(hints, DEPTH, NULL, 1, &length), RCUINFO_ERR_ARG);
    CHECK_EQUAL(length, 4);
    check(hints, DEFAULTS);
    rcuinfo_hint_set_free(&hints);
    rcuinfo_hint_set_free(&hints);
    rcuinfo_hint_set_free(NULL);
}

/* A set that becomes large: values of the maximum length, 150 imposed hints, and a merge of an equally large info. */
TEST(long_and_many)
{
    rcuinfo_hint_set_t *hints = make(RCUINFO_NULL, NULL, NULL);
    char key[32], value[RCUINFO_MAX_VALUE] = "", text[RCUINFO_MAX_VALUE];
    size_t length = 0;
    rcuinfo_t info;
    memset(value, 'v', sizeof value - 1);
    merge(hints, OBJECT("note", value));
    CHECK_OK(rcuinfo_hint_set_read_string(hints, NOTE, text, sizeof text, &length));
    CHECK_TEXT(text, value);
    for (int i = 0; i < 200; i++) {
        (void)snprintf(key, sizeof key, "extra%d", i % 150);
        value[0] = (char)('a' + i / 150);
        CHECK_OK(rcuinfo_hint_set_impose(hints, key, value));
        CHECK_EQUAL(read_depth(hints), i ? 1 + i % 64 : 8);
        (void)snprintf(text, sizeof text, "%d", 1 + (i + 1) % 64);
        merge(hints, OBJECT("depth", text));
    }
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &info));
    CHECK_EQUAL(object_count(info), 6 + 150);
    /* Merge the large info that the set returned. */
    CHECK_OK(rcuinfo_set(info, "depth", "33"));
    merge(hints, info);
    CHECK_EQUAL(read_depth(hints), 33);
    rcuinfo_hint_set_free(&hints);
}

TEST(without_memory)
{
    rcuinfo_t info = OBJECT("no_locks", "true", "depth", "17", "note", "n", "eager", "false");
    rcuinfo_hint_set_t *hints = NULL;
    NOMEM_EACH(2, rcuinfo_hint_set_create(schema, info, NULL, NULL, &hints), CHECK(!hints));
    object_free(info);
    CHECK(strstr(used(hints), "depth=17 "));

    info = OBJECT("no_locks", "false", "depth", "18", "note", "other");
    NOMEM_EACH(2, rcuinfo_hint_set_merge(hints, info),
               check(hints, "no_locks=true order=rar,raw eager=false depth=17 same_size=false note=n provider=shm "));
    CHECK_EQUAL(read_depth(hints), 18);
    object_free(info);

    NOMEM_EACH(2, rcuinfo_hint_set_impose(hints, "depth", "19"), CHECK_EQUAL(read_depth(hints), 18));
    CHECK_EQUAL(read_depth(hints), 19);
    NOMEM_EACH(2, rcuinfo_hint_set_impose(hints, "more", "20"), CHECK(!strstr(used(hints), "more")));
    CHECK(strstr(used(hints), "more=20 "));
    rcuinfo_hint_set_free(&hints);
}

/* The bytes that await a grace period include the numbers of an old version and its text. */
TEST(bytes_are_counted)
{
    enum { MANY = 1000 };
    static rcuinfo_hint_t many[MANY];
    static char keys[MANY][16];
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "%d", i);
        many[i] = (rcuinfo_hint_t){.key = keys[i], .type = RCUINFO_TYPE_STRING};
    }
    for (int texts = 0; texts < 2; texts++) {
        rcuinfo_schema_t *large = NULL;
        rcuinfo_hint_set_t *hints = NULL;
        CHECK_OK(rcuinfo_schema_create(NULL, many, texts ? 1 : MANY, &large, NULL));
        CHECK_OK(rcuinfo_hint_set_create(large, RCUINFO_NULL, NULL, NULL, &hints));
        for (int i = 0; i < 9 * texts; i++)
            CHECK_OK(rcuinfo_hint_set_impose(hints, keys[i], object_long));
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
        CHECK_OK(rcuinfo_hint_set_impose(hints, "0", "x"));
        CHECK(left_stats().retired > (texts ? 9 * sizeof object_long : MANY * sizeof(int64_t)));
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
        rcuinfo_hint_set_free(&hints);
        rcuinfo_schema_free(&large);
    }
}

/* A thread is not cancelled in accept, but afterwards. The calls preserve errno and the cancellation state. */
static int cancel_me(void *context, size_t row, const char *value, int64_t number, int creating)
{
    (void)context, (void)row, (void)value, (void)number, (void)creating;
    CHECK_EQUAL(pthread_cancel(pthread_self()), 0);
    pthread_testcancel();
    return 1;
}

/* Creates a set, or sets the depth of an existing one. Out of line: AddressSanitizer takes the stack frame in which a
 * thread is cancelled for still in use, so that frame must have no variables. */
static __attribute__((noinline)) void set_depth(rcuinfo_hint_set_t **hints)
{
    if (*hints)
        merge(*hints, OBJECT("depth", "13"));
    else
        *hints = make(OBJECT("depth", "12"), cancel_me, NULL);
}

static void *cancelled_in_accept(void *argument)
{
    set_depth(argument);
    pthread_testcancel();
    return argument;
}

TEST(cancelled)
{
    static rcuinfo_hint_set_t *hints;
    int cancel_state;
    for (int depth = 12; depth <= 13; depth++) {
        pthread_t thread;
        void *result = NULL;
        CHECK_EQUAL(pthread_create(&thread, NULL, cancelled_in_accept, &hints), 0);
        CHECK_EQUAL(pthread_join(thread, &result), 0);
        CHECK(result == PTHREAD_CANCELED);
        CHECK_EQUAL(read_depth(hints), depth);
    }
    /* The lock was released. */
    errno = 1234;
    CHECK_OK(rcuinfo_hint_set_impose(hints, "depth", "14"));
    CHECK_EQUAL(errno, 1234);
    CHECK_EQUAL(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel_state), 0);
    CHECK_EQUAL(cancel_state, PTHREAD_CANCEL_ENABLE);
    rcuinfo_hint_set_free(&hints);
}

int main(void)
{
    CHECK_OK(rcuinfo_schema_create(NULL, rows, ROWS, &schema, NULL));
    test_run(NULL);
    rcuinfo_schema_free(&schema);
    left_nothing();
    return 0;
}
