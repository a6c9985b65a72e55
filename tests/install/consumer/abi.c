/* SPDX-License-Identifier: BSD-3-Clause */
/* A program for the standard ABI, which knows nothing of rcuinfo but where its mpi.h lies. Prints an object's pairs. */
#include <stdio.h>
#include <mpi.h>

int main(void)
{
    MPI_Info info;
    char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
    int nkeys, flag, size;
    if (MPI_Info_create(&info) || MPI_Info_set(info, "access_style", "read_once") ||
        PMPI_Info_set(info, "striping_unit", "65536") || MPI_Info_get_nkeys(info, &nkeys))
        return 1;
    for (int i = 0; i < nkeys; i++) {
        size = MPI_MAX_INFO_VAL;
        if (MPI_Info_get_nthkey(info, i, key) || MPI_Info_get_string(info, key, &size, value, &flag) || !flag)
            return 1;
        printf("%s=%s\n", key, value);
    }
    return MPI_Info_free(&info) || info != MPI_INFO_NULL;
}
