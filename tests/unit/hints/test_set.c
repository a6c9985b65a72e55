/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hint sets, sentence by sentence of the standard's text on window info (MPI-4.1, 12.2.7; "SET_INFO" is
 * rcuinfo_hint_set_merge here, and so on) and of what we promise beyond it. Each sentence that says something that can
 * be seen stands, in our words, above what looks for it.
 */
#include "hints/sets.h"
#include "support/left.h"

static rcuinfo_schema_t *schema;

static int refuse(void *context, size_t row, const char *value, int64_t number, int creating)
{
    (void)context, (void)row, (void)value, (void)number, (void)creating;
    return 0;
}

enum { MOST = 12 }; /* texts of an info, and the NULL behind them */

/* What is given to the call that creates a set, and to SET_INFO, and what GET_INFO then returns. */
static const struct {
    const char *created[MOST], *set[2][MOST];
    const char *used;
    rcuinfo_hint_accept_t *accept;
} sentences[] = {
    /* No hint is mandatory: none need be given. Of each that is used a default is provided where the user gives no
     * value. Some have none here; those are not in use. */
    {{NULL}, {{NULL}}, SETS_DEFAULTS, NULL},
    /* An implementation is free to ignore all hints. (It still has defaults, and says that they are in use.) */
    {{"no_locks", "true", "note", "x"}, {{"no_locks", "true", "depth", "9", "eager", "true"}}, SETS_DEFAULTS, refuse},
    /* The hints that are in use are those that GET_INFO returns. */
    {{"no_locks", "true", "depth", "31"},
     {{NULL}},
     "no_locks=true accumulate_ordering=rar,raw,war,waw depth=31 same_size=false provider=shm ",
     NULL},
    /* SET_INFO has no effect on hints, set before or by default, that its info does not name. An empty info names none.
     */
    {{"no_locks", "true"},
     {{"note", "a note"}, {NULL}},
     "no_locks=true accumulate_ordering=rar,raw,war,waw depth=8 same_size=false provider=shm note=a note ",
     NULL},
    {{"no_locks", "true"},
     {{"note", "a note"}, {"depth", "5"}},
     "no_locks=true accumulate_ordering=rar,raw,war,waw depth=5 same_size=false provider=shm note=a note ",
     NULL},
    /* Hints that are not supported are simply ignored, by creation and by SET_INFO. */
    {{"NO_LOCKS", "true", "other", "x"},
     {{"another", "y", "no_lock", "true", "depth", "6"}},
     "no_locks=false accumulate_ordering=rar,raw,war,waw depth=6 same_size=false provider=shm ",
     NULL},
    /* SET_INFO updates the hints with those of the info; it has no effect on those that it names but that are ignored
     * in this call: they are not of their type, or out of range. What is not valid, or not to be had, is no error. */
    {{"depth", "65", "no_locks", "yes"}, {{NULL}}, SETS_DEFAULTS, NULL},
    {{"depth", "65", "no_locks", "yes"},
     {{"depth", "9", "eager", "true", "accumulate_ordering", "none"},
      {"depth", "0", "eager", "TRUE", "no_locks", "", "accumulate_ordering", "rar,none", "note", "n"}},
     "no_locks=false accumulate_ordering=none depth=9 same_size=false provider=shm eager=true note=n ",
     NULL},
    /* An implementation may ignore in SET_INFO what it would have taken at creation, and GET_INFO shows that it has. */
    {{"same_size", "true", "provider", "mine"},
     {{"same_size", "false", "provider", "mine", "model", "a"}},
     "no_locks=false accumulate_ordering=rar,raw,war,waw depth=8 same_size=true provider=shm ",
     NULL},
};

static void each_sentence(void)
{
    for (size_t n = 0; n < sizeof sentences / sizeof *sentences; n++) {
        rcuinfo_hint_set_t *hints = sets_make(schema, object_make(sentences[n].created), sentences[n].accept, NULL);
        for (size_t i = 0; i < 2; i++)
            sets_set(hints, object_make(sentences[n].set[i]));
        printf("sentence %zu\n", n);
        sets_check(hints, sentences[n].used);
        rcuinfo_hint_set_free(&hints);
        CHECK(!hints);
    }
}

/* Hints are given for each window by itself, when it is created and by SET_INFO. */
static void each_set_by_itself(void)
{
    rcuinfo_hint_set_t *one = sets_make(schema, OBJECT("depth", "1"), NULL, NULL);
    rcuinfo_hint_set_t *other = sets_make(schema, OBJECT("depth", "2"), NULL, NULL);
    sets_set(one, OBJECT("no_locks", "true", "depth", "3"));
    CHECK_EQUAL(sets_read(one, DEPTH), 3);
    CHECK_EQUAL(sets_read(one, NO_LOCKS), 1);
    CHECK_EQUAL(sets_read(other, DEPTH), 2);
    CHECK_EQUAL(sets_read(other, NO_LOCKS), 0);
    rcuinfo_hint_set_free(&one);
    CHECK_EQUAL(sets_read(other, DEPTH), 2);
    rcuinfo_hint_set_free(&other);
}

/* GET_INFO returns a new info object, each time; it is the user's, who changes and frees it, and the window's hints are
 * not that object. Nor are they the one that was given. */
static void a_new_info_each_time(void)
{
    static const char depth_4[] =
        "no_locks=false accumulate_ordering=rar,raw,war,waw depth=4 same_size=false provider=shm ";
    rcuinfo_t first, second, given = OBJECT("depth", "4");
    rcuinfo_hint_set_t *hints = NULL;
    char text[SETS_TEXT];
    CHECK_OK(rcuinfo_hint_set_create(schema, given, NULL, NULL, &hints));
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &first));
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &second));
    CHECK(first != second && first != given && first != RCUINFO_NULL);
    CHECK_OK(rcuinfo_set(first, "depth", "5"));
    CHECK_OK(rcuinfo_delete(first, "no_locks"));
    CHECK_OK(rcuinfo_set(given, "depth", "6"));
    sets_check(hints, depth_4);
    /* What is set afterwards does not show in it. */
    sets_set(hints, OBJECT("depth", "7"));
    CHECK_TEXT(sets_text(second, text), depth_4);
    rcuinfo_hint_set_free(&hints);
    CHECK_TEXT(sets_text(second, text), depth_4);
    CHECK_OK(rcuinfo_free(&first));
    CHECK_OK(rcuinfo_free(&second));
    CHECK_OK(rcuinfo_free(&given));
}

/* It has every hint with a default, those of the user that were not ignored, and those that the implementation set: the
 * first in the order of the schema, with what the user gave at creation, the rest as it came. */
static void get_has_all(void)
{
    rcuinfo_hint_set_t *hints =
        sets_make(schema, OBJECT("note", "at creation", "unknown", "u", "eager", "false"), NULL, NULL);
    sets_check(hints, "no_locks=false accumulate_ordering=rar,raw,war,waw eager=false note=at creation depth=8 "
                      "same_size=false provider=shm ");
    CHECK_OK(rcuinfo_hint_set_impose(hints, "fabric", "verbs"));
    CHECK_OK(rcuinfo_hint_set_impose(hints, "model", "b"));
    sets_set(hints, OBJECT("depth", "64", "no_locks", "true"));
    sets_check(hints, "no_locks=true accumulate_ordering=rar,raw,war,waw eager=false note=at creation depth=64 "
                      "same_size=false provider=shm fabric=verbs model=b ");
    rcuinfo_hint_set_free(&hints);
}

/* If there are none, a new info without pairs is returned, which is freed as any other. */
static void none_is_an_empty_info(void)
{
    static const rcuinfo_hint_t row = {.key = "only", .type = RCUINFO_HINT_STRING};
    rcuinfo_schema_t *small = NULL;
    rcuinfo_t info = RCUINFO_NULL;
    for (size_t rows = 0; rows <= 1; rows++) {
        CHECK_OK(rcuinfo_schema_create(NULL, &row, rows, &small, NULL));
        rcuinfo_hint_set_t *hints = sets_make(small, OBJECT("no_locks", "true"), NULL, NULL);
        CHECK_OK(rcuinfo_hint_set_get_info(hints, &info));
        CHECK(info != RCUINFO_NULL);
        CHECK_OK(rcuinfo_free(&info));
        CHECK_TEXT(sets_used(hints), "");
        /* The first that comes. */
        CHECK_OK(rcuinfo_hint_set_impose(hints, "k", "v"));
        CHECK_TEXT(sets_used(hints), "k=v ");
        rcuinfo_hint_set_free(&hints);
        rcuinfo_schema_free(&small);
    }
}

/* Ours: the given info is never written to (MPICH cuts a list at its first comma there), nor need it be kept. */
static void the_given_is_left_alone(void)
{
    rcuinfo_t given = OBJECT("accumulate_ordering", "rar, raw", "note", "  a,b:c ", "zzz", "1,2");
    char before[SETS_TEXT], after[SETS_TEXT];
    uint64_t version, then;
    rcuinfo_hint_set_t *hints = NULL;
    sets_text(given, before);
    CHECK_OK(rcuinfo_current_version(given, &version));
    CHECK_OK(rcuinfo_hint_set_create(schema, given, NULL, NULL, &hints));
    CHECK_OK(rcuinfo_hint_set_merge(hints, given));
    CHECK_TEXT(sets_text(given, after), before);
    CHECK_OK(rcuinfo_current_version(given, &then));
    CHECK_EQUAL(then, version);
    CHECK_OK(rcuinfo_free(&given));
    CHECK_EQUAL(sets_read(hints, ORDERING), 3);
    /* As they were given. */
    sets_check(hints,
               "no_locks=false accumulate_ordering=rar, raw note=  a,b:c  depth=8 same_size=false provider=shm ");
    rcuinfo_hint_set_free(&hints);
}

int main(void)
{
    schema = sets_schema();
    each_sentence();
    each_set_by_itself();
    a_new_info_each_time();
    get_has_all();
    none_is_an_empty_info();
    the_given_is_left_alone();
    rcuinfo_schema_free(&schema);
    left_nothing();
    return 0;
}
