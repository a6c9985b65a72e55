/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check: checks a value against the row of its hint. Finds the number that it stands for, or the byte where it is
 * wrong.
 *
 * A value has one or more elements: those of its list or, if it is not a list, the value without leading and trailing
 * blanks. Each of the functions check_* below checks one element, and the offset of its fault counts from the start of
 * the element. Pure: no allocation, nothing shared. The row must be one that rcuinfo__hint_declared accepts.
 */
#include "hints/check.h"

#include <string.h>

#include <rcuinfo/value.h>

#include "core/text.h"

typedef rcuinfo_status_t element_check_t(const rcuinfo_hint_t *hint, const rcuinfo_element_t *element, int64_t *number,
                                         rcuinfo_fault_t *fault);

/* Writes the fault, and returns the status for it. */
static rcuinfo_status_t wrong(rcuinfo_fault_t *fault, const char *what, size_t offset)
{
    *fault = (rcuinfo_fault_t){.what = what, .offset = offset};
    return RCUINFO_ERR_TYPE;
}

static bool same_word(const rcuinfo_hint_t *hint, const char *word, const char *text, size_t length)
{
    if (!(hint->flags & RCUINFO_FLAG_ANY_CASE))
        return rcuinfo__text_equal(word, text, length);

    for (size_t i = 0; i < length; i++) {
        if (rcuinfo__text_lower(word[i]) != rcuinfo__text_lower(text[i]))
            return false;
    }
    return true;
}

/* The index of a word in `allowed`, or -1. */
static int place_of(const rcuinfo_hint_t *hint, const char *text, size_t length)
{
    int place = 0;

    for (const char *word = hint->allowed;; place++) {
        size_t size = strcspn(word, ",");
        if (size == length && same_word(hint, word, text, length))
            return place;

        /* That was the last word. */
        if (!word[size])
            return -1;
        word += size + 1;
    }
}

/* Whether the text is the word that stands for an empty list. */
static bool is_alone(const rcuinfo_hint_t *hint, const char *text, size_t length)
{
    return hint->alone && strlen(hint->alone) == length && same_word(hint, hint->alone, text, length);
}

static rcuinfo_status_t check_bool(const rcuinfo_hint_t *hint, const rcuinfo_element_t *element, int64_t *number,
                                   rcuinfo_fault_t *fault)
{
    int value = 0;
    rcuinfo_status_t status = rcuinfo_value_parse_bool(element->text, element->length, &value, fault);
    (void)hint;
    *number = value;
    return status;
}

static rcuinfo_status_t check_int(const rcuinfo_hint_t *hint, const rcuinfo_element_t *element, int64_t *number,
                                  rcuinfo_fault_t *fault)
{
    rcuinfo_status_t status = rcuinfo_value_parse_int64(element->text, element->length, number, fault);

    /* least = most = 0: no limits. */
    if (status != RCUINFO_SUCCESS || (hint->least == 0 && hint->most == 0))
        return status;

    if (*number < hint->least)
        return wrong(fault, "below the smallest allowed value", 0);
    return *number > hint->most ? wrong(fault, "above the largest allowed value", 0) : RCUINFO_SUCCESS;
}

static rcuinfo_status_t check_choice(const rcuinfo_hint_t *hint, const rcuinfo_element_t *element, int64_t *number,
                                     rcuinfo_fault_t *fault)
{
    int place = place_of(hint, element->text, element->length);
    if (place >= 0) {
        *number = place;
        return RCUINFO_SUCCESS;
    }

    /* As the whole value it is valid, but then check_list has not come here. */
    if (is_alone(hint, element->text, element->length))
        return wrong(fault, "must be the only word of the list", 0);
    return wrong(fault, element->length ? "not one of the allowed words" : "an empty word", 0);
}

/* Blanks around the element have been removed already, so any that are left are inside. */
static rcuinfo_status_t check_no_blank(const rcuinfo_element_t *element, rcuinfo_fault_t *fault)
{
    for (size_t i = 0; i < element->length; i++) {
        if (rcuinfo__text_blank(element->text[i]))
            return wrong(fault, "a blank inside", i);
    }
    return RCUINFO_SUCCESS;
}

/* The end of the part that begins at `at`: the next colon, or the end of the element. */
static size_t part_end(const rcuinfo_element_t *element, size_t at)
{
    const char *colon = memchr(element->text + at, ':', element->length - at);
    return colon ? (size_t)(colon - element->text) : element->length;
}

/* Checks a, a:b or a:b:c. The standard requires c > 0 if b > a, and c < 0 if b < a; a:b has a step of 1. */
static rcuinfo_status_t check_range(const rcuinfo_hint_t *hint, const rcuinfo_element_t *element, int64_t *number,
                                    rcuinfo_fault_t *fault)
{
    enum { FIRST, LAST, STEP, PARTS };
    int64_t parts[PARTS] = {[STEP] = 1};
    size_t begins[PARTS] = {0}; /* where each part begins, for the fault */
    size_t n = 0;
    rcuinfo_status_t status = check_no_blank(element, fault);
    (void)hint, (void)number;

    /* `at` may be the end: in "1:" the second part is there, but empty. */
    for (size_t at = 0, end; status == RCUINFO_SUCCESS && at <= element->length; at = end + 1) {
        if (n == PARTS)
            return wrong(fault, "more than a, b and c", at - 1);
        end = part_end(element, at);
        status = rcuinfo_value_parse_int64(element->text + at, end - at, &parts[n], fault);
        if (status != RCUINFO_SUCCESS)
            fault->offset += at;
        begins[n++] = at;
    }

    if (status != RCUINFO_SUCCESS || n == 1)
        return status;
    if (parts[STEP] == 0)
        return wrong(fault, "a step of 0", begins[STEP]);
    if (parts[STEP] > 0 ? parts[LAST] < parts[FIRST] : parts[LAST] > parts[FIRST])
        return wrong(fault, "the steps do not lead from the first number to the last", begins[LAST]);
    return RCUINFO_SUCCESS;
}

/* Checks kind[:restrictor[:...]]. */
static rcuinfo_status_t check_kind(const rcuinfo_hint_t *hint, const rcuinfo_element_t *element, int64_t *number,
                                   rcuinfo_fault_t *fault)
{
    rcuinfo_status_t status = check_no_blank(element, fault);
    (void)hint, (void)number;

    /* As above: "device:" has an empty restrictor. */
    for (size_t at = 0, end; status == RCUINFO_SUCCESS && at <= element->length; at = end + 1) {
        end = part_end(element, at);
        if (end == at)
            status = wrong(fault, at ? "an empty restrictor" : "an empty kind", at);
    }
    return status;
}

static element_check_t *const checks[] = {
    [RCUINFO_TYPE_BOOL] = check_bool,   [RCUINFO_TYPE_INT] = check_int,   [RCUINFO_TYPE_CHOICE] = check_choice,
    [RCUINFO_TYPE_RANGE] = check_range, [RCUINFO_TYPE_KIND] = check_kind,
};

/* Checks an element by its type. The offset of the fault counts from the start of the value. */
static rcuinfo_status_t check_element(const rcuinfo_hint_t *hint, const rcuinfo_element_t *element, int64_t *number,
                                      rcuinfo_fault_t *fault)
{
    element_check_t *check = checks[hint->type]; /* NULL: any text is valid */
    rcuinfo_status_t status = check ? check(hint, element, number, fault) : RCUINFO_SUCCESS;
    if (status != RCUINFO_SUCCESS)
        fault->offset += element->offset;
    return status;
}

/* The value without leading and trailing blanks, as the only element. */
static rcuinfo_element_t only_element(const char *value, size_t length)
{
    size_t begin = 0;
    rcuinfo__text_strip(value, &begin, &length);
    return (rcuinfo_element_t){.text = value + begin, .length = length - begin, .offset = begin};
}

static rcuinfo_status_t check_list(const rcuinfo_hint_t *hint, const char *value, size_t length, int64_t *number,
                                   rcuinfo_fault_t *fault)
{
    rcuinfo_list_t list;
    rcuinfo_element_t element = only_element(value, length);
    uint64_t sum = 0;
    *number = 0;

    /* The word for the empty list, e.g. "none". */
    if (is_alone(hint, element.text, element.length))
        return RCUINFO_SUCCESS;

    rcuinfo_status_t status = rcuinfo_list_begin(value, length, &list);
    while (status == RCUINFO_SUCCESS && rcuinfo_list_next(&list, &element)) {
        status = check_element(hint, &element, number, fault);
        sum |= UINT64_C(1) << (*number & 63); /* E.g. words 0 and 3: 9. Other types than CHOICE do not use the sum. */
    }

    *number = (int64_t)sum;
    return status;
}

bool rcuinfo__hint_has_number(const rcuinfo_hint_t *hint)
{
    if (hint->flags & RCUINFO_FLAG_LIST)
        return hint->type == RCUINFO_TYPE_CHOICE;
    return hint->type == RCUINFO_TYPE_BOOL || hint->type == RCUINFO_TYPE_INT || hint->type == RCUINFO_TYPE_CHOICE;
}

rcuinfo_status_t rcuinfo_hint_check(const rcuinfo_hint_t *hint, const char *value, int64_t *number,
                                    rcuinfo_fault_t *fault)
{
    uint32_t length = rcuinfo__text_value(value, RCUINFO_MAX_VALUE);
    int64_t found = 0;
    rcuinfo_fault_t wrong_at;

    if (!hint)
        return RCUINFO_ERR_ARG;
    if (length == RCUINFO__TEXT_BAD)
        return RCUINFO_ERR_VALUE;

    rcuinfo_element_t element = only_element(value, length);
    rcuinfo_status_t status = hint->flags & RCUINFO_FLAG_LIST ? check_list(hint, value, length, &found, &wrong_at)
                                                              : check_element(hint, &element, &found, &wrong_at);

    /* Only on success: an error must leave *number as it was. */
    if (status == RCUINFO_SUCCESS && number && rcuinfo__hint_has_number(hint))
        *number = found;
    if (status == RCUINFO_ERR_TYPE && fault)
        *fault = wrong_at;
    return status;
}

/* Whether a list can have this element: it is not empty, and has no leading or trailing blank. */
static bool is_word(const char *word, size_t size)
{
    return size > 0 && !rcuinfo__text_blank(word[0]) && !rcuinfo__text_blank(word[size - 1]);
}

/* Whether the text is 1 to 63 words, separated by commas. */
static bool allowed_valid(const char *allowed)
{
    enum { MOST_WORDS = 63 };
    for (int words = 1; words <= MOST_WORDS; words++) {
        size_t size = strcspn(allowed, ",");
        if (!is_word(allowed, size))
            return false;
        if (!allowed[size])
            return true;
        allowed += size + 1;
    }
    return false;
}

bool rcuinfo__hint_declared(const rcuinfo_hint_t *hint)
{
    const unsigned all =
        RCUINFO_FLAG_LIST | RCUINFO_FLAG_SAME | RCUINFO_FLAG_ANY_CASE | RCUINFO_FLAG_FIXED | RCUINFO_FLAG_GET_ONLY;
    bool choice = hint->type == RCUINFO_TYPE_CHOICE;

    if ((unsigned)hint->type >= sizeof checks / sizeof *checks || hint->flags & ~all || hint->least > hint->most ||
        hint->reserved[0] || hint->reserved[1])
        return false;

    /* Words are for a CHOICE only, and so is their case. */
    if (choice ? !hint->allowed || !allowed_valid(hint->allowed) : hint->flags & RCUINFO_FLAG_ANY_CASE)
        return false;

    if (!hint->alone)
        return true;

    /* `alone` must not be one of the allowed words, or it would be ambiguous. */
    size_t size = strlen(hint->alone);
    return choice && hint->flags & RCUINFO_FLAG_LIST && is_word(hint->alone, size) && !strchr(hint->alone, ',') &&
           place_of(hint, hint->alone, size) < 0;
}
