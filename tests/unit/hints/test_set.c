/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hint sets, sentence by sentence of the standard's text on window info (MPI-4.1, 12.2.7; "SET_INFO" is
 * rcuinfo_hints_set here, and so on) and of what we promise beyond it. Each sentence that says something that can be
 * seen stands, in our words, above what looks for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rcuinfo/rcuinfo.h>

#include "hints/sets.h"
#include "support/left.h"

static rcuinfo_schema_t *schema;

static int setup(void **state)
{
    (void)state;
    schema = sets_schema();
    return 0;
}

/* Nothing is left of any test. */
static int teardown(void **state)
{
    (void)state;
    rcuinfo_schema_free(&schema);
    left_nothing();
    return 0;
}

static void assert_used(const rcuinfo_hints_t *hints, const char *wanted)
{
    char text[4 * RCUINFO_MAX_VALUE];
    assert_string_equal(sets_used(hints, text, sizeof text), wanted);
}

static int refuse(void *context, size_t row, const char *value, int64_t number, int creating)
{
    (void)context, (void)row, (void)value, (void)number, (void)creating;
    return 0;
}

/* An implementation is free to ignore all hints. (It still has defaults, and says that they are in use.) */
static void all_may_be_ignored(void **state)
{
    rcuinfo_hints_t *hints = sets_make(schema, SETS_INFO("no_locks", "true", "note", "x"), refuse, NULL);
    (void)state;
    assert_used(hints, SETS_DEFAULTS);
    sets_set(hints, SETS_INFO("no_locks", "true", "depth", "9", "eager", "true"));
    assert_used(hints, SETS_DEFAULTS);
    assert_int_equal(sets_read(hints, NO_LOCKS), 0);
    rcuinfo_hints_free(&hints);
    assert_null(hints);
}

/* The hints that are in use are those that GET_INFO returns: the number that is read is that of the text. */
static void used_is_returned(void **state)
{
    rcuinfo_hints_t *hints = sets_make(schema, SETS_INFO("no_locks", "true", "depth", "31"), NULL, NULL);
    (void)state;
    assert_used(hints, "no_locks=true accumulate_ordering=rar,raw,war,waw depth=31 same_size=false provider=shm ");
    assert_int_equal(sets_read(hints, NO_LOCKS), 1);
    assert_int_equal(sets_read(hints, DEPTH), 31);
    assert_int_equal(sets_read(hints, ORDERING), 15);
    rcuinfo_hints_free(&hints);
}

/* Hints are given for each window by itself, when it is created and by SET_INFO. */
static void each_set_by_itself(void **state)
{
    rcuinfo_hints_t *one = sets_make(schema, SETS_INFO("depth", "1"), NULL, NULL);
    rcuinfo_hints_t *other = sets_make(schema, SETS_INFO("depth", "2"), NULL, NULL);
    (void)state;
    sets_set(one, SETS_INFO("no_locks", "true", "depth", "3"));
    assert_int_equal(sets_read(one, DEPTH), 3);
    assert_int_equal(sets_read(one, NO_LOCKS), 1);
    assert_int_equal(sets_read(other, DEPTH), 2);
    assert_int_equal(sets_read(other, NO_LOCKS), 0);
    rcuinfo_hints_free(&one);
    assert_int_equal(sets_read(other, DEPTH), 2);
    rcuinfo_hints_free(&other);
}

/* SET_INFO has no effect on hints, set before or by default, that its info does not name. An empty info names none. */
static void the_rest_stays(void **state)
{
    rcuinfo_hints_t *hints = sets_make(schema, SETS_INFO("no_locks", "true"), NULL, NULL);
    (void)state;
    sets_set(hints, SETS_INFO("note", "a note"));
    assert_used(hints, "no_locks=true accumulate_ordering=rar,raw,war,waw depth=8 same_size=false provider=shm "
                       "note=a note ");
    sets_set(hints, SETS_INFO("depth", "5"));
    sets_set(hints, sets_info((const char *const[]){NULL}));
    assert_used(hints, "no_locks=true accumulate_ordering=rar,raw,war,waw depth=5 same_size=false provider=shm "
                       "note=a note ");
    rcuinfo_hints_free(&hints);
}

/* Hints that are not supported are simply ignored, by creation and by SET_INFO. */
static void unsupported_is_ignored(void **state)
{
    rcuinfo_hints_t *hints = sets_make(schema, SETS_INFO("NO_LOCKS", "true", "other", "x"), NULL, NULL);
    (void)state;
    sets_set(hints, SETS_INFO("another", "y", "no_lock", "true", "depth", "6"));
    assert_used(hints, "no_locks=false accumulate_ordering=rar,raw,war,waw depth=6 same_size=false provider=shm ");
    rcuinfo_hints_free(&hints);
}

/* No hint is mandatory: none need be given. Of each that is used a default is provided where the user gives no value.
 * Some have none here; those are not in use. */
static void defaults_are_provided(void **state)
{
    int64_t number = 77;
    rcuinfo_hints_t *hints = sets_make(schema, RCUINFO_NULL, NULL, NULL);
    (void)state;
    assert_used(hints, SETS_DEFAULTS);
    assert_int_equal(sets_read(hints, DEPTH), 8);
    assert_int_equal(rcuinfo_hints_read(hints, EAGER, &number), RCUINFO_ERR_NOKEY);
    assert_int_equal(number, 77);
    rcuinfo_hints_free(&hints);
}

/* SET_INFO updates the hints with those of the info; it has no effect on those that it names but that are ignored in
 * this call: they are not of their type, or out of range. What is not valid, or not to be had, is no error. */
static void ignored_stay(void **state)
{
    rcuinfo_hints_t *hints = sets_make(schema, SETS_INFO("depth", "65", "no_locks", "yes"), NULL, NULL);
    (void)state;
    assert_used(hints, SETS_DEFAULTS);
    sets_set(hints, SETS_INFO("depth", "9", "eager", "true", "accumulate_ordering", "none"));
    sets_set(hints,
             SETS_INFO("depth", "0", "eager", "TRUE", "no_locks", "", "accumulate_ordering", "rar,none", "note", "n"));
    assert_used(hints, "no_locks=false accumulate_ordering=none depth=9 same_size=false provider=shm eager=true "
                       "note=n ");
    assert_int_equal(sets_read(hints, EAGER), 1);
    assert_int_equal(sets_read(hints, ORDERING), 0);
    rcuinfo_hints_free(&hints);
}

/* An implementation may ignore in SET_INFO what it would have taken at creation, and GET_INFO shows that it has. */
static void fixed_after_creation(void **state)
{
    rcuinfo_hints_t *hints = sets_make(schema, SETS_INFO("same_size", "true", "provider", "mine"), NULL, NULL);
    (void)state;
    assert_int_equal(sets_read(hints, SAME_SIZE), 1);
    sets_set(hints, SETS_INFO("same_size", "false", "provider", "mine", "model", "a"));
    assert_used(hints, "no_locks=false accumulate_ordering=rar,raw,war,waw depth=8 same_size=true provider=shm ");
    rcuinfo_hints_free(&hints);
}

/* GET_INFO returns a new info object, each time; it is the user's, who changes and frees it, and the window's hints are
 * not that object. Nor are they the one that was given. */
static void a_new_info_each_time(void **state)
{
    rcuinfo_t first, second, given = SETS_INFO("depth", "4");
    rcuinfo_hints_t *hints = NULL;
    char text[4 * RCUINFO_MAX_VALUE];
    (void)state;
    assert_int_equal(rcuinfo_hints_create(schema, given, NULL, NULL, &hints), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_hints_get(hints, &first), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_hints_get(hints, &second), RCUINFO_SUCCESS);
    assert_true(first != second && first != given && first != RCUINFO_NULL);
    assert_int_equal(rcuinfo_set(first, "depth", "5"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_delete(first, "no_locks"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(given, "depth", "6"), RCUINFO_SUCCESS);
    assert_int_equal(sets_read(hints, DEPTH), 4);
    sets_text(second, text, sizeof text);
    assert_used(hints, text);
    /* What is set afterwards does not show in it. */
    sets_set(hints, SETS_INFO("depth", "7"));
    assert_string_equal(sets_text(second, text, sizeof text),
                        "no_locks=false accumulate_ordering=rar,raw,war,waw depth=4 same_size=false provider=shm ");
    rcuinfo_hints_free(&hints);
    assert_non_null(strstr(sets_text(second, text, sizeof text), "depth=4 "));
    assert_int_equal(rcuinfo_free(&first), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&second), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&given), RCUINFO_SUCCESS);
}

/* It has every hint with a default, those of the user that were not ignored, and those that the implementation set: the
 * first in the order of the schema, with what the user gave at creation, the rest as it came. */
static void get_has_all(void **state)
{
    rcuinfo_hints_t *hints =
        sets_make(schema, SETS_INFO("note", "at creation", "unknown", "u", "eager", "false"), NULL, NULL);
    (void)state;
    assert_used(hints, "no_locks=false accumulate_ordering=rar,raw,war,waw eager=false note=at creation depth=8 "
                       "same_size=false provider=shm ");
    assert_int_equal(rcuinfo_hints_impose(hints, "fabric", "verbs"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_hints_impose(hints, "model", "b"), RCUINFO_SUCCESS);
    sets_set(hints, SETS_INFO("depth", "64", "no_locks", "true"));
    assert_used(hints, "no_locks=true accumulate_ordering=rar,raw,war,waw eager=false note=at creation depth=64 "
                       "same_size=false provider=shm fabric=verbs model=b ");
    rcuinfo_hints_free(&hints);
}

/* If there are none, a new info without pairs is returned, which is freed as any other. */
static void none_is_an_empty_info(void **state)
{
    static const rcuinfo_hint_t row = {.key = "only", .type = RCUINFO_HINT_STRING};
    rcuinfo_schema_t *small = NULL;
    rcuinfo_t info = RCUINFO_NULL;
    int nkeys = -1;
    (void)state;
    for (size_t rows = 0; rows <= 1; rows++) {
        assert_int_equal(rcuinfo_schema_create(NULL, &row, rows, &small, NULL), RCUINFO_SUCCESS);
        rcuinfo_hints_t *hints = sets_make(small, SETS_INFO("no_locks", "true"), NULL, NULL);
        assert_int_equal(rcuinfo_hints_get(hints, &info), RCUINFO_SUCCESS);
        assert_true(info != RCUINFO_NULL);
        assert_int_equal(rcuinfo_get_nkeys(info, &nkeys), RCUINFO_SUCCESS);
        assert_int_equal(nkeys, 0);
        assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
        /* The first that comes. */
        assert_int_equal(rcuinfo_hints_impose(hints, "k", "v"), RCUINFO_SUCCESS);
        assert_used(hints, "k=v ");
        rcuinfo_hints_free(&hints);
        rcuinfo_schema_free(&small);
    }
}

/* Ours: the given info is never written to (MPICH cuts a list at its first comma there), nor need it be kept. */
static void the_given_is_left_alone(void **state)
{
    rcuinfo_t given = SETS_INFO("accumulate_ordering", "rar, raw", "note", "  a,b:c ", "zzz", "1,2");
    char before[RCUINFO_MAX_VALUE], after[RCUINFO_MAX_VALUE];
    uint64_t version, then;
    rcuinfo_hints_t *hints = NULL;
    (void)state;
    sets_text(given, before, sizeof before);
    assert_int_equal(rcuinfo_version(given, &version), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_hints_create(schema, given, NULL, NULL, &hints), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_hints_set(hints, given), RCUINFO_SUCCESS);
    assert_string_equal(sets_text(given, after, sizeof after), before);
    assert_int_equal(rcuinfo_version(given, &then), RCUINFO_SUCCESS);
    assert_int_equal(then, version);
    assert_int_equal(rcuinfo_free(&given), RCUINFO_SUCCESS);
    assert_int_equal(sets_read(hints, ORDERING), 3);
    /* As they were given. */
    assert_used(hints, "no_locks=false accumulate_ordering=rar, raw note=  a,b:c  depth=8 same_size=false "
                       "provider=shm ");
    rcuinfo_hints_free(&hints);
}

/* Ours: reading a hint never changes what GET_INFO returns (on Open MPI a key shows once somebody has read it). */
static void reading_changes_nothing(void **state)
{
    rcuinfo_hints_t *hints = sets_make(schema, SETS_INFO("note", "x"), NULL, NULL);
    char before[4 * RCUINFO_MAX_VALUE], value[RCUINFO_MAX_VALUE];
    (void)state;
    sets_used(hints, before, sizeof before);
    for (size_t row = 0; row <= SETS_ROWS; row++) {
        int64_t number;
        int buflen = sizeof value;
        bool is_text = row == NOTE || row == PROVIDER || row == SETS_ROWS;
        bool is_set = row != EAGER && row != MODEL && row != SETS_ROWS;
        assert_int_equal(rcuinfo_hints_read(hints, row, &number) == RCUINFO_ERR_ARG, is_text);
        assert_int_equal(rcuinfo_hints_read_string(hints, row, &buflen, value) == RCUINFO_SUCCESS, is_set);
        assert_used(hints, before);
    }
    rcuinfo_hints_free(&hints);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_may_be_ignored),
        cmocka_unit_test(used_is_returned),
        cmocka_unit_test(each_set_by_itself),
        cmocka_unit_test(the_rest_stays),
        cmocka_unit_test(unsupported_is_ignored),
        cmocka_unit_test(defaults_are_provided),
        cmocka_unit_test(ignored_stay),
        cmocka_unit_test(fixed_after_creation),
        cmocka_unit_test(a_new_info_each_time),
        cmocka_unit_test(get_has_all),
        cmocka_unit_test(none_is_an_empty_info),
        cmocka_unit_test(the_given_is_left_alone),
        cmocka_unit_test(reading_changes_nothing),
    };
    return cmocka_run_group_tests_name("set", tests, setup, teardown);
}
