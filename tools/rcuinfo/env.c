/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo env`: prints the object that rcuinfo_env_create makes for the given arguments, as a table or as JSON,
 * optionally with the source of each value. Without arguments it passes none, like a library that does not know its
 * program's argv.
 */
#include "command.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include <rcuinfo/rcuinfo.h>

#include "core/calls/layer.h"
#include "env/start.h"
#include "env/env.h"
#include "report/export.h"
#include "report/report.h"

/* One pair per line, in columns as wide as any key and source needs. The values can be of any length. */
static void print_line(const rcuinfo_pair_t *pair, const char *source)
{
    printf("%-12s  ", pair->key);
    if (source != NULL)
        printf("%-32s  ", source);
    command_print_text(pair->value);
    putchar('\n');
}

static void print_member(const rcuinfo_pair_t *pair, const char *source, bool is_first)
{
    printf("%s\n  \"%s\": %s", is_first ? "" : ",", pair->key, source != NULL ? "{\n    \"value\": " : "");
    rcuinfo__export_string(pair->value, stdout);
    if (source != NULL) {
        fputs(",\n    \"source\": ", stdout);
        rcuinfo__export_string(source, stdout);
        fputs("\n  }", stdout);
    }
}

/* Opens a snapshot of the description, and one of the sources, which have the same keys in the same order. */
static rcuinfo_status_t describe(int argc, char *argv[], const rcuinfo_snapshot_t *opened[2])
{
    const struct rcuinfo__start *start = rcuinfo__start();
    rcuinfo_t made[2];

    if (start == NULL)
        return RCUINFO_ERR_NO_MEM;
    rcuinfo_status_t status = rcuinfo__env_describe(start, argc, argv, RCUINFO__NATIVE_LIMITS, &made[0], &made[1]);
    for (int i = 0; i < 2 && status == RCUINFO_SUCCESS; i++) {
        status = rcuinfo_snapshot_open(made[i], &opened[i]);
        if (status == RCUINFO_SUCCESS)
            status = rcuinfo_free(&made[i]);
    }
    return status;
}

int command_env(int argc, char *argv[])
{
    static char buffer[1 << 16];
    const rcuinfo_snapshot_t *opened[2]; /* the values, and their sources */
    rcuinfo_pair_t pair, source;
    bool json = false, explain = false;
    const struct command_option options[] = {
        {"json", COMMAND_FLAG, .into = &json}, {"explain", COMMAND_FLAG, .into = &explain}, {.name = NULL}};

    command_options(argc, argv, options, true);
    rcuinfo_status_t status = describe(argc - optind, argv + optind, opened);
    if (status != RCUINFO_SUCCESS)
        command_die(COMMAND_FAILED, "env: %s", rcuinfo_status_string(status));
    /* A single write, so that a launcher does not interleave the lines of several processes. */
    (void)setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    fputs(json ? "{" : "", stdout);
    for (size_t n = 0; rcuinfo_snapshot_nth(opened[0], n, &pair) == RCUINFO_SUCCESS &&
                       rcuinfo_snapshot_nth(opened[1], n, &source) == RCUINFO_SUCCESS;
         n++) {
        if (json)
            print_member(&pair, explain ? source.value : NULL, n == 0);
        else
            print_line(&pair, explain ? source.value : NULL);
    }
    fputs(json ? "\n}\n" : "", stdout);
    rcuinfo_snapshot_close(opened[0]);
    rcuinfo_snapshot_close(opened[1]);
    return COMMAND_OK;
}
