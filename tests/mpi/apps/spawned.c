/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spawned: spawns processes, which say how they were started. An ordinary MPI program that knows nothing of rcuinfo.
 *
 * usage: spawned COMMANDS COMMAND [KEY VALUE]: spawns one process for each of COMMANDS commands, 1 or 2, with an info
 *            that has the pair; then tells whether that worked. A spawned process passes a hint to a communicator.
 */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 4096 };

/* Appends the value of a key of MPI_INFO_ENV. */
static void add_value(char line[LINE], const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int found;
    MPI_Info_get(MPI_INFO_ENV, key, MPI_MAX_INFO_VAL, value, &found);
    snprintf(line + strlen(line), LINE - strlen(line), "; %s %s", key, found ? value : "none");
}

static void child(MPI_Comm parent, int argc, char *argv[])
{
    char here[LINE / 4], line[LINE + 1] = "";
    MPI_Info info;
    MPI_Comm comm;
    snprintf(line, LINE, "child in %s:", getcwd(here, sizeof here) ? here : "?");
    for (int n = 0; n < argc; n++)
        snprintf(line + strlen(line), LINE - strlen(line), " [%s]", argv[n]);
    add_value(line, "command");
    add_value(line, "argv");
    strcat(line, "\n"); /* in one write, as the lines of several children must not mix */
    fputs(line, stdout);
    fflush(stdout);

    MPI_Info_create(&info);
    MPI_Info_set(info, "hint_of_child", "1");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Comm_free(&comm);
    MPI_Info_free(&info);
    MPI_Barrier(parent); /* MPICH 5 fails in the parent if a child ends before that has attached to its shared memory */
    MPI_Comm_disconnect(&parent);
}

static void spawn(int count, char *argv[])
{
    static char first[] = "a", second[] = "b  c";
    char *arguments[] = {first, second, NULL}, **all_arguments[] = {arguments, NULL};
    char *commands[] = {argv[0], argv[0]};
    const int processes[] = {1, 1};
    int errors[2], code, class;
    MPI_Info infos[2];
    MPI_Comm children;
    MPI_Info_create(&infos[0]);
    MPI_Info_create(&infos[1]); /* the second command's, without the pair */
    if (argv[1])
        MPI_Info_set(infos[0], argv[1], argv[2]);
    if (count == 1)
        code = MPI_Comm_spawn(argv[0], arguments, 1, infos[0], 0, MPI_COMM_WORLD, &children, errors);
    else
        code = MPI_Comm_spawn_multiple(count, commands, all_arguments, processes, infos, 0, MPI_COMM_WORLD, &children,
                                       errors);
    MPI_Info_free(&infos[0]);
    MPI_Info_free(&infos[1]);

    MPI_Error_class(code, &class);
    if (code == MPI_SUCCESS) {
        MPI_Barrier(children);
        MPI_Comm_disconnect(&children);
    }
    printf("spawned: class %d\n", class);
}

int main(int argc, char *argv[])
{
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        child(parent, argc, argv);
    else
        spawn(atoi(argv[1]), argv + 2);
    return MPI_Finalize() != MPI_SUCCESS;
}
