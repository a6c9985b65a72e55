/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * line: one line of a hint file (pack.h) taken apart; the one place that knows how a line looks. Pure.
 *
 * A line is given as it lies in the file, its newline included where it has one: only in front of a newline a carriage
 * return is part of the line's end.
 */
#ifndef RCUINFO_PACK_LINE_H
#define RCUINFO_PACK_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <rcuinfo/info.h>
#include <rcuinfo/value.h>

#include "core/text.h"

enum rcuinfo__line_is {
    RCUINFO__LINE_NOTHING, /* blank, or a comment */
    RCUINFO__LINE_PAIR,
    RCUINFO__LINE_BAD /* no info can have it as a pair */
};

/* Where key and value lie, in bytes from the beginning of the line. No NUL follows them. */
struct rcuinfo__line {
    size_t key;
    size_t key_length;
    size_t value;
    size_t value_length;
};

/* Says no to what an info cannot hold. The members of `fault` but `line`, which the caller knows, are written. */
static inline enum rcuinfo__line_is rcuinfo__line_check(const char *line, const struct rcuinfo__line *pair,
                                                        rcuinfo_fault_t *fault)
{
    size_t end = pair->value + pair->value_length;
    const char *nul = memchr(line + pair->key, '\0', end - pair->key);
    if (nul) {
        fault->what = "a NUL byte";
        fault->offset = (size_t)(nul - line);
    } else if (pair->key_length >= RCUINFO_MAX_KEY) {
        fault->what = "a key of more than 255 bytes";
        fault->offset = pair->key;
    } else if (pair->value_length >= RCUINFO_MAX_VALUE) {
        fault->what = "a value of more than 1023 bytes";
        fault->offset = pair->value;
    } else {
        return RCUINFO__LINE_PAIR;
    }
    return RCUINFO__LINE_BAD;
}

/* Takes a line of `length` bytes apart. `pair` is written unless the line says nothing, `fault` where it is bad. */
static inline enum rcuinfo__line_is rcuinfo__line_parse(const char *line, size_t length, struct rcuinfo__line *pair,
                                                        rcuinfo_fault_t *fault)
{
    size_t at = 0;
    if (length > 0 && line[length - 1] == '\n') {
        length--;
        if (length > 0 && line[length - 1] == '\r')
            length--;
    }
    while (length > 0 && rcuinfo__text_blank(line[length - 1]))
        length--;
    while (at < length && rcuinfo__text_blank(line[at]))
        at++;
    if (at == length || line[at] == '#')
        return RCUINFO__LINE_NOTHING;
    pair->key = at;
    while (at < length && !rcuinfo__text_blank(line[at]))
        at++;
    pair->key_length = at - pair->key;
    while (at < length && rcuinfo__text_blank(line[at]))
        at++;
    pair->value = at;
    pair->value_length = length - at;
    return rcuinfo__line_check(line, pair, fault);
}

#endif
