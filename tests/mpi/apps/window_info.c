/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window_info: what a program may expect of the hints of a window (window_expect.h), asked of real windows over all
 * processes, of which rank 0 prints its answers.
 * An ordinary MPI program: nothing in it knows of rcuinfo.
 */
#include <mpi.h>

typedef MPI_Win window_t;
#include "window_expect.h"

static window_t make_window(MPI_Info info)
{
    static int memory;
    window_t window;
    MUST(MPI_Win_create(&memory, sizeof memory, 1, info, MPI_COMM_WORLD, &window));
    return window;
}

static void set_info(window_t window, MPI_Info info)
{
    MUST(MPI_Win_set_info(window, info));
}

static MPI_Info get_info(window_t window)
{
    MPI_Info info;
    MUST(MPI_Win_get_info(window, &info));
    return info;
}

static void end_window(window_t window)
{
    MUST(MPI_Win_free(&window));
}

int main(int argc, char *argv[])
{
    int rank;
    MUST(MPI_Init(&argc, &argv));
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    expect_window(rank == 0 ? stdout : NULL);
    MUST(MPI_Finalize());
    return 0;
}
