/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo_from_mpi and rcuinfo_to_mpi: one store behind two interfaces. Built for the flavours with MPI names.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/contents.h"

static void both_handles_name_one_object(void **state)
{
    MPI_Info info = make_info({"a", "1"});
    rcuinfo_t native = rcuinfo_from_mpi(info);
    char value[8] = "";
    int flag = 0;
    (void)state;
    assert_true(native != RCUINFO_NULL);
    assert_true(rcuinfo_to_mpi(native) == info);
    assert_int_equal(rcuinfo_set(native, "b", "2"), RCUINFO_SUCCESS);
    assert_contents(info, {"a", "1"}, {"b", "2"});
    assert_int_equal(MPI_Info_set(info, "a", "3"), MPI_SUCCESS);
    assert_int_equal(rcuinfo_get(native, "a", 7, value, &flag), RCUINFO_SUCCESS);
    assert_true(flag == 1 && strcmp(value, "3") == 0);
    free_info(info);
    assert_int_equal(rcuinfo_set(native, "b", "2"), RCUINFO_ERR_INFO);
    assert_true(rcuinfo_to_mpi(native) == MPI_INFO_NULL);
}

static void native_objects_have_mpi_handles(void **state)
{
    rcuinfo_t native = RCUINFO_NULL;
    MPI_Info info;
    int nkeys = -1;
    (void)state;
    assert_int_equal(rcuinfo_create(&native), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(native, "a", "1"), RCUINFO_SUCCESS);
    info = rcuinfo_to_mpi(native);
    assert_true(info != MPI_INFO_NULL);
    assert_true(rcuinfo_from_mpi(info) == native);
    assert_contents(info, {"a", "1"});
    assert_int_equal(rcuinfo_free(&native), RCUINFO_SUCCESS);
    assert_int_equal(MPI_Info_get_nkeys(info, &nkeys), MPI_ERR_INFO);
    assert_true(rcuinfo_from_mpi(info) == RCUINFO_NULL);
}

static void what_names_nothing_stays_null(void **state)
{
    MPI_Info info = make_empty(), stale = info;
    (void)state;
    free_info(info);
    assert_true(rcuinfo_from_mpi(MPI_INFO_NULL) == RCUINFO_NULL);
    assert_true(rcuinfo_from_mpi(stale) == RCUINFO_NULL);
    assert_true(rcuinfo_to_mpi(RCUINFO_NULL) == MPI_INFO_NULL);
    assert_true(rcuinfo_to_mpi(1) == MPI_INFO_NULL);
    assert_true(rcuinfo_to_mpi(UINT64_MAX) == MPI_INFO_NULL);
}

static void env_is_read_only_through_both(void **state)
{
    rcuinfo_t native = rcuinfo_from_mpi(MPI_INFO_ENV);
    char value[8] = "";
    int flag = 0;
    (void)state;
    assert_true(native != RCUINFO_NULL);
    assert_true(native == rcuinfo_from_mpi(MPI_INFO_ENV));
    assert_int_equal(rcuinfo_set(native, "a", "1"), RCUINFO_ERR_INFO);
    assert_int_equal(rcuinfo_get(native, "maxprocs", 7, value, &flag), RCUINFO_SUCCESS);
    assert_true(flag == 1 && strcmp(value, "1") == 0);
}

/* One object is behind MPI_INFO_ENV in all phases. The native interface has another. */
static void env_of_each_phase(void **state)
{
    static rcuinfo_t first;
    rcuinfo_t now = rcuinfo_from_mpi(MPI_INFO_ENV);
    MPI_Info other = rcuinfo_to_mpi(rcuinfo_env());
    int before = 0, after = 0;
    (void)state;
    if (!first)
        first = now;
    assert_true(now == first);
    assert_true(rcuinfo_to_mpi(now) == MPI_INFO_ENV);
    assert_int_equal(rcuinfo_get_nkeys(now, &before), RCUINFO_SUCCESS);
    assert_int_equal(MPI_Info_get_nkeys(MPI_INFO_ENV, &after), MPI_SUCCESS);
    assert_int_equal(before, after);
    assert_true(other != MPI_INFO_ENV && rcuinfo_from_mpi(other) == rcuinfo_env());
    assert_int_equal(MPI_Info_set(other, "a", "1"), MPI_ERR_INFO);
}

/* Keys and values that the native interface takes and this flavour's constants have no room for. */
static void longer_than_the_flavour_allows(void **state)
{
    char *key = make_text(RCUINFO_MAX_KEY - 1, 'k', 'k'), *value = make_text(RCUINFO_MAX_VALUE - 1, 'v', 'V');
    char out[RCUINFO_MAX_VALUE] = "";
    MPI_Info info = make_info({"a", "1"});
    rcuinfo_t native = rcuinfo_from_mpi(info);
    int flag = 0, number = -1;
    (void)state;
    assert_int_equal(rcuinfo_set(native, key, "long key"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(native, "long value", value), RCUINFO_SUCCESS);
    assert_int_equal(MPI_Info_get_nkeys(info, &number), MPI_SUCCESS);
    assert_int_equal(number, 3);
    if (KEY_LIMIT < RCUINFO_MAX_KEY) {
        strcpy(out, "untouched");
        assert_int_equal(MPI_Info_get_nthkey(info, 1, out), MPI_ERR_INFO_KEY);
        assert_string_equal(out, "untouched");
        assert_int_equal(MPI_Info_get(info, key, 8, out, &flag), MPI_ERR_INFO_KEY);
    } else {
        assert_int_equal(MPI_Info_get_nthkey(info, 1, out), MPI_SUCCESS);
        assert_string_equal(out, key);
    }
    assert_int_equal(MPI_Info_get_valuelen(info, "long value", &number, &flag), MPI_SUCCESS);
    assert_true(flag == 1 && number == RCUINFO_MAX_VALUE - 1);
    assert_int_equal(MPI_Info_get(info, "long value", RCUINFO_MAX_VALUE - 1, out, &flag), MPI_SUCCESS);
    assert_true(flag == 1 && strcmp(out, value) == 0);
    assert_int_equal(MPI_Info_get(info, "long value", MPI_MAX_INFO_VAL - 1, out, &flag), MPI_SUCCESS);
    assert_true(flag == 1 && strlen(out) == VALUE_LIMIT - 1);
    free_info(info);
    test_free(key);
    test_free(value);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(both_handles_name_one_object),   cmocka_unit_test(native_objects_have_mpi_handles),
    cmocka_unit_test(what_names_nothing_stays_null),  cmocka_unit_test(env_is_read_only_through_both),
    cmocka_unit_test(longer_than_the_flavour_allows), cmocka_unit_test(env_of_each_phase),
};

PHASES_MAIN(tests)
