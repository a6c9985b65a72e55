/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window_info: what a program may expect of the hints of a window (window_expect.h), asked of real windows over all
 * processes. An ordinary MPI program: nothing in it knows of rcuinfo.
 */
#include <mpi.h>

#include "window_expect.h"

static MPI_Win make_window(MPI_Info info)
{
    static int memory;
    MPI_Win window;
    MUST(MPI_Win_create(&memory, sizeof memory, 1, info, MPI_COMM_WORLD, &window));
    return window;
}

int main(int argc, char *argv[])
{
    MUST(MPI_Init(&argc, &argv));
    expect_window();
    MUST(MPI_Finalize());
    return 0;
}
