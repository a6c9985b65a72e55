/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that uses only the Sessions Model: errors are returned as codes, a session and its communicators accept and
 * return our infos, which outlive it, and threads lend infos before the first session. For MPI-4.0 libraries.
 */
#include "interpose/interpose.h"
#include "support/scale.h"
#include "support/threads.h"

static MPI_Session session;
static MPI_Comm comm;
static MPI_Info of_session, of_set; /* outlive the session */

enum { LENDERS = 8, ROUNDS = SCALED(2000), LENT_PAIRS = 16 };

/* Each thread lends its own info with its own values. The spy reads the infos passed on. */
static void lend(unsigned thread, void *unused)
{
    char wanted[1024] = "";
    size_t used = 0;
    MPI_Info info = make_empty();
    (void)unused;
    for (int n = 0; n < LENT_PAIRS; n++) {
        char key[16], value[32];
        (void)snprintf(key, sizeof key, "key%d", n);
        (void)snprintf(value, sizeof value, "value %d of thread %u", n, thread);
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s=%s;", key, value);
        CHECK_MPI(MPI_Info_set(info, key, value), MPI_SUCCESS);
    }
    for (int n = 0; n < ROUNDS; n++) {
        MPI_Session other = MPI_SESSION_NULL;
        CHECK_MPI(MPI_Session_init(info, MPI_ERRORS_RETURN, &other), MPI_SUCCESS);
        CHECK_TEXT(came_down.pairs[0], wanted);
    }
    free_info(info);
}

/* The real library must protect the memory of infos although it is not initialized. */
TEST(threads_lend_before_init)
{
    int real_infos = atomic_load(&spy.real_infos);
    spy.stubs = true;
    team_run(LENDERS, lend, NULL);
    spy.stubs = false;
    CHECK_EQUAL(atomic_load(&spy.real_infos),
                real_infos + 1); /* the first call that succeeds creates the permanent one */
}

/* A key that MPI does not know is not an error, and the info may be freed before the session. */
TEST(begin_session)
{
    MPI_Group group;
    MPI_Info info = make_info({"thread_level", "MPI_THREAD_MULTIPLE"}, {"unknown", "1"});
    CHECK_MPI(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    free_info(info);
    CHECK_TEXT(came_down.function, "MPI_Session_init");
    CHECK_TEXT(came_down.pairs[0], "thread_level=MPI_THREAD_MULTIPLE;unknown=1;");
    CHECK_MPI(MPI_Group_from_session_pset(session, "mpi://SELF", &group), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_create_from_group(group, "rcuinfo", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
    CHECK_MPI(MPI_Group_free(&group), MPI_SUCCESS);
}

TEST(errors_come_back_as_codes)
{
    MPI_Info stale = make_stale(), info = make_info({"a", "1"});
    MPI_Session other = MPI_SESSION_NULL;
    int flag = -1;
    CHECK_MPI(MPI_Initialized(&flag), MPI_SUCCESS);
    CHECK_EQUAL(flag, 0);
    CHECK_MPI(MPI_Info_free(&stale), MPI_ERR_INFO);
    CHECK_MPI(MPI_Info_delete(info, "b"), MPI_ERR_INFO_NOKEY);
    CHECK_MPI(MPI_Comm_set_info(comm, stale), MPI_ERR_INFO);
    spy_forget();
    CHECK_MPI(MPI_Session_init(stale, MPI_ERRORS_RETURN, &other), MPI_ERR_INFO);
    CHECK(other == MPI_SESSION_NULL);
    CHECK_TEXT(came_down.function, "");
    free_info(info);
}

TEST(the_session_takes_infos)
{
    MPI_Info info = make_info({"mpi_assert_no_any_tag", "true"});
    MPI_Comm other = MPI_COMM_NULL;
    int error = 0;
    CHECK_MPI(MPI_Comm_set_info(comm, info), MPI_SUCCESS);
    CHECK_TEXT(came_down.pairs[0], "mpi_assert_no_any_tag=true;");
    spy.stubs = true; /* the root of a session's communicator is found without MPI_COMM_WORLD */
    CHECK_MPI(MPI_Comm_spawn("a command", MPI_ARGV_NULL, 1, info, 0, comm, &other, &error), MPI_SUCCESS);
    spy.stubs = false;
    CHECK_TEXT(came_down.pairs[0], "mpi_assert_no_any_tag=true;");
    free_info(info);
}

TEST(the_session_gives_infos)
{
    int real_infos = atomic_load(&spy.real_infos);
    CHECK_MPI(MPI_Session_get_info(session, &of_session), MPI_SUCCESS);
    CHECK_MPI(MPI_Session_get_pset_info(session, "mpi://SELF", &of_set), MPI_SUCCESS);
    CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    CHECK(is_ours(of_session) && is_ours(of_set));
}

TEST(end_session)
{
    CHECK_MPI(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_MPI(MPI_Session_finalize(&session), MPI_SUCCESS);
}

TEST(infos_outlive_their_session)
{
    check_value(of_session, "thread_level", "MPI_THREAD_MULTIPLE");
    CHECK_CONTENTS(of_set, {"mpi_size", "1"});
    CHECK_MPI(MPI_Info_set(of_set, "a", "1"), MPI_SUCCESS);
    free_info(of_session);
    free_info(of_set);
}

int main(void)
{
    run_phase("sessions only");
    CHECK_EQUAL(left_live(), 0);
    CHECK_EQUAL(atomic_load(&spy.real_infos), 1); /* the permanent one in MPICH */
    return 0;
}
