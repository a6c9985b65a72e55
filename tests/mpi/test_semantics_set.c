/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What set and delete do: what they accept, what they refuse and with which code, that a refusal changes nothing, and
 * the order of the keys that results; and what create, dup and free do: objects that are independent of each other.
 * What names no object is in mpi.bad_handles.
 */
#include "support/contents.h"
#include "support/phases.h"

static void set_adds_and_overrides_in_place(void)
{
    MPI_Info info = make_empty();
    CHECK_EMPTY(info);
    CHECK_MPI(MPI_Info_set(info, "one", "1"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"one", "1"});
    CHECK_MPI(MPI_Info_set(info, "two", "2"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_set(info, "three", "3"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_set(info, "one", "a longer value than before"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"one", "a longer value than before"}, {"two", "2"}, {"three", "3"});
    CHECK_MPI(MPI_Info_set(info, "two", ""), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"one", "a longer value than before"}, {"two", ""}, {"three", "3"});
    free_info(info);
}

static void delete_closes_the_gap(void)
{
    MPI_Info info = make_info({"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"});
    CHECK_MPI(MPI_Info_delete(info, "b"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"a", "1"}, {"c", "3"}, {"d", "4"});
    CHECK_MPI(MPI_Info_set(info, "b", "again"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"a", "1"}, {"c", "3"}, {"d", "4"}, {"b", "again"});
    CHECK_MPI(MPI_Info_delete(info, "a"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_delete(info, "b"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"c", "3"}, {"d", "4"});
    CHECK_MPI(MPI_Info_delete(info, "d"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_delete(info, "c"), MPI_SUCCESS);
    CHECK_EMPTY(info);
    CHECK_MPI(MPI_Info_set(info, "c", "new"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"c", "new"});
    free_info(info);
}

static void delete_of_what_is_not_there(void)
{
    MPI_Info info = make_empty();
    CHECK_MPI(MPI_Info_delete(info, "a"), MPI_ERR_INFO_NOKEY);
    CHECK_MPI(MPI_Info_set(info, "ab", "1"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_delete(info, "a"), MPI_ERR_INFO_NOKEY);
    CHECK_MPI(MPI_Info_delete(info, "abc"), MPI_ERR_INFO_NOKEY);
    CHECK_MPI(MPI_Info_delete(info, "AB"), MPI_ERR_INFO_NOKEY);
    CHECK_CONTENTS(info, {"ab", "1"});
    CHECK_MPI(MPI_Info_delete(info, "ab"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_delete(info, "ab"), MPI_ERR_INFO_NOKEY);
    free_info(info);
}

/* Keys of 1, limit - 2 and limit - 1 bytes come back whole through every call (trap 3: cut by get_nthkey elsewhere). */
static void keys_up_to_the_limit(void)
{
    const size_t sizes[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, KEY_LIMIT - 2, KEY_LIMIT - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *key = make_text(sizes[i], 'k', 'z'), *prefix = make_text(sizes[i], 'k', '\0');
        MPI_Info info = make_info({key, "value"}), copy = MPI_INFO_NULL;
        int flag = 0, size = 6;
        char value[6] = "";
        CHECK_CONTENTS(info, {key, "value"});
        CHECK_MPI(MPI_Info_get_string(info, key, &size, value, &flag), MPI_SUCCESS);
        CHECK(flag && size == 6 && strcmp(value, "value") == 0);
        CHECK_MPI(MPI_Info_dup(info, &copy), MPI_SUCCESS);
        CHECK_CONTENTS(copy, {key, "value"});
        if (sizes[i] > 1) {
            /* The key without its last byte is another key. */
            CHECK_MPI(MPI_Info_get(info, prefix, 5, value, &flag), MPI_SUCCESS);
            CHECK_EQUAL(flag, 0);
            CHECK_MPI(MPI_Info_set(info, prefix, "other"), MPI_SUCCESS);
            CHECK_CONTENTS(info, {key, "value"}, {prefix, "other"});
            CHECK_MPI(MPI_Info_delete(info, prefix), MPI_SUCCESS);
        }
        CHECK_MPI(MPI_Info_delete(info, key), MPI_SUCCESS);
        CHECK_EMPTY(info);
        free_info(info);
        free_info(copy);
        free(key);
        free(prefix);
    }
}

/* NULL, "" and keys at and over the limit: refused by every call that takes a key, and nothing shows of it. */
static void bad_keys(void)
{
    char *at_limit = make_text(KEY_LIMIT, 'k', 'k'), *over = make_text(KEY_LIMIT + 1, 'k', 'k');
    char *huge = make_text(1 << 20, 'k', 'k');
    const char *const keys[] = {NULL, "", at_limit, over, huge};
    MPI_Info info = make_info({"a", "1"}, {"b", "2"});
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char value[8] = "before";
        int flag = 77, number = 7;
        CHECK_MPI(MPI_Info_set(info, keys[i], "value"), MPI_ERR_INFO_KEY);
        CHECK_MPI(MPI_Info_delete(info, keys[i]), MPI_ERR_INFO_KEY);
        CHECK_MPI(MPI_Info_get(info, keys[i], 7, value, &flag), MPI_ERR_INFO_KEY);
        CHECK_MPI(MPI_Info_get_valuelen(info, keys[i], &number, &flag), MPI_ERR_INFO_KEY);
        CHECK_MPI(MPI_Info_get_string(info, keys[i], &number, value, &flag), MPI_ERR_INFO_KEY);
        CHECK_TEXT(value, "before");
        CHECK(flag == 77 && number == 7);
        CHECK_CONTENTS(info, {"a", "1"}, {"b", "2"});
    }
    free_info(info);
    free(at_limit);
    free(over);
    free(huge);
}

/* Every length around the sizes at which storage changes, some of the others, and the longest. */
static void values_up_to_the_limit(void)
{
    MPI_Info info = make_info({"before", "1"}, {"key", "old"}, {"after", "2"});
    for (size_t n = 0; n<VALUE_LIMIT; n += n> 300 && n + 25 < VALUE_LIMIT ? 25 : 1) {
        char *value = make_text(n, 'v', 'z'), *read = malloc(n + 1);
        int flag = 0, size = (int)n + 1;
        CHECK_MPI(MPI_Info_set(info, "key", value), MPI_SUCCESS);
        CHECK_CONTENTS(info, {"before", "1"}, {"key", value}, {"after", "2"});
        CHECK_MPI(MPI_Info_get_string(info, "key", &size, read, &flag), MPI_SUCCESS);
        CHECK(flag && size == (int)n + 1);
        CHECK_TEXT(read, value);
        free(read);
        free(value);
    }
    free_info(info);
}

static void bad_values(void)
{
    char *at_limit = make_text(VALUE_LIMIT, 'v', 'v'), *over = make_text(VALUE_LIMIT + 1, 'v', 'v');
    char *huge = make_text(1 << 20, 'v', 'v');
    const char *const values[] = {NULL, at_limit, over, huge};
    MPI_Info info = make_info({"a", "1"}, {"b", "2"});
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        CHECK_MPI(MPI_Info_set(info, "a", values[i]), MPI_ERR_INFO_VALUE);
        CHECK_MPI(MPI_Info_set(info, "new", values[i]), MPI_ERR_INFO_VALUE);
        CHECK_CONTENTS(info, {"a", "1"}, {"b", "2"});
    }
    free_info(info);
    free(at_limit);
    free(over);
    free(huge);
}

/* Case counts, blanks are not stripped, and any byte but NUL may stand in keys and values. */
static void bytes_are_kept_as_they_are(void)
{
    MPI_Info info = make_info({"key", "1"}, {"KEY", "2"}, {" key", "3"}, {"key ", "4"}, {" ", "5"}, {"=", "6"});
    CHECK_CONTENTS(info, {"key", "1"}, {"KEY", "2"}, {" key", "3"}, {"key ", "4"}, {" ", "5"}, {"=", "6"});
    CHECK_MPI(MPI_Info_set(info, "key", "  both ends  "), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_delete(info, "KEY"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"key", "  both ends  "}, {" key", "3"}, {"key ", "4"}, {" ", "5"}, {"=", "6"});
    free_info(info);
    for (unsigned first = 1; first < 256; first += 30) {
        char key[31] = "", value[31] = "";
        for (unsigned i = 0; i < 30; i++) {
            key[i] = (char)(first + i < 256 ? first + i : 1);
            value[29 - i] = key[i];
        }
        info = make_info({key, value});
        CHECK_CONTENTS(info, {key, value});
        free_info(info);
    }
}

/* Nobody knows these keys; they are kept all the same, and the caller's strings are neither kept nor written to. */
static void everything_is_retained_and_copied(void)
{
    char key[] = "which_accumulate_ops", value[] = "sum,max,cswap";
    MPI_Info info = make_info({"no_such_hint", "x"}, {key, value}, {"no_locks", "not a boolean"});
    CHECK_TEXT(key, "which_accumulate_ops");
    CHECK_TEXT(value, "sum,max,cswap");
    memset(key, 'K', sizeof key - 1);
    memset(value, 'V', sizeof value - 1);
    CHECK_CONTENTS(info, {"no_such_hint", "x"}, {"which_accumulate_ops", "sum,max,cswap"},
                   {"no_locks", "not a boolean"});
    free_info(info);
}

/* The order of some hundreds of keys through sets, overrides, deletes and dups. */
static void order_of_many_keys(void)
{
    enum { KEYS = 400 };
    char(*keys)[16] = calloc(KEYS, sizeof *keys), (*values)[16] = calloc(KEYS, sizeof *values);
    struct pair *pairs = calloc(KEYS, sizeof *pairs);
    MPI_Info info = make_empty(), copy = MPI_INFO_NULL;
    size_t n = 0;
    for (int i = 0; i < KEYS; i++) {
        snprintf(keys[i], sizeof keys[i], "key%d", i * 7919 % 1009);
        snprintf(values[i], sizeof values[i], "%d", i);
        CHECK_MPI(MPI_Info_set(info, keys[i], values[i]), MPI_SUCCESS);
        if (i < 70) {
            pairs[i] = (struct pair){keys[i], values[i]};
            contents_check(info, pairs, (size_t)i + 1, __FILE__, __LINE__);
        }
    }
    for (int i = 0; i < KEYS; i += 3) {
        snprintf(values[i], sizeof values[i], "override%d", i);
        CHECK_MPI(MPI_Info_set(info, keys[i], values[i]), MPI_SUCCESS);
    }
    for (int i = 0; i < KEYS; i++)
        pairs[i] = (struct pair){keys[i], values[i]};
    contents_check(info, pairs, KEYS, __FILE__, __LINE__);
    CHECK_MPI(MPI_Info_dup(info, &copy), MPI_SUCCESS);
    for (int i = 0; i < KEYS; i++) {
        if (i % 5 == 2 || i > 300)
            CHECK_MPI(MPI_Info_delete(info, keys[i]), MPI_SUCCESS);
        else
            pairs[n++] = (struct pair){keys[i], values[i]};
    }
    contents_check(info, pairs, n, __FILE__, __LINE__);
    CHECK_MPI(MPI_Info_set(info, keys[2], "back"), MPI_SUCCESS);
    pairs[n++] = (struct pair){keys[2], "back"};
    contents_check(info, pairs, n, __FILE__, __LINE__);
    for (int i = 0; i < KEYS; i++)
        pairs[i] = (struct pair){keys[i], values[i]};
    contents_check(copy, pairs, KEYS, __FILE__, __LINE__);
    free_info(info);
    contents_check(copy, pairs, KEYS, __FILE__, __LINE__);
    free_info(copy);
    free(keys);
    free(values);
    free(pairs);
}

static void create_gives_new_empty_objects(void)
{
    MPI_Info first = make_empty(), second = make_empty();
    CHECK(first != MPI_INFO_NULL && second != MPI_INFO_NULL && first != second);
    CHECK_MPI(MPI_Info_set(first, "key", "value"), MPI_SUCCESS);
    CHECK_CONTENTS(first, {"key", "value"});
    CHECK_EMPTY(second);
    free_info(first);
    CHECK_EMPTY(second);
    free_info(second);
}

static void dup_is_independent_both_ways(void)
{
    MPI_Info info = make_info({"a", "1"}, {"b", "2"}, {"c", "3"}), copy = MPI_INFO_NULL, third = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_dup(info, &copy), MPI_SUCCESS);
    CHECK(copy != info && copy != MPI_INFO_NULL);
    CHECK_CONTENTS(copy, {"a", "1"}, {"b", "2"}, {"c", "3"});
    /* Both override the same key of what they share. */
    CHECK_MPI(MPI_Info_set(info, "b", "of info"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_set(copy, "b", "of copy"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"a", "1"}, {"b", "of info"}, {"c", "3"});
    CHECK_CONTENTS(copy, {"a", "1"}, {"b", "of copy"}, {"c", "3"});
    CHECK_MPI(MPI_Info_dup(copy, &third), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_delete(copy, "a"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_set(info, "d", "4"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"a", "1"}, {"b", "of info"}, {"c", "3"}, {"d", "4"});
    CHECK_CONTENTS(copy, {"b", "of copy"}, {"c", "3"});
    CHECK_CONTENTS(third, {"a", "1"}, {"b", "of copy"}, {"c", "3"});
    free_info(info);
    free_info(copy);
    CHECK_CONTENTS(third, {"a", "1"}, {"b", "of copy"}, {"c", "3"});
    free_info(third);
}

static void dup_of_an_empty_object(void)
{
    MPI_Info info = make_empty(), copy = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_dup(info, &copy), MPI_SUCCESS);
    CHECK(copy != info);
    CHECK_EMPTY(copy);
    CHECK_MPI(MPI_Info_set(copy, "a", "1"), MPI_SUCCESS);
    CHECK_EMPTY(info);
    CHECK_CONTENTS(copy, {"a", "1"});
    free_info(info);
    free_info(copy);
}

/* Values large enough to be shared between versions outlive whichever object goes first. */
static void dup_shares_large_values_safely(void)
{
    char *large = make_text(VALUE_LIMIT - 1, 'l', 'L'), *other = make_text(VALUE_LIMIT - 1, 'o', 'O');
    MPI_Info info = make_info({"small", "1"}, {"large", large}, {"more", large}), copies[8];
    for (size_t i = 0; i < 8; i++) {
        CHECK_MPI(MPI_Info_dup(i ? copies[i - 1] : info, &copies[i]), MPI_SUCCESS);
        if (i % 2)
            CHECK_MPI(MPI_Info_set(copies[i], "large", other), MPI_SUCCESS);
    }
    free_info(info);
    for (size_t i = 0; i < 8; i++) {
        CHECK_CONTENTS(copies[i], {"small", "1"}, {"large", i ? other : large}, {"more", large});
        free_info(copies[i]);
    }
    free(large);
    free(other);
}

static void free_sets_the_handle_to_null(void)
{
    MPI_Info info = make_info({"a", "1"}), stale = info;
    CHECK_MPI(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK(info == MPI_INFO_NULL);
    CHECK_MPI(MPI_Info_free(&info), MPI_ERR_INFO);
    CHECK(info == MPI_INFO_NULL);
    info = stale;
    CHECK_MPI(MPI_Info_free(&info), MPI_ERR_INFO);
    CHECK(info == stale);
}

static void many_objects_at_once(void)
{
    enum { OBJECTS = 3000 };
    MPI_Info *infos = calloc(OBJECTS, sizeof *infos);
    char value[16];
    for (int i = 0; i < OBJECTS; i++) {
        if (i % 3 == 2)
            CHECK_MPI(MPI_Info_dup(infos[i - 1], &infos[i]), MPI_SUCCESS);
        else
            infos[i] = make_info({"a", "1"}, {"b", "2"});
        snprintf(value, sizeof value, "%d", i);
        CHECK_MPI(MPI_Info_set(infos[i], "b", value), MPI_SUCCESS);
    }
    for (int i = 0; i < OBJECTS; i += 2)
        free_info(infos[i]);
    for (int i = 1; i < OBJECTS; i += 2) {
        snprintf(value, sizeof value, "%d", i);
        CHECK_CONTENTS(infos[i], {"a", "1"}, {"b", value});
        free_info(infos[i]);
    }
    free(infos);
}

static test_function *const tests[] = {
    create_gives_new_empty_objects,
    dup_is_independent_both_ways,
    dup_of_an_empty_object,
    dup_shares_large_values_safely,
    free_sets_the_handle_to_null,
    many_objects_at_once,
    set_adds_and_overrides_in_place,
    delete_closes_the_gap,
    delete_of_what_is_not_there,
    keys_up_to_the_limit,
    bad_keys,
    values_up_to_the_limit,
    bad_values,
    bytes_are_kept_as_they_are,
    everything_is_retained_and_copied,
    order_of_many_keys,
};

PHASES_MAIN(tests)
