/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pack: packs infos into bytes that are the same on every machine, and unpacks them.
 *
 * This is the format. Numbers are unsigned and little-endian; nothing is aligned.
 *
 *     offset  bytes
 *          0      4  "RCUI"
 *          4      2  version of the format: 1
 *          6      2  0
 *          8      8  checksum: XXH3, 64 bits, seed 0, of all bytes from 16 on
 *         16      8  total size in bytes, from "RCUI" on
 *         24      4  number of pairs
 *         28         for each pair, in the order of the object:
 *                 2  length of the key in bytes, 1 to 255
 *                 2  length of the value in bytes, 0 to 1,023
 *                    the key, without NUL bytes, and a NUL
 *                    the value, without NUL bytes, and a NUL
 *
 * Nothing follows the last pair, and no key occurs twice. So each content has exactly one encoding: bytes that can be
 * unpacked pack to the same bytes again.
 *
 * Versions: any change to this format gets a new version number. A reader refuses a number that it does not know,
 * whatever else the bytes contain. Therefore the first six bytes never change, and a later release that writes another
 * version still reads this one.
 *
 * Strings are NUL-terminated in the packed bytes, so that unpack passes them to the store without copying them first.
 */
#include <rcuinfo/pack.h>

#include <stdbool.h>
#include <string.h>

#include "core/memory/alloc.h"
#include "core/calls/object.h"
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
#define LENGTHS   4U            /* size of the two lengths of a pair */
#define LEAST     (LENGTHS + 3) /* size of the shortest pair */

static void write_number(unsigned char *to, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (unsigned char)(number >> (8 * i));
}

static uint64_t read_number(const unsigned char *from, unsigned bytes)
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

/* Writes a text and its NUL, and returns the end. */
static unsigned char *write_text(unsigned char *to, const char *text, size_t length)
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
        write_number(at, pair.key_length, 2);
        write_number(at + 2, pair.value_length, 2);
        at = write_text(at + LENGTHS, pair.key, pair.key_length);
        at = write_text(at, pair.value, pair.value_length);
    }

    /* The header comes last, as the checksum covers all that follows it. */
    memcpy(bytes + AT_MAGIC, MAGIC, AT_FORMAT - AT_MAGIC);
    write_number(bytes + AT_FORMAT, VERSION, 2);
    write_number(bytes + AT_ZERO, 0, 2);
    write_number(bytes + AT_TOTAL, total, 8);
    write_number(bytes + AT_PAIRS, version->pairs, 4);
    write_number(bytes + AT_SUM, rcuinfo__text_checksum(bytes + AT_TOTAL, total - AT_TOTAL), 8);
    return RCUINFO_SUCCESS;
}

/* Packed bytes that are being read. */
struct packed {
    const unsigned char *bytes;
    size_t size;
    size_t at; /* offset of what is read next */
    rcuinfo_fault_t *fault;
};

/* Writes the fault, and returns ERR_FORMAT. */
static rcuinfo_status_t refuse(struct packed *packed, size_t offset, const char *what)
{
    *packed->fault = (rcuinfo_fault_t){.what = what, .offset = offset};
    return RCUINFO_ERR_FORMAT;
}

/* Checks the header and reads the number of pairs, which is at most as many as the bytes have room for. */
static rcuinfo_status_t read_header(struct packed *packed, size_t *pairs)
{
    const unsigned char *bytes = packed->bytes;
    if (packed->size < HEADER)
        return refuse(packed, packed->size, "the bytes end before the header does");

    if (memcmp(bytes + AT_MAGIC, MAGIC, AT_FORMAT - AT_MAGIC) != 0)
        return refuse(packed, AT_MAGIC, "the bytes do not begin with RCUI: not a packed info");
    if (read_number(bytes + AT_FORMAT, 2) != VERSION)
        return refuse(packed, AT_FORMAT, "the format has a version that this release does not know");
    if (read_number(bytes + AT_ZERO, 2) != 0)
        return refuse(packed, AT_ZERO, "the two bytes after the version are not 0");

    if (read_number(bytes + AT_TOTAL, 8) != packed->size)
        return refuse(packed, AT_TOTAL, "the size in the header is not the number of bytes");
    if (read_number(bytes + AT_SUM, 8) != rcuinfo__text_checksum(bytes + AT_TOTAL, packed->size - AT_TOTAL))
        return refuse(packed, AT_SUM, "the checksum is wrong: the bytes are damaged");

    /* So that a forged number cannot make unpack allocate more than a small multiple of the bytes. */
    *pairs = (size_t)read_number(bytes + AT_PAIRS, 4);
    if (*pairs > (packed->size - HEADER) / LEAST)
        return refuse(packed, AT_PAIRS, "the header has more pairs than the bytes can hold");

    packed->at = HEADER;
    return RCUINFO_SUCCESS;
}

/* Reads a text of `length` bytes and its NUL, which the bytes have room for. `inside` and `behind` are the faults for a
 * NUL in the text, and for none after it. */
static rcuinfo_status_t read_text(struct packed *packed, size_t length, const char *inside, const char *behind,
                                  const char **into)
{
    const char *text = (const char *)packed->bytes + packed->at;
    size_t found = strnlen(text, length + 1);
    if (found != length)
        return refuse(packed, packed->at + (found < length ? found : length), found < length ? inside : behind);

    *into = text;
    packed->at += length + 1;
    return RCUINFO_SUCCESS;
}

static rcuinfo_status_t read_pair(struct packed *packed, const char **key, const char **value)
{
    const unsigned char *lengths = packed->bytes + packed->at;
    size_t left = packed->size - packed->at;

    /* The bytes may be anything: each length is checked before it is used. */
    if (left < LENGTHS)
        return refuse(packed, packed->at, "the bytes end before the last pair does");

    size_t key_length = (size_t)read_number(lengths, 2);
    size_t value_length = (size_t)read_number(lengths + 2, 2);

    if (key_length == 0)
        return refuse(packed, packed->at, "a key is empty");
    if (key_length >= RCUINFO_MAX_KEY)
        return refuse(packed, packed->at, "a key is longer than 255 bytes");
    if (value_length >= RCUINFO_MAX_VALUE)
        return refuse(packed, packed->at + 2, "a value is longer than 1,023 bytes");
    if (left - LENGTHS < key_length + 1 + value_length + 1)
        return refuse(packed, packed->at, "the bytes end before the last pair does");

    packed->at += LENGTHS;
    rcuinfo_status_t status = read_text(packed, key_length, "a NUL byte in a key", "no NUL byte after a key", key);
    if (status != RCUINFO_SUCCESS)
        return status;
    return read_text(packed, value_length, "a NUL byte in a value", "no NUL byte after a value", value);
}

/* Reads n pairs into the build, up to the end of the bytes. */
static rcuinfo_status_t read_pairs(struct packed *packed, struct rcuinfo__build *build, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = packed->at;
        const char *key;
        const char *value;
        rcuinfo_status_t status = read_pair(packed, &key, &value);
        if (status == RCUINFO_SUCCESS)
            status = rcuinfo__build_set(build, key, value, RCUINFO__NATIVE_LIMITS);
        if (status != RCUINFO_SUCCESS)
            return status;

        /* A key that was set before has not made one pair more. */
        if (rcuinfo__build_count(build) == i)
            return refuse(packed, at, "a duplicate key");
    }

    return packed->at == packed->size ? RCUINFO_SUCCESS : refuse(packed, packed->at, "bytes follow the last pair");
}

rcuinfo_status_t rcuinfo_unpack(const void *packed, size_t size, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    rcuinfo_fault_t ignored = {0};
    struct packed in = {.bytes = packed, .size = size, .fault = fault ? fault : &ignored};
    struct rcuinfo__build build;
    size_t n;
    if (!packed || !info)
        return RCUINFO_ERR_ARG;
    *info = RCUINFO_NULL;

    rcuinfo_status_t status = read_header(&in, &n);
    if (status != RCUINFO_SUCCESS)
        return status;

    /* What is left without header and lengths is text, so one allocation is enough. */
    rcuinfo__build_begin(&build, n, size - HEADER - n * LENGTHS);
    status = read_pairs(&in, &build, n);
    if (status == RCUINFO_SUCCESS)
        return rcuinfo__build_object(&build, info);
    rcuinfo__build_drop(&build);
    return status;
}
