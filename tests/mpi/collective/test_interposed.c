/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Infos of a program on the interposer go through the collective library and come back as its infos; and that library
 * makes no call that the interposer sees: no info was converted.
 */
#include "collective/collective.h"
#include <rcuinfo/mpi_compat.h>

static void check_value(MPI_Info info, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    CHECK_MPI(MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag), MPI_SUCCESS);
    CHECKF(flag && strcmp(value, wanted) == 0, "%s=%s, not %s", key, value, wanted);
}

static void infos_of_the_program(void)
{
    const char *const keys[] = {"rank", "host"};
    rcuinfo_disagreement_t told;
    MPI_Info info, from_last, all;
    rcuinfo_t got;
    size_t found = 77;
    int agree = -1, nkeys = 0;
    char text[16], mine[32];
    uint64_t conversions = left_stats().conversions;
    (void)snprintf(text, sizeof text, "%d", rank);
    (void)snprintf(mine, sizeof mine, "of rank %d", rank);
    CHECK_MPI(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_set(info, "rank", text), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_set(info, mine, "true"), MPI_SUCCESS);
    CHECK(rcuinfo_from_mpi(info) != RCUINFO_NULL);

    CHECK_MPI(rcuinfo_mpi_bcast(rcuinfo_from_mpi(info), size - 1, MPI_COMM_WORLD, &got), MPI_SUCCESS);
    from_last = rcuinfo_to_mpi(got);
    (void)snprintf(text, sizeof text, "%d", size - 1);
    check_value(from_last, "rank", text);
    CHECK_MPI(rcuinfo_mpi_union(rcuinfo_from_mpi(info), MPI_COMM_WORLD, &got), MPI_SUCCESS);
    all = rcuinfo_to_mpi(got);
    check_value(all, "rank", "0");
    check_value(all, "of rank 1", "true");
    CHECK_MPI(MPI_Info_get_nkeys(all, &nkeys), MPI_SUCCESS);
    CHECK(nkeys == size + 1);
    CHECK_MPI(rcuinfo_mpi_agree(rcuinfo_from_mpi(info), keys, 2, 0, MPI_COMM_WORLD, 1, &agree, &told, &found),
              MPI_SUCCESS);
    CHECK(agree == 0 && (rank != 0 || (found == 1 && strcmp(told.odd_value, "1") == 0)));
    CHECK(left_stats().conversions == conversions);

    CHECK_MPI(MPI_Info_free(&all), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_free(&from_last), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_free(&info), MPI_SUCCESS);
}

int main(void)
{
    return RUN(MPI_THREAD_SINGLE, infos_of_the_program);
}
