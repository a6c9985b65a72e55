/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spawning and connecting for real, where the real library can; where it cannot, with its own error. Started again by
 * itself as the child, with the argument "child".
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpose/interpose.h"

enum { DIRECTORY = 1024 };

static char program[DIRECTORY];
static char child_word[] = "child";
static char *arguments[] = {child_word, NULL};

/* The child tells its parent where it runs: that is what the info has asked for. */
static int child(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    char directory[DIRECTORY] = "";
    MPI_Init(NULL, NULL);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL || !getcwd(directory, sizeof directory))
        return 1;
    MPI_Send(directory, DIRECTORY, MPI_CHAR, 0, 0, parent);
    MPI_Comm_disconnect(&parent);
    return MPI_Finalize() != MPI_SUCCESS;
}

static void check_child_in(MPI_Comm comm, int rank, const char *wanted)
{
    char directory[DIRECTORY] = "";
    CHECK_MPI(MPI_Recv(directory, DIRECTORY, MPI_CHAR, rank, 0, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_TEXT(directory, wanted);
}

/* Open MPI 5.0.7 dies in MPI_Comm_spawn_multiple by itself. */
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION == 5
#define SPAWNS_MULTIPLE 0
#else
#define SPAWNS_MULTIPLE 1
#endif

static void the_child_gets_what_the_info_says(void)
{
    static char **all_arguments[] = {arguments, arguments};
    char *commands[] = {program, program};
    const int processes[] = {1, 1};
    MPI_Comm comm = MPI_COMM_NULL;
    char here[DIRECTORY] = "";
    int errors[2] = {0, 0};
    CHECK(getcwd(here, sizeof here));
    MPI_Info info = make_info({"wdir", "/"}), second = make_info({"wdir", here});
    int code = class_of(MPI_Comm_spawn(program, arguments, 1, info, 0, MPI_COMM_SELF, &comm, errors));
    CHECK_CONTENTS(info, {"wdir", "/"});
    if (code != MPI_SUCCESS) { /* of Debian's, MPICH */
        CHECK(!IS_OPENMPI);
        CHECK_EQUAL(code,
                    class_of(PMPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, errors)));
        free_info(info);
        free_info(second);
        return;
    }
    check_child_in(comm, 0, "/");
    CHECK_MPI(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
    if (SPAWNS_MULTIPLE) {
        const MPI_Info infos[] = {info, second};
        CHECK_MPI(
            MPI_Comm_spawn_multiple(2, commands, all_arguments, processes, infos, 0, MPI_COMM_SELF, &comm, errors),
            MPI_SUCCESS);
        check_child_in(comm, 0, "/");
        check_child_in(comm, 1, here);
        CHECK_MPI(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
    }
    free_info(info);
    free_info(second);
}

int main(int argc, char *argv[])
{
    static test_function *const tests[] = {the_child_gets_what_the_info_says};
    if (argc == 2 && strcmp(argv[1], child_word) == 0)
        return child();
    if (!realpath(argv[0], program))
        return 1;
    INTERPOSE_RUN(tests);
}
