/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ordinary MPI program in C or in C++ that knows nothing of rcuinfo: whether it works on the store depends on what
 * it is linked with. Prints what differs between the MPI libraries and the store, and pairs of infos.
 *
 * In C++ some calls go through the bindings of MPI-2, where this mpi.h has them: by the wrapper it has, and without it
 * linked.sh leaves them out.
 */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#if defined(MPIX_CALLWORLD) || defined(MPIPP_H) /* of MPICH, of Open MPI before 5 */
#define CREATE(info)          (info) = MPI::Info::Create()
#define SET(info, key, value) MPI::Info(info).Set(key, value)
#else
#define CREATE(info)          MPI_Info_create(&(info))
#define SET(info, key, value) MPI_Info_set(info, key, value)
#endif

static void print_pairs(MPI_Info info)
{
    int nkeys = 0;
    MPI_Info_get_nkeys(info, &nkeys);
    for (int n = 0; n < nkeys; n++) {
        char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1] = "";
        int flag = 0;
        MPI_Info_get_nthkey(info, n, key);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
        printf("%s=%s\n", key, value);
    }
}

int main(int argc, char *argv[])
{
    MPI_Info info, given;
    MPI_Comm comm;
    MPI_Win win;
    void *memory;
    char command[16] = "";
    int flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Info_get(MPI_INFO_ENV, "soft", (int)sizeof command - 1, command, &flag);
    printf("MPI_INFO_ENV has soft=%s\n", command);
    CREATE(info);
    SET(info, "which_accumulate_ops", "sum,max,cswap");
    SET(info, "mpi_assert_no_any_tag", "true");
    printf("an empty value is taken: %d\n", MPI_Info_set(info, "empty", "") == MPI_SUCCESS);
    MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_free(&win);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Comm_get_info(comm, &given);
    print_pairs(given);
    print_pairs(info);
    MPI_Info_free(&given);
    MPI_Comm_free(&comm);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
