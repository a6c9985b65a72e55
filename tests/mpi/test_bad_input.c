/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every pointer NULL, one at a time, in every call, with the key there and not there, on writable and read-only
 * objects: a clear error, no output written, the object unchanged.
 */
#include "support/contents.h"
#include "support/guard.h"

static void null_outputs_of_get(void **state)
{
    static const char *const keys[] = {"a", "absent"};
    MPI_Info info = make_info({"a", "1"}), objects[2];
    (void)state;
    objects[0] = info;
    objects[1] = MPI_INFO_ENV;
    for (size_t i = 0; i < 4; i++) {
        MPI_Info object = objects[i / 2];
        const char *key = keys[i % 2];
        char *value = guard_new(4);
        int flag = 77, number = 3;
        assert_int_equal(MPI_Info_get(object, key, 3, NULL, &flag), MPI_ERR_ARG);
        assert_int_equal(MPI_Info_get(object, key, 0, NULL, &flag), MPI_ERR_ARG);
        assert_int_equal(MPI_Info_get(object, key, 3, value, NULL), MPI_ERR_ARG);
        assert_int_equal(MPI_Info_get_valuelen(object, key, NULL, &flag), MPI_ERR_ARG);
        assert_int_equal(MPI_Info_get_valuelen(object, key, &number, NULL), MPI_ERR_ARG);
        assert_int_equal(MPI_Info_get_string(object, key, NULL, value, &flag), MPI_ERR_ARG);
        assert_int_equal(MPI_Info_get_string(object, key, &number, NULL, &flag), MPI_ERR_ARG);
        assert_int_equal(MPI_Info_get_string(object, key, &number, value, NULL), MPI_ERR_ARG);
        assert_true(flag == 77 && number == 3 && guard_intact(value, 4, 0));
        number = 0;
        assert_int_equal(MPI_Info_get_string(object, key, &number, NULL, NULL), MPI_ERR_ARG);
        assert_int_equal(number, 0);
        guard_free(value);
    }
    assert_contents(info, {"a", "1"});
    free_info(info);
}

static void null_outputs_of_the_rest(void **state)
{
    MPI_Info info = make_info({"a", "1"});
    (void)state;
    assert_int_equal(MPI_Info_get_nkeys(info, NULL), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_get_nthkey(info, 0, NULL), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_get_nthkey(info, 7, NULL), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_dup(info, NULL), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_create(NULL), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_free(NULL), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_get_nkeys(MPI_INFO_ENV, NULL), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_get_nthkey(MPI_INFO_ENV, 0, NULL), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_dup(MPI_INFO_ENV, NULL), MPI_ERR_ARG);
    assert_contents(info, {"a", "1"});
    free_info(info);
}

static void null_inputs(void **state)
{
    MPI_Info info = make_info({"a", "1"});
    char *value = guard_new(4);
    int flag = 77, number = 3;
    (void)state;
    assert_int_equal(MPI_Info_set(info, NULL, "2"), MPI_ERR_INFO_KEY);
    assert_int_equal(MPI_Info_set(info, "a", NULL), MPI_ERR_INFO_VALUE);
    assert_int_equal(MPI_Info_set(info, "new", NULL), MPI_ERR_INFO_VALUE);
    assert_int_equal(MPI_Info_delete(info, NULL), MPI_ERR_INFO_KEY);
    assert_int_equal(MPI_Info_get(info, NULL, 3, value, &flag), MPI_ERR_INFO_KEY);
    assert_int_equal(MPI_Info_get_valuelen(info, NULL, &number, &flag), MPI_ERR_INFO_KEY);
    assert_int_equal(MPI_Info_get_string(info, NULL, &number, value, &flag), MPI_ERR_INFO_KEY);
    assert_true(flag == 77 && number == 3 && guard_intact(value, 4, 0));
    assert_contents(info, {"a", "1"});
    guard_free(value);
    free_info(info);
}

/* Several things wrong at once: an error, whichever, and nothing else. */
static void everything_wrong_at_once(void **state)
{
    MPI_Info info = make_info({"a", "1"}), stale = info, null = MPI_INFO_NULL;
    (void)state;
    free_info(info);
    for (int i = 0; i < 2; i++) {
        MPI_Info object = i ? stale : null;
        assert_int_not_equal(MPI_Info_set(object, NULL, NULL), MPI_SUCCESS);
        assert_int_not_equal(MPI_Info_set(object, "", NULL), MPI_SUCCESS);
        assert_int_not_equal(MPI_Info_delete(object, ""), MPI_SUCCESS);
        assert_int_not_equal(MPI_Info_get(object, NULL, -1, NULL, NULL), MPI_SUCCESS);
        assert_int_not_equal(MPI_Info_get_valuelen(object, NULL, NULL, NULL), MPI_SUCCESS);
        assert_int_not_equal(MPI_Info_get_string(object, NULL, NULL, NULL, NULL), MPI_SUCCESS);
        assert_int_not_equal(MPI_Info_get_nkeys(object, NULL), MPI_SUCCESS);
        assert_int_not_equal(MPI_Info_get_nthkey(object, -1, NULL), MPI_SUCCESS);
        assert_int_not_equal(MPI_Info_dup(object, NULL), MPI_SUCCESS);
    }
}

/* Inputs that are outputs as well: the key that get_nthkey wrote is the key that is set, a value is read over its key.
 */
static void overlapping_buffers(void **state)
{
    MPI_Info info = make_info({"a", "first"}, {"b", "second"});
    char text[MPI_MAX_INFO_KEY] = "";
    int flag = 0;
    (void)state;
    assert_int_equal(MPI_Info_get_nthkey(info, 1, text), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, text, text), MPI_SUCCESS);
    assert_contents(info, {"a", "first"}, {"b", "b"});
    strcpy(text, "a");
    assert_int_equal(MPI_Info_get(info, text, 5, text, &flag), MPI_SUCCESS);
    assert_true(flag == 1);
    assert_string_equal(text, "first");
    free_info(info);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(null_outputs_of_get), cmocka_unit_test(null_outputs_of_the_rest),
    cmocka_unit_test(null_inputs),         cmocka_unit_test(everything_wrong_at_once),
    cmocka_unit_test(overlapping_buffers),
};

PHASES_MAIN(tests)
