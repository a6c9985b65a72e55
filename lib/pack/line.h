/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * line: parses a line of a hint file (pack.h). Nothing else knows the syntax.
 *
 * A line that begins with a bracket is either a section, `[OBJECT]` or `[OBJECT PATTERN]`, or an imposed pair,
 * `[impose] KEY VALUE` (rules.h).
 *
 * A line includes its newline, if it has one: a carriage return belongs to the end of the line only in front of a
 * newline.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <rcuinfo/info.h>
#include <rcuinfo/value.h>

#include "core/text.h"

enum rcuinfo__line_is {
    RCUINFO__LINE_NOTHING, /* blank, or a comment */
    RCUINFO__LINE_PAIR,
    RCUINFO__LINE_IMPOSED, /* an imposed pair */
    RCUINFO__LINE_SECTION
};

/* What a line is, and its key and value, as offsets in the line and lengths, without NULs. The key of a section is its
 * first word, and the value is the rest between the brackets. */
struct rcuinfo__line {
    enum rcuinfo__line_is is;
    size_t key;
    size_t key_length;
    size_t value;
    size_t value_length;
};

/* Describes what is wrong with a line, but not which line it is, and returns ERR_FORMAT. */
static inline rcuinfo_status_t rcuinfo__line_bad(rcuinfo_fault_t *fault, const char *what, size_t offset)
{
    fault->what = what;
    fault->offset = offset;
    return RCUINFO_ERR_FORMAT;
}

/* Splits line[at..end) into its first word and the rest, without the blanks around them, and checks that an info can
 * have them as a pair. */
static inline rcuinfo_status_t rcuinfo__line_split(const char *line, size_t at, size_t end, struct rcuinfo__line *parts,
                                                   rcuinfo_fault_t *fault)
{
    rcuinfo__text_strip(line, &at, &end);
    parts->key = at;
    while (at < end && !rcuinfo__text_blank(line[at]))
        at++;
    parts->key_length = at - parts->key;
    while (at < end && rcuinfo__text_blank(line[at]))
        at++;

    parts->value = at;
    parts->value_length = end - at;

    const char *nul = memchr(line + parts->key, '\0', end - parts->key);
    if (nul)
        return rcuinfo__line_bad(fault, "a NUL byte", (size_t)(nul - line));
    if (parts->key_length >= RCUINFO_MAX_KEY)
        return rcuinfo__line_bad(fault, "a key of more than 255 bytes", parts->key);
    if (parts->value_length >= RCUINFO_MAX_VALUE)
        return rcuinfo__line_bad(fault, "a value of more than 1023 bytes", parts->value);
    return RCUINFO_SUCCESS;
}

/* Parses a line whose first character after blanks is the bracket at `open`. */
static inline rcuinfo_status_t rcuinfo__line_bracket(const char *line, size_t open, size_t end,
                                                     struct rcuinfo__line *parts, rcuinfo_fault_t *fault)
{
    static const char impose[] = "[impose]";
    const size_t length = sizeof impose - 1;

    if (end - open >= length && memcmp(line + open, impose, length) == 0) {
        parts->is = RCUINFO__LINE_IMPOSED;
        rcuinfo_status_t status = rcuinfo__line_split(line, open + length, end, parts, fault);
        return parts->key_length > 0 ? status : rcuinfo__line_bad(fault, "no pair after [impose]", end);
    }

    bool is_closed = line[end - 1] == ']'; /* at the end: a pattern may also contain brackets */
    parts->is = RCUINFO__LINE_SECTION;
    rcuinfo_status_t status = rcuinfo__line_split(line, open + 1, is_closed ? end - 1 : end, parts, fault);

    /* After the lengths: the bracket may be missing because the end of a long line was left out. */
    if (status == RCUINFO_SUCCESS && !is_closed)
        return rcuinfo__line_bad(fault, "a section that does not end with ]", end);
    if (status == RCUINFO_SUCCESS && parts->key_length == 0)
        return rcuinfo__line_bad(fault, "a section without a name", open);
    return status;
}

/* Parses a line of `length` bytes. Returns SUCCESS, and writes `parts`, of LINE_NOTHING only what it is; ERR_FORMAT: an
 * invalid section, or a pair that no info can have, and `what` and `offset` of the fault are written. */
static inline rcuinfo_status_t rcuinfo__line_parse(const char *line, size_t length, struct rcuinfo__line *parts,
                                                   rcuinfo_fault_t *fault)
{
    size_t at = 0;

    /* The end of the line. */
    if (length > 0 && line[length - 1] == '\n') {
        length--;
        if (length > 0 && line[length - 1] == '\r')
            length--;
    }

    rcuinfo__text_strip(line, &at, &length);
    parts->is = at == length || line[at] == '#' ? RCUINFO__LINE_NOTHING : RCUINFO__LINE_PAIR;
    if (parts->is == RCUINFO__LINE_NOTHING)
        return RCUINFO_SUCCESS;
    if (line[at] == '[')
        return rcuinfo__line_bracket(line, at, length, parts, fault);
    return rcuinfo__line_split(line, at, length, parts, fault);
}
