/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target text: keys and values of any bytes and lengths, under the limits of each flavour, through the calls that take
 * or give a text, with output buffers of any size; and the comparisons under them, against the C library's.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/layer.h"
#include "core/text.h"
#include "fuzz/fuzz.h"
#include "support/guard.h"

/* native and the standard ABI, MPICH, Open MPI */
static const struct rcuinfo__limits all_limits[] = {
    {256, 1024, RCUINFO__NATIVE_BITS}, {255, 1024, RCUINFO__NATIVE_BITS}, {36, 256, RCUINFO__NATIVE_BITS}};
enum { LONGEST = 1100 };

/* A text of the input or, since an input of this size is rare, one filled up to a length near a limit. */
static char *take_text(struct fuzz_input *in)
{
    size_t length = fuzz_size(in, 2) % LONGEST;
    if (fuzz_byte(in) & 1)
        return fuzz_text(in, length);
    char *text = malloc(length + 1);
    CHECK(text);
    memset(text, fuzz_byte(in) | 1, length);
    text[length] = '\0';
    return text;
}

static void check_lengths(const char *text, uint32_t limit)
{
    size_t length = strlen(text);
    CHECK(rcuinfo__text_key(text, limit) == (length < limit ? length : 0));
    CHECK(rcuinfo__text_value(text, limit) == (length < limit ? length : RCUINFO__TEXT_BAD));
}

/* Two texts of one length, each in a buffer of exactly that length; and one and itself with another byte at `place`. */
static void check_equal(const char *a, const char *b, size_t place)
{
    size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    char *left = guard_new(length), *right = guard_new(length);
    memcpy(left, a, length);
    memcpy(right, b, length);
    CHECK(rcuinfo__text_equal(left, right, length) == (memcmp(a, b, length) == 0));
    memcpy(right, a, length);
    CHECK(rcuinfo__text_equal(left, right, length));
    CHECK(rcuinfo__text_hash(left, length, 1) == rcuinfo__text_hash(right, length, 1));
    if (length) {
        right[place % length] ^= 1;
        CHECK(!rcuinfo__text_equal(left, right, length));
        right[place % length] ^= 1;
        right[length - 1] ^= 1;
        CHECK(!rcuinfo__text_equal(left, right, length));
    }
    guard_free(left);
    guard_free(right);
}

static void check_fingerprints(struct fuzz_input *in)
{
    uint8_t wanted = fuzz_byte(in);
    uint64_t words[2] = {0};
    uint32_t expected = 0;
    for (unsigned i = 0; i < 16; i++) {
        uint8_t byte = fuzz_byte(in);
        words[i / 8] |= (uint64_t)byte << 8 * (i % 8);
        expected |= (uint32_t)(byte == wanted) << i;
    }
    CHECK(rcuinfo__text_among16(words[0], words[1], wanted) == expected);
}

static void check_get(rcuinfo_t info, const char *key, const char *value, int size, struct rcuinfo__limits limits)
{
    int flag = 77, length = (int)strlen(value), room = size < 0 ? 0 : size;
    char *out = guard_new((size_t)room + 1);
    rcuinfo_status_t status = rcuinfo__get(info, key, size, out, &flag, limits);
    if (size < 0) {
        CHECK(status == RCUINFO_ERR_ARG && flag == 77 && guard_intact(out, 1, 0));
    } else {
        int copied = length < size ? length : size;
        CHECK(status == RCUINFO_SUCCESS && flag == 1);
        CHECK(memcmp(out, value, (size_t)copied) == 0 && out[copied] == '\0');
        CHECK(guard_intact(out, (size_t)room + 1, (size_t)copied + 1));
    }
    guard_free(out);
}

static void check_get_string(rcuinfo_t info, const char *key, const char *value, int size,
                             struct rcuinfo__limits limits)
{
    int flag = 77, length = (int)strlen(value), needed = size;
    size_t room = size > 0 ? (size_t)size : 0;
    char *out = guard_new(room);
    rcuinfo_status_t status = rcuinfo__get_string(info, key, &needed, size == 0 ? NULL : out, &flag, limits);
    if (size < 0) {
        CHECK(status == RCUINFO_ERR_ARG && flag == 77 && needed == size && guard_intact(out, 0, 0));
    } else {
        size_t copied = length < size ? (size_t)length : room - (room > 0);
        CHECK(status == RCUINFO_SUCCESS && flag == 1 && needed == length + 1);
        CHECK(!room || (memcmp(out, value, copied) == 0 && out[copied] == '\0'));
        CHECK(guard_intact(out, room, room ? copied + 1 : 0));
    }
    guard_free(out);
}

static void check_pair(const char *key, const char *value, int size, struct rcuinfo__limits limits)
{
    size_t key_length = strlen(key);
    int flag = 0, length = 0;
    rcuinfo_t info;
    CHECK_OK(rcuinfo_create(&info));
    rcuinfo_status_t status = rcuinfo__set(info, key, value, limits);
    if (key_length == 0 || key_length >= limits.key) {
        CHECK(status == RCUINFO_ERR_KEY);
    } else if (strlen(value) >= limits.value) {
        CHECK(status == RCUINFO_ERR_VALUE);
    } else {
        char *out = guard_new(key_length + 1);
        CHECK(status == RCUINFO_SUCCESS);
        CHECK_OK(rcuinfo__get_nthkey(info, 0, out, limits));
        CHECK(strcmp(out, key) == 0 && guard_intact(out, key_length + 1, key_length + 1));
        guard_free(out);
        CHECK_OK(rcuinfo__get_valuelen(info, key, &length, &flag, limits));
        CHECK(flag == 1 && length == (int)strlen(value));
        check_get(info, key, value, size, limits);
        check_get_string(info, key, value, size, limits);
        CHECK_OK(rcuinfo__delete(info, key, limits));
    }
    CHECK_STATUS(rcuinfo_get_nthkey(info, 0, NULL), RCUINFO_ERR_ARG);
    CHECK_OK(rcuinfo_free(&info));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    struct rcuinfo__limits limits = all_limits[fuzz_byte(&in) % (sizeof all_limits / sizeof *all_limits)];
    int room = (int)(int16_t)fuzz_number(&in, 2) % LONGEST;
    char *key = take_text(&in), *value = take_text(&in);
    check_fingerprints(&in);
    check_lengths(key, limits.key);
    check_lengths(value, limits.value);
    check_equal(key, value, fuzz_byte(&in));
    check_pair(key, value, room, limits);
    free(key);
    free(value);
    return 0;
}
