/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process of the Sessions Model only: infos before, in and after the session, errors as codes, and communicators of
 * the session take infos of ours. For MPI-4.0 libraries.
 */
#include "interpose/interpose.h"

static MPI_Session session;
static MPI_Comm comm;

static int setup(void **state)
{
    MPI_Group group;
    (void)state;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS ||
        MPI_Group_from_session_pset(session, "mpi://SELF", &group) != MPI_SUCCESS)
        return -1;
    return MPI_Comm_create_from_group(group, "rcuinfo", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) != MPI_SUCCESS ||
           MPI_Group_free(&group) != MPI_SUCCESS;
}

static int teardown(void **state)
{
    (void)state;
    return MPI_Comm_free(&comm) != MPI_SUCCESS || MPI_Session_finalize(&session) != MPI_SUCCESS;
}

static void mpi_is_not_initialized(void **state)
{
    int flag = -1;
    (void)state;
    assert_int_equal(MPI_Initialized(&flag), MPI_SUCCESS);
    assert_int_equal(flag, 0);
}

static void errors_come_back_as_codes(void **state)
{
    MPI_Info stale = make_stale(), info = make_info({"a", "1"});
    void *memory = NULL;
    (void)state;
    assert_int_equal(MPI_Info_free(&stale), MPI_ERR_INFO);
    assert_int_equal(MPI_Info_delete(info, "b"), MPI_ERR_INFO_NOKEY);
    assert_int_equal(MPI_Info_set(MPI_INFO_ENV, "a", "1"), MPI_ERR_INFO);
    assert_int_equal(MPI_Alloc_mem(8, stale, &memory), MPI_ERR_INFO);
    assert_int_equal(MPI_Comm_set_info(comm, stale), MPI_ERR_INFO);
    free_info(info);
}

static void the_session_takes_infos(void **state)
{
    MPI_Info info = make_info({"mpi_assert_no_any_tag", "true"}), given = MPI_INFO_NULL;
    MPI_Comm other = MPI_COMM_NULL;
    int error = 0;
    (void)state;
    assert_int_equal(MPI_Comm_set_info(comm, info), MPI_SUCCESS);
    assert_string_equal(spy_pairs(0), "mpi_assert_no_any_tag=true;");
    assert_int_equal(MPI_Comm_get_info(comm, &given), MPI_SUCCESS);
    assert_true(is_ours(given));
    free_info(given);
    spy_stub(true); /* the root of a session's communicator is found, though there is no MPI_COMM_WORLD */
    assert_int_equal(MPI_Comm_spawn("a command", MPI_ARGV_NULL, 1, info, 0, comm, &other, &error), MPI_SUCCESS);
    spy_stub(false);
    assert_string_equal(spy_pairs(0), "mpi_assert_no_any_tag=true;");
    free_info(info);
}

static void infos_live_on_their_own(void **state)
{
    MPI_Info info = make_info({"a", "1"});
    (void)state;
    assert_contents(info, {"a", "1"});
    free_info(info);
}

int main(void)
{
    const struct CMUnitTest outside[] = {cmocka_unit_test(infos_live_on_their_own)};
    const struct CMUnitTest inside[] = {
        cmocka_unit_test(mpi_is_not_initialized),
        cmocka_unit_test(errors_come_back_as_codes),
        cmocka_unit_test(the_session_takes_infos),
    };
    int failed = cmocka_run_group_tests_name("before", outside, NULL, NULL);
    failed += cmocka_run_group_tests_name("in the session", inside, setup, teardown);
    failed += cmocka_run_group_tests_name("after", outside, NULL, NULL);
    return failed != 0 || count_live() != 0;
}
