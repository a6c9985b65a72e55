/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the rules of the file that the process was started with (RCUINFO_HINTS, rules.hints) add to what each forwarder
 * hands down, seen by a library under it that answers in place of the real one: whatever the program gives, its own
 * pairs before the rules' but where one is imposed, and for the right object; and nothing of it stays.
 */
#include <unistd.h>

#include "interpose/calls.h"
#include "interpose/interpose.h"

static const struct call *call;

/* The object that a function gives hints to, and the pair of the pattern that matches what calls.c names it; by how the
 * function's name begins, the first that fits. */
static const struct receiver {
    const char *function, *object, *name;
} receivers[] = {
    {"MPI_Alloc_mem", "alloc_mem", ""},
    {"MPI_Comm_accept", "port", "name=p;"},
    {"MPI_Comm_connect", "port", "name=p;"},
    {"MPI_Comm_spawn", "spawn", "name=s;"},
    {"MPI_Comm_split_type", "split_type", ""},
    {"MPI_Comm_", "communicator", ""},
    {"MPI_Dist_graph_", "communicator", ""},
    {"MPI_File_delete", "file", "name=f;"},
    {"MPI_File_open", "file", "name=f;"},
    {"MPI_File_", "file", ""},
    {"MPI_Intercomm_create_from_groups", "communicator", ""},
    {"MPI_Lookup_name", "port", "name=service;"},
    {"MPI_Open_port", "port", ""},
    {"MPI_Publish_name", "port", "name=service;"},
    {"MPI_Session_", "session", ""},
    {"MPI_Unpublish_name", "port", "name=service;"},
    {"MPI_Win_", "window", ""},
};
enum { RECEIVERS = sizeof receivers / sizeof receivers[0] };

/* What is handed down: what comes first, and what the sections of the function's object add. */
static const char *with_sections(const char *first)
{
    static char expected[256];
    size_t n = 0;
    while (n < RECEIVERS && strncmp(call->name, receivers[n].function, strlen(receivers[n].function)) != 0)
        n++;
    if (n < RECEIVERS)
        snprintf(expected, sizeof expected, "%skind=%s;%s", first, receivers[n].object, receivers[n].name);
    else
        snprintf(expected, sizeof expected, "%s", first);
    return expected;
}

static void assert_came_down(const char *pairs)
{
    if (strcmp(spy_name(), call->name) != 0 || strcmp(spy_pairs(0), pairs) != 0)
        fail_msg("%s: %s came down with %s, not with %s", call->name, spy_name(), spy_pairs(0), pairs);
    spy_forget();
}

static void an_info_of_ours_gets_them(void **state)
{
    MPI_Info info = make_info({"mine", "p"}, {"own", "p"}, {"imposed", "p"});
    int real_infos = spy_real_infos();
    (void)state;
    for (call = calls; call < calls + calls_count; call++) {
        uint64_t conversions = count_conversions();
        assert_int_equal(call->make(false, info), MPI_SUCCESS);
        assert_false(spy_info(0) == info);
        assert_came_down(is_tool(call->name) ? "mine=p;own=p;imposed=p;"
                                             : with_sections("mine=p;own=p;imposed=r;all=r;"));
        assert_int_equal(spy_real_infos(), real_infos);
        assert_int_equal(count_conversions(), conversions + 1);
    }
    assert_contents(info, {"mine", "p"}, {"own", "p"}, {"imposed", "p"});
    free_info(info);
}

static void no_info_becomes_one_of_them(void **state)
{
    int real_infos = spy_real_infos();
    (void)state;
    for (call = calls; call < calls + calls_count; call++) {
        uint64_t conversions = count_conversions();
        assert_int_equal(call->make(false, MPI_INFO_NULL), MPI_SUCCESS);
        assert_int_equal(spy_got_null(0), is_tool(call->name));
        assert_came_down(is_tool(call->name) ? "" : with_sections("all=r;own=r;imposed=r;"));
        assert_int_equal(spy_real_infos(), real_infos);
        assert_int_equal(count_conversions() - conversions, !is_tool(call->name));
    }
}

/* A real info is the program's too: what goes down is a copy. */
static void a_real_info_is_copied(void **state)
{
    MPI_Info real = make_real("own", "p");
    int real_infos = spy_real_infos(), nkeys = -1;
    (void)state;
    assert_int_equal(PMPI_Info_set(real, "imposed", "p"), MPI_SUCCESS);
    for (call = calls; call < calls + calls_count; call++) {
        uint64_t conversions = count_conversions();
        assert_int_equal(call->make(false, real), MPI_SUCCESS);
        assert_int_equal(spy_info(0) == real, is_tool(call->name));
        assert_came_down(is_tool(call->name) ? "own=p;imposed=p;" : with_sections("own=p;imposed=r;all=r;"));
        assert_int_equal(spy_real_infos(), real_infos);
        assert_int_equal(count_conversions() - conversions, !is_tool(call->name));
    }
    assert_int_equal(PMPI_Info_get_nkeys(real, &nkeys), MPI_SUCCESS);
    assert_int_equal(nkeys, 2);
    assert_value(real, "imposed", "p");
    assert_int_equal(PMPI_Info_free(&real), MPI_SUCCESS);
}

static void env_gets_them(void **state)
{
    (void)state;
    for (call = calls; call < calls + calls_count; call++) {
        assert_int_equal(call->make(false, MPI_INFO_ENV), MPI_SUCCESS);
        assert_true(strncmp(spy_pairs(0), "command=", strlen("command=")) == 0);
        const char *added = strstr(spy_pairs(0), "all=r;");
        assert_int_equal(added != NULL, !is_tool(call->name));
        if (added)
            assert_string_equal(added, with_sections("all=r;own=r;imposed=r;"));
    }
}

static void what_names_nothing_is_refused(void **state)
{
    MPI_Info stale = make_stale();
    (void)state;
    for (call = calls; call < calls + calls_count; call++) {
        spy_forget();
        assert_int_equal(call->make(false, stale), MPI_ERR_INFO);
        assert_string_equal(spy_name(), "");
    }
}

/* Three rules are for every function. */
static void fail_in_between(MPI_Info info, int pairs)
{
    int real_infos = spy_real_infos();
    spy_forget();
    for (call = calls; call < calls + calls_count; call++) {
        if (is_tool(call->name))
            continue;
        uint64_t conversions = count_conversions();
        spy_fail_create(1);
        assert_int_equal(call->make(false, info), MPI_ERR_OTHER);
        spy_fail_as(MPI_SUCCESS);
        spy_fail_create(1);
        assert_int_equal(call->make(false, info), MPI_ERR_NO_MEM);
        spy_fail_as(MPI_ERR_OTHER);
        for (int k = 1; k <= pairs + 3; k++) {
            spy_fail_set(k);
            assert_int_equal(call->make(false, info), MPI_ERR_OTHER);
            assert_int_equal(spy_real_infos(), real_infos);
        }
        assert_int_equal(count_conversions(), conversions);
    }
    assert_string_equal(spy_name(), "");
}

static void a_failure_in_between_leaves_nothing(void **state)
{
    MPI_Info info = make_info({"a", "1"}), real = make_real("a", "1");
    (void)state;
    fail_in_between(info, 1);
    fail_in_between(MPI_INFO_NULL, 0);
    fail_in_between(real, 0);
    assert_contents(info, {"a", "1"});
    assert_int_equal(PMPI_Info_free(&real), MPI_SUCCESS);
    free_info(info);
}

static void an_error_of_the_next_function_comes_back(void **state)
{
    int real_infos = spy_real_infos();
    (void)state;
    spy_answer(MPI_ERR_ROOT);
    for (call = calls; call < calls + calls_count; call++) {
        assert_int_equal(call->make(false, MPI_INFO_NULL), MPI_ERR_ROOT);
        assert_int_equal(spy_real_infos(), real_infos);
    }
    spy_answer(MPI_SUCCESS);
}

/* Each command by its own name. */
static void commands_of_an_array(void **state)
{
    static char a[] = "a command", b[] = "b", other[] = "/a command";
    char *commands[] = {a, b, other, b};
    const int processes[] = {1, 1, 1, 1};
    MPI_Info info = make_info({"own", "p"}, {"name", "p"}), real = make_real("kind", "p");
    const MPI_Info infos[] = {info, MPI_INFO_NULL, MPI_INFO_NULL, real};
    int real_infos = spy_real_infos(), errors[4];
    uint64_t conversions = count_conversions();
    MPI_Comm comm;
    (void)state;
    assert_int_equal(
        MPI_Comm_spawn_multiple(4, commands, MPI_ARGVS_NULL, processes, infos, 0, MPI_COMM_SELF, &comm, errors),
        MPI_SUCCESS);
    assert_string_equal(spy_pairs(0), "own=p;name=p;all=r;imposed=r;kind=spawn;");
    assert_string_equal(spy_pairs(1), "all=r;own=r;imposed=r;name=b;kind=special;");
    assert_string_equal(spy_pairs(2), "all=r;own=r;imposed=r;kind=spawn;");
    assert_string_equal(spy_pairs(3), "kind=p;all=r;own=r;imposed=r;name=b;");
    assert_int_equal(spy_real_infos(), real_infos);
    assert_int_equal(count_conversions(), conversions + 4);
    for (int k = 1; k <= 4; k++) {
        spy_fail_create(k);
        assert_int_equal(
            MPI_Comm_spawn_multiple(4, commands, MPI_ARGVS_NULL, processes, infos, 0, MPI_COMM_SELF, &comm, errors),
            MPI_ERR_OTHER);
        assert_int_equal(spy_real_infos(), real_infos);
    }
    assert_int_equal(PMPI_Info_free(&real), MPI_SUCCESS);
    free_info(info);
}

/* What counts at another process only is not looked at here, and gets nothing. */
static void nothing_where_it_is_not_read(void **state)
{
    static char a[] = "a command";
    char *commands[] = {a};
    const MPI_Info stale[] = {make_stale()};
    const int processes[] = {1};
    uint64_t conversions = count_conversions();
    int error;
    MPI_Comm comm;
    (void)state;
    assert_int_equal(MPI_Comm_accept("a-port", MPI_INFO_NULL, 1, MPI_COMM_SELF, &comm), MPI_SUCCESS);
    assert_true(spy_got_null(0));
    assert_int_equal(MPI_Comm_connect("a-port", stale[0], 1, MPI_COMM_SELF, &comm), MPI_SUCCESS);
    assert_true(spy_got_null(0));
    assert_int_equal(MPI_Comm_spawn(a, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 1, MPI_COMM_SELF, &comm, &error), MPI_SUCCESS);
    assert_true(spy_got_null(0));
    assert_int_equal(
        MPI_Comm_spawn_multiple(1, commands, MPI_ARGVS_NULL, processes, stale, 1, MPI_COMM_SELF, &comm, &error),
        MPI_SUCCESS);
    assert_true(spy_array() == stale);
    assert_int_equal(count_conversions(), conversions);
}

/* Open MPI takes an empty value since its version 6. */
#if !defined(OPEN_MPI) || defined(RCUINFO__HAS_MPI_Abi_get_version)
#define TAKES_EMPTY 1
#else
#define TAKES_EMPTY 0
#endif

static void what_the_library_refuses_is_left_out(void **state)
{
    char expected[160];
    uint64_t left_out = count_left_out();
    (void)state;
    assert_int_equal(MPI_File_delete("refused", MPI_INFO_NULL), MPI_SUCCESS);
    snprintf(expected, sizeof expected, "all=r;own=r;imposed=r;kind=file;%s%s", TAKES_EMPTY ? "empty=;" : "",
             IS_OPENMPI ? "" : "a_key_that_has_more_bytes_than_open_mpi_takes=v;");
    assert_string_equal(spy_pairs(0), expected);
    assert_int_equal(count_left_out() - left_out, !TAKES_EMPTY + IS_OPENMPI);
}

/* To the end: a file that is opened without hints has the rule's in use. */
static void the_real_library_does_what_a_rule_says(void **state)
{
    char name[64];
    MPI_File file = MPI_FILE_NULL;
    MPI_Info used = MPI_INFO_NULL;
    (void)state;
    snprintf(name, sizeof name, "./interposed-%ld.tmp", (long)getpid());
    spy_stub(false);
    assert_int_equal(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                                   MPI_INFO_NULL, &file),
                     MPI_SUCCESS);
    assert_int_equal(MPI_File_get_info(file, &used), MPI_SUCCESS);
    assert_value(used, "cb_buffer_size", "1234567");
    free_info(used);
    assert_int_equal(MPI_File_close(&file), MPI_SUCCESS);
    spy_stub(true);
}

/* The file that the process was started with counts, whatever becomes of the variable. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_info_of_ours_gets_them),
        cmocka_unit_test(no_info_becomes_one_of_them),
        cmocka_unit_test(a_real_info_is_copied),
        cmocka_unit_test(env_gets_them),
        cmocka_unit_test(what_names_nothing_is_refused),
        cmocka_unit_test(a_failure_in_between_leaves_nothing),
        cmocka_unit_test(an_error_of_the_next_function_comes_back),
        cmocka_unit_test(commands_of_an_array),
        cmocka_unit_test(nothing_where_it_is_not_read),
        cmocka_unit_test(what_the_library_refuses_is_left_out),
        cmocka_unit_test(the_real_library_does_what_a_rule_says),
    };
    int failed = setenv("RCUINFO_HINTS", "/nowhere", 1) != 0;
    failed += interpose_begin();
    int real_infos = spy_real_infos();
    spy_stub(true);
    failed += cmocka_run_group_tests_name("rules", tests, NULL, NULL);
    spy_stub(false);
    failed += interpose_end(real_infos);
    return failed != 0;
}
