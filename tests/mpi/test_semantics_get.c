/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the reading calls return and exactly which bytes they write: truncation, sizes in and out, keys that are not
 * there, numbers out of range. Every output buffer has exactly the promised size.
 */
#include <limits.h>

#include "support/contents.h"
#include "support/guard.h"

static const char TEXT[] = "value of 20 bytes...";
#define TEXT_LENGTH ((int)sizeof TEXT - 1)

static MPI_Info make_sample(void)
{
    return make_info({"first", "1"}, {"text", TEXT}, {"empty", ""}, {"last", "9"});
}

/* At most valuelen bytes and the NUL are written, never more than the value and its NUL; a cut value is no error. */
static void get_truncates(void **state)
{
    MPI_Info info = make_sample();
    (void)state;
    for (int valuelen = 0; valuelen <= TEXT_LENGTH + 3; valuelen++) {
        int copied = valuelen < TEXT_LENGTH ? valuelen : TEXT_LENGTH, flag = 77;
        char *value = guard_new((size_t)valuelen + 1);
        assert_int_equal(MPI_Info_get(info, "text", valuelen, value, &flag), MPI_SUCCESS);
        assert_true(flag != 0 && flag != 77);
        assert_memory_equal(value, TEXT, (size_t)copied);
        assert_int_equal(value[copied], '\0');
        assert_true(guard_intact(value, (size_t)valuelen + 1, (size_t)copied + 1));
        guard_free(value);
    }
    free_info(info);
}

/* A huge valuelen is a promise about the buffer, and no reason to write to it. */
static void get_never_pads(void **state)
{
    MPI_Info info = make_sample();
    const int lengths[] = {TEXT_LENGTH, 1 << 20, INT_MAX - 1, INT_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char *value = guard_new((size_t)TEXT_LENGTH + 1), *nothing = guard_new(1);
        int flag = 77;
        assert_int_equal(MPI_Info_get(info, "text", lengths[i], value, &flag), MPI_SUCCESS);
        assert_true(flag == 1 && strcmp(value, TEXT) == 0);
        assert_true(guard_intact(value, (size_t)TEXT_LENGTH + 1, (size_t)TEXT_LENGTH + 1));
        assert_int_equal(MPI_Info_get(info, "empty", lengths[i], nothing, &flag), MPI_SUCCESS);
        assert_true(flag == 1 && nothing[0] == '\0' && guard_intact(nothing, 1, 1));
        guard_free(value);
        guard_free(nothing);
    }
    free_info(info);
}

/* valuelen 0: an empty string and a flag (trap 10: a flag that stays unset elsewhere). */
static void get_of_no_bytes(void **state)
{
    MPI_Info info = make_sample();
    char *value = guard_new(1);
    int flag = 77;
    (void)state;
    assert_int_equal(MPI_Info_get(info, "text", 0, value, &flag), MPI_SUCCESS);
    assert_true(flag == 1 && value[0] == '\0' && guard_intact(value, 1, 1));
    value[0] = 'x';
    assert_int_equal(MPI_Info_get(info, "absent", 0, value, &flag), MPI_SUCCESS);
    assert_true(flag == 0 && value[0] == 'x');
    guard_free(value);
    free_info(info);
}

static void reads_of_what_is_not_there(void **state)
{
    static const char *const keys[] = {"absent", "tex", "textt", "TEXT", " text", "text "};
    MPI_Info info = make_sample(), empty = make_empty();
    (void)state;
    for (size_t i = 0; i < 2 * sizeof keys / sizeof *keys; i++) {
        MPI_Info object = i % 2 ? info : empty;
        const char *key = keys[i / 2];
        char *value = guard_new(8);
        int flag = 77, length = 55, size = 8;
        assert_int_equal(MPI_Info_get(object, key, 7, value, &flag), MPI_SUCCESS);
        assert_int_equal(flag, 0);
        flag = 77;
        assert_int_equal(MPI_Info_get_valuelen(object, key, &length, &flag), MPI_SUCCESS);
        assert_true(flag == 0 && length == 55);
        flag = 77;
        assert_int_equal(MPI_Info_get_string(object, key, &size, value, &flag), MPI_SUCCESS);
        assert_true(flag == 0 && size == 8);
        size = 0;
        flag = 77;
        assert_int_equal(MPI_Info_get_string(object, key, &size, NULL, &flag), MPI_SUCCESS);
        assert_true(flag == 0 && size == 0);
        assert_true(guard_intact(value, 8, 0));
        guard_free(value);
    }
    free_info(info);
    free_info(empty);
}

static void get_valuelen_is_without_the_nul(void **state)
{
    MPI_Info info = make_sample();
    int length = -1, flag = 77;
    (void)state;
    assert_int_equal(MPI_Info_get_valuelen(info, "text", &length, &flag), MPI_SUCCESS);
    assert_true(flag == 1 && length == TEXT_LENGTH);
    flag = 77;
    assert_int_equal(MPI_Info_get_valuelen(info, "empty", &length, &flag), MPI_SUCCESS);
    assert_true(flag == 1 && length == 0);
    free_info(info);
}

/* Sizes in and out count the NUL; whatever the buffer, the size that comes out is the one needed. */
static void get_string_sizes(void **state)
{
    MPI_Info info = make_sample();
    (void)state;
    for (int size = 1; size <= TEXT_LENGTH + 4; size++) {
        int copied = size - 1 < TEXT_LENGTH ? size - 1 : TEXT_LENGTH, flag = 77, inout = size;
        char *value = guard_new((size_t)size);
        assert_int_equal(MPI_Info_get_string(info, "text", &inout, value, &flag), MPI_SUCCESS);
        assert_true(flag == 1 && inout == TEXT_LENGTH + 1);
        assert_memory_equal(value, TEXT, (size_t)copied);
        assert_int_equal(value[copied], '\0');
        assert_true(guard_intact(value, (size_t)size, (size_t)copied + 1));
        guard_free(value);
    }
    free_info(info);
}

static void get_string_asks_for_the_size(void **state)
{
    MPI_Info info = make_sample();
    char *value = guard_new(1);
    int size = 0, flag = 77;
    (void)state;
    assert_int_equal(MPI_Info_get_string(info, "text", &size, NULL, &flag), MPI_SUCCESS);
    assert_true(flag == 1 && size == TEXT_LENGTH + 1);
    size = 0;
    assert_int_equal(MPI_Info_get_string(info, "text", &size, value, &flag), MPI_SUCCESS);
    assert_true(flag == 1 && size == TEXT_LENGTH + 1 && guard_intact(value, 1, 0));
    size = 0;
    assert_int_equal(MPI_Info_get_string(info, "empty", &size, value, &flag), MPI_SUCCESS);
    assert_true(flag == 1 && size == 1 && guard_intact(value, 1, 0));
    size = 1;
    assert_int_equal(MPI_Info_get_string(info, "empty", &size, value, &flag), MPI_SUCCESS);
    assert_true(flag == 1 && size == 1 && value[0] == '\0' && guard_intact(value, 1, 1));
    guard_free(value);
    value = guard_new((size_t)TEXT_LENGTH + 1);
    size = INT_MAX;
    assert_int_equal(MPI_Info_get_string(info, "text", &size, value, &flag), MPI_SUCCESS);
    assert_true(flag == 1 && size == TEXT_LENGTH + 1 && strcmp(value, TEXT) == 0);
    assert_true(guard_intact(value, (size_t)TEXT_LENGTH + 1, (size_t)TEXT_LENGTH + 1));
    guard_free(value);
    free_info(info);
}

static void negative_lengths(void **state)
{
    static const char *const keys[] = {"text", "empty", "absent"};
    static const int lengths[] = {-1, -2, -1024, INT_MIN + 1, INT_MIN};
    MPI_Info info = make_sample();
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
            char *value = guard_new(1);
            int flag = 77, size = lengths[j];
            assert_int_equal(MPI_Info_get(info, keys[i], lengths[j], value, &flag), MPI_ERR_ARG);
            assert_int_equal(flag, 77);
            assert_int_equal(MPI_Info_get_string(info, keys[i], &size, value, &flag), MPI_ERR_ARG);
            assert_int_equal(MPI_Info_get_string(info, keys[i], &size, NULL, &flag), MPI_ERR_ARG);
            assert_true(flag == 77 && size == lengths[j] && guard_intact(value, 1, 0));
            guard_free(value);
        }
    }
    free_info(info);
}

static void get_nkeys_counts(void **state)
{
    MPI_Info info = make_empty();
    int nkeys = -1;
    (void)state;
    for (int i = 0; i < 100; i++) {
        char key[16];
        assert_int_equal(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
        assert_int_equal(nkeys, i);
        snprintf(key, sizeof key, "key%d", i);
        assert_int_equal(MPI_Info_set(info, key, "value"), MPI_SUCCESS);
        assert_int_equal(MPI_Info_set(info, key, "other"), MPI_SUCCESS);
    }
    for (int i = 99; i >= 0; i--) {
        char key[16];
        snprintf(key, sizeof key, "key%d", i);
        assert_int_equal(MPI_Info_delete(info, key), MPI_SUCCESS);
        assert_int_equal(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
        assert_int_equal(nkeys, i);
    }
    free_info(info);
}

static void get_nthkey_writes_the_key_and_its_nul(void **state)
{
    const size_t sizes[] = {1, 5, 31, KEY_LIMIT - 1};
    MPI_Info info = make_empty();
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *key = make_text(sizes[i], 'k', 'k');
        assert_int_equal(MPI_Info_set(info, key, "v"), MPI_SUCCESS);
        test_free(key);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *key = guard_new(sizes[i] + 1), *wide = guard_new(KEY_LIMIT);
        assert_int_equal(MPI_Info_get_nthkey(info, (int)i, key), MPI_SUCCESS);
        assert_int_equal(strlen(key), sizes[i]);
        assert_true(guard_intact(key, sizes[i] + 1, sizes[i] + 1));
        assert_int_equal(MPI_Info_get_nthkey(info, (int)i, wide), MPI_SUCCESS);
        assert_string_equal(wide, key);
        assert_true(guard_intact(wide, KEY_LIMIT, sizes[i] + 1));
        guard_free(key);
        guard_free(wide);
    }
    free_info(info);
}

static void get_nthkey_out_of_range(void **state)
{
    MPI_Info info = make_sample(), empty = make_empty();
    const int bad[] = {-1, -2, INT_MIN, 4, 5, 1 << 20, INT_MAX};
    char *key = guard_new(KEY_LIMIT);
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(MPI_Info_get_nthkey(info, bad[i], key), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_get_nthkey(empty, 0, key), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_get_nthkey(empty, -1, key), MPI_ERR_ARG);
    /* Down to the last key and past it. */
    assert_int_equal(MPI_Info_set(empty, "only", "1"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_get_nthkey(empty, 1, key), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_delete(empty, "only"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_get_nthkey(empty, 0, key), MPI_ERR_ARG);
    assert_true(guard_intact(key, KEY_LIMIT, 0));
    guard_free(key);
    free_info(info);
    free_info(empty);
}

/* get and get_valuelen agree, for every value length around the sizes at which storage changes. */
static void length_and_content_agree(void **state)
{
    MPI_Info info = make_empty();
    (void)state;
    for (size_t n = 0; n < VALUE_LIMIT; n += n < 300 ? 1 : 41) {
        char *text = make_text(n, 'v', 'z'), *value = guard_new(n + 1);
        int flag = 0, length = -1;
        assert_int_equal(MPI_Info_set(info, "key", text), MPI_SUCCESS);
        assert_int_equal(MPI_Info_get_valuelen(info, "key", &length, &flag), MPI_SUCCESS);
        assert_true(flag && length == (int)n);
        assert_int_equal(MPI_Info_get(info, "key", length, value, &flag), MPI_SUCCESS);
        assert_true(flag && strcmp(value, text) == 0);
        assert_true(guard_intact(value, n + 1, n + 1));
        guard_free(value);
        test_free(text);
    }
    free_info(info);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(get_truncates),
    cmocka_unit_test(get_never_pads),
    cmocka_unit_test(get_of_no_bytes),
    cmocka_unit_test(reads_of_what_is_not_there),
    cmocka_unit_test(get_valuelen_is_without_the_nul),
    cmocka_unit_test(get_string_sizes),
    cmocka_unit_test(get_string_asks_for_the_size),
    cmocka_unit_test(negative_lengths),
    cmocka_unit_test(get_nkeys_counts),
    cmocka_unit_test(get_nthkey_writes_the_key_and_its_nul),
    cmocka_unit_test(get_nthkey_out_of_range),
    cmocka_unit_test(length_and_content_agree),
};

PHASES_MAIN(tests)
