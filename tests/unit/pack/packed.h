/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packed: packed bytes of any content under a header that is right, so that what is wrong with the pairs is met;
 * written after the text in lib/pack/pack.c, and not with its code.
 */
#ifndef TESTS_PACK_PACKED_H
#define TESTS_PACK_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/text.h"

enum { PACKED_HEADER = 28, PACKED_SUM = 8, PACKED_TOTAL = 16, PACKED_PAIRS = 24 };

static inline void packed_number(char *at, uint64_t number, int bytes)
{
    for (; bytes > 0; bytes--, number >>= 8)
        *at++ = (char)(number & 0xff);
}

/* Makes length and checksum right. `size` is that of a header at least. */
static inline void packed_seal(char *bytes, size_t size)
{
    packed_number(bytes + PACKED_TOTAL, size, 8);
    packed_number(bytes + PACKED_SUM, rcuinfo__text_checksum(bytes + PACKED_TOTAL, size - PACKED_TOTAL), 8);
}

/* Puts a whole header in front of size - PACKED_HEADER bytes. */
static inline void packed_head(char *bytes, size_t size, uint32_t pairs)
{
    memcpy(bytes, "RCUI\1\0\0\0", 8);
    packed_number(bytes + PACKED_PAIRS, pairs, 4);
    packed_seal(bytes, size);
}

#endif
