/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is particular to the standard ABI: the values of its constants, the integers of its handles, the reserved
 * values, and the PMPI names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <string.h>
#include <cmocka.h>

#include <rcuinfo/abi/mpi.h>

_Static_assert(MPI_SUCCESS == 0 && MPI_ERR_ARG == 13 && MPI_ERR_OTHER == 16 && MPI_ERR_INTERN == 17, "ABI");
_Static_assert(MPI_ERR_INFO_KEY == 31 && MPI_ERR_INFO_NOKEY == 32 && MPI_ERR_INFO_VALUE == 33, "ABI");
_Static_assert(MPI_ERR_INFO == 34 && MPI_ERR_NO_MEM == 39, "ABI");
_Static_assert(MPI_MAX_INFO_KEY == 256 && MPI_MAX_INFO_VAL == 1024, "ABI");
_Static_assert(sizeof(MPI_Info) == sizeof(struct MPI_ABI_Info *), "ABI");

static void predefined_handles(void **state)
{
    (void)state;
    assert_int_equal((uintptr_t)MPI_INFO_NULL, 0x130);
    assert_int_equal((uintptr_t)MPI_INFO_ENV, 0x131);
    assert_int_equal(MPI_Info_toint(MPI_INFO_NULL), 0x130);
    assert_int_equal(MPI_Info_toint(MPI_INFO_ENV), 0x131);
    assert_ptr_equal(MPI_Info_fromint(0x130), MPI_INFO_NULL);
    assert_ptr_equal(MPI_Info_fromint(0x131), MPI_INFO_ENV);
}

/* Handles never lie in 0..4095, where no integer and no pointer of ours may be. */
static void integers_of_handles(void **state)
{
    enum { OBJECTS = 3000 };
    static MPI_Info infos[OBJECTS];
    (void)state;
    for (int i = 0; i < OBJECTS; i++) {
        int integer, nkeys = -1;
        assert_int_equal(MPI_Info_create(&infos[i]), MPI_SUCCESS);
        assert_true((uintptr_t)infos[i] > 4095);
        assert_int_equal((uintptr_t)infos[i] >> (8 * sizeof infos[i] - 1), 1); /* no user address has the top bit */
        integer = MPI_Info_toint(infos[i]);
        assert_true(integer < 0 || integer > 4095);
        assert_ptr_equal(MPI_Info_fromint(integer), infos[i]);
        assert_int_equal(MPI_Info_get_nkeys(MPI_Info_fromint(integer), &nkeys), MPI_SUCCESS);
        assert_int_equal(nkeys, 0);
    }
    for (int i = 0; i < OBJECTS; i++) {
        int integer = MPI_Info_toint(infos[i]), nkeys = -1;
        assert_int_equal(MPI_Info_free(&infos[i]), MPI_SUCCESS);
        assert_ptr_equal(infos[i], MPI_INFO_NULL);
        assert_int_equal(MPI_Info_get_nkeys(MPI_Info_fromint(integer), &nkeys), MPI_ERR_INFO);
        assert_int_equal(nkeys, -1);
    }
}

static void integers_that_were_never_given(void **state)
{
    static const int integers[] = {0, 1, -1, 2, 0x12f, 0x132, 4095, 4096, 1 << 20, INT_MAX, INT_MIN, INT_MIN + 1};
    (void)state;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        int nkeys = -1;
        MPI_Info info = MPI_Info_fromint(integers[i]);
        assert_int_equal(MPI_Info_get_nkeys(info, &nkeys), MPI_ERR_INFO);
        assert_int_equal(MPI_Info_set(info, "a", "1"), MPI_ERR_INFO);
        assert_int_equal(MPI_Info_free(&info), MPI_ERR_INFO);
        assert_int_equal(nkeys, -1);
    }
}

/* The whole interface once more by its profiling names, on the same objects. */
static void profiling_names(void **state)
{
    MPI_Info info = MPI_INFO_NULL, copy = MPI_INFO_NULL, env = MPI_INFO_NULL;
    char text[MPI_MAX_INFO_KEY] = "";
    int flag = 0, number = -1;
    (void)state;
    assert_int_equal(PMPI_Info_create(&info), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_set(info, "a", "one"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_get(info, "a", 3, text, &flag), MPI_SUCCESS);
    assert_string_equal(text, "one");
    assert_int_equal(PMPI_Info_get(info, "a", 2, text, &flag), MPI_SUCCESS);
    assert_string_equal(text, "on");
    assert_int_equal(PMPI_Info_get_valuelen(info, "a", &number, &flag), MPI_SUCCESS);
    assert_true(flag && number == 3);
    number = 4;
    assert_int_equal(PMPI_Info_get_string(info, "a", &number, text, &flag), MPI_SUCCESS);
    assert_true(flag && number == 4);
    assert_string_equal(text, "one");
    assert_int_equal(PMPI_Info_get_nkeys(info, &number), MPI_SUCCESS);
    assert_int_equal(number, 1);
    assert_int_equal(PMPI_Info_get_nthkey(info, 0, text), MPI_SUCCESS);
    assert_string_equal(text, "a");
    assert_int_equal(PMPI_Info_dup(info, &copy), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_delete(copy, "a"), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_delete(copy, "a"), MPI_ERR_INFO_NOKEY);
    assert_int_equal(PMPI_Info_create_env(0, NULL, &env), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_toint(info), MPI_Info_toint(info));
    assert_ptr_equal(PMPI_Info_fromint(PMPI_Info_toint(info)), info);
    assert_int_equal(PMPI_Info_free(&info), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_free(&copy), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_free(&env), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_free(&env), MPI_ERR_INFO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predefined_handles),
        cmocka_unit_test(integers_of_handles),
        cmocka_unit_test(integers_that_were_never_given),
        cmocka_unit_test(profiling_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
