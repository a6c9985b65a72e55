/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Typed values: what is a boolean and an integer, what is wrong with all else and where, that what is set comes back,
 * and what is refused. Texts by themselves, and the elements of lists, are looked at by fuzz.value.
 */
#include <limits.h>

#include <rcuinfo/rcuinfo.h>

#include "support/objects.h"

/* A value, and the byte where it is no boolean, int and int64_t; GOOD: it is one. */
enum { GOOD = -1 };
static const struct {
    const char *text;
    int not_bool, not_int, not_int64;
    int64_t number; /* that it is where it is GOOD */
} samples[] = {
    {"\t true ", GOOD, 2, 2, 1},
    {"false", GOOD, 0, 0, 0},
    {" True", 1, 1, 1, 0},
    {" +2147483647", 1, GOOD, GOOD, INT_MAX},
    {"-2147483648", 0, GOOD, GOOD, INT_MIN},
    {" 2147483648", 1, 1, GOOD, INT64_C(2147483648)},
    {"-2147483649", 0, 0, GOOD, INT64_C(-2147483649)},
    {"9223372036854775808", 0, 0, 0, 0},
    {" -9223372036854775809", 1, 1, 1, 0},
    {"000000000000000000000000042", 0, GOOD, GOOD, 42},
    {"12 3", 0, 2, 2, 0},
};

/* A call gave this number, or left 77 and said at which byte it was wrong. */
static void check_answer(rcuinfo_status_t status, int64_t number, const rcuinfo_fault_t *fault, long wrong,
                         int64_t wanted)
{
    CHECK_STATUS(status, wrong == GOOD ? RCUINFO_SUCCESS : RCUINFO_ERR_TYPE);
    CHECK(number == (wrong == GOOD ? wanted : 77));
    CHECK(!fault->what == (wrong == GOOD));
    CHECK_EQUAL(fault->line, wrong == GOOD ? 77 : 0);
    CHECK_EQUAL(fault->offset, wrong == GOOD ? 77 : wrong);
}

#define CHECK_ASKED(type, call, from, wrong)                                                                           \
    do {                                                                                                               \
        rcuinfo_fault_t fault = {.what = NULL, .line = 77, .offset = 77};                                              \
        type value = 77;                                                                                               \
        rcuinfo_status_t status = call(from, "key", &value, &fault);                                                   \
        check_answer(status, value, &fault, samples[i].wrong, samples[i].number);                                      \
    } while (0)

/* Asked of an object and of a snapshot of it. */
static void each_call_asks_for_its_type(void)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        rcuinfo_t info = OBJECT("key", samples[i].text);
        const rcuinfo_snapshot_t *snapshot = object_open(info);
        CHECK_ASKED(int, rcuinfo_get_bool, info, not_bool);
        CHECK_ASKED(int, rcuinfo_get_int, info, not_int);
        CHECK_ASKED(int64_t, rcuinfo_get_int64, info, not_int64);
        CHECK_ASKED(int, rcuinfo_snapshot_get_bool, snapshot, not_bool);
        CHECK_ASKED(int, rcuinfo_snapshot_get_int, snapshot, not_int);
        CHECK_ASKED(int64_t, rcuinfo_snapshot_get_int64, snapshot, not_int64);
        rcuinfo_snapshot_close(snapshot);
        object_free(info);
    }
}

/* A NUL inside of a text is a byte like any other. */
static void a_nul_is_no_end(void)
{
    int number = 77;
    rcuinfo_fault_t fault = {0};
    CHECK_STATUS(rcuinfo_value_parse_bool("true\0", 5, &number, NULL), RCUINFO_ERR_TYPE);
    CHECK_STATUS(rcuinfo_value_parse_int("12\0", 3, &number, &fault), RCUINFO_ERR_TYPE);
    CHECK_EQUAL(fault.offset, 2);
    CHECK_EQUAL(number, 77);
}

static void what_is_set_comes_back(void)
{
    static const int64_t numbers[] = {0, 1, -1, 9, 10, -10, INT_MAX, INT_MIN, INT64_MAX, INT64_MIN};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    rcuinfo_t info = object_empty();
    rcuinfo_list_t list;
    rcuinfo_element_t element;
    int number;
    int64_t wide;
    for (int value = -1; value < 3; value++) {
        CHECK_OK(rcuinfo_set_bool(info, "b", value));
        CHECK_VALUE(info, "b", value ? "true" : "false");
    }
    CHECK_OK(rcuinfo_set_int(info, "n", INT_MIN));
    CHECK_OK(rcuinfo_get_int(info, "n", &number, NULL));
    CHECK_EQUAL(number, INT_MIN);
    CHECK_OK(rcuinfo_set_list_int64(info, "l", numbers, NUMBERS));
    CHECK_OK(rcuinfo_get_list(info, "l", &list));
    for (size_t i = 0; i < NUMBERS; i++) {
        char printed[32];
        (void)snprintf(printed, sizeof printed, "%lld", (long long)numbers[i]);
        CHECK_OK(rcuinfo_set_int64(info, "n", numbers[i]));
        CHECK_VALUE(info, "n", printed);
        CHECK_EQUAL(rcuinfo_list_next(&list, &element), 1);
        CHECK_OK(rcuinfo_value_parse_int64(element.text, element.length, &wide, NULL));
        CHECK(wide == numbers[i]);
    }
    CHECK_EQUAL(rcuinfo_list_next(&list, &element), 0);
    object_free(info);
}

/* What would not come back is refused, the longest list is not, and one byte more is. */
static void lists_that_cannot_be(void)
{
    static const char *const bad[] = {"a,b", ",", " a", "a ", "\ta", "a\t", " ", NULL};
    static char half[RCUINFO_MAX_VALUE / 2 + 1];
    const char *halves[] = {half, half + 1};
    static int64_t many[RCUINFO_MAX_VALUE];
    rcuinfo_t info = object_empty();
    int length = 0, flag;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *elements[] = {"good", bad[i]};
        size_t failed = 77;
        CHECK_STATUS(rcuinfo_set_list(info, "l", elements, 2, &failed), RCUINFO_ERR_TYPE);
        CHECK_EQUAL(failed, 1);
        CHECK_STATUS(rcuinfo_set_list(info, "l", elements, 2, NULL), RCUINFO_ERR_TYPE);
    }
    CHECK_STATUS(rcuinfo_set_list(info, "l", (const char *[]){""}, 1, NULL), RCUINFO_ERR_TYPE);
    memset(half, 'x', sizeof half - 1); /* 512 and 511 bytes: a comma too many */
    CHECK_STATUS(rcuinfo_set_list(info, "l", halves, 2, NULL), RCUINFO_ERR_VALUE);
    CHECK_STATUS(rcuinfo_set_list_int64(info, "l", many, RCUINFO_MAX_VALUE / 2 + 1), RCUINFO_ERR_VALUE);
    CHECK_STATUS(rcuinfo_set_list_int64(info, "l", many, RCUINFO_MAX_VALUE), RCUINFO_ERR_VALUE);
    CHECK_EQUAL(object_version(info), 0);
    halves[0] = half + 1;
    CHECK_OK(rcuinfo_set_list(info, "l", halves, 2, NULL));
    CHECK_OK(rcuinfo_get_valuelen(info, "l", &length, &flag));
    CHECK_EQUAL(length, RCUINFO_MAX_VALUE - 1);
    CHECK_OK(rcuinfo_set_list_int64(info, "l", many, RCUINFO_MAX_VALUE / 2));
    object_free(info);
}

static void a_text_that_is_too_long(void)
{
    static char text[RCUINFO_MAX_VALUE];
    static rcuinfo_list_t list;
    rcuinfo_element_t element;
    memset(text, 'x', sizeof text);
    CHECK_STATUS(rcuinfo_value_parse_list(text, sizeof text, &list), RCUINFO_ERR_VALUE);
    CHECK_OK(rcuinfo_value_parse_list(text, sizeof text - 1, &list));
    CHECK_EQUAL(rcuinfo_list_next(&list, &element), 1);
    CHECK_EQUAL(element.length, sizeof text - 1);
}

static void what_is_not_there(void)
{
    rcuinfo_t info = object_empty(), stale = info;
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    static rcuinfo_list_t list;
    int number = 77;
    CHECK_STATUS(rcuinfo_get_bool(info, "none", &number, NULL), RCUINFO_ERR_NOKEY);
    CHECK_STATUS(rcuinfo_snapshot_get_int(snapshot, "none", &number, NULL), RCUINFO_ERR_NOKEY);
    CHECK_EQUAL(number, 77);
    list.length = 99;
    CHECK_STATUS(rcuinfo_get_list(info, "none", &list), RCUINFO_ERR_NOKEY);
    CHECK_STATUS(rcuinfo_snapshot_get_list(snapshot, "none", &list), RCUINFO_ERR_NOKEY);
    CHECK_EQUAL(list.length, 99);
    CHECK_STATUS(rcuinfo_get_int(info, "", &number, NULL), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_get_int(info, NULL, &number, NULL), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_get_list(info, NULL, &list), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_snapshot_get_bool(snapshot, NULL, &number, NULL), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_set_bool(info, NULL, 1), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_get_int(info, "none", NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_get_list(info, "none", NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_get_bool(NULL, "none", &number, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_get_bool(snapshot, "none", NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_get_list(snapshot, "none", NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_value_parse_bool(NULL, 0, &number, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_value_parse_int("1", 1, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_value_parse_int64("1", 1, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_value_parse_list(NULL, 0, &list), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_value_parse_list("", 0, NULL), RCUINFO_ERR_ARG);
    CHECK_EQUAL(rcuinfo_list_next(NULL, NULL), 0);
    CHECK_STATUS(rcuinfo_set_list(info, "l", NULL, 1, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_set_list_int64(info, "l", NULL, 1), RCUINFO_ERR_ARG);
    rcuinfo_snapshot_close(snapshot);
    object_free(info);
    CHECK_STATUS(rcuinfo_get_bool(stale, "none", &number, NULL), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_get_list(stale, "none", &list), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_set_int64(stale, "n", 1), RCUINFO_ERR_INFO);
    CHECK_EQUAL(number, 77);
}

int main(void)
{
    each_call_asks_for_its_type();
    a_nul_is_no_end();
    what_is_set_comes_back();
    lists_that_cannot_be();
    a_text_that_is_too_long();
    what_is_not_there();
    return 0;
}
