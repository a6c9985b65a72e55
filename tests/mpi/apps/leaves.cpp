/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error handlers that leave the call which they were called from, by an exception or by a longjmp, as programs in C++
 * and test harnesses do. Afterwards the program's calls are its own again: the report of all processes is gathered, and
 * MPI_Finalize returns.
 *
 * usage: leaves exception|longjmp|spawn    spawn: by an exception, where the info of a second command is stale
 */
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include <mpi.h>

static std::jmp_buf place;
static bool jumps;

static void leave(MPI_File *, int *code, ...)
{
    if (jumps)
        std::longjmp(place, 1);
    throw *code;
}

static void open_nothing(MPI_Info info)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_SELF, "/nonexistent/file", MPI_MODE_RDONLY, info, &file);
    std::puts("the handler has not left");
}

/* From deeper in the stack than any call before. */
static __attribute__((noinline)) void finalize()
{
    volatile char deep[65536];
    deep[0] = 0;
    MPI_Finalize();
    deep[1] = 0; /* else the call would be a jump, from no deeper than before */
}

static void leave_spawn(MPI_Comm *, int *code, ...)
{
    throw *code;
}

static void spawn_stale()
{
    static char program[] = "/nonexistent/program";
    char *programs[] = {program, program};
    const int counts[] = {1, 1};
    MPI_Errhandler handler;
    MPI_Info infos[2], freed;
    MPI_Comm made;
    MPI_Info_create(&infos[0]);
    MPI_Info_set(infos[0], "wdir", "/nonexistent");
    MPI_Info_create(&infos[1]);
    freed = infos[1];
    MPI_Info_free(&freed);
    MPI_Comm_create_errhandler(leave_spawn, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    try {
        MPI_Comm_spawn_multiple(2, programs, MPI_ARGVS_NULL, counts, infos, 0, MPI_COMM_SELF, &made,
                                MPI_ERRCODES_IGNORE);
        std::puts("the handler has not left");
    } catch (int) {
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    MPI_Info_free(&infos[0]);
}

int main(int argc, char *argv[])
{
    int rank = 0;
    MPI_Errhandler handler;
    MPI_Info info;
    jumps = argc > 1 && std::strcmp(argv[1], "longjmp") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_create_errhandler(leave, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_nodes", "1");
    if (argc > 1 && std::strcmp(argv[1], "spawn") == 0) {
        spawn_stale();
    } else if (rank == 0 && jumps) {
        if (setjmp(place) == 0)
            open_nothing(info);
    } else if (rank == 0) {
        try {
            open_nothing(info);
        } catch (int) {
        }
    }
    MPI_Info_free(&info);
    MPI_Errhandler_free(&handler);
    finalize();
    std::printf("process %d has ended\n", rank);
    return 0;
}
