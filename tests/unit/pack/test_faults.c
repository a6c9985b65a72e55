/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unpack of bytes that nobody packed: what is said of each kind of damage, and where; that nothing behind the bytes is
 * read, no object left, and no more memory asked for than the bytes justify.
 */
#include <rcuinfo/rcuinfo.h>

#include "pack/asked.h"
#include "pack/packed.h"
#include "support/check.h"
#include "support/guard.h"

/* Bytes whose last one is the last of the memory are no packed info. */
static rcuinfo_fault_t refused(const char *bytes, size_t size)
{
    rcuinfo_fault_t fault = {.what = NULL, .line = 1, .offset = SIZE_MAX};
    rcuinfo_stats_t before, after;
    rcuinfo_t info = 77;
    char *copy = guard_page_copy(bytes, size);
    rcuinfo_store_stats(&before);
    asked_begin();
    CHECK_STATUS(rcuinfo_unpack(copy, size, &info, &fault), RCUINFO_ERR_FORMAT);
    CHECK(asked_bytes() <= ASKED_MOST(size));
    rcuinfo_store_stats(&after);
    guard_page_free(copy, size);
    CHECK_EQUAL(info, RCUINFO_NULL);
    CHECK_EQUAL(after.live, before.live);
    CHECK(fault.what);
    CHECK_EQUAL(fault.line, 0);
    CHECK(fault.offset <= size);
    return fault;
}

/* A header that promises `pairs`, and these bytes behind it. */
static rcuinfo_fault_t refused_pairs(const char *pairs, size_t size, uint32_t count)
{
    static char bytes[PACKED_HEADER + 4096];
    memcpy(bytes + PACKED_HEADER, pairs, size);
    packed_head(bytes, PACKED_HEADER + size, count);
    return refused(bytes, PACKED_HEADER + size);
}

#define CHECK_FAULT(call, sentence, at)                                                                                \
    do {                                                                                                               \
        rcuinfo_fault_t got = (call);                                                                                  \
        CHECK_TEXT(got.what, sentence);                                                                                \
        CHECK_EQUAL(got.offset, at);                                                                                   \
    } while (0)
/* The bytes are a literal, whose own NUL does not count; the offset is from the first pair. */
#define CHECK_PAIRS(text, count, sentence, at)                                                                         \
    CHECK_FAULT(refused_pairs(text, sizeof(text) - 1, count), sentence, PACKED_HEADER + (at))

static void each_fault_has_its_sentence_and_place(void)
{
    CHECK_PAIRS("\1\0\1\0k\0v\0", 2, "the header has more pairs than the bytes can hold", PACKED_PAIRS - PACKED_HEADER);
    CHECK_PAIRS("\1\0\1\0k\0v\0", 0xffffffff, "the header has more pairs than the bytes can hold",
                PACKED_PAIRS - PACKED_HEADER);
    CHECK_PAIRS("", 1, "the header has more pairs than the bytes can hold", PACKED_PAIRS - PACKED_HEADER);
    CHECK_PAIRS("\1\0\1\0k\0v\0", 0, "bytes follow the last pair", 0);
    CHECK_PAIRS("\1\0\1\0k\0v\0\0", 1, "bytes follow the last pair", 8);
    CHECK_PAIRS("\0\0\1\0\0vv\0", 1, "a key is empty", 0);
    CHECK_PAIRS("\1\0\1\0k\0v\0\0\0\1\0\0\0v\0", 2, "a key is empty", 8);
    CHECK_PAIRS("\0\1\0\0k\0v\0", 1, "a key is longer than 255 bytes", 0);
    CHECK_PAIRS("\xff\xff\0\0k\0v\0", 1, "a key is longer than 255 bytes", 0);
    CHECK_PAIRS("\1\0\0\4k\0v\0", 1, "a value is longer than 1,023 bytes", 2);
    CHECK_PAIRS("\1\0\xff\xffk\0v\0", 1, "a value is longer than 1,023 bytes", 2);
    CHECK_PAIRS("\1\0\2\0k\0v\0", 1, "the bytes end before the last pair does", 0);
    CHECK_PAIRS("\xff\0\xff\3k\0v\0", 1, "the bytes end before the last pair does", 0);
    CHECK_PAIRS("\1\0\7\0k\0vvvvvvv\0\1\0\0", 2, "the bytes end before the last pair does", 14);
    CHECK_PAIRS("\1\0\6\0k\0vvvvvv\0\1\0\0\0k", 2, "the bytes end before the last pair does", 13);
    CHECK_PAIRS("\3\0\1\0k\0k\0v\0", 1, "a NUL byte in a key", 5);
    CHECK_PAIRS("\1\0\3\0k\0\0vv\0", 1, "a NUL byte in a value", 6);
    CHECK_PAIRS("\1\0\1\0kkv\0", 1, "no NUL byte after a key", 5);
    CHECK_PAIRS("\1\0\1\0k\0vv", 1, "no NUL byte after a value", 7);
    CHECK_PAIRS("\1\0\1\0k\0v\0\1\0\1\0k\0w\0", 2, "a duplicate key", 8);
    CHECK_PAIRS("\1\0\0\0a\0\0\1\0\0\0b\0\0\1\0\0\0c\0\0\1\0\0\0b\0\0\1\0\0\0d\0\0\1\0\0\0a\0\0", 6, "a duplicate key",
                21);
}

static void header_is_looked_at_first(void)
{
    char bytes[PACKED_HEADER];
    packed_head(bytes, sizeof bytes, 0);
    CHECK_FAULT(refused(bytes, sizeof bytes - 1), "the bytes end before the header does", 27);
    CHECK_FAULT(refused(bytes, 0), "the bytes end before the header does", 0);
    bytes[PACKED_TOTAL] = 27;
    CHECK_FAULT(refused(bytes, sizeof bytes), "the size in the header is not the number of bytes", 16);
    bytes[PACKED_TOTAL] = 28;
    bytes[PACKED_TOTAL + 7] = (char)0x80;
    CHECK_FAULT(refused(bytes, sizeof bytes), "the size in the header is not the number of bytes", 16);
    bytes[PACKED_TOTAL + 7] = 0;
    bytes[PACKED_SUM]++;
    CHECK_FAULT(refused(bytes, sizeof bytes), "the checksum is wrong: the bytes are damaged", 8);
    bytes[7] = 1;
    CHECK_FAULT(refused(bytes, sizeof bytes), "the two bytes after the version are not 0", 6);
    /* An unknown version is told as such, whatever else there is. */
    bytes[4] = 2;
    CHECK_FAULT(refused(bytes, sizeof bytes), "the format has a version that this release does not know", 4);
    bytes[4] = 1;
    bytes[5] = 1;
    CHECK_FAULT(refused(bytes, sizeof bytes), "the format has a version that this release does not know", 4);
    bytes[3] = 'i';
    CHECK_FAULT(refused(bytes, sizeof bytes), "the bytes do not begin with RCUI: not a packed info", 0);
}

/* A packed info with a key and a value of the greatest lengths. */
static char *sample(size_t *size)
{
    static char longest_key[RCUINFO_MAX_KEY], longest_value[RCUINFO_MAX_VALUE];
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t info;
    memset(longest_key, 'k', sizeof longest_key - 1);
    memset(longest_value, 'v', sizeof longest_value - 1);
    const rcuinfo_change_t pairs[] = {{"access_style", "write_once,random"}, {"x", ""}, {longest_key, longest_value}};
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_update(info, pairs, 3, NULL));
    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
    *size = rcuinfo_pack_size(snapshot);
    char *bytes = guard_new(*size + 1);
    CHECK_OK(rcuinfo_pack(snapshot, *size, bytes));
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_free(&info));
    return bytes;
}

/* Too short by any number of bytes, or too long: with the header as it was, and with one that is made right again. */
static void truncated_anywhere(void)
{
    size_t size;
    char *bytes = sample(&size), *sealed = guard_new(size + 1);
    CHECK_FAULT(refused(bytes, size + 1), "the size in the header is not the number of bytes", 16);
    for (size_t cut = 0; cut < size; cut++) {
        rcuinfo_fault_t fault = refused(bytes, cut);
        CHECK_EQUAL(fault.offset, cut < PACKED_HEADER ? cut : PACKED_TOTAL);
        if (cut < PACKED_HEADER)
            continue;
        memcpy(sealed, bytes, cut);
        packed_seal(sealed, cut);
        (void)refused(sealed, cut);
    }
    guard_free(bytes);
    guard_free(sealed);
}

static void each_byte_changed(void)
{
    size_t size;
    char *bytes = sample(&size);
    for (size_t at = 0; at < size; at++) {
        for (int change = 1; change < 256; change = change < 128 ? 2 * change : change + 127) {
            bytes[at] = (char)(bytes[at] ^ change);
            rcuinfo_fault_t fault = refused(bytes, size);
            if (at >= PACKED_PAIRS)
                CHECK_EQUAL(fault.offset, PACKED_SUM);
            bytes[at] = (char)(bytes[at] ^ change);
        }
    }
    guard_free(bytes);
}

/* The shortest pairs there can be, as many as fit, and as many of the same key: the worst that bytes can ask for. */
static void memory_is_bounded_by_the_bytes(void)
{
    static char bytes[PACKED_HEADER + 8 * 65536];
    for (uint32_t n = 1; n <= 65536; n *= 4) {
        size_t size = PACKED_HEADER + 8 * (size_t)n;
        rcuinfo_t info;
        for (uint32_t i = 0; i < n; i++)
            memcpy(bytes + PACKED_HEADER + 8 * (size_t)i, "\2\0\0\0kk\0\0", 8);
        packed_head(bytes, size, n);
        if (n > 1)
            CHECK_FAULT(refused(bytes, size), "a duplicate key", PACKED_HEADER + 8);
        for (uint32_t i = 0; i < n; i++) {
            bytes[PACKED_HEADER + 8 * (size_t)i + 4] = (char)(1 + i % 255);
            bytes[PACKED_HEADER + 8 * (size_t)i + 5] = (char)(1 + i / 255 % 255);
        }
        if (n > 65025)
            continue; /* there are no more keys of two bytes */
        packed_head(bytes, size, n);
        asked_begin();
        CHECK_OK(rcuinfo_unpack(bytes, size, &info, NULL));
        CHECK(asked_bytes() > size); /* it is counted at all */
        CHECK(asked_bytes() <= ASKED_MOST(size));
        CHECK_OK(rcuinfo_free(&info));
    }
}

int main(void)
{
    each_fault_has_its_sentence_and_place();
    header_is_looked_at_first();
    truncated_anywhere();
    each_byte_changed();
    memory_is_bounded_by_the_bytes();
    return 0;
}
