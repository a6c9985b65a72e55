/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo hints report`: shows reports that `rcuinfo run --hints-report=FILE` has written, several as one.
 */
#include "command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "hints/report.h"

enum { MOST_LINES = 1 << 20 };

/* Adds one hint of a file. Returns whether it is one. */
static bool add_hint(struct rcuinfo__report *report, const json_t *hint)
{
    const char *fields[RCUINFO__REPORT_FIELDS];
    const char *on = json_string_value(json_object_get(hint, "on"));
    json_int_t count = json_integer_value(json_object_get(hint, "count"));

    for (int field = 0; field < RCUINFO__REPORT_FIELDS; field++)
        fields[field] =
            json_string_value(json_object_get(hint, rcuinfo__report_name((enum rcuinfo__report_field)field)));
    return on != NULL && count > 0 && rcuinfo__report_add(report, fields, on, (uint64_t)count);
}

static json_t *read_file(const char *name)
{
    FILE *file = fopen(name, "re");
    json_error_t error;
    json_t *whole = file != NULL ? json_loadf(file, JSON_REJECT_DUPLICATES, &error) : NULL;

    if (file == NULL || (whole == NULL && ferror(file)))
        command_die(COMMAND_FAILED, "hints report: cannot read '%s': %s", name, strerror(errno));
    if (whole == NULL)
        command_die(COMMAND_FAILED, "hints report: %s:%d:%d: %s", name, error.line, error.column, error.text);
    (void)fclose(file);
    return whole;
}

/* Adds what a file has. */
static void add_file(struct rcuinfo__report *report, const char *name, bool is_first, long *processes)
{
    json_t *whole = read_file(name);
    const char *rules;
    json_t *hints, *hint;
    json_int_t count, lost;
    int differ;
    size_t n;
    bool good = json_unpack(whole, "{s:o, s:s, s:b, s:I, s:I}", "hints", &hints, "rules", &rules, "rules_differ",
                            &differ, "processes", &count, "lost", &lost) == 0 &&
                json_is_array(hints) && count > 0 && lost >= 0;

    if (good) {
        uint64_t signature = strtoull(rules, NULL, 10);

        if (is_first)
            rcuinfo__report_sign(report, 0, signature);
        rcuinfo__report_compare_rules(report, signature, differ);
        json_array_foreach(hints, n, hint) good = good && add_hint(report, hint);
        rcuinfo__report_lose(report, (uint64_t)lost);
        *processes += (long)count;
    }
    json_decref(whole);
    if (!good)
        command_die(COMMAND_FAILED, "hints report: %s: not what --hints-report writes", name);
}

int hints_report(int files, char *const names[])
{
    struct rcuinfo__report *report = rcuinfo__report_create(MOST_LINES);
    long processes = 0;

    if (report == NULL)
        command_die(COMMAND_FAILED, "no memory");
    for (int n = 0; n < files; n++)
        add_file(report, names[n], n == 0, &processes);
    rcuinfo__report_print(report, processes, 0, stdout);
    rcuinfo__report_free(report);
    return COMMAND_OK;
}
