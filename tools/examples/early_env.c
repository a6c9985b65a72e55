/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads how the process was started before main begins. A library of the Sessions Model does so in a constructor, where
 * MPI is not initialized yet and may never be. The same source compiles with every mpi.h.
 *
 * Build: cc early_env.c $(pkg-config --cflags --libs rcuinfo-mpi)
 * With an MPI library, which is linked after ours:
 *        cc early_env.c $(pkg-config --cflags --libs rcuinfo-mpich)
 *        cc early_env.c $(pkg-config --cflags --libs rcuinfo-openmpi)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <rcuinfo/mpi_compat.h> /* declares MPI_Info_create_env for Open MPI 4.1, whose mpi.h does not */

static MPI_Info early = MPI_INFO_NULL;

/* Without arguments, the process's own command line is used. */
__attribute__((constructor)) static void begin(void)
{
    if (MPI_Info_create_env(0, NULL, &early) != MPI_SUCCESS)
        early = MPI_INFO_NULL;
}

static const char *get(MPI_Info info, const char *key, char value[MPI_MAX_INFO_VAL])
{
    int flag = 0;
    if (MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag) != MPI_SUCCESS)
        exit(1);
    return flag ? value : "(not known)";
}

int main(void)
{
    char value[MPI_MAX_INFO_VAL];
    char *arguments[] = {"solver", "-v", "input file"};
    MPI_Info made;
    const char *command = get(early, "command", value), *slash = strrchr(command, '/');

    printf("command: %s\n", slash ? slash + 1 : command);
    printf("argv: %s\n", get(early, "argv", value));
    printf("maxprocs: %s\n", get(early, "maxprocs", value));

    /* Unknown values have no key, such as the thread level before MPI is initialized. */
    printf("thread_level: %s\n", get(early, "thread_level", value));

    /* Given arguments replace the process's own. */
    if (MPI_Info_create_env(3, arguments, &made) != MPI_SUCCESS)
        return 1;
    printf("command: %s\n", get(made, "command", value));
    printf("argv: %s\n", get(made, "argv", value));
    return MPI_Info_free(&made) != MPI_SUCCESS || MPI_Info_free(&early) != MPI_SUCCESS;
}
