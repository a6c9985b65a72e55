/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What test_mixed.F90 does by C. Fortran's compiler has added an underscore to the names.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#if defined(FLAVOUR_ABI)
typedef int MPI_Fint;
#define MPI_Info_c2f MPI_Info_toint
#define MPI_Info_f2c MPI_Info_fromint
#endif

static void check(int what)
{
    if (!what)
        abort();
}

static void check_yes(MPI_Info info, const char *key)
{
    char value[11] = "";
    int flag = 0;
    check(MPI_Info_get(info, key, 10, value, &flag) == MPI_SUCCESS && flag && strcmp(value, "yes") == 0);
}

void from_c_(MPI_Fint *info);
void from_c_(MPI_Fint *info)
{
    MPI_Info made;
    check(MPI_Info_create(&made) == MPI_SUCCESS);
    check(MPI_Info_set(made, "made", "yes") == MPI_SUCCESS);
    *info = MPI_Info_c2f(made);
    check(MPI_Info_f2c(*info) == made);
}

void by_c_(MPI_Fint *number, MPI_Fint *copy, MPI_Fint *null, MPI_Fint *env);
void by_c_(MPI_Fint *number, MPI_Fint *copy, MPI_Fint *null, MPI_Fint *env)
{
    MPI_Info info = MPI_Info_f2c(*number), last = MPI_Info_f2c(*copy);
    check(MPI_Info_f2c(*null) == MPI_INFO_NULL && MPI_Info_c2f(MPI_INFO_NULL) == *null);
    check(MPI_Info_f2c(*env) == MPI_INFO_ENV && MPI_Info_c2f(MPI_INFO_ENV) == *env);
    check_yes(last, "mpi_f08");
    check(MPI_Info_free(&last) == MPI_SUCCESS);
    check_yes(info, "made");
    check_yes(info, "mpi_f08");
    check(MPI_Info_set(info, "C", "yes") == MPI_SUCCESS);
    check(MPI_Info_dup(info, &last) == MPI_SUCCESS);
    *copy = MPI_Info_c2f(last);
}
