/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo env`: prints the object that rcuinfo_create_env makes for the given arguments, as a table or as JSON, and on
 * demand the source of each value. Without arguments it is told of none, as a library that does not know its program's
 * argv would do.
 */
#include "command.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <rcuinfo/rcuinfo.h>

#include "core/layer.h"
#include "env/start.h"
#include "env/env.h"

/* One version of the description, and of the sources, which has the same keys in the same order. */
struct description {
    const rcuinfo_snapshot_t *values;
    const rcuinfo_snapshot_t *sources;
};

struct line {
    rcuinfo_pair_t value;
    rcuinfo_pair_t source;
};

static bool read_line(const struct description *description, size_t n, struct line *line)
{
    return rcuinfo_snapshot_nth(description->values, n, &line->value) == RCUINFO_SUCCESS &&
           rcuinfo_snapshot_nth(description->sources, n, &line->source) == RCUINFO_SUCCESS;
}

static void widen(int *width, size_t length)
{
    if ((int)length > *width)
        *width = (int)length;
}

/* One pair per line, in columns; the sources stand before the values, which are of any length. */
static bool print_table(const struct description *description, bool explain)
{
    size_t count = rcuinfo_snapshot_count(description->values);
    int key_width = 0, source_width = 0;
    struct line line;

    for (size_t n = 0; n < count; n++) {
        if (!read_line(description, n, &line))
            return false;
        widen(&key_width, line.value.key_length);
        widen(&source_width, line.source.value_length);
    }
    for (size_t n = 0; n < count; n++) {
        if (!read_line(description, n, &line))
            return false;
        printf("%-*s  ", key_width, line.value.key);
        if (explain)
            printf("%-*s  ", source_width, line.source.value);
        command_print_text(line.value.value);
        putchar('\n');
    }
    return true;
}

/* The bytes of the first character, as far as it is one of UTF-8; 0: it is none. */
static size_t character_length(const char *text, size_t left)
{
    for (size_t length = 1; length <= 4 && length <= left; length++) {
        json_t *string = json_stringn(text, length);

        json_decref(string);
        if (string != NULL)
            return length;
    }
    return 0;
}

/* A string of the value, in which U+FFFD stands for each byte that is not UTF-8: JSON has no other strings. */
static json_t *json_value(const rcuinfo_pair_t *pair)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *text = malloc(pair->value_length * (sizeof replacement - 1) + 1);
    size_t used = 0;
    json_t *string;

    if (text == NULL)
        return NULL;
    for (const char *at = pair->value, *end = at + pair->value_length; at < end;) {
        size_t length = character_length(at, (size_t)(end - at));
        size_t written = length > 0 ? length : sizeof replacement - 1;

        memcpy(text + used, length > 0 ? at : replacement, written);
        used += written;
        at += length > 0 ? length : 1;
    }
    string = json_stringn(text, used);
    free(text);
    return string;
}

static bool print_json(const struct description *description, bool explain)
{
    size_t count = rcuinfo_snapshot_count(description->values);
    json_t *object = json_object();
    bool good = object != NULL;
    struct line line;

    for (size_t n = 0; n < count && good; n++) {
        json_t *value;

        good = read_line(description, n, &line);
        if (!good)
            break;
        value = json_value(&line.value);
        if (explain)
            value = json_pack("{s:o, s:s}", "value", value, "source", line.source.value);
        good = json_object_set_new(object, line.value.key, value) == 0;
    }
    good = good && json_dumpf(object, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF;
    json_decref(object);
    return good;
}

static rcuinfo_status_t describe(int argc, char *argv[], struct description *description)
{
    const struct rcuinfo__start *start = rcuinfo__start();
    rcuinfo_t values, sources;
    rcuinfo_status_t status;

    if (start == NULL)
        return RCUINFO_ERR_NO_MEM;
    status = rcuinfo__env_describe(start, argc, argv, RCUINFO__NATIVE_LIMITS, &values, &sources);
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
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"explain", no_argument, NULL, 'e'},
                                            {NULL, 0, NULL, 0}};
    static char buffer[1 << 16];
    struct description description;
    rcuinfo_status_t status;
    bool json = false, explain = false, printed;
    int option;

    while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
        switch (option) {
        case 'h':
            return command_help();
        case 'j':
            json = true;
            break;
        case 'e':
            explain = true;
            break;
        default:
            return command_bad_option(option, argv);
        }
    }
    status = describe(argc - optind, argv + optind, &description);
    if (status != RCUINFO_SUCCESS)
        return command_complain(COMMAND_FAILED, "env: %s", rcuinfo_status_string(status));
    /* One write, so that launchers do not mix the lines of several processes. */
    (void)setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    printed = json ? print_json(&description, explain) : print_table(&description, explain);
    rcuinfo_snapshot_close(description.values);
    rcuinfo_snapshot_close(description.sources);
    if (!printed || fflush(stdout) != 0)
        return command_complain(COMMAND_FAILED, "env: the output could not be written");
    return COMMAND_OK;
}
