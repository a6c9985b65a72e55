/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hints_left: gives a hint and ends in one of the ways that a program may: it finalizes MPI; it exits without; it
 * aborts; it has a child that exits; it uses a session only.
 * An ordinary MPI program: nothing in it knows of rcuinfo.
 *
 * usage: hints_left finalize|exit|abort|child|session
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static MPI_Info make(const char *key, const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static int use_session(void)
{
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Info info = make("thread_level", "MPI_THREAD_SINGLE");
    int code = MPI_Session_init(info, MPI_ERRORS_RETURN, &session);
    MPI_Info_free(&info);
    return code != MPI_SUCCESS || MPI_Session_finalize(&session) != MPI_SUCCESS;
#else
    return puts("no sessions") < 0;
#endif
}

int main(int argc, char *argv[])
{
    const char *way = argc == 2 ? argv[1] : "";
    int rank, status;
    void *memory;
    if (strcmp(way, "session") == 0)
        return use_session();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info info = make("mpi_minimum_memory_alignment", "64");
    MPI_Alloc_mem(4096, info, &memory);
    MPI_Free_mem(memory);
    MPI_Info_free(&info);
    if (strcmp(way, "child") == 0) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            exit(3);
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
            return 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(way, "exit") == 0)
        exit(7);
    if (strcmp(way, "abort") == 0 && rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    while (strcmp(way, "abort") == 0)
        pause(); /* until it is ended */
    MPI_Finalize();
    return 0;
}
