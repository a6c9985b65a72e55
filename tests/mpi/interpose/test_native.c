/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each function with an info of ours, over the real library: it does what it does with a real info, so what the
 * library cannot do here fails with its own error, and the caller's info is as it was. It may be freed, and other infos
 * come where the real one was, between the call that begins something and its end: what is begun is as it was asked
 * for.
 */
#include "interpose/calls.h"
#include "interpose/interpose.h"

static void check_class(const char *name, const char *info, int class, int wanted)
{
    CHECKF(class == wanted, "%s with %s gives %d and should give %d", name, info, class, wanted);
}

/* The first one is cut by a library, in its own copy. */
#define HINTS                                                                                                          \
    {"which_accumulate_ops", "sum,max,cswap"}, {"romio_cb_write", "enable"},                                           \
    {                                                                                                                  \
        "a", "1"                                                                                                       \
    }

/* Each as with a real info of the library's that was made as ours is. */
static void each_function_works(void)
{
    MPI_Info info = make_info(HINTS);
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        if (call_waits(call))
            continue;
        char received[CALLS_BYTES];
        MPI_Info real = make_real("which_accumulate_ops", "sum,max,cswap");
        CHECK_MPI(PMPI_Info_set(real, "romio_cb_write", "enable"), MPI_SUCCESS);
        CHECK_MPI(PMPI_Info_set(real, "a", "1"), MPI_SUCCESS);
        int wanted = class_of(call->make(true, real));
        memcpy(received, calls_received, CALLS_BYTES);
        check_class(call->name, "ours", class_of(call->make(false, info)), wanted);
        CHECK(memcmp(received, calls_received, CALLS_BYTES) == 0);
        check_class(call->name, "the library's", class_of(call->make(false, real)), wanted);
        check_class(call->name, "MPI_INFO_ENV", class_of(call->make(false, MPI_INFO_ENV)), wanted);
        check_class(call->name, "MPI_INFO_NULL", class_of(call->make(false, MPI_INFO_NULL)),
                    class_of(call->make(true, MPI_INFO_NULL)));
        CHECK_CONTENTS(info, HINTS);
        CHECK_MPI(PMPI_Info_free(&real), MPI_SUCCESS);
    }
    free_info(info);
}

enum { OTHERS = 64 };

static MPI_Info mine;
static int begun;

/* A real library that still looks at what it was lent finds what is gone, or an info that says otherwise. */
static void free_it(void)
{
    MPI_Info others[OTHERS];
    begun++;
    free_info(mine);
    for (int n = 0; n < OTHERS; n++)
        others[n] = make_real("mpi_assert_no_any_source", "false");
    for (int n = 0; n < OTHERS; n++)
        CHECK_MPI(PMPI_Info_free(&others[n]), MPI_SUCCESS);
}

static void what_is_begun_ends(void)
{
    int completed_later = 0;
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        char received[CALLS_BYTES];
        if (call_waits(call))
            continue;
        completed_later += strcmp(call->name, "MPI_Session_init") != 0 &&
                           (strstr(call->name, "_init") || strstr(call->name, "_idup_"));
        calls_between = NULL;
        memset(calls_received, 0, CALLS_BYTES);
        int wanted = class_of(call->make(true, MPI_INFO_NULL)), before = begun;
        memcpy(received, calls_received, CALLS_BYTES);
        mine = make_info({"mpi_assert_no_any_source", "true"}, {"a", "1"});
        calls_between = free_it;
        int code = class_of(call->make(false, mine));
        calls_between = NULL;
        if (begun == before) { /* over when it returned */
            free_info(mine);
            continue;
        }
        CHECKF(code == wanted && memcmp(received, calls_received, CALLS_BYTES) == 0,
               "%s gives %d or something else than it should", call->name, code);
    }
    CHECK_EQUAL(begun, completed_later);
    CHECK(begun >= 22); /* the persistent collectives */
}

#if defined(RCUINFO__HAS_MPI_Session_init)

static void a_communicator_is_as_the_info_said(void)
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

/* By a port, with infos of ours, where the real library can; where it cannot, its own error comes back. */
static void two_processes_meet(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    char port[MPI_MAX_PORT_NAME] = "";
    int opened = MPI_SUCCESS, theirs = -1;
    if (size_of_world() < 2) /* TEST_PROCESSES sees to it that the other run has two */
        return;
    MPI_Info info = make_info({"a", "1"});
    if (rank_in_world() == 0)
        opened = MPI_Open_port(info, port);
    CHECK_MPI(MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (opened != MPI_SUCCESS) { /* of Debian's, MPICH */
        CHECK(!IS_OPENMPI);
        if (rank_in_world() == 0)
            CHECK_EQUAL(class_of(opened), class_of(PMPI_Open_port(MPI_INFO_NULL, port)));
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

int main(void)
{
    static test_function *const tests[] = {
        each_function_works,
        what_is_begun_ends,
        two_processes_meet,
#if defined(RCUINFO__HAS_MPI_Session_init)
        a_communicator_is_as_the_info_said,
#endif
    };
    INTERPOSE_RUN(tests);
}
