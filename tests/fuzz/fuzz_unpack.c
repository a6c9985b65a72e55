/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target unpack: unpacks any bytes; any bytes under a valid header, so that the pairs are reached; or valid pairs with
 * some changes. Bytes that a naive parser accepts must unpack, and pack to the same bytes again; others must give a
 * fault within them. The memory that unpack allocates is bounded by the size of the input.
 */
#include <rcuinfo/rcuinfo.h>

#include "fuzz/fuzz.h"
#include "pack/packed.h"

static uint64_t number(const unsigned char *at, int bytes)
{
    uint64_t n = 0;
    for (int i = bytes; i-- > 0;)
        n = n * 256 + at[i];
    return n;
}

/* Whether there are `left` valid pairs from `at` to the end. The first pair of all is at `first`. */
static bool pairs_valid(const unsigned char *bytes, size_t size, size_t at, size_t first, uint64_t left)
{
    for (; left > 0; left--) {
        if (size - at < 4)
            return false;
        size_t key = (size_t)number(bytes + at, 2), value = (size_t)number(bytes + at + 2, 2),
               length = 4 + key + 1 + value + 1;
        const unsigned char *text = bytes + at + 4;
        if (key < 1 || key > 255 || value > 1023 || size - at < length)
            return false;
        if (strnlen((const char *)text, key + 1) != key || strnlen((const char *)text + key + 1, value + 1) != value)
            return false;
        for (size_t other = first; other < at;) {
            size_t other_key = (size_t)number(bytes + other, 2);
            if (other_key == key && memcmp(bytes + other + 4, text, key) == 0)
                return false;
            other += 4 + other_key + 1 + (size_t)number(bytes + other + 2, 2) + 1;
        }
        at += length;
    }
    return at == size;
}

static bool valid(const unsigned char *bytes, size_t size)
{
    return size >= PACKED_HEADER && memcmp(bytes, "RCUI\1\0\0\0", 8) == 0 && number(bytes + PACKED_TOTAL, 8) == size &&
           number(bytes + PACKED_SUM, 8) == rcuinfo__text_checksum(bytes + PACKED_TOTAL, size - PACKED_TOTAL) &&
           pairs_valid(bytes, size, PACKED_HEADER, PACKED_HEADER, number(bytes + PACKED_PAIRS, 4));
}

static void check_packs_again(rcuinfo_t info, const char *bytes, size_t size)
{
    const rcuinfo_snapshot_t *snapshot;
    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
    CHECK(rcuinfo_snapshot_count(snapshot) == number((const unsigned char *)bytes + PACKED_PAIRS, 4));
    CHECK(rcuinfo_pack_size(snapshot) == size);
    char *again = malloc(size);
    CHECK(again);
    CHECK_OK(rcuinfo_pack(snapshot, again, size));
    CHECK(memcmp(again, bytes, size) == 0);
    free(again);
    rcuinfo_snapshot_close(snapshot);
}

/* `bytes` is a heap block of exactly `size` bytes, so that AddressSanitizer detects a read beyond the end. */
static void check(const char *bytes, size_t size)
{
    rcuinfo_fault_t fault = {.what = NULL};
    rcuinfo_t info = 77;
    asked_bytes = 0;
    rcuinfo_status_t status = rcuinfo_unpack(bytes, size, &info, &fault);
    CHECKF(asked_bytes <= ASKED_MOST(size), "%zu bytes allocated for %zu bytes of input", asked_bytes, size);
    if (valid((const unsigned char *)bytes, size)) {
        CHECK(status == RCUINFO_SUCCESS && !fault.what);
        check_packs_again(info, bytes, size);
        CHECK_OK(rcuinfo_free(&info));
    } else {
        CHECK(status == RCUINFO_ERR_FORMAT && info == RCUINFO_NULL);
        CHECK(fault.what && fault.line == 0 && fault.offset <= size);
    }
    CHECK(rcuinfo_store_drain() == 0);
}

/* Makes valid pairs, short and long ones. Returns their number. */
static uint32_t make_pairs(struct fuzz_input *in, char *bytes, size_t most, size_t *size)
{
    uint32_t pairs = 0;
    *size = PACKED_HEADER;
    while (in->left > 4 && *size + 4 + 256 + 1024 <= most) {
        uint8_t kind = fuzz_byte(in);
        size_t key = 1 + fuzz_size(in, kind & 1) % 255, value = fuzz_size(in, kind & 2 ? 2 : 1) % 1024;
        char *at = bytes + *size;
        packed_number(at, key, 2);
        packed_number(at + 2, value, 2);
        memset(at + 4, 1 + fuzz_byte(in) % 255, key);
        memset(at + 4 + key + 1, 1 + fuzz_byte(in) % 255, value);
        at[4 + key] = at[4 + key + 1 + value] = '\0';
        *size += 4 + key + 1 + value + 1;
        pairs++;
    }
    return pairs;
}

/* Checks pairs of make_pairs, after the input may have changed their number in the header, the size, or one byte. */
static void check_changed(struct fuzz_input *in)
{
    enum { MOST = 1 << 14 };
    uint8_t what = fuzz_byte(in);
    size_t place = fuzz_size(in, 2), size;
    uint8_t to = fuzz_byte(in);
    char *bytes = malloc(MOST);
    CHECK(bytes);
    uint32_t pairs = make_pairs(in, bytes, MOST, &size);
    if (what & 1)
        pairs += to - UINT32_C(128);
    if (what & 2)
        size -= size > PACKED_HEADER ? place % (size - PACKED_HEADER) : 0;
    if (what & 4 && size > PACKED_HEADER)
        bytes[PACKED_HEADER + place % (size - PACKED_HEADER)] = (char)to;
    packed_head(bytes, size, pairs);
    CHECK(bytes = realloc(bytes, size));
    check(bytes, size);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    uint8_t way = fuzz_byte(&in);
    if (way % 3 == 2) {
        check_changed(&in);
        return 0;
    }
    size_t got;
    char *bytes = fuzz_bytes(&in, in.left, &got);
    if (way % 3 == 1 && got >= PACKED_HEADER)
        packed_head(bytes, got, (uint32_t)number((const unsigned char *)bytes + PACKED_PAIRS, 4));
    check(bytes, got);
    free(bytes);
    return 0;
}
