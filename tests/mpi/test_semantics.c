/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arguments that each call accepts and rejects under the flavour's limits, and the error codes; a rejected call
 * changes and writes nothing. The exact bytes that the reading calls write: each output buffer has just the documented
 * size. core.differential tests the pairs of objects and duplicates, mpi.bad_handles the handles that name no object.
 */
#include <limits.h>

#include "support/contents.h"
#include "support/guard.h"
#include "support/phases.h"

static const char TEXT[] = "value of 20 bytes...";
enum { LENGTH = sizeof TEXT - 1 };

static MPI_Info make_sample(void)
{
    return make_info({"first", "1"}, {"text", TEXT}, {"empty", ""}, {"last", "9"});
}

/* Every call returns keys whole (trap 3: some get_nthkey cut them), and get_nthkey writes nothing after the NUL. A key
 * without its last byte is a different key. */
static void keys_up_to_the_limit(void)
{
    const size_t sizes[] = {1, 2, 31, KEY_LIMIT - 2, KEY_LIMIT - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *key = make_text(sizes[i], 'k', 'z'), *read = guard_new(sizes[i] + 1), value[6] = "";
        MPI_Info info = make_info({"before", "1"}, {key, "value"}), copy = MPI_INFO_NULL;
        int flag = 7, size = 6;
        CHECK_CONTENTS(info, {"before", "1"}, {key, "value"});
        CHECK_MPI(MPI_Info_get_nthkey(info, 1, read), MPI_SUCCESS);
        CHECK_TEXT(read, key);
        CHECK(guard_intact(read, sizes[i] + 1, sizes[i] + 1));
        CHECK_MPI(MPI_Info_get_string(info, key, &size, value, &flag), MPI_SUCCESS);
        CHECK(flag == 1 && size == 6 && strcmp(value, "value") == 0);
        CHECK_MPI(MPI_Info_dup(info, &copy), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_delete(info, key), MPI_SUCCESS);
        CHECK_CONTENTS(info, {"before", "1"});
        CHECK_CONTENTS(copy, {"before", "1"}, {key, "value"});
        key[sizes[i] - 1] = '\0';
        if (*key)
            CHECK_MPI(MPI_Info_delete(copy, key), MPI_ERR_INFO_NOKEY);
        free_info(info);
        free_info(copy);
        guard_free(read);
        free(key);
    }
}

static void values_up_to_the_limit(void)
{
    const size_t sizes[] = {0, 1, 127, 128, 129, VALUE_LIMIT - 2, VALUE_LIMIT - 1};
    MPI_Info info = make_info({"before", "1"}, {"key", "old"}, {"after", "2"});
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *value = make_text(sizes[i], 'v', 'z');
        CHECK_MPI(MPI_Info_set(info, "key", value), MPI_SUCCESS);
        CHECK_CONTENTS(info, {"before", "1"}, {"key", value}, {"after", "2"});
        free(value);
    }
    free_info(info);
}

/* Every call rejects an empty key, and keys and values that are NULL or too long, and has no effect then. */
static void invalid_keys_and_values_are_refused(void)
{
    const size_t limits[] = {KEY_LIMIT, KEY_LIMIT + 1, 1 << 20, VALUE_LIMIT, VALUE_LIMIT + 1, 1 << 20};
    MPI_Info info = make_info({"a", "1"}, {"b", "2"});
    for (size_t i = 0; i < 8; i++) {
        char *text = i < 6 ? make_text(limits[i], 'k', 'k') : i == 6 ? make_text(0, 'k', 'k') : NULL;
        char value[8] = "before";
        int flag = 77, number = 7;
        if (i < 3 || i >= 6) {
            CHECK_MPI(MPI_Info_set(info, text, "value"), MPI_ERR_INFO_KEY);
            CHECK_MPI(MPI_Info_delete(info, text), MPI_ERR_INFO_KEY);
            CHECK_MPI(MPI_Info_get(info, text, 7, value, &flag), MPI_ERR_INFO_KEY);
            CHECK_MPI(MPI_Info_get_valuelen(info, text, &number, &flag), MPI_ERR_INFO_KEY);
            CHECK_MPI(MPI_Info_get_string(info, text, &number, value, &flag), MPI_ERR_INFO_KEY);
        }
        if ((i >= 3 && i < 6) || !text) {
            CHECK_MPI(MPI_Info_set(info, "a", text), MPI_ERR_INFO_VALUE);
            CHECK_MPI(MPI_Info_set(info, "new", text), MPI_ERR_INFO_VALUE);
        }
        CHECK_TEXT(value, "before");
        CHECK(flag == 77 && number == 7);
        CHECK_CONTENTS(info, {"a", "1"}, {"b", "2"});
        free(text);
    }
    free_info(info);
}

/* get and get_string write the value, cut to the room, and a NUL, and never pad, however large the stated buffer. A cut
 * value is no error, and without room the value is an empty string. (Trap 10: some libraries do not set the flag then.)
 * The size of get_string includes the NUL; it returns the size needed, and at size 0 writes no value. */
static void reads_cut_and_never_pad(void)
{
    static const int rooms[] = {0, 1, LENGTH - 1, LENGTH, LENGTH + 1, INT_MAX - 1, INT_MAX};
    MPI_Info info = make_sample();
    for (size_t n = 0; n < 4 * sizeof rooms / sizeof *rooms; n++) {
        const char *key = n & 1 ? "text" : "empty";
        int length = n & 1 ? LENGTH : 0, room = rooms[n / 4], flag = 77, size = room < INT_MAX ? room + 1 : room;
        size_t copied = (size_t)(room < length ? room : length),
               bytes = room < length + 2 ? (size_t)room + 1 : copied + 1;
        char *value = guard_new(bytes), *none = guard_new(0);
        if (n & 2)
            CHECK_MPI(MPI_Info_get(info, key, room, value, &flag), MPI_SUCCESS);
        else
            CHECK_MPI(MPI_Info_get_string(info, key, &size, value, &flag), MPI_SUCCESS);
        CHECK(flag == 1 && (n & 2 || size == length + 1));
        CHECK(memcmp(value, TEXT, copied) == 0 && value[copied] == '\0');
        CHECK(guard_intact(value, bytes, copied + 1));
        size = 0;
        flag = 77;
        CHECK_MPI(MPI_Info_get_string(info, key, &size, n & 2 ? none : NULL, &flag), MPI_SUCCESS);
        CHECK(flag == 1 && size == length + 1 && guard_intact(none, 0, 0));
        size = 0;
        CHECK_MPI(MPI_Info_get_string(info, "absent", &size, n & 2 ? none : NULL, &flag), MPI_SUCCESS);
        CHECK(flag == 0 && size == 0 && guard_intact(none, 0, 0));
        guard_free(value);
        guard_free(none);
    }
    free_info(info);
}

static void negative_lengths(void)
{
    static const char *const keys[] = {"text", "empty", "absent"};
    static const int lengths[] = {-1, -2, -1024, INT_MIN + 1, INT_MIN};
    MPI_Info info = make_sample();
    for (size_t i = 0; i < 15; i++) {
        const char *key = keys[i % 3];
        char *value = guard_new(1);
        int flag = 77, size = lengths[i / 3];
        CHECK_MPI(MPI_Info_get(info, key, size, value, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_string(info, key, &size, value, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_string(info, key, &size, NULL, &flag), MPI_ERR_ARG);
        CHECK(flag == 77 && size == lengths[i / 3] && guard_intact(value, 1, 0));
        guard_free(value);
    }
    free_info(info);
}

/* Negative and too large numbers; and, as keys are deleted from the end, the first number that is too large. */
static void get_nthkey_out_of_range(void)
{
    static const char *const keys[] = {"first", "text", "empty", "last"};
    const int bad[] = {-1, -2, INT_MIN, 4, 5, 1 << 20, INT_MAX};
    MPI_Info info = make_sample();
    char *key = guard_new(KEY_LIMIT);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_MPI(MPI_Info_get_nthkey(info, bad[i], key), MPI_ERR_ARG);
    for (int n = 3; n >= 0; n--) {
        CHECK_MPI(MPI_Info_delete(info, keys[n]), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_get_nthkey(info, n, key), MPI_ERR_ARG);
    }
    CHECK(guard_intact(key, KEY_LIMIT, 0));
    guard_free(key);
    free_info(info);
}

static test_function *const tests[] = {
    keys_up_to_the_limit,    values_up_to_the_limit, invalid_keys_and_values_are_refused,
    reads_cut_and_never_pad, negative_lengths,       get_nthkey_out_of_range,
};

PHASES_MAIN(tests)
