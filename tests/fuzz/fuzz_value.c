/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target value: parses any bytes as a boolean, an integer and a list, directly and from an object and a snapshot, and
 * compares with parts.h (which uses strtoll). Lists of any elements and numbers must read back unchanged or be refused.
 */
#include <limits.h>

#include <rcuinfo/rcuinfo.h>

#include "fuzz/parts.h"
#include "support/objects.h"

enum { MOST_ELEMENTS = 8 };

/* For each type, the offset of the fault, or GOOD; and the number if there is no fault. */
struct wanted {
    long truth, small, wide;
    int64_t truth_value, number;
};

static struct wanted judge(const char *text, size_t length)
{
    const struct part all = {text, 0, length};
    struct wanted wanted = {0};
    wanted.truth = judge_bool(all, &wanted.truth_value);
    wanted.wide = wanted.small = judge_integer(all, &wanted.number);
    if (wanted.number < INT_MIN || wanted.number > INT_MAX) /* even if other bytes follow the digits */
        wanted.small = (long)strip(all).begin;
    return wanted;
}

/* Checks that a call returned the number, or left 77 and reported the fault at the right offset. */
static void check_answer(rcuinfo_status_t status, int64_t number, const rcuinfo_fault_t *fault, long wrong,
                         int64_t wanted)
{
    bool good = wrong == GOOD;
    CHECK_STATUS(status, good ? RCUINFO_SUCCESS : RCUINFO_ERR_TYPE);
    CHECK(number == (good ? wanted : 77));
    CHECK(!fault->what == good);
    CHECK_EQUAL(fault->line, good ? 77 : 0);
    CHECK_EQUAL(fault->offset, good ? 77 : wrong);
}

#define CHECK_ASKED(type, wrong, wanted, call, ...)                                                                    \
    do {                                                                                                               \
        rcuinfo_fault_t fault = {.what = NULL, .line = 77, .offset = 77};                                              \
        type value = 77;                                                                                               \
        rcuinfo_status_t status = call(__VA_ARGS__, &value, &fault);                                                   \
        CHECK_STATUS(call(__VA_ARGS__, &value, NULL), status);                                                         \
        check_answer(status, value, &fault, wrong, wanted);                                                            \
    } while (0)

static void check_scalars(const char *text, size_t length)
{
    struct wanted wanted = judge(text, length);
    CHECK_ASKED(int, wanted.truth, wanted.truth_value, rcuinfo_value_parse_bool, text, length);
    CHECK_ASKED(int, wanted.small, wanted.number, rcuinfo_value_parse_int, text, length);
    CHECK_ASKED(int64_t, wanted.wide, wanted.number, rcuinfo_value_parse_int64, text, length);
}

/* Checks that the elements are the texts between commas without surrounding blanks. A blank text has no element. */
static void check_list(rcuinfo_list_t *list, const char *text, size_t length)
{
    rcuinfo_element_t element;
    bool any = strip((struct part){text, 0, length}).length > 0;
    const char *at = text;
    for (bool more = any; more;) {
        const char *comma = memchr(at, ',', (size_t)(text + length - at));
        size_t size = comma ? (size_t)(comma - at) : (size_t)(text + length - at);
        CHECK(rcuinfo_list_next(list, &element) == 1);
        CHECK(element.offset >= (size_t)(at - text) && element.offset + element.length <= (size_t)(at - text) + size);
        CHECK(memcmp(element.text, text + element.offset, element.length) == 0);
        CHECK(!element.length || (!blank(element.text[0]) && !blank(element.text[element.length - 1])));
        for (const char *left = at; left < at + size; left++)
            CHECK(blank(*left) || (left >= text + element.offset && left < text + element.offset + element.length));
        check_scalars(element.text, element.length);
        at += size + 1;
        more = comma;
    }
    CHECK(rcuinfo_list_next(list, &element) == 0);
}

static void check_text(struct fuzz_input *in, rcuinfo_t info)
{
    (void)info;
    size_t length;
    rcuinfo_list_t list;
    char *text = fuzz_bytes(in, fuzz_size(in, 2) % (RCUINFO_MAX_VALUE + 8), &length);
    check_scalars(text, length);
    rcuinfo_status_t status = rcuinfo_list_begin(text, length, &list);
    CHECK(status == (length < RCUINFO_MAX_VALUE ? RCUINFO_SUCCESS : RCUINFO_ERR_VALUE));
    if (status == RCUINFO_SUCCESS)
        check_list(&list, text, length);
    free(text);
}

/* Values read from an object and from a snapshot must equal those parsed from the text. */
static void check_object(struct fuzz_input *in, rcuinfo_t info)
{
    char *text = fuzz_text(in, fuzz_byte(in));
    struct wanted wanted = judge(text, strlen(text));
    rcuinfo_list_t list;
    CHECK_OK(rcuinfo_set(info, "key", text));
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_ASKED(int, wanted.truth, wanted.truth_value, rcuinfo_get_bool, info, "key");
    CHECK_ASKED(int, wanted.small, wanted.number, rcuinfo_get_int, info, "key");
    CHECK_ASKED(int64_t, wanted.wide, wanted.number, rcuinfo_get_int64, info, "key");
    CHECK_ASKED(int, wanted.truth, wanted.truth_value, rcuinfo_snapshot_get_bool, snapshot, "key");
    CHECK_ASKED(int, wanted.small, wanted.number, rcuinfo_snapshot_get_int, snapshot, "key");
    CHECK_ASKED(int64_t, wanted.wide, wanted.number, rcuinfo_snapshot_get_int64, snapshot, "key");
    CHECK_OK(rcuinfo_get_list(info, "key", &list)); /* lists are copies, also those of a snapshot */
    CHECK_OK(rcuinfo_set(info, "key", "overwritten"));
    check_list(&list, text, strlen(text));
    CHECK_OK(rcuinfo_snapshot_get_list(snapshot, "key", &list));
    rcuinfo_snapshot_close(snapshot);
    check_list(&list, text, strlen(text));
    free(text);
}

/* A list that was set reads back element by element, or was refused with the index of the first invalid element. */
static void check_words(struct fuzz_input *in, rcuinfo_t info)
{
    size_t n = fuzz_byte(in) % (MOST_ELEMENTS + 1), bad = n, length = n ? n - 1 : 0, failed = 77;
    char *elements[MOST_ELEMENTS] = {NULL};
    for (size_t i = n; i-- > 0;) {
        elements[i] = fuzz_text(in, fuzz_byte(in));
        const struct part all = {elements[i], 0, strlen(elements[i])};
        if (strip(all).length != all.length || strchr(elements[i], ',') || (n == 1 && !all.length))
            bad = i;
        length += all.length;
    }
    rcuinfo_status_t wanted = length >= RCUINFO_MAX_VALUE ? RCUINFO_ERR_VALUE : RCUINFO_SUCCESS;
    CHECK_STATUS(rcuinfo_set_list(info, "words", (const char *const *)elements, n, &failed),
                 bad < n ? RCUINFO_ERR_TYPE : wanted);
    CHECK(failed == (bad < n ? bad : 77));
    rcuinfo_list_t list;
    rcuinfo_element_t element;
    bool is_set = bad == n && wanted == RCUINFO_SUCCESS;
    if (is_set)
        CHECK_OK(rcuinfo_get_list(info, "words", &list));
    for (size_t i = 0; i < n; i++) {
        if (is_set)
            CHECK(rcuinfo_list_next(&list, &element) == 1 && element.length == strlen(elements[i]) &&
                  memcmp(element.text, elements[i], element.length) == 0);
        free(elements[i]);
    }
    CHECK(!is_set || rcuinfo_list_next(&list, &element) == 0);
}

/* Sets each number alone, also as an int and as a boolean; then all of them as a list. */
static void check_numbers(struct fuzz_input *in, rcuinfo_t info)
{
    int64_t numbers[MOST_ELEMENTS], back;
    size_t n = fuzz_byte(in) % MOST_ELEMENTS + 1;
    rcuinfo_list_t list;
    rcuinfo_element_t element;
    for (size_t i = 0; i < n; i++) {
        char printed[32];
        int small = (int)(numbers[i] = (int64_t)fuzz_number(in, 8)), small_back;
        (void)snprintf(printed, sizeof printed, "%lld", (long long)numbers[i]);
        CHECK_OK(rcuinfo_set_int64(info, "number", numbers[i]));
        CHECK_VALUE(info, "number", printed);
        CHECK_OK(rcuinfo_set_int(info, "number", small));
        CHECK_OK(rcuinfo_get_int(info, "number", &small_back, NULL));
        CHECK_EQUAL(small_back, small);
        CHECK_OK(rcuinfo_set_bool(info, "number", small));
        CHECK_VALUE(info, "number", small ? "true" : "false");
    }
    CHECK_OK(rcuinfo_set_list_int64(info, "numbers", numbers, n));
    CHECK_OK(rcuinfo_get_list(info, "numbers", &list));
    for (size_t i = 0; i < n; i++) {
        CHECK(rcuinfo_list_next(&list, &element) == 1);
        CHECK_OK(rcuinfo_value_parse_int64(element.text, element.length, &back, NULL));
        CHECK(back == numbers[i]);
    }
    CHECK(rcuinfo_list_next(&list, &element) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const checks[])(struct fuzz_input * in, rcuinfo_t info) = {check_text, check_object, check_words,
                                                                             check_numbers};
    struct fuzz_input in = {data, size};
    rcuinfo_t info = object_empty();
    while (in.left)
        checks[fuzz_byte(&in) % 4](&in, info);
    object_free(info);
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
