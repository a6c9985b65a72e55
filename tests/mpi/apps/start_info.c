/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI says of how this process was started, as lines "WHEN key=value". With arguments: before init, after it and
 * after finalize, in MPI_INFO_ENV (env) and in what MPI_Info_create_env makes of the arguments (made). Without any:
 * only MPI_INFO_ENV between init and finalize, which is all that every MPI library allows.
 */
#include <stdio.h>

#include <mpi.h>

#if MPI_VERSION < 4
int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info) __attribute__((weak)); /* an interposer has it */
#endif

static void print(const char *of, const char *when, MPI_Info info)
{
    int nkeys = 0;
    MPI_Info_get_nkeys(info, &nkeys);
    for (int n = 0; n < nkeys; n++) {
        char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
        int flag = 0;
        MPI_Info_get_nthkey(info, n, key);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
        printf("%s_%s %s=%s\n", of, when, key, flag ? value : "(gone)");
    }
}

static void print_both(const char *when, int argc, char *argv[])
{
    MPI_Info info = MPI_INFO_NULL;
    print("env", when, MPI_INFO_ENV);
    MPI_Info_create_env(argc, argv, &info);
    print("made", when, info);
    MPI_Info_free(&info);
}

int main(int argc, char *argv[])
{
    if (argc > 1)
        print_both("before", argc, argv);
    MPI_Init(&argc, &argv);
    if (argc > 1)
        print_both("between", argc, argv);
    else
        print("env", "between", MPI_INFO_ENV);
    MPI_Finalize();
    if (argc > 1)
        print_both("after", argc, argv);
    return 0;
}
