/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window_info: asks the questions of window_expect.h of real windows over all processes. Rank 0 prints its answers.
 * An ordinary MPI program that knows nothing of rcuinfo.
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
    int rank;
    MUST(MPI_Init(&argc, &argv));
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    expect_window(rank == 0 ? stdout : NULL);
    MUST(MPI_Finalize());
    return 0;
}
