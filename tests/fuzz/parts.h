/* SPDX-License-Identifier: BSD-3-Clause */
/* parts: naive parsers of words, booleans and integers, which return the offset of the first fault. */
#pragma once

#include <ctype.h>
#include <errno.h>

#include "fuzz/fuzz.h"

enum { GOOD = -1, LONGEST = 1100 };

/* `length` bytes of a text, from offset `begin`. */
struct part {
    const char *text;
    size_t begin, length;
};

static inline bool blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static inline struct part strip(struct part part)
{
    for (; part.length && blank(part.text[part.begin]); part.length--)
        part.begin++;
    while (part.length && blank(part.text[part.begin + part.length - 1]))
        part.length--;
    return part;
}

static inline bool is(struct part part, const char *word, size_t length, bool any_case)
{
    if (part.length != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        char a = part.text[part.begin + i], b = word[i];
        if (a != b && !(any_case && isascii(a) && isascii(b) && tolower(a) == tolower(b)))
            return false;
    }
    return true;
}

/* Each returns GOOD, or the offset in the text at which the boolean or the integer is invalid. */
static inline long judge_bool(struct part part, int64_t *number)
{
    part = strip(part);
    *number = is(part, "true", 4, false);
    return *number || is(part, "false", 5, false) ? GOOD : (long)part.begin;
}

static inline long judge_integer(struct part part, int64_t *number)
{
    char copy[LONGEST + 1] = "";
    part = strip(part);
    memcpy(copy, part.text + part.begin, part.length);
    copy[part.length] = '\0';
    size_t sign = *copy == '-' || *copy == '+', digits = strspn(copy + sign, "0123456789");
    errno = 0;
    *number = strtoll(copy, NULL, 10);
    if (part.length == sign)
        return (long)part.begin;
    if (errno == ERANGE) /* a number out of range is a fault at its beginning, even if other bytes follow the digits */
        return (long)part.begin;
    return sign + digits == part.length ? GOOD : (long)(part.begin + sign + digits);
}
