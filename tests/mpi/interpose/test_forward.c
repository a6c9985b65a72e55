/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arguments that each forwarder passes on, recorded by a library after it that answers in place of the real one: a
 * real info with the pairs of one version in their order, for this call only; everything else unchanged. Also the pairs
 * that the rules of the process (RCUINFO_HINTS, rules.hints) add, with any info of the program, for the right object:
 * the program's own pairs come before those of rules unless imposed, and nothing is left afterwards. On one process and
 * on two: arguments that are significant only at the root are read only there, and arrays are converted as a whole.
 *
 * usage: test_forward each|rules|root|commands      rules: the process was started with rules.hints
 */
#include <stdlib.h>

#include "interpose/calls.h"
#include "interpose/interpose.h"

static const struct call *call;
static bool with_rules;

/* The object that a function passes hints for, and the pair of the pattern that matches its name in calls.c, by the
 * beginning of the function's name; the first match counts. */
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

/* The pairs passed on: the first ones, and those that the sections of the function's object add. */
static const char *with_sections(const char *first)
{
    static char expected[256];
    size_t n = 0;
    while (n < RECEIVERS && strncasecmp(call->name, receivers[n].function, strlen(receivers[n].function)) != 0)
        n++;
    if (n < RECEIVERS)
        snprintf(expected, sizeof expected, "%skind=%s;%s", first, receivers[n].object, receivers[n].name);
    else
        snprintf(expected, sizeof expected, "%s", first);
    return expected;
}

/* The tool interface has no hints. */
static bool gets_rules(void)
{
    return with_rules && !is_tool(call->name);
}

static void check_came_down(const char *pairs)
{
    CHECKF(strcmp(came_down.function, call->name) == 0 && strcmp(came_down.pairs[0], pairs) == 0,
           "%s: %s came down with %s, not with %s", call->name, came_down.function, came_down.pairs[0], pairs);
    spy_forget();
}

/* The pairs passed on for an info without rules; with rules, those before the pairs of the function's object. A real
 * info and MPI_INFO_NULL are passed on unchanged, unless there are rules: then an info is created for the call. */
static void hand_down(MPI_Info info, const char *plain, const char *ruled)
{
    int real_infos = atomic_load(&spy.real_infos);
    for (call = calls; call < calls + calls_count; call++) {
        bool is_made = is_ours(info) || gets_rules();
        uint64_t conversions = count_conversions();
        CHECK_MPI(call->make(false, info), MPI_SUCCESS);
        CHECK_EQUAL(came_down.infos[0] == info, !is_made);
        CHECK(!(is_made && came_down.infos[0] == MPI_INFO_NULL));
        check_came_down(gets_rules() ? with_sections(ruled) : plain);
        CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
        CHECK_EQUAL(count_conversions() - conversions, is_made);
    }
}

TEST_OF(an_info_of_ours_becomes_a_real_one, "each rules")
{
    MPI_Info info = make_info({"which_accumulate_ops", "sum,max,cswap"}, {"own", "p"}, {"imposed", "p"});
    hand_down(info, "which_accumulate_ops=sum,max,cswap;own=p;imposed=p;",
              "which_accumulate_ops=sum,max,cswap;own=p;all=r;imposed=r;");
    CHECK_CONTENTS(info, {"which_accumulate_ops", "sum,max,cswap"}, {"own", "p"}, {"imposed", "p"});
    free_info(info);
}

TEST_OF(no_pairs, "each rules")
{
    MPI_Info info = make_empty();
    hand_down(info, "", "all=r;own=r;imposed=r;");
    hand_down(MPI_INFO_NULL, "", "all=r;own=r;imposed=r;");
    free_info(info);
}

/* The program has this pair, too. */
TEST_OF(a_real_info_is_not_changed, "each rules")
{
    MPI_Info real = make_real("own", "p");
    CHECK_MPI(NATIVE(PMPI_Info_set)(real, "imposed", "p"), MPI_SUCCESS);
    hand_down(real, "own=p;imposed=p;", "own=p;imposed=r;all=r;");
    CHECK_CONTENTS(real, {"own", "p"}, {"imposed", "p"});
    CHECK_MPI(NATIVE(PMPI_Info_free)(&real), MPI_SUCCESS);
}

TEST_OF(env_is_converted, "each rules")
{
    for (call = calls; call < calls + calls_count; call++) {
        CHECK_MPI(call->make(false, MPI_INFO_ENV), MPI_SUCCESS);
        CHECK_TEXT(came_down.function, call->name);
        CHECK(came_down.infos[0] != MPI_INFO_ENV);
        CHECK(strncmp(came_down.pairs[0], "command=", strlen("command=")) == 0);
        CHECK(strstr(came_down.pairs[0], ";maxprocs="));
        const char *added = strstr(came_down.pairs[0], "all=r;");
        CHECK_EQUAL(added != NULL, gets_rules());
        if (added)
            CHECK_TEXT(added, with_sections("all=r;own=r;imposed=r;"));
    }
}

/* The program's error handler is called once. */
TEST_OF(invalid_handles_are_not_passed_on, "each rules")
{
    const MPI_Info bad[] = {make_stale(), flavour_handle(0), flavour_handle(4095),
                            flavour_handle(UINT64_C(0x1dead001))};
    count_errors(MPI_ERR_INFO);
    for (call = calls; call < calls + calls_count; call++) {
        for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
            if (flavour_may_be_real(flavour_bits(bad[n])))
                continue;
            spy_forget();
            handled = 0;
            CHECK_MPI(call->make(false, bad[n]), MPI_ERR_INFO);
            CHECK_EQUAL(handled, !is_tool(call->name));
            CHECK_TEXT(came_down.function, "");
        }
    }
    flavour_set_errhandler(MPI_ERRORS_RETURN);
}

/* Three rules are for every function. `sets`: the number of pairs set in the created info. */
static void fail_in_between(MPI_Info info, int sets)
{
    int real_infos = atomic_load(&spy.real_infos);
    uint64_t conversions = count_conversions();
    spy_forget();
    for (call = calls; call < calls + calls_count; call++) {
        if (!is_ours(info) && !gets_rules())
            continue; /* no info is created */
        atomic_store(&spy.fail_create, 1);
        CHECK_MPI(call->make(false, info), MPI_ERR_OTHER);
        spy.fail_as = MPI_SUCCESS;
        atomic_store(&spy.fail_create, 1);
        CHECK_MPI(call->make(false, info), MPI_ERR_NO_MEM);
        spy.fail_as = MPI_ERR_OTHER;
        for (int k = 1; k <= sets + (gets_rules() ? 3 : 0); k++) {
            atomic_store(&spy.fail_set, k);
            CHECK_MPI(call->make(false, info), MPI_ERR_OTHER);
            CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
        }
    }
    CHECK_EQUAL(count_conversions(), conversions);
    CHECK_TEXT(came_down.function, "");
}

TEST_OF(a_failure_in_between_leaves_nothing, "each rules")
{
    MPI_Info info = make_info({"a", "1"}, {"b", "2"}, {"c", "3"}), real = make_real("a", "1");
    fail_in_between(info, 3);
    fail_in_between(MPI_INFO_NULL, 0);
    fail_in_between(real, 0);
    CHECK_CONTENTS(info, {"a", "1"}, {"b", "2"}, {"c", "3"});
    CHECK_MPI(NATIVE(PMPI_Info_free)(&real), MPI_SUCCESS);
    free_info(info);
}

/* The code of the next function is returned unchanged, and the lent info is freed. */
TEST_OF(an_error_of_the_next_function_comes_back, "each rules")
{
    MPI_Info info = make_info({"a", "1"}), given = info;
    int real_infos = atomic_load(&spy.real_infos);
    spy.answer = MPI_ERR_ROOT;
    for (call = calls; call < calls + calls_count; call++) {
        CHECK_MPI(call->make(false, info), MPI_ERR_ROOT);
        CHECK_TEXT(came_down.function, call->name);
        CHECK_MPI(call->make(false, MPI_INFO_NULL), MPI_ERR_ROOT);
        CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    }
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
        CHECK_MPI(gift->make(false, &given), MPI_ERR_ROOT);
        CHECK_TEXT(came_down.function, gift->name);
        CHECK(given == info);
    }
    spy.answer = MPI_SUCCESS;
    free_info(info);
}

/* Open MPI accepts empty values since version 6. */
#if !defined(OPEN_MPI) || defined(RCUINFO__HAS_MPI_Abi_get_version)
#define TAKES_EMPTY 1
#else
#define TAKES_EMPTY 0
#endif

/* Pairs that the real library rejects are left out of its copy, and counted; the info itself keeps them. */
TEST_OF(refused_pairs_are_left_out, "each")
{
    MPI_Info info = make_info({"a", "1"});
    rcuinfo_t native = rcuinfo_from_mpi(info);
    char *key = make_text(KEY_LIMIT, 'k', 'k'),
         *value = make_text(IS_OPENMPI ? VALUE_LIMIT : VALUE_LIMIT - 1, 'v', 'v');
    uint64_t left_out = left_stats().left_out;
    CHECK_MPI(MPI_Info_set(info, "empty", ""), MPI_SUCCESS);
    CHECK_OK(rcuinfo_set(native, key, "long key"));
    CHECK_OK(rcuinfo_set(native, "long", value));
    CHECK_MPI(MPI_Info_set(info, "z", "26"), MPI_SUCCESS);
    for (call = calls; call < calls + calls_count; call++) {
        CHECK_MPI(call->make(false, info), MPI_SUCCESS);
        if (IS_OPENMPI) {
            CHECK_TEXT(came_down.pairs[0], TAKES_EMPTY ? "a=1;empty=;z=26;" : "a=1;z=26;");
            left_out += TAKES_EMPTY ? 2 : 3;
        } else {
            CHECK(strncmp(came_down.pairs[0], "a=1;empty=;long=vvv", strlen("a=1;empty=;long=vvv")) == 0);
            CHECK(strstr(came_down.pairs[0], "v;z=26;"));
            left_out += 1;
        }
        CHECK_EQUAL(left_stats().left_out, left_out);
    }
    int nkeys = -1;
    CHECK_MPI(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    CHECK_EQUAL(nkeys, 5);
    free(key);
    free(value);
    free_info(info);
}

enum { COMMANDS = 5 };

static int spawn(int count, const MPI_Info infos[], int root)
{
    static char a[] = "a command", b[] = "b", other[] = "/a command";
    char *commands[COMMANDS] = {a, b, other, b, a};
    const int processes[COMMANDS] = {1, 1, 1, 1, 1};
    int errors[COMMANDS];
    MPI_Comm comm;
    return MPI_Comm_spawn_multiple(count, commands, MPI_ARGVS_NULL, processes, infos, root, MPI_COMM_WORLD, &comm,
                                   errors);
}

/* Each command has its own name. */
TEST_OF(commands_of_an_array, "rules")
{
    MPI_Info info = make_info({"own", "p"}, {"name", "p"}), real = make_real("kind", "p");
    const MPI_Info infos[] = {info, MPI_INFO_NULL, MPI_INFO_NULL, real};
    int real_infos = atomic_load(&spy.real_infos);
    uint64_t conversions = count_conversions();
    CHECK_MPI(spawn(4, infos, 0), MPI_SUCCESS);
    CHECK_TEXT(came_down.pairs[0], "own=p;name=p;all=r;imposed=r;kind=spawn;");
    CHECK_TEXT(came_down.pairs[1], "all=r;own=r;imposed=r;name=b;kind=special;");
    CHECK_TEXT(came_down.pairs[2], "all=r;own=r;imposed=r;kind=spawn;name=s;"); /* its last component matches */
    CHECK_TEXT(came_down.pairs[3], "kind=p;all=r;own=r;imposed=r;name=b;");
    CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    CHECK_EQUAL(count_conversions(), conversions + 4);
    CHECK_MPI(NATIVE(PMPI_Info_free)(&real), MPI_SUCCESS);
    free_info(info);
}

/* Arguments that are significant only at another process get no pairs here. (interpose.root tests that they are not
 * read.) */
TEST_OF(infos_are_read_only_at_the_root, "rules")
{
    static char a[] = "a command";
    uint64_t conversions = count_conversions();
    int error;
    MPI_Comm comm;
    CHECK_MPI(MPI_Comm_accept("a-port", MPI_INFO_NULL, 1, MPI_COMM_SELF, &comm), MPI_SUCCESS);
    CHECK(came_down.infos[0] == MPI_INFO_NULL);
    CHECK_MPI(MPI_Comm_spawn(a, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 1, MPI_COMM_SELF, &comm, &error), MPI_SUCCESS);
    CHECK(came_down.infos[0] == MPI_INFO_NULL);
    CHECK_MPI(MPI_Comm_spawn_multiple(1, NULL, MPI_ARGVS_NULL, NULL, NULL, 0, MPI_COMM_SELF, &comm, &error),
              MPI_SUCCESS);
    CHECK_TEXT(came_down.function, "MPI_Comm_spawn_multiple"); /* which is the library's to refuse */
    CHECK_EQUAL(count_conversions(), conversions);
}

TEST_OF(pairs_that_the_library_refuses_are_left_out, "rules")
{
    char expected[160];
    uint64_t left_out = left_stats().left_out;
    CHECK_MPI(MPI_File_delete("./refused", MPI_INFO_NULL), MPI_SUCCESS);
    snprintf(expected, sizeof expected, "all=r;own=r;imposed=r;kind=file;%s%s", TAKES_EMPTY ? "empty=;" : "",
             IS_OPENMPI ? "" : "a_key_that_has_more_bytes_than_open_mpi_takes=v;");
    CHECK_TEXT(came_down.pairs[0], expected);
    CHECK_EQUAL(left_stats().left_out - left_out, !TAKES_EMPTY + IS_OPENMPI);
}

/* The spy calls PMPI_X as a tool does, with the real info that it got: that adds nothing, and is no second loan. */
TEST_OF(a_tool_behind_passes_infos_on, "rules")
{
    MPI_Info info = make_info({"a", "1"});
    MPI_Comm made = MPI_COMM_NULL;
    uint64_t conversions = count_conversions();
    spy.stubs = false;
    CHECK_MPI(MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &made), MPI_SUCCESS);
    spy.stubs = true;
    CHECK_TEXT(came_down.function, "MPI_Comm_dup_with_info");
    CHECK_EQUAL(count_conversions() - conversions, 1);
    CHECK_MPI(NATIVE(PMPI_Comm_free)(&made), MPI_SUCCESS);
    free_info(info);
}

/* The key that the library sets for the program (MPI-4.0, 7.4.2), and no other. */
TEST_OF(a_resource_type_comes_back, "each")
{
    MPI_Info info = make_info({"a", "1"});
    MPI_Comm made = MPI_COMM_NULL;
    spy.resource = "core";
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_SELF, MPI_COMM_TYPE_SHARED, 0, info, &made), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"a", "1"}, {"mpi_hw_resource_type", "core"});
    spy.resource = "numanode";
    CHECK_MPI(PMPI_Comm_split_type(MPI_COMM_SELF, MPI_COMM_TYPE_SHARED, 0, info, &made), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"a", "1"}, {"mpi_hw_resource_type", "numanode"});
    uint64_t sets = left_stats().sets;
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_SELF, MPI_COMM_TYPE_SHARED, 0, info, &made), MPI_SUCCESS);
    CHECK_EQUAL(left_stats().sets, sets); /* the info has it */
    spy.resource = NULL;
    free_info(info);
}

TEST_OF(one_info_is_read_at_the_root, "root")
{
    for (calls_root = 0; calls_root < size_of_world(); calls_root++) {
        bool at_root = rank_in_world() == calls_root;
        MPI_Info info = at_root ? make_info({"a", "1"}) : make_stale();
        for (call = calls; call < calls + calls_count; call++) {
            if (!call_waits(call)) /* calls with a root wait */
                continue;
            CHECK_MPI(call->make(false, info), MPI_SUCCESS);
            CHECK_TEXT(came_down.function, call->name);
            if (at_root)
                CHECK_TEXT(came_down.pairs[0], "a=1;");
            else
                CHECK(came_down.infos[0] == MPI_INFO_NULL);
            spy_forget();
        }
        if (at_root)
            free_info(info);
    }
}

TEST_OF(an_array_is_read_at_the_root, "root")
{
    for (int root = 0; root < size_of_world(); root++) {
        if (rank_in_world() != root) {
            const MPI_Info stale[COMMANDS] = {make_stale(), make_stale()};
            CHECK_MPI(spawn(COMMANDS, stale, root), MPI_SUCCESS);
            CHECK(came_down.array == stale);
            spy_forget();
            CHECK_MPI(spawn(COMMANDS, NULL, root), MPI_SUCCESS);
            CHECK(!came_down.array);
            continue;
        }
        MPI_Info real = make_real("r", "eal"), one = make_info({"a", "1"}), two = make_info({"b", "2"}, {"c", "3"});
        const MPI_Info infos[COMMANDS] = {one, MPI_INFO_NULL, real, two, one};
        int real_infos = atomic_load(&spy.real_infos);
        CHECK_MPI(spawn(COMMANDS, infos, root), MPI_SUCCESS);
        CHECK_TEXT(came_down.function, "MPI_Comm_spawn_multiple");
        CHECK_TEXT(came_down.pairs[0], "a=1;");
        CHECK(came_down.infos[1] == MPI_INFO_NULL);
        CHECK(came_down.infos[2] == real);
        CHECK_TEXT(came_down.pairs[3], "b=2;c=3;");
        CHECK_TEXT(came_down.pairs[4], "a=1;");
        CHECK(came_down.infos[0] != came_down.infos[4]);
        CHECK(infos[0] == one && infos[3] == two);
        CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
        CHECK_MPI(NATIVE(PMPI_Info_get_nkeys)(real, &real_infos), MPI_SUCCESS);
        CHECK_MPI(NATIVE(PMPI_Info_free)(&real), MPI_SUCCESS);
        free_info(one);
        free_info(two);
    }
}

TEST_OF(an_array_is_converted_whole_or_not_at_all, "root")
{
    MPI_Info one = make_info({"a", "1"}), two = make_info({"b", "2"});
    const MPI_Info bad[COMMANDS] = {one, two, make_stale(), one, one}, good[COMMANDS] = {one, two, one, two, one};
    int root = rank_in_world(), real_infos = atomic_load(&spy.real_infos);
    spy_forget();
    CHECK_MPI(spawn(COMMANDS, bad, root), MPI_ERR_INFO);
    for (int k = 1; k <= COMMANDS; k++) {
        atomic_store(&spy.fail_create, k);
        CHECK_MPI(spawn(COMMANDS, good, root), MPI_ERR_OTHER);
        atomic_store(&spy.fail_set, k);
        CHECK_MPI(spawn(COMMANDS, good, root), MPI_ERR_OTHER);
        CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    }
    CHECK_TEXT(came_down.function, "");
    CHECK_MPI(spawn(COMMANDS, good, root), MPI_SUCCESS);
    CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    free_info(one);
    free_info(two);
}

/* Without a rank there is no root, even if the library returns success. */
TEST_OF(without_a_rank_nothing_goes_down, "root")
{
    static const int codes[] = {MPI_ERR_OTHER, MPI_SUCCESS};
    MPI_Comm comm;
    spy_forget();
    for (size_t n = 0; n < sizeof codes / sizeof *codes; n++) {
        int wanted = codes[n] == MPI_SUCCESS ? MPI_ERR_COMM : codes[n];
        spy.fail_as = codes[n];
        atomic_store(&spy.fail_rank, 1);
        CHECK_EQUAL(MPI_Comm_accept("a port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm), wanted);
        atomic_store(&spy.fail_rank, 1);
        CHECK_EQUAL(spawn(0, NULL, 0), wanted);
    }
    CHECK_TEXT(came_down.function, "");
    spy.fail_as = MPI_ERR_OTHER;
}

/* Invalid communicators, arrays and counts are passed on unchanged, but never our infos: Open MPI reads the first info
 * of an empty array. */
TEST_OF(bad_arguments_go_down, "root")
{
    static char command[] = "a command";
    MPI_Comm comm;
    int error = 0;
    CHECK_MPI(MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, make_stale(), 0, MPI_COMM_NULL, &comm, &error), MPI_SUCCESS);
    CHECK(came_down.infos[0] == MPI_INFO_NULL);
    CHECK_MPI(spawn(0, NULL, rank_in_world()), MPI_SUCCESS);
    CHECK(!came_down.array);
    const MPI_Info infos[1] = {make_stale()};
    for (int count = -1; count <= 0; count++) {
        CHECK_MPI(spawn(count, infos, rank_in_world()), MPI_SUCCESS);
        CHECK(came_down.array && came_down.array != infos);
        spy_forget();
    }
}

/* The file named at the start of the process counts, whatever the variable is set to later. */
static void check_command(const char *command, const char *wanted, const char *pairs)
{
    static char word[] = "two words";
    char *arguments[] = {word, NULL};
    MPI_Info info = make_info({"path", "/bin"}, {"wdir", "/"});
    MPI_Comm comm;
    int error, real_infos = atomic_load(&spy.real_infos);
    CHECK_MPI(MPI_Comm_spawn(command, arguments, 1, info, 0, MPI_COMM_SELF, &comm, &error), MPI_SUCCESS);
    CHECK_TEXT(came_down.command, wanted);
    CHECK_TEXT(came_down.pairs[0], pairs);
    CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    free_info(info);
}

/* RCUINFO_RUN comes before a command that is found. MPICH would look for `rcuinfo run` in the path, too. */
TEST_OF(commands_run_as_this_process, "commands")
{
    static const char *const pairs = IS_OPENMPI ? "path=/bin;wdir=/;" : "wdir=/;";
    CHECK_TEXT(getenv("RCUINFO_RUN"), "/bin/sh\nrun\n--");
    check_command("true", IS_OPENMPI ? "/bin/sh;run;--;true;two words;" : "/bin/sh;run;--;/bin/true;two words;", pairs);
    check_command("missing", "missing;two words;", "path=/bin;wdir=/;");
    check_command("/bin/sh", "/bin/sh;two words;", "path=/bin;wdir=/;");
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    with_rules = strcmp(argv[1], "rules") == 0;
    CHECK(setenv("RCUINFO_HINTS", "/nowhere", 1) == 0);
    return interpose_run(argv[1], true);
}
