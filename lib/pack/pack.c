/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pack: infos as bytes that mean the same on every machine, and back.
 *
 * Owns the format. Numbers are unsigned, their lowest byte first; nothing is aligned.
 *
 *     offset  bytes
 *          0      4  "RCUI"
 *          4      2  version of the format: 1
 *          6      2  0
 *          8      8  XXH3, 64 bits, seed 0, of all bytes from 16 on
 *         16      8  bytes in total, from "RCUI" on
 *         24      4  pairs
 *         28         each pair, in the order of the object:
 *                 2  bytes of the key, 1 to 255
 *                 2  bytes of the value, 0 to 1,023
 *                    the key, none of its bytes 0, and a 0
 *                    the value, likewise, and a 0
 *
 * Behind the last pair nothing follows. No key comes twice. So one content has one encoding: what unpacks packs to the
 * same bytes.
 *
 * Versions: any change of what stands here is a new number. Who meets a number that it does not know refuses the bytes
 * whatever else they hold; so the first six bytes stay what they are for ever, and a later release that writes another
 * version goes on reading this one.
 *
 * Strings are terminated in the packed bytes too, so unpack hands them to the store where they lie.
 */
#include <rcuinfo/pack.h>

#include <stdbool.h>
#include <string.h>

#include "core/alloc.h"
#include "core/object.h"
#include "core/text.h"

#define MAGIC     "RCUI"
#define VERSION   1U
#define AT_MAGIC  0U
#define AT_FORMAT 4U
#define AT_ZERO   6U
#define AT_SUM    8U
#define AT_TOTAL  16U
#define AT_PAIRS  24U
#define HEADER    28U
#define LENGTHS   4U            /* bytes of the two lengths of a pair */
#define LEAST     (LENGTHS + 3) /* bytes of the shortest pair */

static void put(unsigned char *to, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (unsigned char)(number >> (8 * i));
}

static uint64_t number_at(const unsigned char *from, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)from[i] << (8 * i);
    return number;
}

size_t rcuinfo_pack_size(const rcuinfo_snapshot_t *snapshot)
{
    if (!snapshot)
        return 0;
    const struct rcuinfo__entry *version = rcuinfo__object_opened(snapshot);
    return HEADER + (size_t)version->pairs * LENGTHS + (size_t)rcuinfo__log_text(version);
}

static unsigned char *put_text(unsigned char *to, const char *text, size_t length)
{
    rcuinfo__text_copy((char *)to, text, length);
    to[length] = 0;
    return to + length + 1;
}

rcuinfo_status_t rcuinfo_pack(const rcuinfo_snapshot_t *snapshot, void *buffer, size_t size)
{
    unsigned char *bytes = buffer;
    if (!snapshot || !buffer)
        return RCUINFO_ERR_ARG;
    size_t total = rcuinfo_pack_size(snapshot);
    if (size < total)
        return RCUINFO_ERR_ARG;
    const struct rcuinfo__entry *version = rcuinfo__object_opened(snapshot);
    unsigned char *at = bytes + HEADER;
    for (uint32_t i = 0; i < version->pairs; i++) {
        rcuinfo_pair_t pair = rcuinfo__log_pair(rcuinfo__log_nth(version, i));
        put(at, pair.key_length, 2);
        put(at + 2, pair.value_length, 2);
        at = put_text(at + LENGTHS, pair.key, pair.key_length);
        at = put_text(at, pair.value, pair.value_length);
    }
    memcpy(bytes + AT_MAGIC, MAGIC, AT_FORMAT - AT_MAGIC);
    put(bytes + AT_FORMAT, VERSION, 2);
    put(bytes + AT_ZERO, 0, 2);
    put(bytes + AT_TOTAL, total, 8);
    put(bytes + AT_PAIRS, version->pairs, 4);
    put(bytes + AT_SUM, rcuinfo__text_checksum(bytes + AT_TOTAL, total - AT_TOTAL), 8);
    return RCUINFO_SUCCESS;
}

/* Packed bytes that are gone through. */
struct packed {
    const unsigned char *bytes;
    size_t size;
    size_t at;
    rcuinfo_fault_t fault;
};

static bool refuse(struct packed *packed, size_t offset, const char *what)
{
    packed->fault = (rcuinfo_fault_t){.what = what, .offset = offset};
    return false;
}

/* Reads the header up to the pairs, whose number it leaves in *pairs; as many of the shortest would fit. */
static bool take_header(struct packed *packed, size_t *pairs)
{
    const unsigned char *bytes = packed->bytes;
    if (packed->size < HEADER)
        return refuse(packed, packed->size, "the bytes end before the header does");
    if (memcmp(bytes + AT_MAGIC, MAGIC, AT_FORMAT - AT_MAGIC) != 0)
        return refuse(packed, AT_MAGIC, "the bytes do not begin with RCUI: they are no packed info");
    if (number_at(bytes + AT_FORMAT, 2) != VERSION)
        return refuse(packed, AT_FORMAT, "the format has a version that this release does not know");
    if (number_at(bytes + AT_ZERO, 2) != 0)
        return refuse(packed, AT_ZERO, "the two bytes behind the version are not 0");
    if (number_at(bytes + AT_TOTAL, 8) != packed->size)
        return refuse(packed, AT_TOTAL, "the header has another number of bytes than there are");
    if (number_at(bytes + AT_SUM, 8) != rcuinfo__text_checksum(bytes + AT_TOTAL, packed->size - AT_TOTAL))
        return refuse(packed, AT_SUM, "the checksum is wrong: the bytes are damaged");
    *pairs = (size_t)number_at(bytes + AT_PAIRS, 4);
    if (*pairs > (packed->size - HEADER) / LEAST)
        return refuse(packed, AT_PAIRS, "the header has more pairs than the bytes can hold");
    packed->at = HEADER;
    return true;
}

/* Reads a text of `length` bytes, and its 0; there are at least so many. */
static const char *take_text(struct packed *packed, size_t length, const char *inside, const char *behind)
{
    const unsigned char *text = packed->bytes + packed->at;
    const unsigned char *zero = memchr(text, 0, length + 1);
    if (zero != text + length) {
        (void)refuse(packed, zero ? packed->at + (size_t)(zero - text) : packed->at + length, zero ? inside : behind);
        return NULL;
    }
    packed->at += length + 1;
    return (const char *)text;
}

static bool take_pair(struct packed *packed, const char **key, const char **value)
{
    const unsigned char *lengths = packed->bytes + packed->at;
    size_t left = packed->size - packed->at;
    if (left < LENGTHS)
        return refuse(packed, packed->at, "the bytes end before the last pair does");
    size_t key_length = (size_t)number_at(lengths, 2);
    size_t value_length = (size_t)number_at(lengths + 2, 2);
    if (key_length == 0)
        return refuse(packed, packed->at, "a key is empty");
    if (key_length >= RCUINFO_MAX_KEY)
        return refuse(packed, packed->at, "a key is longer than 255 bytes");
    if (value_length >= RCUINFO_MAX_VALUE)
        return refuse(packed, packed->at + 2, "a value is longer than 1,023 bytes");
    if (left - LENGTHS < key_length + 1 + value_length + 1)
        return refuse(packed, packed->at, "the bytes end before the last pair does");
    packed->at += LENGTHS;
    *key = take_text(packed, key_length, "a 0 is inside a key", "no 0 is behind a key");
    if (!*key)
        return false;
    *value = take_text(packed, value_length, "a 0 is inside a value", "no 0 is behind a value");
    return *value;
}

/* Reads n pairs into the build. */
static rcuinfo_status_t take_pairs(struct packed *packed, struct rcuinfo__build *build, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = packed->at;
        const char *key;
        const char *value;
        if (!take_pair(packed, &key, &value))
            return RCUINFO_ERR_FORMAT;
        rcuinfo_status_t status = rcuinfo__build_set(build, key, value, RCUINFO__NATIVE_LIMITS);
        if (status != RCUINFO_SUCCESS)
            return status;
        if (rcuinfo__build_count(build) == i) {
            (void)refuse(packed, at, "a key is there a second time");
            return RCUINFO_ERR_FORMAT;
        }
    }
    if (packed->at != packed->size) {
        (void)refuse(packed, packed->at, "bytes follow the last pair");
        return RCUINFO_ERR_FORMAT;
    }
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo_unpack(const void *packed, size_t size, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    struct packed in = {.bytes = packed, .size = size};
    struct rcuinfo__build build;
    rcuinfo_status_t status = RCUINFO_ERR_FORMAT;
    size_t n;
    if (!packed || !info)
        return RCUINFO_ERR_ARG;
    *info = RCUINFO_NULL;

    if (take_header(&in, &n)) {
        rcuinfo__build_begin(&build, n, size - HEADER - n * LENGTHS);
        status = take_pairs(&in, &build, n);
        if (status == RCUINFO_SUCCESS)
            status = rcuinfo__build_object(&build, info);
        else
            rcuinfo__build_drop(&build);
    }
    if (fault && status == RCUINFO_ERR_FORMAT)
        *fault = in.fault;
    return status;
}
