/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process of the Sessions Model only: infos before, in and after the session, errors as codes, and sessions and their
 * communicators take infos of ours and give some out. For MPI-4.0 libraries.
 */

#include "interpose/interpose.h"
#include "support/scale.h"
#include "support/threads.h"

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

static void begin_session(void)
{
    MPI_Group group;
    /* A key that MPI does not know is no error, and the info may go before the session does. */
    MPI_Info info = make_info(HINTS);
    CHECK_MPI(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    free_info(info);
    CHECK_TEXT(came_down.function, "MPI_Session_init");
    CHECK_TEXT(came_down.pairs[0], HINTS_TEXT);
    CHECK_MPI(MPI_Group_from_session_pset(session, "mpi://SELF", &group), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_create_from_group(group, "rcuinfo", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
    CHECK_MPI(MPI_Group_free(&group), MPI_SUCCESS);
}

static void mpi_is_not_initialized(void)
{
    int flag = -1;
    CHECK_MPI(MPI_Initialized(&flag), MPI_SUCCESS);
    CHECK_EQUAL(flag, 0);
}

static void errors_come_back_as_codes(void)
{
    MPI_Info stale = make_stale(), info = make_info({"a", "1"});
    MPI_Session other = MPI_SESSION_NULL;
    void *memory = NULL;
    CHECK_MPI(MPI_Info_free(&stale), MPI_ERR_INFO);
    CHECK_MPI(MPI_Info_delete(info, "b"), MPI_ERR_INFO_NOKEY);
    CHECK_MPI(MPI_Info_set(MPI_INFO_ENV, "a", "1"), MPI_ERR_INFO);
    CHECK_MPI(MPI_Alloc_mem(8, stale, &memory), MPI_ERR_INFO);
    CHECK_MPI(MPI_Comm_set_info(comm, stale), MPI_ERR_INFO);
    spy_forget();
    CHECK_MPI(MPI_Session_init(stale, MPI_ERRORS_RETURN, &other), MPI_ERR_INFO);
    CHECK(other == MPI_SESSION_NULL);
    CHECK_TEXT(came_down.function, "");
    free_info(info);
}

static void the_session_gives_infos(void)
{
    int real_infos = atomic_load(&spy.real_infos);
    CHECK_MPI(MPI_Session_get_info(session, &kept_of_session), MPI_SUCCESS);
    CHECK_MPI(MPI_Session_get_pset_info(session, "mpi://SELF", &kept_of_set), MPI_SUCCESS);
    CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    CHECK(is_ours(kept_of_session) && is_ours(kept_of_set));
    CHECK_MPI(MPI_Info_get_nkeys(kept_of_session, &keys_of_session), MPI_SUCCESS);
}

/* The level that was asked for, and what else the library says of each session. */
static void check_of_session(MPI_Info info)
{
    int nkeys = -1;
    check_value(info, "thread_level", "MPI_THREAD_MULTIPLE");
    CHECK_MPI(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    CHECK_EQUAL(nkeys, keys_of_session);
}

static void sets_are_listed(void)
{
    MPI_Info info = make_info({"a", "1"});
    const MPI_Info infos[] = {info, MPI_INFO_NULL, MPI_INFO_ENV};
    for (int n = 0; n < 3; n++) {
        int sets = -1, length = 0;
        char name[64] = "";
        CHECK_MPI(MPI_Session_get_num_psets(session, infos[n], &sets), MPI_SUCCESS);
        CHECK_EQUAL(sets, 2);
        CHECK_MPI(MPI_Session_get_nth_pset(session, infos[n], 1, &length, name), MPI_SUCCESS);
        CHECK_EQUAL(length, (int)sizeof "mpi://SELF");
        CHECK_MPI(MPI_Session_get_nth_pset(session, infos[n], 1, &length, name), MPI_SUCCESS);
        CHECK_TEXT(name, "mpi://SELF");
    }
    free_info(info);
}

static void sessions_live_side_by_side(void)
{
    MPI_Session others[2];
    MPI_Info info = make_info(HINTS), of_first = MPI_INFO_NULL, of_second = MPI_INFO_NULL;
    CHECK_MPI(MPI_Session_init(info, MPI_ERRORS_RETURN, &others[0]), MPI_SUCCESS);
    CHECK_MPI(MPI_Session_init(MPI_INFO_ENV, MPI_ERRORS_RETURN, &others[1]), MPI_SUCCESS);
    CHECK_MPI(MPI_Session_get_info(others[0], &of_first), MPI_SUCCESS);
    CHECK_MPI(MPI_Session_finalize(&others[0]), MPI_SUCCESS);
    CHECK_MPI(MPI_Session_get_pset_info(others[1], "mpi://WORLD", &of_second), MPI_SUCCESS);
    CHECK_MPI(MPI_Session_finalize(&others[1]), MPI_SUCCESS);
    check_of_session(of_first);
    CHECK_CONTENTS(of_second, {"mpi_size", "1"});
    CHECK_CONTENTS(info, HINTS);
    free_info(info);
    free_info(of_first);
    free_info(of_second);
}

static void the_session_takes_infos(void)
{
    MPI_Info info = make_info({"mpi_assert_no_any_tag", "true"}), given = MPI_INFO_NULL;
    MPI_Comm other = MPI_COMM_NULL;
    int error = 0;
    CHECK_MPI(MPI_Comm_set_info(comm, info), MPI_SUCCESS);
    CHECK_TEXT(came_down.pairs[0], "mpi_assert_no_any_tag=true;");
    CHECK_MPI(MPI_Comm_get_info(comm, &given), MPI_SUCCESS);
    CHECK(is_ours(given));
    free_info(given);
    spy.stubs = true; /* the root of a session's communicator is found, though there is no MPI_COMM_WORLD */
    CHECK_MPI(MPI_Comm_spawn("a command", MPI_ARGV_NULL, 1, info, 0, comm, &other, &error), MPI_SUCCESS);
    spy.stubs = false;
    CHECK_TEXT(came_down.pairs[0], "mpi_assert_no_any_tag=true;");
    free_info(info);
}

static void infos_live_on_their_own(void)
{
    MPI_Info info = make_info({"a", "1"});
    CHECK_CONTENTS(info, {"a", "1"});
    free_info(info);
}

static void infos_outlive_their_session(void)
{
    check_of_session(kept_of_session);
    CHECK_CONTENTS(kept_of_set, {"mpi_size", "1"});
    CHECK_MPI(MPI_Info_set(kept_of_set, "a", "1"), MPI_SUCCESS);
    free_info(kept_of_session);
    free_info(kept_of_set);
}

enum { LENDERS = 8, ROUNDS = SCALED(2000), LENT_PAIRS = 16 };

static struct spin_barrier all_are_there = {.width = LENDERS};

/* Each thread lends an info of its own, with values that are its own; the spy reads what came down. */
static void lend(unsigned thread, void *unused)
{
    char wanted[1024] = "";
    size_t used = 0;
    unsigned long phase = 0;
    MPI_Info info = make_empty();
    (void)unused;
    for (int n = 0; n < LENT_PAIRS; n++) {
        char key[16], value[32];
        (void)snprintf(key, sizeof key, "key%d", n);
        (void)snprintf(value, sizeof value, "value %d of thread %u", n, thread);
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s=%s;", key, value);
        CHECK_MPI(MPI_Info_set(info, key, value), MPI_SUCCESS);
    }
    spin_barrier_wait(&all_are_there, &phase);
    for (int n = 0; n < ROUNDS; n++) {
        MPI_Session other = MPI_SESSION_NULL;
        CHECK_MPI(MPI_Session_init(info, MPI_ERRORS_RETURN, &other), MPI_SUCCESS);
        CHECK_TEXT(came_down.pairs[0], wanted);
    }
    free_info(info);
}

/* The real library is not initialized, and has to guard what infos are made of all the same. */
static void threads_lend_before_init(void)
{
    int real_infos = atomic_load(&spy.real_infos);
    spy.stubs = true;
    team_run(LENDERS, lend, NULL);
    spy.stubs = false;
    CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos + 1); /* the first call that succeeds keeps one */
}

int main(void)
{
    static test_function *const before[] = {infos_live_on_their_own, threads_lend_before_init};
    static test_function *const after[] = {infos_live_on_their_own, infos_outlive_their_session};
    static test_function *const inside[] = {
        mpi_is_not_initialized,  errors_come_back_as_codes, the_session_takes_infos,
        the_session_gives_infos, sets_are_listed,           sessions_live_side_by_side,
    };
    RUN_TESTS("before", before);
    begin_session();
    RUN_TESTS("in the session", inside);
    CHECK_MPI(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_MPI(MPI_Session_finalize(&session), MPI_SUCCESS);
    RUN_TESTS("after", after);
    CHECK_EQUAL(left_live(), 0);
    CHECK_EQUAL(atomic_load(&spy.real_infos), 1); /* the one that keeps MPICH's memory */
    return 0;
}
