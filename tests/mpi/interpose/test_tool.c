/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tool interface, which may be used before MPI_Init and after MPI_Finalize, and calls no error handler: it takes
 * and gives infos then as well, and the real library's answers are those that it gives without us.
 */
#include "interpose/calls.h"
#include "interpose/interpose.h"

static void assert_codes(const struct call *call, MPI_Info info)
{
    MPI_Info real = make_real("a", "1");
    int code = class_of(call->make(false, info)), wanted = class_of(call->make(true, real));
    if (code != wanted) {
        print_error("%s gives %d and should give %d\n", call->name, code, wanted);
        fail();
    }
    assert_int_equal(PMPI_Info_free(&real), MPI_SUCCESS);
}

static void infos_are_taken(void **state)
{
    MPI_Info info = make_info({"b", "2"}, {"a", "1"});
    int real_infos = spy_real_infos(), functions = 0;
    (void)state;
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        if (!is_tool(call->name))
            continue;
        functions++;
        spy_stub(true);
        assert_int_equal(call->make(false, info), MPI_SUCCESS);
        assert_string_equal(spy_name(), call->name);
        assert_string_equal(spy_pairs(0), "b=2;a=1;");
        spy_forget();
        assert_int_equal(call->make(false, make_stale()), MPI_ERR_INFO);
        assert_string_equal(spy_name(), "");
        spy_stub(false);
        assert_codes(call, info);
        assert_int_equal(spy_real_infos(), real_infos);
    }
    assert_int_equal(functions, 4);
    free_info(info);
}

static void infos_are_given(void **state)
{
    static const char *const given[] = {"b", "2", "a", "1"};
    int real_infos = spy_real_infos(), functions = 0;
    (void)state;
    spy_give(given, 2);
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
        MPI_Info info = MPI_INFO_NULL;
        if (!is_tool(gift->name))
            continue;
        functions++;
        spy_stub(true);
        assert_int_equal(gift->make(false, &info), MPI_SUCCESS);
        spy_stub(false);
        assert_contents(info, {"b", "2"}, {"a", "1"});
        free_info(info);
        assert_int_equal(spy_real_infos(), real_infos);
    }
    assert_int_equal(functions, 4);
}

/* Without MPI_T_init_thread the real library says so, and not the error handler. */
static void the_interface_is_not_initialized(void **state)
{
    MPI_Info info = make_info({"a", "1"});
    MPI_T_event_registration registration = NULL;
    (void)state;
    assert_int_equal(MPI_T_event_handle_alloc(0, NULL, info, &registration), MPI_T_ERR_NOT_INITIALIZED);
    assert_int_equal(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration), MPI_T_ERR_NOT_INITIALIZED);
    assert_int_equal(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_ENV, &registration), MPI_T_ERR_NOT_INITIALIZED);
    free_info(info);
}

/* The interface is not left before MPI_Init: MPICH 4.0.2 crashes in it then. */
int main(void)
{
    const struct CMUnitTest outside[] = {cmocka_unit_test(the_interface_is_not_initialized)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(infos_are_taken), cmocka_unit_test(infos_are_given)};
    int provided = 0, failed = cmocka_run_group_tests_name("outside", outside, NULL, NULL);
    failed += MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS;
    failed += cmocka_run_group_tests_name("before MPI_Init", tests, NULL, NULL);
    failed += MPI_Init(NULL, NULL) != MPI_SUCCESS; /* with the error handler that ends the process */
    failed += cmocka_run_group_tests_name("in MPI", tests, NULL, NULL);
    failed += MPI_Finalize() != MPI_SUCCESS;
    failed += cmocka_run_group_tests_name("after MPI_Finalize", tests, NULL, NULL);
    failed += MPI_T_finalize() != MPI_SUCCESS;
    return failed != 0 || count_live() != 0 || spy_real_infos() != 1; /* the one that keeps MPICH's memory */
}
