/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles of the real library, as its Fortran and its own layers bring them: the info functions answer for them too,
 * and what they do is done to the real info. And the integers of handles.
 */
#include "interpose/interpose.h"

static void info_functions_reach_the_real_info(void **state)
{
    MPI_Info real = make_real("a", "1"), copy = MPI_INFO_NULL;
    char value[16] = "", key[MPI_MAX_INFO_KEY] = "";
    int flag = 0, length = -1, nkeys = -1;
    (void)state;
    assert_false(is_ours(real));
    assert_int_equal(MPI_Info_set(real, "b", "twenty"), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_get(real, "b", 15, value, &flag), MPI_SUCCESS);
    assert_true(flag);
    assert_string_equal(value, "twenty");
    assert_int_equal(MPI_Info_get(real, "a", 15, value, &flag), MPI_SUCCESS);
    assert_string_equal(value, "1");
    assert_int_equal(MPI_Info_get_valuelen(real, "b", &length, &flag), MPI_SUCCESS);
    assert_int_equal(length, 6);
    assert_int_equal(MPI_Info_get_nkeys(real, &nkeys), MPI_SUCCESS);
    assert_int_equal(nkeys, 2);
    assert_int_equal(MPI_Info_get_nthkey(real, 1, key), MPI_SUCCESS);
    assert_string_equal(key, "b");
    assert_int_equal(MPI_Info_dup(real, &copy), MPI_SUCCESS);
    assert_false(is_ours(copy));
    assert_int_equal(MPI_Info_delete(real, "a"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_get_nkeys(real, &nkeys), MPI_SUCCESS);
    assert_int_equal(nkeys, 1);
    assert_int_equal(MPI_Info_get_nkeys(copy, &nkeys), MPI_SUCCESS);
    assert_int_equal(nkeys, 2);
    free_info(copy);
    free_info(real);
}

static void get_string_of_a_real_info(void **state)
{
    MPI_Info real = make_real("a", "hello");
    char value[16] = "untouched";
    int flag = -1, length = 0;
    (void)state;
    assert_int_equal(MPI_Info_get_string(real, "a", &length, value, &flag), MPI_SUCCESS);
    assert_string_equal(value, "untouched");
    assert_int_equal(length, 6);
    assert_int_equal(flag, 1);
    length = (int)sizeof value;
    assert_int_equal(MPI_Info_get_string(real, "a", &length, value, &flag), MPI_SUCCESS);
    assert_int_equal(length, 6);
    assert_string_equal(value, "hello");
    if (GET_STRING_IS_OURS) { /* the library's own is its own affair */
        length = 3;
        assert_int_equal(MPI_Info_get_string(real, "a", &length, value, &flag), MPI_SUCCESS);
        assert_int_equal(length, 6);
        assert_string_equal(value, "he");
        length = 1;
        assert_int_equal(MPI_Info_get_string(real, "a", &length, value, &flag), MPI_SUCCESS);
        assert_int_equal(length, 6);
        assert_string_equal(value, "");
        length = 9;
        assert_int_equal(MPI_Info_get_string(real, "b", &length, value, &flag), MPI_SUCCESS);
        assert_int_equal(length, 9);
        assert_int_equal(flag, 0);
        length = -1;
        assert_int_equal(MPI_Info_get_string(real, "a", &length, value, &flag), MPI_ERR_ARG);
    }
    free_info(real);
}

static void a_window_takes_it(void **state)
{
    MPI_Info real = make_real("no_locks", "true");
    MPI_Win win = MPI_WIN_NULL;
    void *memory = NULL;
    uint64_t conversions = count_conversions();
    (void)state;
    assert_int_equal(MPI_Win_allocate(64, 1, real, MPI_COMM_WORLD, &memory, &win), MPI_SUCCESS);
    assert_int_equal(MPI_Win_set_info(win, real), MPI_SUCCESS);
    assert_int_equal(count_conversions(), conversions);
    assert_int_equal(MPI_Win_free(&win), MPI_SUCCESS);
    free_info(real);
}

static void ours_never_reach_the_library(void **state)
{
    MPI_Info info = make_info({"a", "1"});
    MPI_Fint integer = MPI_Info_c2f(info);
    (void)state;
    assert_true(MPI_Info_f2c(integer) == info);
    assert_contents(MPI_Info_f2c(integer), {"a", "1"});
    if (IS_OPENMPI) {
        assert_true(integer < 0);
        assert_null((void *)(uintptr_t)PMPI_Info_f2c(integer));
    }
    free_info(info);
    int nkeys = -1;
    assert_int_equal(MPI_Info_get_nkeys(MPI_Info_f2c(integer), &nkeys), MPI_ERR_INFO);
}

static void integers_of_the_rest(void **state)
{
    MPI_Info real = make_real("a", "1");
    int nkeys = -1;
    (void)state;
    assert_true(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL)) == MPI_INFO_NULL);
    assert_true(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_ENV)) == MPI_INFO_ENV);
    assert_true(MPI_Info_c2f(MPI_INFO_NULL) == PMPI_Info_c2f(MPI_INFO_NULL));
    assert_true(MPI_Info_c2f(MPI_INFO_ENV) == PMPI_Info_c2f(MPI_INFO_ENV));
    assert_true(MPI_Info_c2f(real) == PMPI_Info_c2f(real));
    assert_true(MPI_Info_f2c(MPI_Info_c2f(real)) == real);
    assert_int_equal(MPI_Info_get_nkeys(MPI_Info_f2c(MPI_Info_c2f(flavour_handle(8))), &nkeys), MPI_ERR_INFO);
    if (IS_OPENMPI)
        assert_int_equal(MPI_Info_get_nkeys(MPI_Info_f2c(1 << 30), &nkeys), MPI_ERR_INFO);
    free_info(real);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_functions_reach_the_real_info),
        cmocka_unit_test(get_string_of_a_real_info),
        cmocka_unit_test(a_window_takes_it),
        cmocka_unit_test(ours_never_reach_the_library),
        cmocka_unit_test(integers_of_the_rest),
    };
    INTERPOSE_RUN(tests);
}
