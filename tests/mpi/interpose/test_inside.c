/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The real library itself is given its own infos: it reads them with functions that know none of ours. And what it
 * hands to itself gets nothing from the rules that the process was started with (rules.hints).
 */
#include "interpose/interpose.h"

int inside_comm_get_info(MPI_Comm comm, MPI_Info *info_used);
int inside_comm_set_info(MPI_Comm comm, MPI_Info info);

TEST(the_library_itself_is_given_its_own)
{
    MPI_Info info = MPI_INFO_NULL;
    uint64_t live = left_live();
    int nkeys = -1;
    CHECK_MPI(inside_comm_get_info(MPI_COMM_WORLD, &info), MPI_SUCCESS);
    CHECK_EQUAL(left_live(), live);
    CHECK(!is_ours(info));
    CHECK_MPI(PMPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    CHECK_MPI(PMPI_Info_free(&info), MPI_SUCCESS);
}

TEST(rules_are_for_anyone_else)
{
    MPI_Info real = make_real("a", "1");
    spy.stubs = true;
    CHECK_MPI(inside_comm_set_info(MPI_COMM_SELF, MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_TEXT(came_down.function, "MPI_Comm_set_info");
    CHECK(came_down.infos[0] == MPI_INFO_NULL);
    CHECK_MPI(inside_comm_set_info(MPI_COMM_SELF, real), MPI_SUCCESS);
    CHECK(came_down.infos[0] == real);
    CHECK_MPI(MPI_Comm_set_info(MPI_COMM_SELF, real), MPI_SUCCESS);
    CHECK_TEXT(came_down.pairs[0], "a=1;all=r;own=r;imposed=r;kind=communicator;");
    spy.stubs = false;
    CHECK_MPI(PMPI_Info_free(&real), MPI_SUCCESS);
}

int main(void)
{
    interpose_begin();
    run_phase("inside");
    CHECK_MPI(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
