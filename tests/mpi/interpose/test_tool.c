/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tool interface, which may be used before MPI_Init and after MPI_Finalize, and calls no error handler: it takes
 * and gives infos then as well, and the real library's answers are those that it gives without us.
 */
#include "interpose/calls.h"
#include "interpose/interpose.h"

static void check_codes(const struct call *call, MPI_Info info)
{
    MPI_Info real = make_real("a", "1");
    int code = class_of(call->make(false, info)), wanted = class_of(call->make(true, real));
    CHECKF(code == wanted, "%s gives %d and should give %d", call->name, code, wanted);
    CHECK_MPI(PMPI_Info_free(&real), MPI_SUCCESS);
}

static void infos_are_taken(void)
{
    MPI_Info info = make_info({"b", "2"}, {"a", "1"});
    int real_infos = atomic_load(&spy.real_infos), functions = 0;
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        if (!is_tool(call->name))
            continue;
        functions++;
        spy.stubs = true;
        CHECK_MPI(call->make(false, info), MPI_SUCCESS);
        CHECK_TEXT(came_down.function, call->name);
        CHECK_TEXT(came_down.pairs[0], "b=2;a=1;");
        spy_forget();
        CHECK_MPI(call->make(false, make_stale()), MPI_ERR_INFO);
        CHECK_TEXT(came_down.function, "");
        spy.stubs = false;
        check_codes(call, info);
        CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    }
    CHECK_EQUAL(functions, 4);
    free_info(info);
}

static void infos_are_given(void)
{
    static const char *const given[] = {"b", "2", "a", "1"};
    int real_infos = atomic_load(&spy.real_infos), functions = 0;
    spy_give(given, 2);
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
        MPI_Info info = MPI_INFO_NULL;
        if (!is_tool(gift->name))
            continue;
        functions++;
        spy.stubs = true;
        CHECK_MPI(gift->make(false, &info), MPI_SUCCESS);
        spy.stubs = false;
        CHECK_CONTENTS(info, {"b", "2"}, {"a", "1"});
        free_info(info);
        CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    }
    CHECK_EQUAL(functions, 4);
}

/* Without MPI_T_init_thread the real library says so, and not the error handler. */
static void the_interface_is_not_initialized(void)
{
    MPI_Info info = make_info({"a", "1"});
    MPI_T_event_registration registration = NULL;
    CHECK_MPI(MPI_T_event_handle_alloc(0, NULL, info, &registration), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_MPI(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_MPI(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_ENV, &registration), MPI_T_ERR_NOT_INITIALIZED);
    free_info(info);
}

/* The interface is not left before MPI_Init: MPICH 4.0.2 crashes in it then. */
int main(void)
{
    static test_function *const outside[] = {the_interface_is_not_initialized};
    static test_function *const tests[] = {infos_are_taken, infos_are_given};
    int provided = 0;
    RUN_TESTS("outside", outside);
    CHECK_MPI(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    RUN_TESTS("before MPI_Init", tests);
    CHECK_MPI(MPI_Init(NULL, NULL), MPI_SUCCESS); /* with the error handler that ends the process */
    RUN_TESTS("in MPI", tests);
    CHECK_MPI(MPI_Finalize(), MPI_SUCCESS);
    RUN_TESTS("after MPI_Finalize", tests);
    CHECK_MPI(MPI_T_finalize(), MPI_SUCCESS);
    CHECK_EQUAL(left_live(), 0);
    CHECK_EQUAL(atomic_load(&spy.real_infos), 1); /* the one that keeps MPICH's memory */
    return 0;
}
