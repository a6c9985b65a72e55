/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each forwarder hands down, seen by a library under it that answers in place of the real one: a real info with
 * the pairs of one version in their order, for one call only; everything else as it came.
 */
#include "interpose/calls.h"
#include "interpose/interpose.h"

static const struct call *call;

static int stub_on(void **state)
{
    (void)state;
    spy_stub(true);
    return 0;
}

static int stub_off(void **state)
{
    (void)state;
    spy_stub(false);
    return 0;
}

static void assert_came_down(void)
{
    if (strcmp(spy_name(), call->name) != 0) {
        print_error("%s came down where %s was called\n", spy_name(), call->name);
        fail();
    }
    spy_forget();
}

static void an_info_of_ours_becomes_a_real_one(void **state)
{
    MPI_Info info = make_info({"which_accumulate_ops", "sum,max,cswap"}, {"b", "2"}, {"a", "1"});
    uint64_t conversions = count_conversions();
    int real_infos = spy_real_infos();
    (void)state;
    for (call = calls; call < calls + calls_count; call++) {
        assert_int_equal(call->make(false, info), MPI_SUCCESS);
        assert_came_down();
        assert_false(spy_got_null(0));
        assert_false(spy_info(0) == info);
        assert_string_equal(spy_pairs(0), "which_accumulate_ops=sum,max,cswap;b=2;a=1;");
        assert_int_equal(spy_real_infos(), real_infos);
        assert_int_equal(count_conversions(), ++conversions);
    }
    assert_contents(info, {"which_accumulate_ops", "sum,max,cswap"}, {"b", "2"}, {"a", "1"});
    free_info(info);
}

static void an_empty_info_becomes_an_empty_one(void **state)
{
    MPI_Info info = make_empty();
    (void)state;
    for (call = calls; call < calls + calls_count; call++) {
        assert_int_equal(call->make(false, info), MPI_SUCCESS);
        assert_came_down();
        assert_false(spy_got_null(0));
        assert_string_equal(spy_pairs(0), "");
    }
    free_info(info);
}

static void null_stays_null(void **state)
{
    uint64_t conversions = count_conversions();
    (void)state;
    for (call = calls; call < calls + calls_count; call++) {
        assert_int_equal(call->make(false, MPI_INFO_NULL), MPI_SUCCESS);
        assert_came_down();
        assert_true(spy_got_null(0));
    }
    assert_int_equal(count_conversions(), conversions);
}

static void env_is_converted(void **state)
{
    (void)state;
    for (call = calls; call < calls + calls_count; call++) {
        assert_int_equal(call->make(false, MPI_INFO_ENV), MPI_SUCCESS);
        assert_came_down();
        assert_false(spy_info(0) == MPI_INFO_ENV);
        assert_true(strncmp(spy_pairs(0), "command=", strlen("command=")) == 0);
        assert_non_null(strstr(spy_pairs(0), ";maxprocs="));
    }
}

static void a_real_info_passes_unchanged(void **state)
{
    MPI_Info real = make_real("a", "1");
    uint64_t conversions = count_conversions();
    (void)state;
    for (call = calls; call < calls + calls_count; call++) {
        assert_int_equal(call->make(false, real), MPI_SUCCESS);
        assert_came_down();
        assert_true(spy_info(0) == real);
    }
    assert_int_equal(count_conversions(), conversions);
    assert_int_equal(PMPI_Info_free(&real), MPI_SUCCESS);
}

static void what_names_nothing_is_refused_at_once(void **state)
{
    const MPI_Info bad[] = {make_stale(), flavour_handle(0), flavour_handle(4095),
                            flavour_handle(UINT64_C(0x1dead001))};
    (void)state;
    for (call = calls; call < calls + calls_count; call++) {
        for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
            if (flavour_may_be_real(flavour_bits(bad[n])))
                continue;
            spy_forget();
            assert_int_equal(call->make(false, bad[n]), MPI_ERR_INFO);
            assert_string_equal(spy_name(), "");
        }
    }
}

/* Open MPI takes an empty value since its version 6. */
#if defined(RCUINFO__HAS_MPI_Abi_get_version)
#define TAKES_EMPTY 1
#else
#define TAKES_EMPTY 0
#endif

/* Pairs that the real library refuses stay out of its copy, and are counted; the info itself keeps them. */
static void refused_pairs_are_left_out(void **state)
{
    MPI_Info info = make_info({"a", "1"});
    rcuinfo_t native = rcuinfo_from_mpi(info);
    char *key = make_text((size_t)MPI_MAX_INFO_KEY, 'k', 'k'), *value = make_text(RCUINFO_MAX_VALUE - 1, 'v', 'v');
    bool key_fits = RCUINFO_MAX_KEY > MPI_MAX_INFO_KEY;
    uint64_t left_out = count_left_out();
    (void)state;
    assert_int_equal(MPI_Info_set(info, "empty", ""), MPI_SUCCESS);
    if (key_fits)
        assert_int_equal(rcuinfo_set(native, key, "long key"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(native, "long", value), RCUINFO_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "z", "26"), MPI_SUCCESS);
    for (call = calls; call < calls + calls_count; call++) {
        assert_int_equal(call->make(false, info), MPI_SUCCESS);
        if (IS_OPENMPI) {
            assert_string_equal(spy_pairs(0), TAKES_EMPTY ? "a=1;empty=;z=26;" : "a=1;z=26;");
            left_out += TAKES_EMPTY ? 2 : 3;
        } else {
            assert_true(strncmp(spy_pairs(0), "a=1;empty=;long=vvv", strlen("a=1;empty=;long=vvv")) == 0);
            assert_non_null(strstr(spy_pairs(0), "v;z=26;"));
            left_out += 1;
        }
        assert_int_equal(count_left_out(), left_out);
    }
    int nkeys = -1;
    assert_int_equal(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    assert_int_equal(nkeys, 5);
    test_free(key);
    test_free(value);
    free_info(info);
}

static void a_failure_in_between_leaves_nothing(void **state)
{
    MPI_Info info = make_info({"a", "1"}, {"b", "2"}, {"c", "3"});
    int real_infos = spy_real_infos();
    (void)state;
    for (call = calls; call < calls + calls_count; call++) {
        spy_forget();
        spy_fail_create(1);
        assert_int_equal(call->make(false, info), MPI_ERR_OTHER);
        spy_fail_as(MPI_SUCCESS);
        spy_fail_create(1);
        assert_int_equal(call->make(false, info), MPI_ERR_NO_MEM);
        spy_fail_as(MPI_ERR_OTHER);
        for (int k = 1; k <= 3; k++) {
            spy_fail_set(k);
            assert_int_equal(call->make(false, info), MPI_ERR_OTHER);
            assert_int_equal(spy_real_infos(), real_infos);
        }
        assert_string_equal(spy_name(), "");
    }
    assert_contents(info, {"a", "1"}, {"b", "2"}, {"c", "3"});
    free_info(info);
}

/* Whatever the next function says comes back as it is, and what was lent does not stay. */
static void an_error_of_the_next_function_comes_back(void **state)
{
    MPI_Info info = make_info({"a", "1"}), given = info;
    int real_infos = spy_real_infos();
    (void)state;
    spy_answer(MPI_ERR_ROOT);
    for (call = calls; call < calls + calls_count; call++) {
        assert_int_equal(call->make(false, info), MPI_ERR_ROOT);
        assert_came_down();
        assert_int_equal(spy_real_infos(), real_infos);
    }
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
        assert_int_equal(gift->make(false, &given), MPI_ERR_ROOT);
        assert_string_equal(spy_name(), gift->name);
        assert_true(given == info);
    }
    spy_answer(MPI_SUCCESS);
    free_info(info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_info_of_ours_becomes_a_real_one),
        cmocka_unit_test(an_empty_info_becomes_an_empty_one),
        cmocka_unit_test(null_stays_null),
        cmocka_unit_test(env_is_converted),
        cmocka_unit_test(a_real_info_passes_unchanged),
        cmocka_unit_test(what_names_nothing_is_refused_at_once),
        cmocka_unit_test(refused_pairs_are_left_out),
        cmocka_unit_test(a_failure_in_between_leaves_nothing),
        cmocka_unit_test(an_error_of_the_next_function_comes_back),
    };
    int failed = interpose_begin();
    int real_infos = spy_real_infos();
    failed += cmocka_run_group_tests_name("forwarders", tests, stub_on, stub_off);
    failed += interpose_end(real_infos);
    return failed != 0;
}
