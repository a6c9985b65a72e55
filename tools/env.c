/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo env`: prints the object that rcuinfo_create_env makes for the given arguments, one pair per line, the values
 * in one column. Without arguments it is told of none, as a library that does not know its program's argv would do.
 */
#include "command.h"

#include <getopt.h>
#include <stdio.h>

#include <rcuinfo/rcuinfo.h>

/* Prints the pairs of one version. Returns whether all of them could be read. */
static int print_pairs(const rcuinfo_snapshot_t *snapshot)
{
    size_t count = rcuinfo_snapshot_count(snapshot);
    size_t width = 0;
    rcuinfo_pair_t pair;

    for (size_t n = 0; n < count; n++) {
        if (rcuinfo_snapshot_nth(snapshot, n, &pair) != RCUINFO_SUCCESS)
            return 0;
        if (pair.key_length > width)
            width = pair.key_length;
    }
    for (size_t n = 0; n < count; n++) {
        if (rcuinfo_snapshot_nth(snapshot, n, &pair) != RCUINFO_SUCCESS)
            return 0;
        printf("%-*s  %s\n", (int)width, pair.key, pair.value);
    }
    return 1;
}

int command_env(int argc, char *argv[])
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_status_t status;
    rcuinfo_t info;
    int option;
    int printed;

    while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1)
        return option == 'h' ? command_help() : command_bad_option(option, argv);

    status = rcuinfo_create_env(argc - optind, argv + optind, &info);
    if (status == RCUINFO_SUCCESS)
        status = rcuinfo_snapshot_open(info, &snapshot);
    if (status != RCUINFO_SUCCESS)
        return command_complain(COMMAND_FAILED, "env: %s", rcuinfo_status_string(status));
    printed = print_pairs(snapshot);
    rcuinfo_snapshot_close(snapshot);
    if (rcuinfo_free(&info) != RCUINFO_SUCCESS || !printed)
        return command_complain(COMMAND_FAILED, "env: the pairs could not be read");
    if (fflush(stdout) != 0)
        return command_complain(COMMAND_FAILED, "env: the output could not be written");
    return COMMAND_OK;
}
