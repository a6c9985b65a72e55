/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text: a Fortran string, which has a length and is filled with blanks, into a C string and back. The caller owns both.
 */
#ifndef RCUINFO_FORTRAN_TEXT_H
#define RCUINFO_FORTRAN_TEXT_H

#include <stddef.h>
#include <string.h>

/* The text without the blanks at both ends, cut at `most` bytes; `out` has room for one more, the NUL. */
static inline void rcuinfo__fortran_text_in(char *out, size_t most, const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == ' ')
        length--;
    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    if (length > most)
        length = most;
    memcpy(out, text, length);
    out[length] = '\0';
}

/* Fills a Fortran string of `length` characters: with the C string, cut where it is longer, and with blanks. */
static inline void rcuinfo__fortran_text_out(char *text, size_t length, const char *value)
{
    size_t copied = strnlen(value, length);
    memcpy(text, value, copied);
    memset(text + copied, ' ', length - copied);
}

#endif
