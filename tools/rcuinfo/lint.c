/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo hints lint`: reports the errors of a hint file as FILE:LINE:COLUMN: MESSAGE, with columns in bytes, from 1;
 * of hints in place of a file, as PAIR: MESSAGE. pack/line.h and keys/rules.h define the syntax; the tables of the
 * standard define the keys and the types of their values. A section selects the keys of its object.
 *
 * Several objects may have the same key in their tables. A row that users may set takes precedence over one that only
 * the implementation sets.
 */
#include "command.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/rcuinfo.h>

#include "keys/keys.h"
#include "keys/rules.h"

void hints_print_type(const rcuinfo_hint_t *hint)
{
    static const struct {
        const char *name, *form;
    } types[] = {
        [RCUINFO_TYPE_STRING] = {"string", ""},
        [RCUINFO_TYPE_BOOL] = {"boolean", ": true, false"},
        [RCUINFO_TYPE_INT] = {"integer", ""},
        [RCUINFO_TYPE_CHOICE] = {"word", ": "},
        [RCUINFO_TYPE_RANGE] = {"range", ": a, a:b, a:b:c"},
        [RCUINFO_TYPE_KIND] = {"memory kind", ": kind[:restrictor[:...]]"},
    };
    bool list = hint->flags & RCUINFO_FLAG_LIST;

    printf("%s%s%s%s", list ? "list of " : "", types[hint->type].name, list ? "s" : "", types[hint->type].form);
    if (hint->type == RCUINFO_TYPE_INT && hint->most == INT64_MAX)
        printf(", %" PRId64 " or more", hint->least);
    else if (hint->type == RCUINFO_TYPE_INT && (hint->least != 0 || hint->most != 0))
        printf(", %" PRId64 " to %" PRId64, hint->least, hint->most);
    for (const char *word = hint->type == RCUINFO_TYPE_CHOICE ? hint->allowed : ""; *word; word++)
        printf("%c%s", *word, *word == ',' ? " " : "");
    if (hint->alone)
        printf("; or %s", hint->alone);
    if (hint->flags & RCUINFO_FLAG_ANY_CASE)
        fputs(", in any case", stdout);
}

struct lint {
    rcuinfo_hint_object_t object;
    unsigned mpis;
    const char *file;
    size_t line;
    const char *quoted; /* the pair, where there is no file with lines; NULL: there is */
    rcuinfo_t seen;     /* the keys of this section, each with the number of the line that had it first */
    size_t findings;
};

/* Prints a finding, followed by the type of the values of the row `wanted`, unless NULL. */
__attribute__((format(printf, 5, 6))) static void finding(struct lint *lint, const char *file, size_t offset,
                                                          const rcuinfo_hint_t *wanted, const char *format, ...)
{
    char text[2 * RCUINFO_MAX_VALUE];
    va_list arguments;

    lint->findings++;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    command_print_text(lint->quoted != NULL ? lint->quoted : file);
    if (lint->quoted == NULL)
        printf(":%zu:%zu", lint->line, offset + 1);
    fputs(": ", stdout);
    command_print_text(text);
    if (wanted != NULL) {
        fputs("; expected: ", stdout);
        hints_print_type(wanted);
    }
    putchar('\n');
}

/* The row that applies to a key; NULL: there is none. */
static const rcuinfo_hint_t *deciding_row(rcuinfo_hint_object_t object, const char *key)
{
    const rcuinfo_hint_t *found = NULL;

    for (rcuinfo_hint_object_t at = 0; at < RCUINFO_OBJECT_COUNT; at++) {
        const rcuinfo_hint_t *row =
            object == at || object == RCUINFO__OBJECT_ANY ? rcuinfo__keys_row_taken(at, key) : NULL;

        if (row && (!found || (found->flags & RCUINFO_FLAG_GET_ONLY)))
            found = row;
    }
    return found;
}

/* Reports a key that is known only for other objects, or not at all. */
static void find_unknown(struct lint *lint, const char *key, size_t offset)
{
    const char *meant = rcuinfo__keys_nearest(lint->object, lint->mpis, key);
    const char *equals = strchr(key, '=');
    char others[256] = "";

    for (rcuinfo_hint_object_t other = 0; other < RCUINFO_OBJECT_COUNT; other++) {
        size_t used = strlen(others);

        if (rcuinfo__keys_row(other, key) || rcuinfo__keys_find(lint->mpis, other, key))
            (void)snprintf(others + used, sizeof others - used, "%s%s", used > 0 ? ", " : "",
                           rcuinfo_hint_object_name(other));
    }
    if (equals)
        finding(lint, lint->file, offset + (size_t)(equals - key), NULL,
                "'=' in a key: a blank separates key and value");
    else if (*others)
        finding(lint, lint->file, offset, NULL, "'%s' is a key of %s, not of %s", key, others,
                rcuinfo_hint_object_name(lint->object));
    else if (meant)
        finding(lint, lint->file, offset, NULL, "the standard does not reserve '%s'; did you mean '%s'?", key, meant);
    else
        finding(lint, lint->file, offset, NULL, "the standard does not reserve '%s'", key);
}

/* Reports what a value looks like but is not: a comment after it, and a variable of the shell. */
static void check_text(struct lint *lint, const char *value, const char *value_file, const struct rcuinfo__line *at)
{
    const char *comment = strstr(value, " #"), *variable = strchr(value, '$');

    if (comment)
        finding(lint, value_file, at->value + (size_t)(comment + 1 - value), NULL,
                "part of the value: a comment needs a line of its own");
    if (variable && (isalpha((unsigned char)variable[1]) || variable[1] == '{'))
        finding(lint, value_file, at->value + (size_t)(variable - value), NULL,
                "part of the value: variables are not expanded");
}

/* Checks a pair whose key and value are within the length limits and begin at the offsets `at` in the line. */
static void check_pair(struct lint *lint, const char *key, const char *value, const char *value_file,
                       const struct rcuinfo__line *at)
{
    const rcuinfo_hint_t *row = deciding_row(lint->object, key);
    const struct rcuinfo__key *of_library = rcuinfo__keys_find(lint->mpis, lint->object, key);
    rcuinfo_fault_t fault;

    /* A library may take less than the standard, and its own keys. */
    if (of_library && (!row || of_library->is_atoi))
        row = &of_library->hint;
    check_text(lint, value, value_file, at);
    if (of_library && of_library->owner == RCUINFO__PNETCDF)
        finding(lint, lint->file, at->key, NULL, "'%s' has no effect here: PnetCDF reads it from the program's info",
                key);
    else if (!row)
        find_unknown(lint, key, at->key);
    else if (row->flags & RCUINFO_FLAG_GET_ONLY)
        finding(lint, lint->file, at->key, NULL, "'%s' is read-only: only the implementation sets it", key);
    else if (rcuinfo_hint_check(row, value, NULL, &fault) == RCUINFO_ERR_TYPE)
        finding(lint, value_file, at->value + fault.offset, row, "value of '%s': %s", key, fault.what);
}

/* Records the first line of a key, and reports every later one. */
static rcuinfo_status_t check_again(struct lint *lint, const char *key, size_t offset)
{
    int64_t first = 0;
    rcuinfo_status_t status = rcuinfo_get_int64(lint->seen, key, &first, NULL);

    if (status == RCUINFO_SUCCESS)
        finding(lint, lint->file, offset, NULL, "'%s' overrides the same key in line %" PRId64, key, first);
    else if (status == RCUINFO_ERR_NOKEY)
        status = rcuinfo_set_int64(lint->seen, key, (int64_t)lint->line);
    return status;
}

/* Begins a section: sets its object, and forgets the keys of the previous section. Reports an invalid header. */
static rcuinfo_status_t begin_section(struct lint *lint, const char *line, size_t length,
                                      const struct rcuinfo__line *at)
{
    rcuinfo_fault_t fault;
    rcuinfo_hint_object_t object;
    char *text = strndup(line, length);

    if (!text)
        return RCUINFO_ERR_NO_MEM;
    text[at->key + at->key_length] = text[at->value + at->value_length] = '\0';
    rcuinfo_status_t status = rcuinfo__rules_section(text, at, &object, &fault);
    free(text);
    lint->object = object == RCUINFO__OBJECT_UNKNOWN ? RCUINFO__OBJECT_ANY : object;
    if (status == RCUINFO_ERR_FORMAT)
        finding(lint, lint->file, fault.offset, NULL, "%s", fault.what);
    status = rcuinfo_free(&lint->seen);
    return status == RCUINFO_SUCCESS ? rcuinfo_create(&lint->seen) : status;
}

static rcuinfo_status_t check_line(struct lint *lint, const char *line, size_t length)
{
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    struct rcuinfo__line at;
    rcuinfo_fault_t fault;

    if (rcuinfo__line_parse(line, length, &at, &fault) != RCUINFO_SUCCESS) {
        finding(lint, lint->file, fault.offset, NULL, "%s%s",
                line[strspn(line, " \t")] == '[' ? "" : "invalid pair: ", fault.what);
        return RCUINFO_SUCCESS;
    }
    if (at.is == RCUINFO__LINE_NOTHING)
        return RCUINFO_SUCCESS;
    if (at.is == RCUINFO__LINE_SECTION)
        return begin_section(lint, line, length, &at);

    memcpy(key, line + at.key, at.key_length);
    memcpy(value, line + at.value, at.value_length);
    key[at.key_length] = value[at.value_length] = '\0';

    rcuinfo_status_t status = check_again(lint, key, at.key);
    check_pair(lint, key, value, lint->file, &at);
    return status;
}

int hints_lint_file(rcuinfo_hint_object_t object, unsigned mpis, const char *name)
{
    struct lint lint = {.object = object, .mpis = mpis, .file = name};
    rcuinfo_status_t status = rcuinfo_create(&lint.seen);
    bool is_inline = false;
    FILE *file = strcmp(name, "-") == 0 ? stdin : rcuinfo__rules_open(name, &is_inline);
    char *line = NULL;
    size_t size = 0;
    ssize_t length;

    while (file && status == RCUINFO_SUCCESS && (length = getline(&line, &size, file)) >= 0) {
        lint.line++;
        if (is_inline) {
            length -= length > 0 && line[length - 1] == '\n';
            line[length] = '\0';
            lint.quoted = line;
        }
        status = check_line(&lint, line, (size_t)length);
    }
    if (!file || (status == RCUINFO_SUCCESS && !feof(file)))
        command_die(COMMAND_FAILED, "hints lint: cannot read '%s': %s", name, strerror(errno));
    free(line);
    (void)fclose(file);
    if (status == RCUINFO_SUCCESS)
        status = rcuinfo_free(&lint.seen);
    if (status != RCUINFO_SUCCESS)
        command_die(COMMAND_FAILED, "hints lint: %s", rcuinfo_status_string(status));
    return lint.findings > 0 ? COMMAND_FAILED : COMMAND_OK;
}

int hints_lint_pair(rcuinfo_hint_object_t object, unsigned mpis, const char *key, const char *value)
{
    struct lint lint = {.object = object, .mpis = mpis, .file = "--key", .line = 1};
    static const struct rcuinfo__line at;
    bool good_key = strlen(key) > 0 && strlen(key) < RCUINFO_MAX_KEY, good_value = strlen(value) < RCUINFO_MAX_VALUE;

    if (!good_key)
        finding(&lint, lint.file, 0, NULL, "invalid pair: %s", *key ? "a key of more than 255 bytes" : "an empty key");
    if (!good_value)
        finding(&lint, "--value", 0, NULL, "invalid pair: a value of more than 1023 bytes");
    if (good_key && good_value)
        check_pair(&lint, key, value, "--value", &at);
    return lint.findings > 0 ? COMMAND_FAILED : COMMAND_OK;
}
