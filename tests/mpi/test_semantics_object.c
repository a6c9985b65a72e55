/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What create, dup and free do: objects that are independent of each other, and handles that name nothing after free.
 */
#include "support/contents.h"
#include "support/guard.h"

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

/* Every call with a handle that names no object: MPI_ERR_INFO and nothing written but the handle that dup gives. */
static void assert_names_nothing(MPI_Info info)
{
    MPI_Info copy = flavour_handle(0x1234560), again = info;
    char *text = guard_new(KEY_LIMIT);
    int flag = 77, number = 5;
    assert_int_equal(MPI_Info_get_nkeys(info, &number), MPI_ERR_INFO);
    assert_int_equal(MPI_Info_get_nthkey(info, 0, text), MPI_ERR_INFO);
    assert_int_equal(MPI_Info_get(info, "a", 4, text, &flag), MPI_ERR_INFO);
    assert_int_equal(MPI_Info_get_valuelen(info, "a", &number, &flag), MPI_ERR_INFO);
    assert_int_equal(MPI_Info_get_string(info, "a", &number, text, &flag), MPI_ERR_INFO);
    assert_int_equal(MPI_Info_set(info, "a", "2"), MPI_ERR_INFO);
    assert_int_equal(MPI_Info_delete(info, "a"), MPI_ERR_INFO);
    assert_true(flag == 77 && number == 5 && guard_intact(text, KEY_LIMIT, 0));
    assert_int_equal(MPI_Info_dup(info, &copy), MPI_ERR_INFO);
    assert_true(copy == MPI_INFO_NULL);
    assert_int_equal(MPI_Info_free(&again), MPI_ERR_INFO);
    assert_true(again == info);
    guard_free(text);
}

static void null_and_freed_handles(void **state)
{
    MPI_Info info = make_info({"a", "1"}), stale = info, copy = MPI_INFO_NULL, stale_copy;
    (void)state;
    assert_names_nothing(MPI_INFO_NULL);
    assert_int_equal(MPI_Info_dup(info, &copy), MPI_SUCCESS);
    stale_copy = copy;
    free_info(copy);
    assert_names_nothing(stale_copy);
    assert_contents(info, {"a", "1"});
    free_info(info);
    assert_names_nothing(stale);
    assert_names_nothing(stale_copy);
}

/* A stale handle never comes to name another object (trap 4: success and 1023 keys elsewhere). */
static void stale_handles_stay_stale(void **state)
{
    enum { ROUNDS = 20000 };
    MPI_Info info = make_info({"a", "1"}), stale = info;
    (void)state;
    free_info(info);
    for (int i = 0; i < ROUNDS; i++) {
        int nkeys = -5;
        info = make_info({"a", "other"});
        assert_true(info != stale);
        assert_int_equal(MPI_Info_get_nkeys(stale, &nkeys), MPI_ERR_INFO);
        assert_int_equal(nkeys, -5);
        if (i % 100 == 0)
            assert_names_nothing(stale);
        free_info(info);
    }
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

#if TEST_REAL_MPI
/* The Fortran form of a handle names the same object, while and after it lives. */
static void c2f_and_back(void **state)
{
    MPI_Info info = make_info({"a", "1"}), back;
    MPI_Fint fortran;
    (void)state;
    /* Open MPI's own table of Fortran handles is never asked about ours. */
    fortran = MPI_Info_c2f(info);
    back = MPI_Info_f2c(fortran);
    assert_true(back == info);
    assert_contents(back, {"a", "1"});
    free_info(info);
    back = MPI_Info_f2c(fortran);
    assert_names_nothing(back);
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(create_gives_new_empty_objects),
    cmocka_unit_test(dup_is_independent_both_ways),
    cmocka_unit_test(dup_of_an_empty_object),
    cmocka_unit_test(dup_shares_large_values_safely),
    cmocka_unit_test(free_sets_the_handle_to_null),
    cmocka_unit_test(null_and_freed_handles),
    cmocka_unit_test(stale_handles_stay_stale),
    cmocka_unit_test(many_objects_at_once),
#if TEST_REAL_MPI
    cmocka_unit_test(c2f_and_back),
#endif
};

PHASES_MAIN(tests)
