/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Typed values: what is a boolean, an integer and a list, what is wrong with all else and where, the same from a text,
 * an object and a snapshot, and that what is set comes back.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rcuinfo/rcuinfo.h>

/* A text and what it is as each type; a type that it is not has the byte at which it says so. */
struct sample {
    const char *text;
    int is_bool, is_int, is_int64;
    int64_t value;
    size_t bool_fault, fault;
};

#define NO_BOOL -1
static const struct sample samples[] = {
    {"true", 1, 0, 0, 0, 0, 0},
    {"false", 0, 0, 0, 0, 0, 0},
    {" \t true\t ", 1, 0, 0, 0, 0, 3},
    {"True", NO_BOOL, 0, 0, 0, 0, 0},
    {"  TRUE", NO_BOOL, 0, 0, 0, 2, 2},
    {"truefalse", NO_BOOL, 0, 0, 0, 0, 0},
    {"tru", NO_BOOL, 0, 0, 0, 0, 0},
    {"yes", NO_BOOL, 0, 0, 0, 0, 0},
    {"", NO_BOOL, 0, 0, 0, 0, 0},
    {" \t", NO_BOOL, 0, 0, 0, 2, 2},
    {"0", NO_BOOL, 1, 1, 0, 0, 0},
    {"1", NO_BOOL, 1, 1, 1, 0, 0},
    {"-0", NO_BOOL, 1, 1, 0, 0, 0},
    {"+17", NO_BOOL, 1, 1, 17, 0, 0},
    {"  -17\t", NO_BOOL, 1, 1, -17, 2, 0},
    {"000000000000000000000000042", NO_BOOL, 1, 1, 42, 0, 0},
    {"2147483647", NO_BOOL, 1, 1, INT32_MAX, 0, 0},
    {"-2147483648", NO_BOOL, 1, 1, INT32_MIN, 0, 0},
    {" 2147483648", NO_BOOL, 0, 1, INT64_C(2147483648), 1, 1},
    {" -2147483649", NO_BOOL, 0, 1, INT64_C(-2147483649), 1, 1},
    {"9223372036854775807", NO_BOOL, 0, 1, INT64_MAX, 0, 0},
    {"-9223372036854775808", NO_BOOL, 0, 1, INT64_MIN, 0, 0},
    {"9223372036854775808", NO_BOOL, 0, 0, 0, 0, 0},
    {"-9223372036854775809", NO_BOOL, 0, 0, 0, 0, 0},
    {"  99999999999999999999999999999999", NO_BOOL, 0, 0, 0, 2, 2},
    {"12abc", NO_BOOL, 0, 0, 0, 0, 2},
    {"12 3", NO_BOOL, 0, 0, 0, 0, 2},
    {"- 1", NO_BOOL, 0, 0, 0, 0, 1},
    {" +", NO_BOOL, 0, 0, 0, 1, 1},
    {"--1", NO_BOOL, 0, 0, 0, 0, 1},
    {"0x10", NO_BOOL, 0, 0, 0, 0, 1},
    {"1.5", NO_BOOL, 0, 0, 0, 0, 1},
    {"1e3", NO_BOOL, 0, 0, 0, 0, 1},
    {"\n1", NO_BOOL, 0, 0, 0, 0, 0},
    {"1,2", NO_BOOL, 0, 0, 0, 0, 1},
    {"\xd9\xa1", NO_BOOL, 0, 0, 0, 0, 0},
};

/* A fault that was not written has this. */
static const rcuinfo_fault_t untouched = {.what = NULL, .line = 77, .offset = 77};

static void check_fault(const rcuinfo_fault_t *fault, rcuinfo_status_t status, size_t offset, const char *text)
{
    if (status == RCUINFO_SUCCESS) {
        assert_true(fault->what == NULL && fault->line == 77 && fault->offset == 77);
        return;
    }
    assert_int_equal(status, RCUINFO_ERR_TYPE);
    assert_non_null(fault->what);
    assert_int_equal(fault->line, 0);
    if (fault->offset != offset)
        fail_msg("\"%s\": a fault at %zu, not at %zu: %s", text, fault->offset, offset, fault->what);
}

/* One way to ask for the three types of a text: of a copy of just its bytes, of an object, of a snapshot. */
struct way {
    const char *text;
    size_t length;
    rcuinfo_t info;
    const rcuinfo_snapshot_t *snapshot;
};

static rcuinfo_status_t ask_bool(const struct way *way, int *value, rcuinfo_fault_t *fault)
{
    int flag = 77;
    if (way->text)
        return rcuinfo_value_parse_bool(way->text, way->length, value, fault);
    if (way->snapshot)
        return rcuinfo_snapshot_get_bool(way->snapshot, "key", value, fault);
    rcuinfo_status_t status = rcuinfo_get_bool(way->info, "key", value, &flag, fault);
    assert_int_equal(flag, status == RCUINFO_SUCCESS ? 1 : 77);
    return status;
}

static rcuinfo_status_t ask_int(const struct way *way, int *value, rcuinfo_fault_t *fault)
{
    int flag = 77;
    if (way->text)
        return rcuinfo_value_parse_int(way->text, way->length, value, fault);
    if (way->snapshot)
        return rcuinfo_snapshot_get_int(way->snapshot, "key", value, fault);
    rcuinfo_status_t status = rcuinfo_get_int(way->info, "key", value, &flag, fault);
    assert_int_equal(flag, status == RCUINFO_SUCCESS ? 1 : 77);
    return status;
}

static rcuinfo_status_t ask_int64(const struct way *way, int64_t *value, rcuinfo_fault_t *fault)
{
    int flag = 77;
    if (way->text)
        return rcuinfo_value_parse_int64(way->text, way->length, value, fault);
    if (way->snapshot)
        return rcuinfo_snapshot_get_int64(way->snapshot, "key", value, fault);
    rcuinfo_status_t status = rcuinfo_get_int64(way->info, "key", value, &flag, fault);
    assert_int_equal(flag, status == RCUINFO_SUCCESS ? 1 : 77);
    return status;
}

static void check_sample(const struct sample *sample, const struct way *way)
{
    int number = 77;
    int64_t wide = 77;
    rcuinfo_fault_t fault = untouched;
    rcuinfo_status_t status = ask_bool(way, &number, &fault);
    assert_int_equal(status, sample->is_bool == NO_BOOL ? RCUINFO_ERR_TYPE : RCUINFO_SUCCESS);
    assert_int_equal(number, status == RCUINFO_SUCCESS ? sample->is_bool : 77);
    check_fault(&fault, status, sample->bool_fault, sample->text);
    fault = untouched;
    number = 77;
    status = ask_int(way, &number, &fault);
    assert_int_equal(status, sample->is_int ? RCUINFO_SUCCESS : RCUINFO_ERR_TYPE);
    assert_int_equal(number, sample->is_int ? sample->value : 77);
    check_fault(&fault, status, sample->fault, sample->text);
    fault = untouched;
    status = ask_int64(way, &wide, &fault);
    assert_int_equal(status, sample->is_int64 ? RCUINFO_SUCCESS : RCUINFO_ERR_TYPE);
    assert_true(wide == (sample->is_int64 ? sample->value : 77));
    check_fault(&fault, status, sample->fault, sample->text);
    assert_int_equal(ask_int64(way, &wide, NULL), status);
}

static void each_text_is_what_it_is(void **state)
{
    rcuinfo_t info;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *sample = &samples[i];
        struct way way = {.length = strlen(sample->text)};
        char *bytes = malloc(way.length + 1); /* without the NUL behind it */
        assert_non_null(bytes);
        memcpy(bytes, sample->text, way.length);
        bytes[way.length] = '1';
        way.text = bytes;
        check_sample(sample, &way);
        assert_memory_equal(bytes, sample->text, way.length);
        free(bytes);
        way.text = NULL;
        way.info = info;
        assert_int_equal(rcuinfo_set(info, "key", sample->text), RCUINFO_SUCCESS);
        check_sample(sample, &way);
        assert_int_equal(rcuinfo_snapshot_open(info, &way.snapshot), RCUINFO_SUCCESS);
        check_sample(sample, &way);
        rcuinfo_snapshot_close(way.snapshot);
    }
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

/* A NUL inside of a text is a byte like any other. */
static void a_nul_is_no_end(void **state)
{
    int number = 77;
    rcuinfo_fault_t fault = untouched;
    (void)state;
    assert_int_equal(rcuinfo_value_parse_bool("true\0", 5, &number, NULL), RCUINFO_ERR_TYPE);
    assert_int_equal(rcuinfo_value_parse_int("12\0", 3, &number, &fault), RCUINFO_ERR_TYPE);
    assert_int_equal(fault.offset, 2);
    assert_int_equal(number, 77);
}

#define BLANKS "    "
/* Lists, with `|` for what stands between the elements that are wanted, none of which has one. */
static const char *const lists[][2] = {
    {"", NULL},
    {BLANKS "\t", NULL},
    {"a", "a"},
    {"a,b", "a|b"},
    {" a , b\t,c ", "a|b|c"},
    {",", "|"},
    {"a,,b", "a||b"},
    {"a, ,b", "a||b"},
    {"a,", "a|"},
    {" ,a", "|a"},
    {",,,", "|||"},
    {"a b,c d", "a b|c d"},
    {"1,true,-7", "1|true|-7"},
};

static void check_list(rcuinfo_list_t *list, const char *text, const char *wanted)
{
    rcuinfo_element_t element;
    char found[RCUINFO_MAX_VALUE] = "";
    size_t n = 0;
    while (rcuinfo_list_next(list, &element)) {
        assert_memory_equal(text + element.offset, element.text, element.length);
        sprintf(found + strlen(found), "%s%.*s", n++ ? "|" : "", (int)element.length, element.text);
    }
    assert_int_equal(rcuinfo_list_next(list, &element), 0);
    assert_string_equal(found, wanted ? wanted : "");
    assert_int_equal(n == 0, wanted == NULL);
}

static void lists_have_their_elements(void **state)
{
    rcuinfo_t info;
    rcuinfo_list_t list;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *text = lists[i][0];
        const rcuinfo_snapshot_t *snapshot;
        int flag = 0;
        assert_int_equal(rcuinfo_value_parse_list(text, strlen(text), &list), RCUINFO_SUCCESS);
        check_list(&list, text, lists[i][1]);
        assert_int_equal(rcuinfo_set(info, "key", text), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_list(info, "key", &list, &flag), RCUINFO_SUCCESS);
        assert_int_equal(flag, 1);
        assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_set(info, "key", "overwritten"), RCUINFO_SUCCESS);
        check_list(&list, text, lists[i][1]); /* a copy */
        assert_int_equal(rcuinfo_snapshot_get_list(snapshot, "key", &list), RCUINFO_SUCCESS);
        rcuinfo_snapshot_close(snapshot);
        check_list(&list, text, lists[i][1]);
    }
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

/* The elements have types of their own, and a fault names the byte of the element. */
static void elements_have_types(void **state)
{
    static const char text[] = "true, 12 ,1x";
    rcuinfo_list_t list;
    rcuinfo_element_t element;
    rcuinfo_fault_t fault;
    int number;
    (void)state;
    assert_int_equal(rcuinfo_value_parse_list(text, strlen(text), &list), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_list_next(&list, &element), 1);
    assert_int_equal(rcuinfo_value_parse_bool(element.text, element.length, &number, NULL), RCUINFO_SUCCESS);
    assert_int_equal(number, 1);
    assert_int_equal(rcuinfo_list_next(&list, &element), 1);
    assert_int_equal(rcuinfo_value_parse_int(element.text, element.length, &number, NULL), RCUINFO_SUCCESS);
    assert_int_equal(number, 12);
    assert_int_equal(rcuinfo_list_next(&list, &element), 1);
    assert_int_equal(rcuinfo_value_parse_int(element.text, element.length, &number, &fault), RCUINFO_ERR_TYPE);
    assert_int_equal(element.offset + fault.offset, strlen("true, 12 ,1"));
}

static void what_is_set_comes_back(void **state)
{
    static const int64_t numbers[] = {0, 1, -1, 9, 10, -10, INT_MAX, INT_MIN, INT64_MAX, INT64_MIN};
    static const char *const words[] = {"a", "", "b c", "-"};
    enum { NUMBERS = sizeof numbers / sizeof *numbers, WORDS = sizeof words / sizeof *words };
    rcuinfo_t info;
    rcuinfo_list_t list;
    rcuinfo_element_t element;
    int flag, number;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int value = -1; value < 3; value++) {
        assert_int_equal(rcuinfo_set_bool(info, "b", value), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_bool(info, "b", &number, &flag, NULL), RCUINFO_SUCCESS);
        assert_int_equal(number, value != 0);
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        int64_t wide = 77;
        char text[32], printed[32];
        assert_int_equal(rcuinfo_set_int64(info, "n", numbers[i]), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_int64(info, "n", &wide, &flag, NULL), RCUINFO_SUCCESS);
        assert_true(wide == numbers[i]);
        assert_int_equal(rcuinfo_get(info, "n", 31, text, &flag), RCUINFO_SUCCESS);
        sprintf(printed, "%lld", (long long)numbers[i]);
        assert_string_equal(text, printed);
    }
    assert_int_equal(rcuinfo_set_int(info, "n", INT_MIN), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_get_int(info, "n", &number, &flag, NULL), RCUINFO_SUCCESS);
    assert_int_equal(number, INT_MIN);
    assert_int_equal(rcuinfo_set_list(info, "l", words, WORDS, NULL), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_get_list(info, "l", &list, &flag), RCUINFO_SUCCESS);
    check_list(&list, "a,,b c,-", "a||b c|-");
    assert_int_equal(rcuinfo_set_list(info, "l", NULL, 0, NULL), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_get_list(info, "l", &list, &flag), RCUINFO_SUCCESS);
    check_list(&list, "", NULL);
    assert_int_equal(rcuinfo_set_list_int64(info, "l", numbers, NUMBERS), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_get_list(info, "l", &list, &flag), RCUINFO_SUCCESS);
    for (size_t i = 0; i < NUMBERS; i++) {
        int64_t wide = 77;
        assert_int_equal(rcuinfo_list_next(&list, &element), 1);
        assert_int_equal(rcuinfo_value_parse_int64(element.text, element.length, &wide, NULL), RCUINFO_SUCCESS);
        assert_true(wide == numbers[i]);
    }
    assert_int_equal(rcuinfo_list_next(&list, &element), 0);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

/* What would not come back is refused, the longest list is not, and one byte more is. */
static void lists_that_cannot_be(void **state)
{
    static const char *const bad[] = {"a,b", ",", " a", "a ", "\ta", "a\t", " ", NULL};
    static char half[RCUINFO_MAX_VALUE / 2 + 1];
    const char *halves[] = {half, half + 1};
    static int64_t many[RCUINFO_MAX_VALUE];
    rcuinfo_t info;
    uint64_t version = 77;
    int length = 0, flag;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *elements[] = {"good", bad[i]};
        size_t failed = 77;
        assert_int_equal(rcuinfo_set_list(info, "l", elements, 2, &failed), RCUINFO_ERR_TYPE);
        assert_int_equal(failed, 1);
        assert_int_equal(rcuinfo_set_list(info, "l", elements, 2, NULL), RCUINFO_ERR_TYPE);
    }
    assert_int_equal(rcuinfo_set_list(info, "l", (const char *[]){""}, 1, NULL), RCUINFO_ERR_TYPE);
    memset(half, 'x', sizeof half - 1); /* 512 and 511 bytes: a comma too many */
    assert_int_equal(rcuinfo_set_list(info, "l", halves, 2, NULL), RCUINFO_ERR_VALUE);
    assert_int_equal(rcuinfo_set_list_int64(info, "l", many, RCUINFO_MAX_VALUE / 2 + 1), RCUINFO_ERR_VALUE);
    assert_int_equal(rcuinfo_set_list_int64(info, "l", many, RCUINFO_MAX_VALUE), RCUINFO_ERR_VALUE);
    assert_int_equal(rcuinfo_version(info, &version), RCUINFO_SUCCESS);
    assert_int_equal(version, 0);
    halves[0] = half + 1;
    assert_int_equal(rcuinfo_set_list(info, "l", halves, 2, NULL), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_get_valuelen(info, "l", &length, &flag), RCUINFO_SUCCESS);
    assert_int_equal(length, RCUINFO_MAX_VALUE - 1);
    assert_int_equal(rcuinfo_set_list_int64(info, "l", many, RCUINFO_MAX_VALUE / 2), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

static void a_text_that_is_too_long(void **state)
{
    static char text[RCUINFO_MAX_VALUE];
    static rcuinfo_list_t list;
    rcuinfo_element_t element;
    (void)state;
    memset(text, 'x', sizeof text);
    assert_int_equal(rcuinfo_value_parse_list(text, sizeof text, &list), RCUINFO_ERR_VALUE);
    assert_int_equal(rcuinfo_value_parse_list(text, sizeof text - 1, &list), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_list_next(&list, &element), 1);
    assert_int_equal(element.length, sizeof text - 1);
}

static void what_is_not_there(void **state)
{
    rcuinfo_t info, stale;
    const rcuinfo_snapshot_t *snapshot;
    static rcuinfo_list_t list;
    int number = 77, flag = 77;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_get_bool(info, "none", &number, &flag, NULL), RCUINFO_SUCCESS);
    assert_int_equal(flag, 0);
    assert_int_equal(rcuinfo_snapshot_get_int(snapshot, "none", &number, NULL), RCUINFO_ERR_NOKEY);
    assert_int_equal(number, 77);
    list.length = 99;
    flag = 77;
    assert_int_equal(rcuinfo_get_list(info, "none", &list, &flag), RCUINFO_SUCCESS);
    assert_int_equal(flag, 0);
    assert_int_equal(rcuinfo_snapshot_get_list(snapshot, "none", &list), RCUINFO_ERR_NOKEY);
    assert_int_equal(list.length, 99);
    flag = 77;
    assert_int_equal(rcuinfo_get_int(info, "", &number, &flag, NULL), RCUINFO_ERR_KEY);
    assert_int_equal(rcuinfo_get_int(info, NULL, &number, &flag, NULL), RCUINFO_ERR_KEY);
    assert_int_equal(rcuinfo_get_list(info, NULL, &list, &flag), RCUINFO_ERR_KEY);
    assert_int_equal(rcuinfo_snapshot_get_bool(snapshot, NULL, &number, NULL), RCUINFO_ERR_KEY);
    assert_int_equal(rcuinfo_set_bool(info, NULL, 1), RCUINFO_ERR_KEY);
    assert_int_equal(rcuinfo_get_int(info, "none", NULL, &flag, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_get_int(info, "none", &number, NULL, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_get_list(info, "none", NULL, &flag), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_get_list(info, "none", &list, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_snapshot_get_bool(NULL, "none", &number, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_snapshot_get_bool(snapshot, "none", NULL, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_snapshot_get_list(snapshot, "none", NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_value_parse_bool(NULL, 0, &number, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_value_parse_int("1", 1, NULL, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_value_parse_int64("1", 1, NULL, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_value_parse_list(NULL, 0, &list), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_value_parse_list("", 0, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_list_next(NULL, NULL), 0);
    assert_int_equal(rcuinfo_set_list(info, "l", NULL, 1, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_set_list_int64(info, "l", NULL, 1), RCUINFO_ERR_ARG);
    stale = info;
    rcuinfo_snapshot_close(snapshot);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_get_bool(stale, "none", &number, &flag, NULL), RCUINFO_ERR_INFO);
    assert_int_equal(rcuinfo_get_list(stale, "none", &list, &flag), RCUINFO_ERR_INFO);
    assert_int_equal(rcuinfo_set_int64(stale, "n", 1), RCUINFO_ERR_INFO);
    assert_int_equal(number, 77);
    assert_int_equal(flag, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_is_what_it_is),   cmocka_unit_test(a_nul_is_no_end),
        cmocka_unit_test(lists_have_their_elements), cmocka_unit_test(elements_have_types),
        cmocka_unit_test(what_is_set_comes_back),    cmocka_unit_test(lists_that_cannot_be),
        cmocka_unit_test(a_text_that_is_too_long),   cmocka_unit_test(what_is_not_there),
    };
    return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
