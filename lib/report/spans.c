/* SPDX-License-Identifier: BSD-3-Clause */
/* spans: see spans.h. */
#include "report/spans.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/memory/alloc.h"

void rcuinfo__spans_free(struct rcuinfo__span *list)
{
    while (list) {
        struct rcuinfo__span *next = list->next;
        rcuinfo__alloc_free(list);
        list = next;
    }
}

/* Adds a span to a list, from a place in it that is not behind the span; moves the place to it. */
static bool add_from(struct rcuinfo__span ***place, long first, long last)
{
    struct rcuinfo__span **at = *place;
    while (*at && (*at)->last < first - 1)
        at = &(*at)->next;
    *place = at;

    /* The new span touches no other one. */
    if (!*at || (*at)->first > last + 1) {
        struct rcuinfo__span *made = rcuinfo__alloc(sizeof *made);
        if (!made)
            return false;
        *made = (struct rcuinfo__span){first, last, *at};
        *at = made;
        return true;
    }

    /* Extend the span that it touches, and merge the following ones that it touches. */
    struct rcuinfo__span *span = *at;
    span->first = first < span->first ? first : span->first;
    span->last = last > span->last ? last : span->last;
    while (span->next && span->next->first <= span->last + 1) {
        struct rcuinfo__span *merged = span->next;
        span->last = merged->last > span->last ? merged->last : span->last;
        span->next = merged->next;
        rcuinfo__alloc_free(merged);
    }
    return true;
}

bool rcuinfo__spans_add(struct rcuinfo__span **list, long first, long last)
{
    return add_from(&list, first, last);
}

/* Reads the first span of a text and moves *on past it and its comma. Returns false if there is no valid span. */
static bool read_span(const char **on, struct rcuinfo__span *span)
{
    char *end;
    span->first = span->last = strtol(*on, &end, 10);
    bool is_valid = end != *on;

    if (is_valid && *end == '-') {
        *on = end + 1;
        span->last = strtol(*on, &end, 10);
        is_valid = end != *on;
    }

    is_valid =
        is_valid && span->first >= 0 && span->last >= span->first && span->last < INT_MAX && (!*end || *end == ',');
    *on = *end ? end + 1 : end;
    return is_valid;
}

bool rcuinfo__spans_add_list(struct rcuinfo__span **list, const char *on)
{
    struct rcuinfo__span span, **place = list;
    const char *at = on;
    long before = 0;

    /* Check all spans before adding the first. */
    do {
        if (!read_span(&at, &span))
            return false;
    } while (*at);

    do {
        if (!read_span(&on, &span))
            return false;
        place = span.first < before ? list : place; /* most lists ascend */
        before = span.first;
        if (!add_from(&place, span.first, span.last))
            return false;
    } while (*on);
    return true;
}

size_t rcuinfo__spans_print(const struct rcuinfo__span *list, char *text, size_t size)
{
    size_t length = 0;

    for (const struct rcuinfo__span *span = list; span; span = span->next) {
        char one[48]; /* room for two numbers in decimal */
        int n = span->first == span->last ? snprintf(one, sizeof one, "%ld", span->first)
                                          : snprintf(one, sizeof one, "%ld-%ld", span->first, span->last);

        if (length + (size_t)n + (span->next != NULL) < size)
            snprintf(text + length, size - length, "%s%s", one, span->next ? "," : "");

        length += (size_t)n + (span->next != NULL);
    }
    return length;
}

uint64_t rcuinfo__spans_length(const struct rcuinfo__span *list)
{
    uint64_t n = 0;
    for (const struct rcuinfo__span *span = list; span; span = span->next)
        n += (uint64_t)(span->last - span->first) + 1;
    return n;
}

bool rcuinfo__spans_are_apart(const struct rcuinfo__span *a, const struct rcuinfo__span *b)
{
    /* Skip whichever of the two spans ends first, until two overlap. */
    while (a && b && (a->last < b->first || b->last < a->first)) {
        if (a->last < b->first)
            a = a->next;
        else
            b = b->next;
    }
    return !a || !b;
}
