/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Typed values: what is a boolean and an integer, what is wrong with all else and where, the same from a text, an
 * object and a snapshot, that what is set comes back, and what is refused. The elements of lists are looked at by
 * fuzz.value.
 */
#include <limits.h>

#include <rcuinfo/rcuinfo.h>

#include "support/check.h"

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
        CHECK(fault->what == NULL && fault->line == 77 && fault->offset == 77);
        return;
    }
    CHECK_STATUS(status, RCUINFO_ERR_TYPE);
    CHECK(fault->what);
    CHECK_EQUAL(fault->line, 0);
    CHECKF(fault->offset == offset, "\"%s\": a fault at %zu, not at %zu: %s", text, fault->offset, offset, fault->what);
}

/* One way to ask for the three types of a text: of a copy of just its bytes, of an object, of a snapshot. */
struct way {
    const char *text;
    size_t length;
    rcuinfo_t info;
    const rcuinfo_snapshot_t *snapshot;
};

#define ASK(name, type)                                                                                                \
    static rcuinfo_status_t ask_##name(const struct way *way, type *value, rcuinfo_fault_t *fault)                     \
    {                                                                                                                  \
        if (way->text)                                                                                                 \
            return rcuinfo_value_parse_##name(way->text, way->length, value, fault);                                   \
        if (way->snapshot)                                                                                             \
            return rcuinfo_snapshot_get_##name(way->snapshot, "key", value, fault);                                    \
        return rcuinfo_get_##name(way->info, "key", value, fault);                                                     \
    }
ASK(bool, int)
ASK(int, int)
ASK(int64, int64_t)

static void check_sample(const struct sample *sample, const struct way *way)
{
    int number = 77;
    int64_t wide = 77;
    rcuinfo_fault_t fault = untouched;
    rcuinfo_status_t status = ask_bool(way, &number, &fault);
    CHECK_EQUAL(status, sample->is_bool == NO_BOOL ? RCUINFO_ERR_TYPE : RCUINFO_SUCCESS);
    CHECK_EQUAL(number, status == RCUINFO_SUCCESS ? sample->is_bool : 77);
    check_fault(&fault, status, sample->bool_fault, sample->text);
    fault = untouched;
    number = 77;
    status = ask_int(way, &number, &fault);
    CHECK_EQUAL(status, sample->is_int ? RCUINFO_SUCCESS : RCUINFO_ERR_TYPE);
    CHECK_EQUAL(number, sample->is_int ? sample->value : 77);
    check_fault(&fault, status, sample->fault, sample->text);
    fault = untouched;
    status = ask_int64(way, &wide, &fault);
    CHECK_EQUAL(status, sample->is_int64 ? RCUINFO_SUCCESS : RCUINFO_ERR_TYPE);
    CHECK(wide == (sample->is_int64 ? sample->value : 77));
    check_fault(&fault, status, sample->fault, sample->text);
    CHECK_EQUAL(ask_int64(way, &wide, NULL), status);
}

static void each_text_is_what_it_is(void)
{
    rcuinfo_t info;
    CHECK_OK(rcuinfo_create(&info));
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *sample = &samples[i];
        struct way way = {.length = strlen(sample->text)};
        char *bytes = malloc(way.length + 1); /* without the NUL behind it */
        CHECK(bytes);
        memcpy(bytes, sample->text, way.length);
        bytes[way.length] = '1';
        way.text = bytes;
        check_sample(sample, &way);
        CHECK(memcmp(bytes, sample->text, way.length) == 0);
        free(bytes);
        way.text = NULL;
        way.info = info;
        CHECK_OK(rcuinfo_set(info, "key", sample->text));
        check_sample(sample, &way);
        CHECK_OK(rcuinfo_snapshot_open(info, &way.snapshot));
        check_sample(sample, &way);
        rcuinfo_snapshot_close(way.snapshot);
    }
    CHECK_OK(rcuinfo_free(&info));
}

/* A NUL inside of a text is a byte like any other. */
static void a_nul_is_no_end(void)
{
    int number = 77;
    rcuinfo_fault_t fault = untouched;
    CHECK_STATUS(rcuinfo_value_parse_bool("true\0", 5, &number, NULL), RCUINFO_ERR_TYPE);
    CHECK_STATUS(rcuinfo_value_parse_int("12\0", 3, &number, &fault), RCUINFO_ERR_TYPE);
    CHECK_EQUAL(fault.offset, 2);
    CHECK_EQUAL(number, 77);
}

static void what_is_set_comes_back(void)
{
    static const int64_t numbers[] = {0, 1, -1, 9, 10, -10, INT_MAX, INT_MIN, INT64_MAX, INT64_MIN};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    rcuinfo_t info;
    rcuinfo_list_t list;
    rcuinfo_element_t element;
    int flag, number;
    CHECK_OK(rcuinfo_create(&info));
    for (int value = -1; value < 3; value++) {
        CHECK_OK(rcuinfo_set_bool(info, "b", value));
        CHECK_OK(rcuinfo_get_bool(info, "b", &number, NULL));
        CHECK_EQUAL(number, value != 0);
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        int64_t wide = 77;
        char text[32], printed[32];
        CHECK_OK(rcuinfo_set_int64(info, "n", numbers[i]));
        CHECK_OK(rcuinfo_get_int64(info, "n", &wide, NULL));
        CHECK(wide == numbers[i]);
        CHECK_OK(rcuinfo_get(info, "n", 31, text, &flag));
        sprintf(printed, "%lld", (long long)numbers[i]);
        CHECK_TEXT(text, printed);
    }
    CHECK_OK(rcuinfo_set_int(info, "n", INT_MIN));
    CHECK_OK(rcuinfo_get_int(info, "n", &number, NULL));
    CHECK_EQUAL(number, INT_MIN);
    CHECK_OK(rcuinfo_set_list_int64(info, "l", numbers, NUMBERS));
    CHECK_OK(rcuinfo_get_list(info, "l", &list));
    for (size_t i = 0; i < NUMBERS; i++) {
        int64_t wide = 77;
        CHECK_EQUAL(rcuinfo_list_next(&list, &element), 1);
        CHECK_OK(rcuinfo_value_parse_int64(element.text, element.length, &wide, NULL));
        CHECK(wide == numbers[i]);
    }
    CHECK_EQUAL(rcuinfo_list_next(&list, &element), 0);
    CHECK_OK(rcuinfo_free(&info));
}

/* What would not come back is refused, the longest list is not, and one byte more is. */
static void lists_that_cannot_be(void)
{
    static const char *const bad[] = {"a,b", ",", " a", "a ", "\ta", "a\t", " ", NULL};
    static char half[RCUINFO_MAX_VALUE / 2 + 1];
    const char *halves[] = {half, half + 1};
    static int64_t many[RCUINFO_MAX_VALUE];
    rcuinfo_t info;
    uint64_t version = 77;
    int length = 0, flag;
    CHECK_OK(rcuinfo_create(&info));
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
    CHECK_OK(rcuinfo_current_version(info, &version));
    CHECK_EQUAL(version, 0);
    halves[0] = half + 1;
    CHECK_OK(rcuinfo_set_list(info, "l", halves, 2, NULL));
    CHECK_OK(rcuinfo_get_valuelen(info, "l", &length, &flag));
    CHECK_EQUAL(length, RCUINFO_MAX_VALUE - 1);
    CHECK_OK(rcuinfo_set_list_int64(info, "l", many, RCUINFO_MAX_VALUE / 2));
    CHECK_OK(rcuinfo_free(&info));
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
    rcuinfo_t info, stale;
    const rcuinfo_snapshot_t *snapshot;
    static rcuinfo_list_t list;
    int number = 77;
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
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
    stale = info;
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_free(&info));
    CHECK_STATUS(rcuinfo_get_bool(stale, "none", &number, NULL), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_get_list(stale, "none", &list), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_set_int64(stale, "n", 1), RCUINFO_ERR_INFO);
    CHECK_EQUAL(number, 77);
}

int main(void)
{
    each_text_is_what_it_is();
    a_nul_is_no_end();
    what_is_set_comes_back();
    lists_that_cannot_be();
    a_text_that_is_too_long();
    what_is_not_there();
    return 0;
}
