/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layered: a program whose library gives hints. The report must tell the lines of both, and who has set a key that
 * nobody knows. With LIBRARY it is the library.
 */
#include <mpi.h>

void give_hint(void) __attribute__((visibility("default")));

#ifdef LIBRARY

void give_hint(void)
{
    MPI_Info info;
    MPI_Comm comm;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Info_set(info, "layered_own_key", "1");
    MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &comm);
    MPI_Comm_free(&comm);
    MPI_Info_free(&info);
}

#else

int main(int argc, char *argv[])
{
    MPI_Init(&argc, &argv);
    give_hint();
    MPI_Finalize();
    return 0;
}

#endif
