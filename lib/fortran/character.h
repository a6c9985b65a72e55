/* SPDX-License-Identifier: BSD-3-Clause */
/* character: converts between Fortran strings, which have a length and are padded with blanks, and C strings. */
#pragma once

#include <stddef.h>
#include <string.h>

/* Copies a Fortran string, without leading and trailing blanks and cut at `most` bytes. `out` has most + 1 bytes. */
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

/* Copies a C string to a Fortran string of `length` characters: cuts it, or pads it with blanks. */
static inline void rcuinfo__fortran_text_out(char *text, size_t length, const char *value)
{
    size_t copied = strnlen(value, length);
    memcpy(text, value, copied);
    memset(text + copied, ' ', length - copied);
}
