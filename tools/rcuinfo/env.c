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
#include <stdlib.h>

#include <rcuinfo/rcuinfo.h>

#include "core/layer.h"
#include "env/start.h"
#include "env/env.h"
#include "tuning/report.h"

/* A snapshot of the description, and one of the sources, which have the same keys in the same order. */
struct description {
    const rcuinfo_snapshot_t *values;
    const rcuinfo_snapshot_t *sources;
};

/* Pair n of a snapshot that has more than n pairs. */
static rcuinfo_pair_t pair_of(const rcuinfo_snapshot_t *snapshot, size_t n)
{
    rcuinfo_pair_t pair;

    if (rcuinfo_snapshot_nth(snapshot, n, &pair) != RCUINFO_SUCCESS)
        abort();
    return pair;
}

/* One pair per line, in columns as wide as any key and source needs. The values can be of any length. */
static void print_table(const struct description *description, bool explain)
{
    size_t count = rcuinfo_snapshot_count(description->values);

    for (size_t n = 0; n < count; n++) {
        rcuinfo_pair_t pair = pair_of(description->values, n);

        printf("%-12s  ", pair.key);
        if (explain)
            printf("%-32s  ", pair_of(description->sources, n).value);
        command_print_text(pair.value);
        putchar('\n');
    }
}

static void print_json(const struct description *description, bool explain)
{
    size_t count = rcuinfo_snapshot_count(description->values);

    putchar('{');
    for (size_t n = 0; n < count; n++) {
        rcuinfo_pair_t pair = pair_of(description->values, n);

        printf("%s\n  \"%s\": %s", n > 0 ? "," : "", pair.key, explain ? "{\n    \"value\": " : "");
        rcuinfo__report_write_string(pair.value, stdout);
        if (explain) {
            fputs(",\n    \"source\": ", stdout);
            rcuinfo__report_write_string(pair_of(description->sources, n).value, stdout);
            fputs("\n  }", stdout);
        }
    }
    puts("\n}");
}

static rcuinfo_status_t describe(int argc, char *argv[], struct description *description)
{
    const struct rcuinfo__start *start = rcuinfo__start();
    rcuinfo_t values, sources;

    if (start == NULL)
        return RCUINFO_ERR_NO_MEM;
    rcuinfo_status_t status = rcuinfo__env_describe(start, argc, argv, RCUINFO__NATIVE_LIMITS, &values, &sources);
    if (status == RCUINFO_SUCCESS)
        status = rcuinfo_snapshot_open(values, &description->values);
    if (status == RCUINFO_SUCCESS)
        status = rcuinfo_snapshot_open(sources, &description->sources);
    if (status == RCUINFO_SUCCESS)
        status = rcuinfo_free(&values);
    if (status == RCUINFO_SUCCESS)
        status = rcuinfo_free(&sources);
    return status;
}

int command_env(int argc, char *argv[])
{
    static char buffer[1 << 16];
    struct description description;
    bool json = false, explain = false;
    const struct command_option options[] = {
        {"json", COMMAND_FLAG, .into = &json}, {"explain", COMMAND_FLAG, .into = &explain}, {.name = NULL}};

    command_options(argc, argv, options, true);
    rcuinfo_status_t status = describe(argc - optind, argv + optind, &description);
    if (status != RCUINFO_SUCCESS)
        command_die(COMMAND_FAILED, "env: %s", rcuinfo_status_string(status));
    /* A single write, so that a launcher does not interleave the lines of several processes. */
    (void)setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    (json ? print_json : print_table)(&description, explain);
    rcuinfo_snapshot_close(description.values);
    rcuinfo_snapshot_close(description.sources);
    return COMMAND_OK;
}
