/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program outside the source tree that uses the collective library. Rank 0 prints the pairs of a broadcast info.
 */
#include <mpi.h>
#include <stdio.h>
#include <rcuinfo/mpi_collective.h>
#include <rcuinfo/rcuinfo.h>

int main(int argc, char *argv[])
{
    const rcuinfo_change_t changes[] = {{"access_style", "read_once"}, {"striping_unit", "65536"}};
    rcuinfo_t info, copy;
    int rank, nkeys;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS || MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        rcuinfo_create(&info) != RCUINFO_SUCCESS || rcuinfo_update(info, changes, 2, NULL) != RCUINFO_SUCCESS ||
        rcuinfo_mpi_bcast(info, 0, MPI_COMM_WORLD, &copy) != MPI_SUCCESS ||
        rcuinfo_get_nkeys(copy, &nkeys) != RCUINFO_SUCCESS)
        return 1;
    for (int i = 0; i < nkeys && rank == 0; i++) {
        char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
        int length = sizeof value, flag;
        if (rcuinfo_get_nthkey(copy, i, key) != RCUINFO_SUCCESS ||
            rcuinfo_get_string(copy, key, &length, value, &flag) != RCUINFO_SUCCESS)
            return 1;
        printf("%s=%s\n", key, value);
    }
    return rcuinfo_free(&copy) != RCUINFO_SUCCESS || rcuinfo_free(&info) != RCUINFO_SUCCESS ||
           MPI_Finalize() != MPI_SUCCESS;
}
