/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packed: adds a valid header to arbitrary packed pairs, so that faults in the pairs are reached. Written from the
 * description of the format in lib/pack/pack.c, without its code. Also measures the memory that a call requests: the
 * program is linked with -Wl,--wrap=malloc and the objects of the library (rcuinfo_internal).
 */
#pragma once

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

/* Writes a complete header before size - PACKED_HEADER bytes. */
static inline void packed_head(char *bytes, size_t size, uint32_t pairs)
{
    memcpy(bytes, "RCUI\1\0\0\0", 8);
    packed_number(bytes + PACKED_PAIRS, pairs, 4);
    packed_number(bytes + PACKED_TOTAL, size, 8);
    packed_number(bytes + PACKED_SUM, rcuinfo__text_checksum(bytes + PACKED_TOTAL, size - PACKED_TOTAL), 8);
}

/* The most memory that a call may request for this number of input bytes. */
#define ASKED_MOST(size) ((size_t)4096 + 32 * (size_t)(size))

/* The bytes requested from malloc since this was 0, freed or not. Chunks of slots are never freed; they come from
 * calloc and do not count. For one thread. */
static size_t asked_bytes;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    asked_bytes += bytes;
    return __real_malloc(bytes);
}
