/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each function with an info of ours, over the real library: it does what it does with a real info, so what the
 * library cannot do here fails with its own error, and the caller's info is as it was. It may be freed, and other infos
 * come where the real one was, between the call that begins something and its end: what is begun is as it was asked
 * for.
 */
#include "interpose/calls.h"
#include "interpose/interpose.h"

/* The class of what the real library says to the call with an info of its own, made as ours is. What it has moved is in
 * calls_received. */
static int native_class(const struct call *call, const struct pair *pairs, size_t n)
{
    MPI_Info real = make_real(pairs[0].key, pairs[0].value);
    for (size_t i = 1; i < n; i++)
        CHECK_MPI(PMPI_Info_set(real, pairs[i].key, pairs[i].value), MPI_SUCCESS);
    int class = class_of(call->make(true, real));
    CHECK_MPI(PMPI_Info_free(&real), MPI_SUCCESS);
    return class;
}

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

static void each_function_works_with_our_infos(void)
{
    MPI_Info info = make_info(HINTS);
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        if (call_waits(call))
            continue;
        char received[CALLS_BYTES];
        int wanted = native_class(call, PAIRS(HINTS), 3);
        memcpy(received, calls_received, CALLS_BYTES);
        check_class(call->name, "ours", class_of(call->make(false, info)), wanted);
        CHECK(memcmp(received, calls_received, CALLS_BYTES) == 0);
        check_class(call->name, "MPI_INFO_ENV", class_of(call->make(false, MPI_INFO_ENV)), wanted);
        check_class(call->name, "MPI_INFO_NULL", class_of(call->make(false, MPI_INFO_NULL)),
                    class_of(call->make(true, MPI_INFO_NULL)));
        check_class(call->name, "a stale one", call->make(false, make_stale()), MPI_ERR_INFO);
        CHECK_CONTENTS(info, HINTS);
    }
    free_info(info);
}

static void each_function_works_with_the_librarys(void)
{
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        if (call_waits(call))
            continue;
        MPI_Info real = make_real("a", "1");
        check_class(call->name, "its own", class_of(call->make(false, real)), class_of(call->make(true, real)));
        CHECK_MPI(PMPI_Info_free(&real), MPI_SUCCESS);
    }
}

static void an_info_may_go_right_after_the_call(void)
{
    MPI_Info info = make_info({"no_locks", "true"}), given = MPI_INFO_NULL;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    char *memory = NULL;
    CHECK_MPI(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_MPI(MPI_Win_allocate(64, 1, info, comm, &memory, &win), MPI_SUCCESS);
    free_info(info);
    CHECK_MPI(MPI_Win_fence(0, win), MPI_SUCCESS);
    int one = 1, next = (rank_in_world() + 1) % size_of_world();
    CHECK_MPI(MPI_Put(&one, 1, MPI_INT, next, 0, 1, MPI_INT, win), MPI_SUCCESS);
    CHECK_MPI(MPI_Win_fence(0, win), MPI_SUCCESS);
    CHECK_MPI(MPI_Win_get_info(win, &given), MPI_SUCCESS);
    free_info(given);
    CHECK_MPI(MPI_Win_free(&win), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_free(&comm), MPI_SUCCESS);
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

/* `call` with what is lent for one of ours, and `native`, the same with no info. */
#define CHECK_AS_NATIVE(call, native) CHECK_EQUAL(class_of(call), class_of(native))

static void an_error_of_the_library_stays_its_own(void)
{
    MPI_Info info = make_info(HINTS), none = MPI_INFO_NULL;
    MPI_Session session = MPI_SESSION_NULL;
    int length = 0, sets = -1, real_infos = atomic_load(&spy.real_infos);
    CHECK_MPI(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_AS_NATIVE(MPI_Session_get_nth_pset(session, info, 99, &length, NULL),
                    PMPI_Session_get_nth_pset(session, none, 99, &length, NULL));
    CHECK_MPI(MPI_Session_finalize(&session), MPI_SUCCESS);
    CHECK_MPI(class_of(MPI_Session_get_num_psets(MPI_SESSION_NULL, info, &sets)), MPI_ERR_SESSION);
    CHECK_AS_NATIVE(MPI_Session_init(info, MPI_ERRORS_RETURN, NULL), PMPI_Session_init(none, MPI_ERRORS_RETURN, NULL));
    if (!IS_OPENMPI) { /* which takes MPI_GROUP_NULL for one with nobody in it */
        MPI_Comm comm = MPI_COMM_NULL;
        CHECK_MPI(class_of(MPI_Comm_create_from_group(MPI_GROUP_NULL, "a", info, MPI_ERRORS_RETURN, &comm)),
                  MPI_ERR_GROUP);
        CHECK_MPI(class_of(MPI_Intercomm_create_from_groups(MPI_GROUP_NULL, 0, MPI_GROUP_NULL, 0, "a", info,
                                                            MPI_ERRORS_RETURN, &comm)),
                  MPI_ERR_GROUP);
    }
    CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    CHECK_CONTENTS(info, HINTS);
    free_info(info);
}

static void two_groups_meet(void)
{
    const struct call *call = calls;
    if (size_of_world() < 2) /* alone there is one group; TEST_PROCESSES sees to it that the other run has two */
        return;
    MPI_Info info = make_info(HINTS);
    while (strcmp(call->name, "MPI_Intercomm_create_from_groups") != 0)
        call++;
    CHECK_MPI(call->make(false, info), MPI_SUCCESS);
    CHECK_MPI(call->make(false, MPI_INFO_ENV), MPI_SUCCESS);
    CHECK_MPI(call->make(false, MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_MPI(call->make(false, make_stale()), MPI_ERR_INFO);
    CHECK_CONTENTS(info, HINTS);
    free_info(info);
}

#endif

int main(void)
{
    static test_function *const tests[] = {
        each_function_works_with_our_infos,
        each_function_works_with_the_librarys,
        what_is_begun_ends,
#if defined(RCUINFO__HAS_MPI_Session_init)
        a_communicator_is_as_the_info_said,
        an_error_of_the_library_stays_its_own,
        two_groups_meet,
#endif
        an_info_may_go_right_after_the_call,
    };
    INTERPOSE_RUN(tests);
}
