/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `rcuinfo run` executes in the tests: prints the arguments and the environment that it was given, and, where it
 * is built for an MPI, a value that went through an info object. It calls no MPI_Init: the store serves without.
 *
 * RCUINFO_PROBE_MPI: 0 no MPI, 1 the mpi.h of the include path, 2 that of the standard ABI.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if RCUINFO_PROBE_MPI == 1
#include <mpi.h>
#elif RCUINFO_PROBE_MPI == 2
#include <rcuinfo/abi/mpi.h>
#endif

int main(int argc, char *argv[])
{
    static const char *const variables[] = {"LD_PRELOAD", "RCUINFO_STATS", "RCUINFO_HINTS", "RCUINFO_HINTS_REPORT",
                                            "RCUINFO_RUN"};

    for (int i = 0; i < argc; i++)
        printf("argv[%d]=<%s>\n", i, argv[i]);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);

        printf("%s=%s\n", variables[i], value != NULL ? value : "(unset)");
    }

#if RCUINFO_PROBE_MPI
    MPI_Info info = MPI_INFO_NULL;
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;

    if (MPI_Info_create(&info) != MPI_SUCCESS || MPI_Info_set(info, "key", "some value") != MPI_SUCCESS ||
        MPI_Info_get(info, "key", MPI_MAX_INFO_VAL, value, &flag) != MPI_SUCCESS || MPI_Info_free(&info) != MPI_SUCCESS)
        return 1;
    printf("info=%s\n", flag ? value : "(no such key)");
#endif
    return argc > 1 && strcmp(argv[1], "exit") == 0 ? 42 : 0;
}
