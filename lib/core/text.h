/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text: measures, hashes, compares and copies keys and values; finds a byte among 16; checksums packed infos. No
 * function has state.
 *
 * Finding a byte has two implementations: with SSE2, and `_plain` for other machines and for builds with RCUINFO_PLAIN.
 */
#pragma once

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

/* Whether a byte is a blank in the sense of value.h and pack.h. */
static inline bool rcuinfo__text_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* Strips the blanks at both ends of text[*begin] to text[*end - 1]. */
static inline void rcuinfo__text_strip(const char *text, size_t *begin, size_t *end)
{
    while (*begin < *end && rcuinfo__text_blank(text[*begin]))
        ++*begin;
    while (*end > *begin && rcuinfo__text_blank(text[*end - 1]))
        --*end;
}

/* The length of a character that may control a terminal or the direction of a text, at the beginning of a text in
 * UTF-8: a control character (C0, DEL, C1), or one of U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069. 0:
 * none. */
static inline size_t rcuinfo__text_control(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    if (*at < ' ' || *at == 127)
        return *at != 0;
    if ((at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) || (at[0] == 0xd8 && at[1] == 0x9c))
        return 2;
    bool is_mark =
        at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xaa && at[2] <= 0xae));
    return is_mark || (at[0] == 0xe2 && at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9) ? 3 : 0;
}

/* Copies a text of less than `size` bytes, with a question mark in place of each such character. */
static inline void rcuinfo__text_show(const char *text, char *shown, size_t size)
{
    for (size_t used = 0; *text && used + 1 < size; used++) {
        size_t control = rcuinfo__text_control(text);
        *shown++ = control ? '?' : *text;
        text += control ? control : 1;
    }
    *shown = '\0';
}

/* Converts ASCII only; tolower depends on the locale. */
static inline char rcuinfo__text_lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

/* The length of a key with 1 to limit - 1 bytes; 0 for NULL, "" and longer ones. */
static inline uint32_t rcuinfo__text_key(const char *key, uint32_t limit)
{
    size_t length = key ? strnlen(key, limit) : 0;
    return length < limit ? (uint32_t)length : 0;
}

#define RCUINFO__TEXT_BAD UINT32_MAX

/* The length of a value with 0 to limit - 1 bytes; RCUINFO__TEXT_BAD for NULL and longer ones. */
static inline uint32_t rcuinfo__text_value(const char *value, uint32_t limit)
{
    size_t length = value ? strnlen(value, limit) : limit;
    return length < limit ? (uint32_t)length : RCUINFO__TEXT_BAD;
}

/* Without knowing `seed` one cannot choose keys that collide. XXH3 mixes it in from the first byte on; mixing it into
 * the result would not help, because keys that collide in all 64 bits of unseeded XXH3 are easy to make. */
static inline __attribute__((always_inline)) uint32_t rcuinfo__text_hash(const char *key, size_t length, uint64_t seed)
{
    return (uint32_t)XXH3_64bits_withSeed(key, length, seed);
}

/* A checksum that is the same on every machine, whatever its byte order. */
static inline uint64_t rcuinfo__text_checksum(const void *bytes, size_t length)
{
    return XXH3_64bits(bytes, length);
}

/* The byte of a hash that a finder of bytes stores. */
static inline uint8_t rcuinfo__text_fingerprint(uint32_t hash)
{
    return (uint8_t)(hash >> 24);
}

/* Compares 16 bytes: bit i of the result is set if byte i is `wanted`. Bytes 0 to 7 are those of `low` from its least
 * significant byte on, bytes 8 to 15 those of `high`. E.g. low = 0x2a00, high = 0x2a, wanted = 0x2a: 0b100000010. */
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
 * Copies a text, most likely a short one. The last word overlaps the one before: 13 bytes e.g. are copied as bytes 0 to
 * 7 and 5 to 12. For a memcpy whose length it knows to be small gcc emits `rep movs`, which takes longer than a lookup.
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

/* Copies a value, cut to `room` bytes, and a NUL. */
static inline void rcuinfo__text_cut(char *to, const char *value, size_t length, size_t room)
{
    if (length > room) {
        rcuinfo__text_copy(to, value, room);
        to[room] = '\0';
    } else {
        rcuinfo__text_copy(to, value, length + 1);
    }
}

/* Whether two texts of the same length are equal. Compares words, the last of which overlaps the one before. */
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
