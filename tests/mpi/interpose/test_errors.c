/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each error is passed once to the error handler that the real library calls for errors on infos, that of
 * MPI_COMM_WORLD or MPI_COMM_SELF, while there is one, and then returned. (interpose.nomem: out of memory.)
 */
#include "interpose/calls.h"
#include "interpose/interpose.h"

static int handled, handled_code, handled_infos;
static MPI_Comm handled_comm, comm_of_infos;
static bool forgets; /* whether the library returns MPI_SUCCESS after it has called the handler, like MPICH 5.0.2 */

static void handler(MPI_Comm *comm, int *code, ...)
{
    handled++;
    handled_infos += *code == MPI_ERR_INFO;
    handled_code = *code;
    handled_comm = *comm;
}

#define CHECK_HANDLED(call, code)                                                                                      \
    do {                                                                                                               \
        CHECK_RAISED_AS(call, code, code);                                                                             \
        CHECK(handled_comm == comm_of_infos);                                                                          \
    } while (0)

#define CHECK_RAISED(call, class) CHECK_RAISED_AS(call, class, forgets ? MPI_SUCCESS : handled_code)

#define CHECK_RAISED_AS(call, class, wanted)                                                                           \
    do {                                                                                                               \
        handled = 0;                                                                                                   \
        int code = call;                                                                                               \
        CHECK_EQUAL(handled, 1);                                                                                       \
        CHECK_EQUAL(class_of(handled_code), class);                                                                    \
        CHECK_EQUAL(code, wanted);                                                                                     \
    } while (0)

static void handle_by(MPI_Errhandler errhandler)
{
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler), MPI_SUCCESS);
}

static void every_info_function_calls_the_handler(void)
{
    MPI_Info stale = make_stale(), out = MPI_INFO_NULL, info = make_empty();
    char text[8] = "untouch";
    int flag = 7, number = 5;
    CHECK_HANDLED(MPI_Info_create(NULL), MPI_ERR_ARG);
    CHECK_HANDLED(MPI_Info_set(stale, "a", "1"), MPI_ERR_INFO);
    CHECK_HANDLED(MPI_Info_set(info, "", "1"), MPI_ERR_INFO_KEY);
    CHECK_HANDLED(MPI_Info_set(info, "a", NULL), MPI_ERR_INFO_VALUE);
    CHECK_HANDLED(MPI_Info_set(MPI_INFO_ENV, "a", "1"), MPI_ERR_INFO);
    CHECK_HANDLED(MPI_Info_delete(info, "a"), MPI_ERR_INFO_NOKEY);
    CHECK_HANDLED(MPI_Info_get(stale, "a", 7, text, &flag), MPI_ERR_INFO);
    CHECK_HANDLED(MPI_Info_get_valuelen(MPI_INFO_NULL, "a", &number, &flag), MPI_ERR_INFO);
    CHECK_HANDLED(MPI_Info_get_string(stale, "a", &number, text, &flag), MPI_ERR_INFO);
    CHECK_HANDLED(MPI_Info_get_nkeys(flavour_handle(0), &number), MPI_ERR_INFO);
    CHECK_HANDLED(MPI_Info_get_nthkey(info, 0, text), MPI_ERR_ARG);
    CHECK_HANDLED(MPI_Info_dup(stale, &out), MPI_ERR_INFO);
    CHECK_HANDLED(MPI_Info_free(&stale), MPI_ERR_INFO);
    CHECK_HANDLED(MPI_Info_free(NULL), MPI_ERR_ARG);
    CHECK_HANDLED(MPI_Info_create_env(-1, NULL, &out), MPI_ERR_ARG);
    CHECK_TEXT(text, "untouch");
    CHECK_EQUAL(flag, 7);
    CHECK_EQUAL(number, 5);
    CHECK(out == MPI_INFO_NULL);
    free_info(info);
}

static void forwarders_call_the_handler(void)
{
    MPI_Info stale = make_stale();
    MPI_Comm comm = MPI_COMM_NULL;
    void *memory = NULL;
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        handled_infos = 0; /* the preparations may cause native errors */
        CHECK_MPI(call->make(false, stale), MPI_ERR_INFO);
        CHECK_EQUAL(handled_infos, !is_tool(call->name));
    }
    CHECK_HANDLED(MPI_Alloc_mem(8, stale, &memory), MPI_ERR_INFO);
    CHECK_HANDLED(MPI_Comm_dup_with_info(MPI_COMM_WORLD, stale, &comm), MPI_ERR_INFO);
    CHECK(!memory && comm == MPI_COMM_NULL);
}

/* Errors that the real library detects, with its own info or with one of ours, are raised by itself. */
static void the_librarys_errors_are_raised_once(void)
{
    MPI_Info real = make_real("a", "1"), info = make_info({"a", "1"});
    MPI_Comm comm = MPI_COMM_NULL;
    char text[8] = "";
    int flag = 0, length = -1;
    CHECK_RAISED(MPI_Info_delete(real, "b"), MPI_ERR_INFO_NOKEY);
    CHECK_RAISED(MPI_Info_set(real, "", "1"), MPI_ERR_INFO_KEY);
    CHECK_RAISED(MPI_Info_get(real, NULL, 7, text, &flag), MPI_ERR_INFO_KEY);
    CHECK_RAISED(MPI_Info_get_valuelen(real, "", &length, &flag), MPI_ERR_INFO_KEY);
    CHECK_RAISED(MPI_Info_get_nthkey(real, 7, text), IS_OPENMPI ? MPI_ERR_INFO_KEY : MPI_ERR_ARG);
    CHECK_RAISED(MPI_Info_get_string(real, "", &(int){8}, text, &flag), MPI_ERR_INFO_KEY);
    if (!IS_OPENMPI || GET_STRING_IS_OURS) /* the library's own accepts it */
        CHECK_RAISED(MPI_Info_get_string(real, "a", &length, text, &flag), MPI_ERR_ARG);
    CHECK_RAISED(MPI_Comm_dup_with_info(MPI_COMM_NULL, real, &comm), MPI_ERR_COMM);
    CHECK_RAISED(MPI_Comm_dup_with_info(MPI_COMM_NULL, info, &comm), MPI_ERR_COMM);
    CHECK_RAISED(MPI_Comm_get_info(MPI_COMM_NULL, &info), MPI_ERR_COMM);
    free_info(info);
    free_info(real);
}

int main(void)
{
    static test_function *const tests[] = {
        every_info_function_calls_the_handler,
        forwarders_call_the_handler,
        the_librarys_errors_are_raised_once,
    };
    MPI_Errhandler errhandler;
    interpose_begin();
    int real_infos = atomic_load(&spy.real_infos);
    CHECK_MPI(MPI_Comm_create_errhandler(handler, &errhandler), MPI_SUCCESS);
    handle_by(errhandler);
    MPI_Info real = make_real("a", "1");
    forgets = PMPI_Info_delete(real, "b") == MPI_SUCCESS;
    comm_of_infos = handled_comm;
    CHECK_MPI(PMPI_Info_free(&real), MPI_SUCCESS);
    RUN_TESTS("with a handler", tests);
    handle_by(MPI_ERRORS_RETURN);
    CHECK_MPI(MPI_Errhandler_free(&errhandler), MPI_SUCCESS);
    interpose_end(real_infos);
    return 0;
}
