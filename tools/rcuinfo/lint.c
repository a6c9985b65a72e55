/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo hints lint`: says of each line of a hint file what is wrong with it, FILE:LINE:COLUMN first; columns are
 * bytes, from 1 on. How a line looks is decided by pack/line.h and pack/rules.h, what a value has to be by the tables
 * of the standard. In a section the keys are those of its object.
 *
 * A key may stand in the tables of several objects. One that somebody may set decides; where all say that only the
 * implementation sets it, that is the finding.
 */
#include "command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/rcuinfo.h>

#include "hints/library.h"
#include "pack/rules.h"

struct lint {
    rcuinfo_hint_object_t object;
    unsigned mpis;
    const char *file;
    size_t line;
    rcuinfo_t seen; /* in this section; key: number of the line that had it first */
    size_t findings;
};

/* Begins a finding; the caller prints the rest of the line. */
static void begin(struct lint *lint, const char *file, size_t offset)
{
    lint->findings++;
    command_print_text(file);
    printf(":%zu:%zu: ", lint->line, offset + 1);
}

static void print_quoted(const char *text)
{
    putchar('\'');
    command_print_text(text);
    putchar('\'');
}

/* The row that decides on a key; NULL: there is none. */
static const rcuinfo_hint_t *deciding_row(rcuinfo_hint_object_t object, const char *key)
{
    const rcuinfo_hint_t *found = NULL;

    for (int i = 0; i < RCUINFO_HINT_OBJECTS; i++) {
        rcuinfo_hint_object_t at = (rcuinfo_hint_object_t)i;
        const rcuinfo_hint_t *row =
            object == at || object == RCUINFO_HINT_OBJECTS ? rcuinfo__hint_row_taken(at, key) : NULL;

        if (row && (!found || (found->flags & RCUINFO_HINT_GET_ONLY)))
            found = row;
    }
    return found;
}

/* The key is reserved for other objects than the one that is meant; false: for none. */
static bool print_others(const struct lint *lint, const char *key)
{
    int n = 0;

    for (int i = 0; i < RCUINFO_HINT_OBJECTS; i++) {
        if (rcuinfo__hint_row((rcuinfo_hint_object_t)i, key))
            printf("%s%s", n++ ? ", " : " is a key of ", rcuinfo_hint_object_name((rcuinfo_hint_object_t)i));
    }
    if (n > 0)
        printf(", not of %s", rcuinfo_hint_object_name(lint->object));
    return n > 0;
}

static void print_unknown(const struct lint *lint, const char *key)
{
    const char *meant = rcuinfo__hint_nearest(lint->object, lint->mpis, key);

    print_quoted(key);
    if (print_others(lint, key))
        return;
    fputs(" is no key that the standard reserves", stdout);
    if (meant)
        printf("; did you mean '%s'?", meant);
}

/* A pair whose key and value are as long as can be at most; the offsets are where they begin in the line. */
static void check_pair(struct lint *lint, const char *key, const char *value, const char *value_file,
                       const struct rcuinfo__line *at)
{
    const rcuinfo_hint_t *row = deciding_row(lint->object, key);
    rcuinfo_fault_t fault;

    if (!row && rcuinfo__hint_of_library(lint->mpis, key))
        return;
    if (!row) {
        begin(lint, lint->file, at->key);
        print_unknown(lint, key);
        putchar('\n');
    } else if (row->flags & RCUINFO_HINT_GET_ONLY) {
        begin(lint, lint->file, at->key);
        printf("'%s' is get only: the implementation sets it, a user does not\n", key);
    } else if (rcuinfo_hint_check(row, value, NULL, &fault) == RCUINFO_ERR_TYPE) {
        begin(lint, value_file, at->value + fault.offset);
        printf("value of '%s': %s; wanted: ", key, fault.what);
        hints_print_type(row);
        putchar('\n');
    }
}

/* Notes where a key comes first, and finds fault with where it comes again. */
static rcuinfo_status_t check_again(struct lint *lint, const char *key, size_t offset)
{
    int64_t first = 0;
    rcuinfo_status_t status = rcuinfo_get_int64(lint->seen, key, &first, NULL);

    if (status == RCUINFO_SUCCESS) {
        begin(lint, lint->file, offset);
        print_quoted(key);
        printf(" was given before, in line %" PRId64 "; this one overrides it\n", first);
    } else if (status == RCUINFO_ERR_NOKEY) {
        status = rcuinfo_set_int64(lint->seen, key, (int64_t)lint->line);
    }
    return status;
}

/* A section begins: its object and what was seen in it, if it is one. */
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
    lint->object = object;
    if (status == RCUINFO_ERR_FORMAT) {
        begin(lint, lint->file, fault.offset);
        puts(fault.what);
    }
    status = rcuinfo_free(&lint->seen);
    return status == RCUINFO_SUCCESS ? rcuinfo_create(&lint->seen) : status;
}

static rcuinfo_status_t check_line(struct lint *lint, const char *line, size_t length)
{
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    struct rcuinfo__line at;
    rcuinfo_fault_t fault;

    switch (rcuinfo__line_parse(line, length, &at, &fault)) {
    case RCUINFO__LINE_NOTHING:
        return RCUINFO_SUCCESS;
    case RCUINFO__LINE_BAD:
        begin(lint, lint->file, fault.offset);
        printf("%s%s\n", line[strspn(line, " \t")] == '[' ? "" : "no pair: ", fault.what);
        return RCUINFO_SUCCESS;
    case RCUINFO__LINE_SECTION:
        return begin_section(lint, line, length, &at);
    case RCUINFO__LINE_PAIR:
    case RCUINFO__LINE_IMPOSED:
        break;
    }
    memcpy(key, line + at.key, at.key_length);
    memcpy(value, line + at.value, at.value_length);
    key[at.key_length] = value[at.value_length] = '\0';
    rcuinfo_status_t status = check_again(lint, key, at.key);
    check_pair(lint, key, value, lint->file, &at);
    return status;
}

static int lint_lines(struct lint *lint, FILE *file)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    rcuinfo_status_t status = rcuinfo_create(&lint->seen);

    while (status == RCUINFO_SUCCESS && (length = getline(&line, &size, file)) >= 0) {
        lint->line++;
        status = check_line(lint, line, (size_t)length);
    }
    int error = errno;
    free(line);
    if (status == RCUINFO_SUCCESS)
        status = rcuinfo_free(&lint->seen);
    if (status != RCUINFO_SUCCESS)
        return command_complain(COMMAND_FAILED, "hints lint: %s", rcuinfo_status_string(status));
    if (!feof(file))
        return command_complain(COMMAND_FAILED, "hints lint: cannot read '%s': %s", lint->file, strerror(error));
    return lint->findings > 0 ? COMMAND_FAILED : COMMAND_OK;
}

int hints_lint_file(rcuinfo_hint_object_t object, unsigned mpis, const char *name)
{
    struct lint lint = {.object = object, .mpis = mpis, .file = name};
    bool input = strcmp(name, "-") == 0;
    FILE *file = input ? stdin : fopen(name, "r");

    if (!file)
        return command_complain(COMMAND_FAILED, "hints lint: cannot read '%s': %s", name, strerror(errno));
    int status = lint_lines(&lint, file);
    if (!input)
        (void)fclose(file);
    return status;
}

int hints_lint_pair(rcuinfo_hint_object_t object, unsigned mpis, const char *key, const char *value)
{
    struct lint lint = {.object = object, .mpis = mpis, .file = "--key", .line = 1};
    static const struct rcuinfo__line at;
    bool good_key = strlen(key) > 0 && strlen(key) < RCUINFO_MAX_KEY, good_value = strlen(value) < RCUINFO_MAX_VALUE;

    if (!good_key) {
        begin(&lint, lint.file, 0);
        printf("no pair: %s\n", *key ? "a key of more than 255 bytes" : "an empty key");
    }
    if (!good_value) {
        begin(&lint, "--value", 0);
        puts("no pair: a value of more than 1023 bytes");
    }
    if (good_key && good_value)
        check_pair(&lint, key, value, "--value", &at);
    return lint.findings > 0 ? COMMAND_FAILED : COMMAND_OK;
}
