/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layered: a program whose library gives hints. The report must tell the lines of both, and who has set a key that
 * nobody knows. The library also looks up each key that the program enumerates, which does not tell that it knows the
 * key. With LIBRARY it is the library.
 */
#include <mpi.h>

void give_hint(void) __attribute__((visibility("default")));
int has_key(MPI_Info info, const char *key) __attribute__((visibility("default")));

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

int has_key(MPI_Info info, const char *key)
{
    char value[8] = "";
    int flag = 0;
    MPI_Info_get(info, key, 7, value, &flag);
    return flag;
}

#else

int main(int argc, char *argv[])
{
    MPI_Info info;
    MPI_Comm comm;
    char key[MPI_MAX_INFO_KEY + 1] = "";
    MPI_Init(&argc, &argv);
    give_hint();
    MPI_Info_create(&info);
    MPI_Info_set(info, "enumerated_key", "2");
    MPI_Info_get_nthkey(info, 0, key);
    if (!has_key(info, key))
        return 1;
    MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &comm);
    MPI_Comm_free(&comm);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}

#endif
