/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * value: values as booleans, integers and lists. The parsers take a text and its length. The value of a key in an
 * object is parsed inside a view, where it is, as in a snapshot.
 */
#include <rcuinfo/value.h>
#include <rcuinfo/view.h>

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/calls/object.h"
#include "core/text.h"

/* Reports a fault, and returns ERR_TYPE. */
static rcuinfo_status_t type_error(rcuinfo_fault_t *fault, const char *what, size_t offset)
{
    if (fault)
        *fault = (rcuinfo_fault_t){.what = what, .offset = offset};
    return RCUINFO_ERR_TYPE;
}

static bool equals(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

rcuinfo_status_t rcuinfo_value_parse_bool(const char *text, size_t length, int *value, rcuinfo_fault_t *fault)
{
    if (!text || !value)
        return RCUINFO_ERR_ARG;
    size_t begin = 0;
    rcuinfo__text_strip(text, &begin, &length);
    bool is_true = equals(text + begin, length - begin, "true");
    if (!is_true && !equals(text + begin, length - begin, "false"))
        return type_error(fault, "a boolean is true or false", begin);

    *value = is_true;
    return RCUINFO_SUCCESS;
}

/* Parses an integer from `least` (negative) to `most` (positive). */
static rcuinfo_status_t parse_integer(const char *text, size_t length, int64_t least, int64_t most, int64_t *value,
                                      rcuinfo_fault_t *fault)
{
    size_t begin = 0, end = length;
    rcuinfo__text_strip(text, &begin, &end);
    size_t at = begin;
    int64_t number = 0;
    bool negative = at < end && text[at] == '-';

    if (at < end && (text[at] == '-' || text[at] == '+'))
        at++;
    if (at == end)
        return type_error(fault, at == begin ? "an integer is missing" : "a sign without a digit", begin);

    for (; at < end; at++) {
        if (text[at] < '0' || text[at] > '9')
            return type_error(fault, "an integer has decimal digits only", at);

        /* Count downwards for a negative number: the positive of the smallest one is out of range. */
        int digit = negative ? '0' - text[at] : text[at] - '0';
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, digit, &number) ||
            number < least || number > most)
            return type_error(fault, "the integer is out of range", begin);
    }

    *value = number;
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo_value_parse_int(const char *text, size_t length, int *value, rcuinfo_fault_t *fault)
{
    int64_t number;
    if (!text || !value)
        return RCUINFO_ERR_ARG;
    rcuinfo_status_t status = parse_integer(text, length, INT_MIN, INT_MAX, &number, fault);
    if (status == RCUINFO_SUCCESS)
        *value = (int)number;
    return status;
}

rcuinfo_status_t rcuinfo_value_parse_int64(const char *text, size_t length, int64_t *value, rcuinfo_fault_t *fault)
{
    if (!text || !value)
        return RCUINFO_ERR_ARG;
    return parse_integer(text, length, INT64_MIN, INT64_MAX, value, fault);
}

rcuinfo_status_t rcuinfo_list_begin(const char *text, size_t length, rcuinfo_list_t *list)
{
    if (!text || !list)
        return RCUINFO_ERR_ARG;
    if (length >= sizeof list->opaque_text)
        return RCUINFO_ERR_VALUE;

    memcpy(list->opaque_text, text, length);
    list->opaque_length = length;
    size_t begin = 0;
    rcuinfo__text_strip(text, &begin, &length);

    /* Where the next element begins; beyond the length when there is none, as in a list without elements. */
    list->opaque_at = begin == length ? list->opaque_length + 1 : 0;
    return RCUINFO_SUCCESS;
}

int rcuinfo_list_next(rcuinfo_list_t *list, rcuinfo_element_t *element)
{
    if (!list || !element || list->opaque_at > list->opaque_length)
        return 0;

    const char *comma = memchr(list->opaque_text + list->opaque_at, ',', list->opaque_length - list->opaque_at);
    size_t end = comma ? (size_t)(comma - list->opaque_text) : list->opaque_length;
    size_t begin = list->opaque_at;
    list->opaque_at = end + 1;
    rcuinfo__text_strip(list->opaque_text, &begin, &end);
    *element = (rcuinfo_element_t){.text = list->opaque_text + begin, .length = end - begin, .offset = begin};
    return 1;
}

/* Begins a view for the typed get of a key, if the arguments are valid. */
static rcuinfo_status_t begin_get(rcuinfo_t info, const char *key, const void *value, rcuinfo_view_t *view)
{
    if (!value)
        return RCUINFO_ERR_ARG;
    return rcuinfo__text_key(key, RCUINFO_MAX_KEY) ? rcuinfo__view_begin(info, view) : RCUINFO_ERR_KEY;
}

/* Defines the typed get for an object and for a snapshot; `given` and `passed`: their parameter and argument for a
 * fault. On ERR_TYPE they write nothing but the fault. */
#define DEFINE_GET(name, type, parse, given, passed)                                                                   \
    rcuinfo_status_t rcuinfo_get_##name(rcuinfo_t info, const char *key, type *value given)                            \
    {                                                                                                                  \
        rcuinfo_view_t view;                                                                                           \
        rcuinfo_status_t status = begin_get(info, key, value, &view);                                                  \
        if (status != RCUINFO_SUCCESS)                                                                                 \
            return status;                                                                                             \
        status = rcuinfo_snapshot_get_##name(view.snapshot, key, value passed);                                        \
        rcuinfo_view_end(&view);                                                                                       \
        return status;                                                                                                 \
    }                                                                                                                  \
    rcuinfo_status_t rcuinfo_snapshot_get_##name(const rcuinfo_snapshot_t *snapshot, const char *key,                  \
                                                 type *value given)                                                    \
    {                                                                                                                  \
        rcuinfo_pair_t pair;                                                                                           \
        if (!value)                                                                                                    \
            return RCUINFO_ERR_ARG;                                                                                    \
        rcuinfo_status_t status = rcuinfo_snapshot_find(snapshot, key, &pair);                                         \
        return status ? status : parse(pair.value, pair.value_length, value passed);                                   \
    }
#define FAULT  , rcuinfo_fault_t *fault
#define PASSED , fault

DEFINE_GET(bool, int, rcuinfo_value_parse_bool, FAULT, PASSED)
DEFINE_GET(int, int, rcuinfo_value_parse_int, FAULT, PASSED)
DEFINE_GET(int64, int64_t, rcuinfo_value_parse_int64, FAULT, PASSED)
DEFINE_GET(list, rcuinfo_list_t, rcuinfo_list_begin, , )

rcuinfo_status_t rcuinfo_set_bool(rcuinfo_t info, const char *key, int value)
{
    return rcuinfo_set(info, key, value ? "true" : "false");
}

#define DIGITS 21 /* room for an int64_t with its sign and a NUL */

rcuinfo_status_t rcuinfo_set_int64(rcuinfo_t info, const char *key, int64_t value)
{
    char text[DIGITS];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    return rcuinfo_set(info, key, text);
}

rcuinfo_status_t rcuinfo_set_int(rcuinfo_t info, const char *key, int value)
{
    return rcuinfo_set_int64(info, key, value);
}

/* A list that is being put together. When it gets too long, `length` is at least the size of the text. */
struct joined {
    size_t length;
    char text[RCUINFO_MAX_VALUE];
};

/* Appends a comma, unless it is the first, and an element. */
static void append_element(struct joined *joined, const char *element, bool first)
{
    size_t length = strlen(element);
    size_t comma = first ? 0 : 1;

    /* An element that does not fit makes the length too large, which set_joined reports, and no later one fits. */
    if (joined->length + comma + length < sizeof joined->text) {
        memcpy(joined->text + joined->length, ",", comma);
        memcpy(joined->text + joined->length + comma, element, length + 1);
        joined->length += comma + length;
    } else {
        joined->length = sizeof joined->text;
    }
}

static rcuinfo_status_t set_joined(rcuinfo_t info, const char *key, struct joined *joined)
{
    return joined->length < sizeof joined->text ? rcuinfo_set(info, key, joined->text) : RCUINFO_ERR_VALUE;
}

/* Whether an element of a list of n comes back unchanged when the list is parsed. */
static bool can_be_element(const char *element, size_t n)
{
    size_t length = element ? strlen(element) : 0;
    if (length == 0)
        return element && n > 1; /* "" is the list of no elements */
    return !rcuinfo__text_blank(element[0]) && !rcuinfo__text_blank(element[length - 1]) && !strchr(element, ',');
}

rcuinfo_status_t rcuinfo_set_list(rcuinfo_t info, const char *key, const char *const elements[], size_t n,
                                  size_t *failed)
{
    struct joined joined = {.length = 0, .text = ""};
    if (!elements && n > 0)
        return RCUINFO_ERR_ARG;

    for (size_t i = 0; i < n; i++) {
        if (!can_be_element(elements[i], n)) {
            if (failed)
                *failed = i;
            return RCUINFO_ERR_TYPE;
        }
    }

    for (size_t i = 0; i < n; i++)
        append_element(&joined, elements[i], i == 0);
    return set_joined(info, key, &joined);
}

rcuinfo_status_t rcuinfo_set_list_int64(rcuinfo_t info, const char *key, const int64_t elements[], size_t n)
{
    struct joined joined = {.length = 0, .text = ""};
    char text[DIGITS];
    if (!elements && n > 0)
        return RCUINFO_ERR_ARG;

    for (size_t i = 0; i < n; i++) {
        (void)snprintf(text, sizeof text, "%" PRId64, elements[i]);
        append_element(&joined, text, i == 0);
    }
    return set_joined(info, key, &joined);
}
