/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes meet by a port, where the real library can (where it cannot, its own error comes back), and by a
 * service name, with infos of ours on every call. For 2 processes.
 */
#include "interpose/interpose.h"

static void by_a_port(void)
{
    MPI_Info info = make_info({"a", "1"});
    MPI_Comm comm = MPI_COMM_NULL;
    char port[MPI_MAX_PORT_NAME] = "";
    int opened = MPI_SUCCESS, theirs = -1;
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
    int mine = rank_in_world();
    CHECK_MPI(MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &theirs, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQUAL(theirs, 1 - mine);
    CHECK_MPI(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
    if (mine == 0)
        CHECK_MPI(MPI_Close_port(port), MPI_SUCCESS);
}

static void by_a_name(void)
{
    MPI_Info info = make_info({"a", "1"});
    char found[MPI_MAX_PORT_NAME] = "";
    int published = MPI_SUCCESS;
    if (rank_in_world() == 0)
        published = MPI_Publish_name("rcuinfo", info, "a-port");
    CHECK_MPI(MPI_Bcast(&published, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_MPI(published, MPI_SUCCESS);
    CHECK_MPI(MPI_Lookup_name("rcuinfo", info, found), MPI_SUCCESS);
    CHECK_TEXT(found, "a-port");
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank_in_world() == 0)
        CHECK_MPI(MPI_Unpublish_name("rcuinfo", info, "a-port"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"a", "1"});
    free_info(info);
}

int main(void)
{
    static test_function *const tests[] = {by_a_port, by_a_name};
    INTERPOSE_RUN(tests);
}
