/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments that count at the root only are read there only, and an array of infos is converted whole or not at all.
 * A library under the interposer answers, so nothing is spawned. For 1 process and for 2.
 */
#include "interpose/interpose.h"

static char command[] = "a command";

static void check_one_info(const char *name, bool at_root)
{
    CHECK_TEXT(came_down.function, name);
    if (at_root)
        CHECK_TEXT(came_down.pairs[0], "a=1;");
    else
        CHECK(came_down.infos[0] == MPI_INFO_NULL);
    spy_forget();
}

static void one_info_is_read_at_the_root(void)
{
    MPI_Comm comm;
    int error = 0;
    for (int root = 0; root < size_of_world(); root++) {
        bool at_root = rank_in_world() == root;
        MPI_Info info = at_root ? make_info({"a", "1"}) : make_stale();
        CHECK_MPI(MPI_Comm_accept("a port", info, root, MPI_COMM_WORLD, &comm), MPI_SUCCESS);
        check_one_info("MPI_Comm_accept", at_root);
        CHECK_MPI(MPI_Comm_connect("a port", info, root, MPI_COMM_WORLD, &comm), MPI_SUCCESS);
        check_one_info("MPI_Comm_connect", at_root);
        CHECK_MPI(MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, info, root, MPI_COMM_WORLD, &comm, &error), MPI_SUCCESS);
        check_one_info("MPI_Comm_spawn", at_root);
        if (at_root)
            free_info(info);
    }
}

enum { COMMANDS = 5 };

static int spawn(int count, const MPI_Info infos[], int root)
{
    char *commands[COMMANDS] = {command, command, command, command, command};
    const int processes[COMMANDS] = {1, 1, 1, 1, 1};
    int errors[COMMANDS];
    MPI_Comm comm;
    return MPI_Comm_spawn_multiple(count, commands, MPI_ARGVS_NULL, processes, infos, root, MPI_COMM_WORLD, &comm,
                                   errors);
}

static void an_array_is_read_at_the_root(void)
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
        CHECK_MPI(PMPI_Info_get_nkeys(real, &real_infos), MPI_SUCCESS);
        CHECK_MPI(PMPI_Info_free(&real), MPI_SUCCESS);
        free_info(one);
        free_info(two);
    }
}

static void an_array_is_converted_whole_or_not_at_all(void)
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

/* No rank is no root, also where the library calls that a success. */
static void without_a_rank_nothing_goes_down(void)
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

/* What is no communicator, no array or no count goes down as it came, but infos of ours do not: Open MPI looks at the
 * first of no infos. */
static void bad_arguments_go_down(void)
{
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

int main(void)
{
    static test_function *const tests[] = {
        one_info_is_read_at_the_root,     an_array_is_read_at_the_root, an_array_is_converted_whole_or_not_at_all,
        without_a_rank_nothing_goes_down, bad_arguments_go_down,
    };
    INTERPOSE_RUN_STUBBED(tests);
}
