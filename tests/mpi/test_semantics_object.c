/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What create, dup and free do: objects that are independent of each other. What names none is in mpi.bad_handles.
 */
#include "support/contents.h"

static void create_gives_new_empty_objects(void **state)
{
    MPI_Info first = make_empty(), second = make_empty();
    (void)state;
    assert_true(first != MPI_INFO_NULL && second != MPI_INFO_NULL && first != second);
    assert_int_equal(MPI_Info_set(first, "key", "value"), MPI_SUCCESS);
    assert_contents(first, {"key", "value"});
    assert_empty(second);
    free_info(first);
    assert_empty(second);
    free_info(second);
}

static void dup_is_independent_both_ways(void **state)
{
    MPI_Info info = make_info({"a", "1"}, {"b", "2"}, {"c", "3"}), copy = MPI_INFO_NULL, third = MPI_INFO_NULL;
    (void)state;
    assert_int_equal(MPI_Info_dup(info, &copy), MPI_SUCCESS);
    assert_true(copy != info && copy != MPI_INFO_NULL);
    assert_contents(copy, {"a", "1"}, {"b", "2"}, {"c", "3"});
    /* Both override the same key of what they share. */
    assert_int_equal(MPI_Info_set(info, "b", "of info"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(copy, "b", "of copy"), MPI_SUCCESS);
    assert_contents(info, {"a", "1"}, {"b", "of info"}, {"c", "3"});
    assert_contents(copy, {"a", "1"}, {"b", "of copy"}, {"c", "3"});
    assert_int_equal(MPI_Info_dup(copy, &third), MPI_SUCCESS);
    assert_int_equal(MPI_Info_delete(copy, "a"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "d", "4"), MPI_SUCCESS);
    assert_contents(info, {"a", "1"}, {"b", "of info"}, {"c", "3"}, {"d", "4"});
    assert_contents(copy, {"b", "of copy"}, {"c", "3"});
    assert_contents(third, {"a", "1"}, {"b", "of copy"}, {"c", "3"});
    free_info(info);
    free_info(copy);
    assert_contents(third, {"a", "1"}, {"b", "of copy"}, {"c", "3"});
    free_info(third);
}

static void dup_of_an_empty_object(void **state)
{
    MPI_Info info = make_empty(), copy = MPI_INFO_NULL;
    (void)state;
    assert_int_equal(MPI_Info_dup(info, &copy), MPI_SUCCESS);
    assert_true(copy != info);
    assert_empty(copy);
    assert_int_equal(MPI_Info_set(copy, "a", "1"), MPI_SUCCESS);
    assert_empty(info);
    assert_contents(copy, {"a", "1"});
    free_info(info);
    free_info(copy);
}

/* Values large enough to be shared between versions outlive whichever object goes first. */
static void dup_shares_large_values_safely(void **state)
{
    char *large = make_text(VALUE_LIMIT - 1, 'l', 'L'), *other = make_text(VALUE_LIMIT - 1, 'o', 'O');
    MPI_Info info = make_info({"small", "1"}, {"large", large}, {"more", large}), copies[8];
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(MPI_Info_dup(i ? copies[i - 1] : info, &copies[i]), MPI_SUCCESS);
        if (i % 2)
            assert_int_equal(MPI_Info_set(copies[i], "large", other), MPI_SUCCESS);
    }
    free_info(info);
    for (size_t i = 0; i < 8; i++) {
        assert_contents(copies[i], {"small", "1"}, {"large", i ? other : large}, {"more", large});
        free_info(copies[i]);
    }
    test_free(large);
    test_free(other);
}

static void free_sets_the_handle_to_null(void **state)
{
    MPI_Info info = make_info({"a", "1"}), stale = info;
    (void)state;
    assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
    assert_true(info == MPI_INFO_NULL);
    assert_int_equal(MPI_Info_free(&info), MPI_ERR_INFO);
    assert_true(info == MPI_INFO_NULL);
    info = stale;
    assert_int_equal(MPI_Info_free(&info), MPI_ERR_INFO);
    assert_true(info == stale);
}

static void many_objects_at_once(void **state)
{
    enum { OBJECTS = 3000 };
    MPI_Info *infos = test_calloc(OBJECTS, sizeof *infos);
    char value[16];
    (void)state;
    for (int i = 0; i < OBJECTS; i++) {
        if (i % 3 == 2)
            assert_int_equal(MPI_Info_dup(infos[i - 1], &infos[i]), MPI_SUCCESS);
        else
            infos[i] = make_info({"a", "1"}, {"b", "2"});
        snprintf(value, sizeof value, "%d", i);
        assert_int_equal(MPI_Info_set(infos[i], "b", value), MPI_SUCCESS);
    }
    for (int i = 0; i < OBJECTS; i += 2)
        free_info(infos[i]);
    for (int i = 1; i < OBJECTS; i += 2) {
        snprintf(value, sizeof value, "%d", i);
        assert_contents(infos[i], {"a", "1"}, {"b", value});
        free_info(infos[i]);
    }
    test_free(infos);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(create_gives_new_empty_objects), cmocka_unit_test(dup_is_independent_both_ways),
    cmocka_unit_test(dup_of_an_empty_object),         cmocka_unit_test(dup_shares_large_values_safely),
    cmocka_unit_test(free_sets_the_handle_to_null),   cmocka_unit_test(many_objects_at_once),
};

PHASES_MAIN(tests)
