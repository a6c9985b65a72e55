/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Infos of a program on the interposer pass through the collective library, and its results are infos of the program.
 * The library makes no call that the interposer converts an info for.
 */
#include "collective/collective.h"
#include <rcuinfo/mpi_compat.h>

/* Checks that a created info works as the program's info and has the number of rank `wanted`. Frees it. */
static void check_made(rcuinfo_t made, int wanted)
{
    MPI_Info info = rcuinfo_to_mpi(made);
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    CHECK_MPI(MPI_Info_get(info, "rank", MPI_MAX_INFO_VAL, value, &flag), MPI_SUCCESS);
    CHECKF(flag && atoi(value) == wanted, "%s, not %d", value, wanted);
    CHECK_MPI(MPI_Info_free(&info), MPI_SUCCESS);
}

static void infos_of_the_program(void)
{
    MPI_Info info;
    rcuinfo_t got;
    char text[16];
    uint64_t conversions = left_stats().conversions;
    (void)snprintf(text, sizeof text, "%d", rank);
    CHECK_MPI(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_set(info, "rank", text), MPI_SUCCESS);
    CHECK_MPI(rcuinfo_mpi_bcast(rcuinfo_from_mpi(info), size - 1, MPI_COMM_WORLD, &got), MPI_SUCCESS);
    check_made(got, size - 1);
    CHECK_MPI(rcuinfo_mpi_union(rcuinfo_from_mpi(info), MPI_COMM_WORLD, &got), MPI_SUCCESS);
    check_made(got, 0);
    CHECK_MPI(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK(left_stats().conversions == conversions);
}

int main(void)
{
    return RUN(MPI_THREAD_SINGLE, infos_of_the_program);
}
