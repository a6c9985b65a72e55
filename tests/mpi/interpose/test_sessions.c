/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process of the Sessions Model only: infos before, in and after the session, errors as codes, and sessions and their
 * communicators take infos of ours and give some out. For MPI-4.0 libraries.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "interpose/interpose.h"
#include "support/scale.h"

#define HINTS                                                                                                          \
    {"thread_level", "MPI_THREAD_MULTIPLE"}, {"mpi_initial_errhandler", "mpi_errors_return"},                          \
    {                                                                                                                  \
        "unknown", "1"                                                                                                 \
    }
#define HINTS_TEXT "thread_level=MPI_THREAD_MULTIPLE;mpi_initial_errhandler=mpi_errors_return;unknown=1;"

static MPI_Session session;
static MPI_Comm comm;
static MPI_Info kept_of_session, kept_of_set; /* longer than the session */
static int keys_of_session;

static int setup(void **state)
{
    MPI_Group group;
    (void)state;
    /* A key that MPI does not know is no error, and the info may go before the session does. */
    MPI_Info info = make_info(HINTS);
    if (MPI_Session_init(info, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS || MPI_Info_free(&info) != MPI_SUCCESS ||
        strcmp(spy_name(), "MPI_Session_init") != 0 || strcmp(spy_pairs(0), HINTS_TEXT) != 0 ||
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
    MPI_Session other = MPI_SESSION_NULL;
    void *memory = NULL;
    (void)state;
    assert_int_equal(MPI_Info_free(&stale), MPI_ERR_INFO);
    assert_int_equal(MPI_Info_delete(info, "b"), MPI_ERR_INFO_NOKEY);
    assert_int_equal(MPI_Info_set(MPI_INFO_ENV, "a", "1"), MPI_ERR_INFO);
    assert_int_equal(MPI_Alloc_mem(8, stale, &memory), MPI_ERR_INFO);
    assert_int_equal(MPI_Comm_set_info(comm, stale), MPI_ERR_INFO);
    spy_forget();
    assert_int_equal(MPI_Session_init(stale, MPI_ERRORS_RETURN, &other), MPI_ERR_INFO);
    assert_true(other == MPI_SESSION_NULL);
    assert_string_equal(spy_name(), "");
    free_info(info);
}

static void the_session_gives_infos(void **state)
{
    int real_infos = spy_real_infos();
    (void)state;
    assert_int_equal(MPI_Session_get_info(session, &kept_of_session), MPI_SUCCESS);
    assert_int_equal(MPI_Session_get_pset_info(session, "mpi://SELF", &kept_of_set), MPI_SUCCESS);
    assert_int_equal(spy_real_infos(), real_infos);
    assert_true(is_ours(kept_of_session) && is_ours(kept_of_set));
    assert_int_equal(MPI_Info_get_nkeys(kept_of_session, &keys_of_session), MPI_SUCCESS);
}

/* The level that was asked for, and what else the library says of each session. */
static void assert_of_session(MPI_Info info)
{
    int nkeys = -1;
    assert_value(info, "thread_level", "MPI_THREAD_MULTIPLE");
    assert_int_equal(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    assert_int_equal(nkeys, keys_of_session);
}

static void sets_are_listed(void **state)
{
    MPI_Info info = make_info({"a", "1"});
    const MPI_Info infos[] = {info, MPI_INFO_NULL, MPI_INFO_ENV};
    (void)state;
    for (int n = 0; n < 3; n++) {
        int sets = -1, length = 0;
        char name[64] = "";
        assert_int_equal(MPI_Session_get_num_psets(session, infos[n], &sets), MPI_SUCCESS);
        assert_int_equal(sets, 2);
        assert_int_equal(MPI_Session_get_nth_pset(session, infos[n], 1, &length, name), MPI_SUCCESS);
        assert_int_equal(length, (int)sizeof "mpi://SELF");
        assert_int_equal(MPI_Session_get_nth_pset(session, infos[n], 1, &length, name), MPI_SUCCESS);
        assert_string_equal(name, "mpi://SELF");
    }
    free_info(info);
}

static void sessions_live_side_by_side(void **state)
{
    MPI_Session others[2];
    MPI_Info info = make_info(HINTS), of_first = MPI_INFO_NULL, of_second = MPI_INFO_NULL;
    (void)state;
    assert_int_equal(MPI_Session_init(info, MPI_ERRORS_RETURN, &others[0]), MPI_SUCCESS);
    assert_int_equal(MPI_Session_init(MPI_INFO_ENV, MPI_ERRORS_RETURN, &others[1]), MPI_SUCCESS);
    assert_int_equal(MPI_Session_get_info(others[0], &of_first), MPI_SUCCESS);
    assert_int_equal(MPI_Session_finalize(&others[0]), MPI_SUCCESS);
    assert_int_equal(MPI_Session_get_pset_info(others[1], "mpi://WORLD", &of_second), MPI_SUCCESS);
    assert_int_equal(MPI_Session_finalize(&others[1]), MPI_SUCCESS);
    assert_of_session(of_first);
    assert_contents(of_second, {"mpi_size", "1"});
    assert_contents(info, HINTS);
    free_info(info);
    free_info(of_first);
    free_info(of_second);
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

static void infos_outlive_their_session(void **state)
{
    (void)state;
    assert_of_session(kept_of_session);
    assert_contents(kept_of_set, {"mpi_size", "1"});
    assert_int_equal(MPI_Info_set(kept_of_set, "a", "1"), MPI_SUCCESS);
    free_info(kept_of_session);
    free_info(kept_of_set);
}

enum { LENDERS = 8, ROUNDS = SCALED(2000), LENT_PAIRS = 16 };

static pthread_barrier_t all_are_there;
static _Atomic int wrong;

/* Each thread lends an info of its own, with values that are its own; the spy reads what came down. */
static void *lend(void *number)
{
    char wanted[1024] = "";
    size_t used = 0;
    MPI_Info info = make_empty();
    for (int n = 0; n < LENT_PAIRS; n++) {
        char key[16], value[32];
        (void)snprintf(key, sizeof key, "key%d", n);
        (void)snprintf(value, sizeof value, "value %d of thread %d", n, *(int *)number);
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s=%s;", key, value);
        if (MPI_Info_set(info, key, value) != MPI_SUCCESS)
            atomic_fetch_add_explicit(&wrong, 1, memory_order_relaxed);
    }
    pthread_barrier_wait(&all_are_there);
    for (int n = 0; n < ROUNDS; n++) {
        MPI_Session unused = MPI_SESSION_NULL;
        if (MPI_Session_init(info, MPI_ERRORS_RETURN, &unused) != MPI_SUCCESS || strcmp(spy_pairs(0), wanted) != 0)
            atomic_fetch_add_explicit(&wrong, 1, memory_order_relaxed);
    }
    free_info(info);
    return NULL;
}

/* The real library is not initialized, and has to guard what infos are made of all the same. */
static void threads_lend_before_init(void **state)
{
    pthread_t threads[LENDERS];
    int numbers[LENDERS], real_infos = spy_real_infos();
    (void)state;
    spy_stub(true);
    assert_int_equal(pthread_barrier_init(&all_are_there, NULL, LENDERS), 0);
    for (int n = 0; n < LENDERS; n++) {
        numbers[n] = n;
        assert_int_equal(pthread_create(&threads[n], NULL, lend, &numbers[n]), 0);
    }
    for (int n = 0; n < LENDERS; n++)
        assert_int_equal(pthread_join(threads[n], NULL), 0);
    assert_int_equal(pthread_barrier_destroy(&all_are_there), 0);
    spy_stub(false);
    assert_int_equal(atomic_load_explicit(&wrong, memory_order_relaxed), 0);
    assert_int_equal(spy_real_infos(), real_infos + 1); /* the first call that succeeds keeps one */
}

int main(void)
{
    const struct CMUnitTest before[] = {cmocka_unit_test(infos_live_on_their_own),
                                        cmocka_unit_test(threads_lend_before_init)};
    const struct CMUnitTest after[] = {cmocka_unit_test(infos_live_on_their_own),
                                       cmocka_unit_test(infos_outlive_their_session)};
    const struct CMUnitTest inside[] = {
        cmocka_unit_test(mpi_is_not_initialized),  cmocka_unit_test(errors_come_back_as_codes),
        cmocka_unit_test(the_session_takes_infos), cmocka_unit_test(the_session_gives_infos),
        cmocka_unit_test(sets_are_listed),         cmocka_unit_test(sessions_live_side_by_side),
    };
    int failed = cmocka_run_group_tests_name("before", before, NULL, NULL);
    failed += cmocka_run_group_tests_name("in the session", inside, setup, teardown);
    failed += cmocka_run_group_tests_name("after", after, NULL, NULL);
    return failed != 0 || count_live() != 0 || spy_real_infos() != 1; /* the one that keeps MPICH's memory */
}
