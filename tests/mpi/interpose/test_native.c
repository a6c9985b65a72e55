/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each function with an info of ours and the real library has the same effect or error as with a real info, and the
 * caller's info is unchanged. Between the start of an operation and its end the info may be freed, and other infos may
 * replace the real one. Threads lend an info while another thread writes it: each real info has the pairs of one
 * version.
 *
 * usage: test_native [threads]
 */
#include <unistd.h>

#include "interpose/calls.h"
#include "interpose/interpose.h"
#include "support/scale.h"
#include "support/threads.h"

static void check_class(const char *name, const char *info, int class, int wanted)
{
    CHECKF(class == wanted, "%s with %s gives %d and should give %d", name, info, class, wanted);
}

/* A library cuts the first value, in its own copy. */
static const struct pair hints[] = {{"which_accumulate_ops", "sum,max,cswap"},
                                    {"romio_cb_write", "enable"},
                                    {"mpi_assert_no_any_source", "true"},
                                    {"a", "1"}};
enum { HINTS = sizeof hints / sizeof *hints, OTHERS = 64 };

static MPI_Info mine;
static int begun;

/* A real library that still reads a lent info would find a freed info, or one with other pairs. */
static void free_it(void)
{
    MPI_Info others[OTHERS];
    begun++;
    free_info(mine);
    for (int n = 0; n < OTHERS; n++)
        others[n] = make_real("mpi_assert_no_any_source", "false");
    for (int n = 0; n < OTHERS; n++)
        CHECK_MPI(NATIVE(PMPI_Info_free)(&others[n]), MPI_SUCCESS);
}

/* Compares each call with the same call on a real info with the same pairs. */
TEST_OF(each_function_works, "all")
{
    int completed_later = 0;
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        if (call_waits(call))
            continue;
        char received[CALLS_BYTES];
        MPI_Info real = MPI_INFO_NULL;
        CHECK_MPI(NATIVE(PMPI_Info_create)(&real), MPI_SUCCESS);
        for (int n = 0; n < HINTS; n++)
            CHECK_MPI(NATIVE(PMPI_Info_set)(real, hints[n].key, hints[n].value), MPI_SUCCESS);
        int wanted = class_of(call->make(true, real)), before = begun;
        memcpy(received, calls_received, CALLS_BYTES);
        mine = contents_make(hints, HINTS);
        calls_between = free_it;
        check_class(call->name, "ours", class_of(call->make(false, mine)), wanted);
        calls_between = NULL;
        CHECKF(memcmp(received, calls_received, CALLS_BYTES) == 0, "%s gives something else", call->name);
        if (begun == before) { /* complete when it returned */
            contents_check(mine, hints, HINTS, __FILE__, __LINE__);
            free_info(mine);
        }
        completed_later += strcmp(call->name, "MPI_Session_init") != 0 &&
                           (strstr(call->name, "_init") || strstr(call->name, "_idup_"));
        check_class(call->name, "the library's", class_of(call->make(false, real)), wanted);
        check_class(call->name, "MPI_INFO_ENV", class_of(call->make(false, MPI_INFO_ENV)), wanted);
        check_class(call->name, "MPI_INFO_NULL", class_of(call->make(false, MPI_INFO_NULL)),
                    class_of(call->make(true, MPI_INFO_NULL)));
        CHECK_MPI(NATIVE(PMPI_Info_free)(&real), MPI_SUCCESS);
    }
    CHECK_EQUAL(begun, completed_later);
#if defined(RCUINFO__HAS_MPI_Bcast_init) || defined(RCUINFO__HAS_MPIX_Bcast_init)
    CHECK(begun >= 22); /* the persistent collectives */
#endif
}

#if defined(RCUINFO__HAS_MPI_Session_init)

TEST_OF(a_communicator_is_as_the_info_said, "all")
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Info given = MPI_INFO_NULL;
    mine = make_info({"mpi_assert_no_any_source", "true"});
    CHECK_MPI(MPI_Comm_idup_with_info(MPI_COMM_WORLD, mine, &comm, &request), MPI_SUCCESS);
    free_it();
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_get_info(comm, &given), MPI_SUCCESS);
    check_value(given, "mpi_assert_no_any_source", "true");
    free_info(given);
    CHECK_MPI(MPI_Comm_free(&comm), MPI_SUCCESS);
}

#endif

/* Connects through a port, with our infos, if the real library can; if not, its own error is returned. */
TEST_OF(two_processes_meet, "all")
{
    MPI_Comm comm = MPI_COMM_NULL;
    char port[MPI_MAX_PORT_NAME] = "";
    int opened = MPI_SUCCESS, theirs = -1;
    if (size_of_world() < 2) /* TEST_PROCESSES ensures that the other run has two */
        return;
    MPI_Info info = make_info({"a", "1"});
    if (rank_in_world() == 0)
        opened = MPI_Open_port(info, port);
    CHECK_MPI(MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (opened != MPI_SUCCESS) { /* of Debian's, MPICH */
        CHECK(!IS_OPENMPI);
        if (rank_in_world() == 0)
            CHECK_EQUAL(class_of(opened), class_of(NATIVE(PMPI_Open_port)(MPI_INFO_NULL, port)));
        free_info(info);
        return;
    }
    CHECK_MPI(MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank_in_world() == 0)
        CHECK_MPI(MPI_Comm_accept(port, info, 0, MPI_COMM_SELF, &comm), MPI_SUCCESS);
    else
        CHECK_MPI(MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, &comm), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"a", "1"});
    free_info(info);
    int own = rank_in_world();
    CHECK_MPI(MPI_Sendrecv(&own, 1, MPI_INT, 0, 0, &theirs, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQUAL(theirs, 1 - own);
    CHECK_MPI(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
    if (own == 0)
        CHECK_MPI(MPI_Close_port(port), MPI_SUCCESS);
}

enum { LENDERS = 3, ROUNDS = TEST_SANITIZED ? 300 : 2000 };

static MPI_Info shared;
static atomic_uint lending;

/* Thread 0 writes both keys with the same value in each version. The others lend one version, which the spy reads. */
static void write_or_lend(unsigned thread, void *unused)
{
    (void)unused;
    for (int n = 0; thread == 0 && atomic_load(&lending) > 0; n++) {
        char value[16];
        snprintf(value, sizeof value, "%d", n);
        const rcuinfo_change_t changes[] = {{"a", value}, {"b", value}};
        CHECK_OK(rcuinfo_update(rcuinfo_from_mpi(shared), changes, 2, NULL));
    }
    for (int n = 0; thread != 0 && n < ROUNDS; n++) {
        void *memory = NULL;
        int a = -1, b = -2;
        CHECK_MPI(MPI_Alloc_mem(64, shared, &memory), MPI_SUCCESS);
        CHECKF(sscanf(came_down.pairs[0], "a=%d;b=%d;", &a, &b) == 2 && a == b, "%s", came_down.pairs[0]);
        if (!spy.stubs)
            CHECK_MPI(MPI_Free_mem(memory), MPI_SUCCESS);
    }
    if (thread != 0)
        atomic_fetch_sub(&lending, 1);
}

/* First without the real library, so that the threads meet more often. */
TEST_OF(lenders_and_a_writer, "threads")
{
    int provided = MPI_THREAD_SINGLE;
    CHECK_MPI(MPI_Query_thread(&provided), MPI_SUCCESS);
    CHECK_EQUAL(provided, MPI_THREAD_MULTIPLE);
    for (int stubs = 1; stubs >= 0; stubs--) {
        spy.stubs = stubs;
        shared = make_info({"a", "0"}, {"b", "0"});
        atomic_store(&lending, LENDERS);
        team_run(LENDERS + 1, write_or_lend, NULL);
        free_info(shared);
    }
}

int main(int argc, char **argv)
{
    return interpose_run(argc == 2 ? argv[1] : "all", false);
}
