/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the reading calls return and exactly which bytes they write: truncation, sizes in and out, keys that are not
 * there, numbers out of range. Every output buffer has exactly the promised size.
 */
#include <limits.h>

#include "support/contents.h"
#include "support/guard.h"
#include "support/phases.h"

static const char TEXT[] = "value of 20 bytes...";
#define TEXT_LENGTH ((int)sizeof TEXT - 1)

static MPI_Info make_sample(void)
{
    return make_info({"first", "1"}, {"text", TEXT}, {"empty", ""}, {"last", "9"});
}

/* At most valuelen bytes and the NUL are written, never more than the value and its NUL, however large valuelen is; a
 * cut value is no error, and valuelen 0 gives an empty string (trap 10: a flag that stays unset elsewhere). */
static void get_truncates_and_never_pads(void)
{
    static const int large[] = {1 << 20, INT_MAX - 1, INT_MAX};
    MPI_Info info = make_sample();
    for (int n = 0; n < 2 * (TEXT_LENGTH + 7); n++) {
        int length = n % 2 ? TEXT_LENGTH : 0, valuelen = n / 2, flag = 77;
        size_t size = (size_t)(valuelen < length + 3 ? valuelen : length) + 1;
        if (valuelen > TEXT_LENGTH + 3)
            valuelen = large[valuelen - TEXT_LENGTH - 4];
        int copied = valuelen < length ? valuelen : length;
        char *value = guard_new(size);
        CHECK_MPI(MPI_Info_get(info, length ? "text" : "empty", valuelen, value, &flag), MPI_SUCCESS);
        CHECK_EQUAL(flag, 1);
        CHECK(memcmp(value, TEXT, (size_t)copied) == 0);
        CHECK_EQUAL(value[copied], '\0');
        CHECK(guard_intact(value, size, (size_t)copied + 1));
        guard_free(value);
    }
    free_info(info);
}

static void reads_of_what_is_not_there(void)
{
    static const char *const keys[] = {"absent", "tex", "textt", "TEXT", " text", "text "};
    MPI_Info info = make_sample(), empty = make_empty();
    for (size_t i = 0; i < 2 * sizeof keys / sizeof *keys; i++) {
        MPI_Info object = i % 2 ? info : empty;
        const char *key = keys[i / 2];
        char *value = guard_new(8);
        int flag = 77, length = 55, size = 8;
        CHECK_MPI(MPI_Info_get(object, key, 7, value, &flag), MPI_SUCCESS);
        CHECK_EQUAL(flag, 0);
        flag = 77;
        CHECK_MPI(MPI_Info_get(object, key, 0, value, &flag), MPI_SUCCESS);
        CHECK_EQUAL(flag, 0);
        flag = 77;
        CHECK_MPI(MPI_Info_get_valuelen(object, key, &length, &flag), MPI_SUCCESS);
        CHECK(flag == 0 && length == 55);
        flag = 77;
        CHECK_MPI(MPI_Info_get_string(object, key, &size, value, &flag), MPI_SUCCESS);
        CHECK(flag == 0 && size == 8);
        size = 0;
        flag = 77;
        CHECK_MPI(MPI_Info_get_string(object, key, &size, NULL, &flag), MPI_SUCCESS);
        CHECK(flag == 0 && size == 0);
        CHECK(guard_intact(value, 8, 0));
        guard_free(value);
    }
    free_info(info);
    free_info(empty);
}

static void get_valuelen_is_without_the_nul(void)
{
    MPI_Info info = make_sample();
    int length = -1, flag = 77;
    CHECK_MPI(MPI_Info_get_valuelen(info, "text", &length, &flag), MPI_SUCCESS);
    CHECK(flag == 1 && length == TEXT_LENGTH);
    flag = 77;
    CHECK_MPI(MPI_Info_get_valuelen(info, "empty", &length, &flag), MPI_SUCCESS);
    CHECK(flag == 1 && length == 0);
    free_info(info);
}

/* Sizes in and out count the NUL; whatever the buffer, the size that comes out is the one needed. Size 0 asks for it,
 * and nothing is written. */
static void get_string_sizes(void)
{
    MPI_Info info = make_sample();
    for (int n = 0; n < 2 * (TEXT_LENGTH + 6); n++) {
        int length = n % 2 ? TEXT_LENGTH : 0, size = n / 2 > TEXT_LENGTH + 4 ? INT_MAX : n / 2, flag = 77, inout = size;
        int written = size <= length ? size : length + 1;
        size_t room = size < length + 4 ? (size_t)size : (size_t)length + 1;
        const char *key = length ? "text" : "empty";
        char *value = guard_new(room);
        CHECK_MPI(MPI_Info_get_string(info, key, &inout, value, &flag), MPI_SUCCESS);
        CHECK(flag == 1 && inout == length + 1);
        if (written > 0) {
            CHECK(memcmp(value, TEXT, (size_t)written - 1) == 0);
            CHECK_EQUAL(value[written - 1], '\0');
        }
        CHECK(guard_intact(value, room, (size_t)written));
        guard_free(value);
        inout = 0;
        CHECK_MPI(MPI_Info_get_string(info, key, &inout, NULL, &flag), MPI_SUCCESS);
        CHECK(flag == 1 && inout == length + 1);
    }
    free_info(info);
}

static void negative_lengths(void)
{
    static const char *const keys[] = {"text", "empty", "absent"};
    static const int lengths[] = {-1, -2, -1024, INT_MIN + 1, INT_MIN};
    MPI_Info info = make_sample();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
            char *value = guard_new(1);
            int flag = 77, size = lengths[j];
            CHECK_MPI(MPI_Info_get(info, keys[i], lengths[j], value, &flag), MPI_ERR_ARG);
            CHECK_EQUAL(flag, 77);
            CHECK_MPI(MPI_Info_get_string(info, keys[i], &size, value, &flag), MPI_ERR_ARG);
            CHECK_MPI(MPI_Info_get_string(info, keys[i], &size, NULL, &flag), MPI_ERR_ARG);
            CHECK(flag == 77 && size == lengths[j] && guard_intact(value, 1, 0));
            guard_free(value);
        }
    }
    free_info(info);
}

static void get_nthkey_writes_the_key_and_its_nul(void)
{
    const size_t sizes[] = {1, 5, 31, KEY_LIMIT - 1};
    MPI_Info info = make_empty();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *key = make_text(sizes[i], 'k', 'k');
        CHECK_MPI(MPI_Info_set(info, key, "v"), MPI_SUCCESS);
        free(key);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *key = guard_new(sizes[i] + 1), *wide = guard_new(KEY_LIMIT);
        CHECK_MPI(MPI_Info_get_nthkey(info, (int)i, key), MPI_SUCCESS);
        CHECK_EQUAL(strlen(key), sizes[i]);
        CHECK(guard_intact(key, sizes[i] + 1, sizes[i] + 1));
        CHECK_MPI(MPI_Info_get_nthkey(info, (int)i, wide), MPI_SUCCESS);
        CHECK_TEXT(wide, key);
        CHECK(guard_intact(wide, KEY_LIMIT, sizes[i] + 1));
        guard_free(key);
        guard_free(wide);
    }
    free_info(info);
}

static void get_nthkey_out_of_range(void)
{
    MPI_Info info = make_sample(), empty = make_empty();
    const int bad[] = {-1, -2, INT_MIN, 4, 5, 1 << 20, INT_MAX};
    char *key = guard_new(KEY_LIMIT);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_MPI(MPI_Info_get_nthkey(info, bad[i], key), MPI_ERR_ARG);
    CHECK_MPI(MPI_Info_get_nthkey(empty, 0, key), MPI_ERR_ARG);
    CHECK_MPI(MPI_Info_get_nthkey(empty, -1, key), MPI_ERR_ARG);
    /* Down to the last key and past it. */
    CHECK_MPI(MPI_Info_set(empty, "only", "1"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_get_nthkey(empty, 1, key), MPI_ERR_ARG);
    CHECK_MPI(MPI_Info_delete(empty, "only"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_get_nthkey(empty, 0, key), MPI_ERR_ARG);
    CHECK(guard_intact(key, KEY_LIMIT, 0));
    guard_free(key);
    free_info(info);
    free_info(empty);
}

static test_function *const tests[] = {
    get_truncates_and_never_pads,
    reads_of_what_is_not_there,
    get_valuelen_is_without_the_nul,
    get_string_sizes,
    negative_lengths,
    get_nthkey_writes_the_key_and_its_nul,
    get_nthkey_out_of_range,
};

PHASES_MAIN(tests)
