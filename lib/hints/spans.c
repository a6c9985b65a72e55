/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spans: see spans.h.
 */
#include "hints/spans.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"

enum { NUMBER = 24 /* bytes of one in decimal */ };

void rcuinfo__spans_free(struct rcuinfo__span *list)
{
    while (list) {
        struct rcuinfo__span *next = list->next;
        rcuinfo__alloc_free(list);
        list = next;
    }
}

/* Adds the processes first to last to a list. */
bool rcuinfo__spans_add(struct rcuinfo__span **list, long first, long last)
{
    struct rcuinfo__span **at = list;
    while (*at && (*at)->last < first - 1)
        at = &(*at)->next;
    if (!*at || (*at)->first > last + 1) {
        struct rcuinfo__span *made = rcuinfo__alloc(sizeof *made);
        if (!made)
            return false;
        *made = (struct rcuinfo__span){first, last, *at};
        *at = made;
        return true;
    }
    struct rcuinfo__span *span = *at; /* it meets the new one, and so may those behind it */
    span->first = first < span->first ? first : span->first;
    span->last = last > span->last ? last : span->last;
    while (span->next && span->next->first <= span->last + 1) {
        struct rcuinfo__span *met = span->next;
        span->last = met->last > span->last ? met->last : span->last;
        span->next = met->next;
        rcuinfo__alloc_free(met);
    }
    return true;
}

/* The next span of a list, with what is behind it in *on; false: it is none. */
static bool read_span(const char **on, struct rcuinfo__span *span)
{
    char *end;
    span->first = span->last = strtol(*on, &end, 10);
    bool is_one = end != *on;
    if (is_one && *end == '-') {
        *on = end + 1;
        span->last = strtol(*on, &end, 10);
        is_one = end != *on;
    }
    is_one = is_one && span->first >= 0 && span->last >= span->first && span->last < INT_MAX && (!*end || *end == ',');
    *on = *end ? end + 1 : end;
    return is_one;
}

/* Adds all of a list; what is none adds nothing. */
bool rcuinfo__spans_add_list(struct rcuinfo__span **list, const char *on)
{
    struct rcuinfo__span span;
    const char *at = on;
    do {
        if (!read_span(&at, &span))
            return false;
    } while (*at);
    do {
        if (!read_span(&on, &span) || !rcuinfo__spans_add(list, span.first, span.last))
            return false;
    } while (*on);
    return true;
}

/* The list as text, at most so many bytes of it with the NUL; returns how long it is, as snprintf. */
size_t rcuinfo__spans_print(const struct rcuinfo__span *list, char *text, size_t size)
{
    size_t length = 0;
    for (const struct rcuinfo__span *span = list; span; span = span->next) {
        char one[2 * NUMBER];
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

/* Whether no process is in both. */
bool rcuinfo__spans_are_apart(const struct rcuinfo__span *a, const struct rcuinfo__span *b)
{
    while (a && b && (a->last < b->first || b->last < a->first)) {
        if (a->last < b->first)
            a = a->next;
        else
            b = b->next;
    }
    return !a || !b;
}
