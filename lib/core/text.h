/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text: lengths, hashes and comparison of keys and values; finding a byte among others; the checksum of packed ones.
 * Pure.
 *
 * What looks at 16 bytes at a time comes twice: `_plain`, for any machine, and by SSE2, which a build with
 * RCUINFO_PLAIN does without.
 */
#ifndef RCUINFO_CORE_TEXT_H
#define RCUINFO_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__) && !defined(RCUINFO_PLAIN)
#define RCUINFO__TEXT_SSE2
#include <emmintrin.h>
#endif

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A blank of value.h and pack.h. */
static inline bool rcuinfo__text_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* Moves begin and end past the blanks at the ends of what is between them. */
static inline void rcuinfo__text_strip(const char *text, size_t *begin, size_t *end)
{
    while (*begin < *end && rcuinfo__text_blank(text[*begin]))
        ++*begin;
    while (*end > *begin && rcuinfo__text_blank(text[*end - 1]))
        --*end;
}

/* Length of a key that has 1 to limit - 1 bytes; 0 for NULL, "" and longer ones. */
static inline uint32_t rcuinfo__text_key(const char *key, uint32_t limit)
{
    size_t length = key ? strnlen(key, limit) : 0;
    return length < limit ? (uint32_t)length : 0;
}

#define RCUINFO__TEXT_BAD UINT32_MAX

/* Length of a value that has 0 to limit - 1 bytes; RCUINFO__TEXT_BAD for NULL and longer ones. */
static inline uint32_t rcuinfo__text_value(const char *value, uint32_t limit)
{
    size_t length = value ? strnlen(value, limit) : limit;
    return length < limit ? (uint32_t)length : RCUINFO__TEXT_BAD;
}

/* Who does not know `seed` cannot tell which keys share a hash. It has to go in with the first byte: without a seed,
 * any number of keys is easily made that share all 64 bits of XXH3. */
static inline __attribute__((always_inline)) uint32_t rcuinfo__text_hash(const char *key, size_t length, uint64_t seed)
{
    return (uint32_t)XXH3_64bits_withSeed(key, length, seed);
}

/* The same number on every machine, whatever its byte order. */
static inline uint64_t rcuinfo__text_checksum(const void *bytes, size_t length)
{
    return XXH3_64bits(bytes, length);
}

/* The byte of a hash that finders scan for; the low bits are where they place the key. */
static inline uint8_t rcuinfo__text_fingerprint(uint32_t hash)
{
    return (uint8_t)(hash >> 24);
}

/* Bit i is set where byte i of 16, of which `low` has the first eight, is the one looked for. Byte 0 of a word is its
 * lowest. */
static inline uint32_t rcuinfo__text_among16_plain(uint64_t low, uint64_t high, uint8_t wanted)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 8; i++) {
        bits |= (uint32_t)((uint8_t)(low >> 8 * i) == wanted) << i;
        bits |= (uint32_t)((uint8_t)(high >> 8 * i) == wanted) << (i + 8);
    }
    return bits;
}

#ifdef RCUINFO__TEXT_SSE2
static inline uint32_t rcuinfo__text_among16(uint64_t low, uint64_t high, uint8_t wanted)
{
    __m128i bytes = _mm_set_epi64x((long long)high, (long long)low);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)wanted)));
}
#else
#define rcuinfo__text_among16 rcuinfo__text_among16_plain
#endif

static inline uint64_t rcuinfo__text_load64(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint32_t rcuinfo__text_load32(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/*
 * Copies a text that is short as a rule, in words that overlap at the end. For memcpy gcc emits `rep movs` where it
 * knows that the length is small, which takes longer than the whole of a lookup.
 */
static inline void rcuinfo__text_copy(char *to, const char *from, size_t length)
{
    if (length >= 16) {
        for (size_t at = 0; at + 16 < length; at += 16)
            memcpy(to + at, from + at, 16);
        memcpy(to + length - 16, from + length - 16, 16);
    } else if (length >= 8) {
        uint64_t tail = rcuinfo__text_load64(from + length - 8);
        memcpy(to, from, 8);
        memcpy(to + length - 8, &tail, 8);
    } else if (length >= 4) {
        uint32_t tail = rcuinfo__text_load32(from + length - 4);
        memcpy(to, from, 4);
        memcpy(to + length - 4, &tail, 4);
    } else {
        for (size_t at = 0; at < length; at++)
            to[at] = from[at];
    }
}

/* Copies at most `room` bytes of a value, and a NUL. */
static inline void rcuinfo__text_cut(char *to, const char *value, size_t length, size_t room)
{
    if (length > room) {
        rcuinfo__text_copy(to, value, room);
        to[room] = '\0';
    } else {
        rcuinfo__text_copy(to, value, length + 1);
    }
}

/* Whether two texts of the same length have the same bytes. Reads within the length only: the last words overlap. */
static inline bool rcuinfo__text_equal(const char *a, const char *b, size_t length)
{
    if (length >= 8) {
        size_t at = 0;
        for (; at + 8 < length; at += 8) {
            if (rcuinfo__text_load64(a + at) != rcuinfo__text_load64(b + at))
                return false;
        }
        return rcuinfo__text_load64(a + length - 8) == rcuinfo__text_load64(b + length - 8);
    }
    if (length >= 4)
        return rcuinfo__text_load32(a) == rcuinfo__text_load32(b) &&
               rcuinfo__text_load32(a + length - 4) == rcuinfo__text_load32(b + length - 4);
    for (size_t at = 0; at < length; at++) {
        if (a[at] != b[at])
            return false;
    }
    return true;
}

#endif
