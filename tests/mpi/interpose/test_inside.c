/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The real library itself is given its own infos: it reads them with functions that know none of ours. And what it
 * hands to itself gets nothing from the rules that the process was started with (rules.hints).
 */
#include "interpose/interpose.h"

int inside_comm_get_info(MPI_Comm comm, MPI_Info *info_used);
int inside_comm_set_info(MPI_Comm comm, MPI_Info info);

static void the_library_itself_is_given_its_own(void **state)
{
    MPI_Info info = MPI_INFO_NULL;
    uint64_t live = count_live();
    int nkeys = -1;
    (void)state;
    assert_int_equal(inside_comm_get_info(MPI_COMM_WORLD, &info), MPI_SUCCESS);
    assert_int_equal(count_live(), live);
    assert_false(is_ours(info));
    assert_int_equal(PMPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_free(&info), MPI_SUCCESS);
}

static void anyone_else_is_given_one_of_ours(void **state)
{
    MPI_Info info = MPI_INFO_NULL;
    (void)state;
    assert_int_equal(MPI_Comm_get_info(MPI_COMM_WORLD, &info), MPI_SUCCESS);
    assert_true(is_ours(info));
    free_info(info);
}

static void rules_are_for_anyone_else(void **state)
{
    MPI_Info real = make_real("a", "1");
    (void)state;
    spy_stub(true);
    assert_int_equal(inside_comm_set_info(MPI_COMM_SELF, MPI_INFO_NULL), MPI_SUCCESS);
    assert_string_equal(spy_name(), "MPI_Comm_set_info");
    assert_true(spy_got_null(0));
    assert_int_equal(inside_comm_set_info(MPI_COMM_SELF, real), MPI_SUCCESS);
    assert_true(spy_info(0) == real);
    assert_int_equal(MPI_Comm_set_info(MPI_COMM_SELF, real), MPI_SUCCESS);
    assert_string_equal(spy_pairs(0), "a=1;all=r;own=r;imposed=r;kind=communicator;");
    spy_stub(false);
    assert_int_equal(PMPI_Info_free(&real), MPI_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_itself_is_given_its_own),
        cmocka_unit_test(anyone_else_is_given_one_of_ours),
        cmocka_unit_test(rules_are_for_anyone_else),
    };
    int failed = interpose_begin();
    failed += cmocka_run_group_tests_name("inside", tests, NULL, NULL);
    return MPI_Finalize() != MPI_SUCCESS || failed != 0;
}
