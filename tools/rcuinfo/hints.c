/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo hints`: lists the keys that the standard reserves, checks a hint file or a pair (lint.c), or merges and
 * prints reports written by `rcuinfo run --hints-report=FILE`.
 */
#include "command.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "core/text.h"
#include "keys/keys.h"
#include "report/export.h"
#include "report/judge.h"
#include "report/table.h"
#include "report/page.h"
#include "report/source.h"
#include "report/spans.h"
#include "report/report.h"

enum { REPORT_MOST = 1 << 20 };

static unsigned damages; /* how many parts of report files could not be read */

/* The command line. */
static struct {
    rcuinfo_hint_object_t object;
    unsigned mpis; /* libraries whose own keys are known too */
    const char *key, *value;
    bool is_csv;
} given = {.object = RCUINFO__OBJECT_ANY};

static const char *marks_of(const rcuinfo_hint_t *hint)
{
    bool same = hint->flags & RCUINFO_FLAG_SAME, fixed = hint->flags & RCUINFO_FLAG_FIXED;

    if (hint->flags & RCUINFO_FLAG_GET_ONLY)
        return "get";
    return same && fixed ? "same,fixed" : same ? "same" : fixed ? "fixed" : "-";
}

/* In columns as wide as any key of a known library needs; what can be of any length follows them. */
static void print_columns(const char *object, const char *key, const char *since, const char *section,
                          const char *marks, const char *initial)
{
    printf("%-12s  %-48s  %-11s  %-26s  %-10s  %-20s  ", object, key, since, section, marks, initial ? initial : "-");
}

static bool is_wanted(rcuinfo_hint_object_t at)
{
    return given.object == at || given.object == RCUINFO__OBJECT_ANY;
}

/* Formats a version, such as "4.0" or "5.0.10". */
static const char *format_version(unsigned number, char text[16])
{
    if (number % 100 > 0)
        (void)snprintf(text, 16, "%u.%u.%u", number / 10000, number / 100 % 100, number % 100);
    else
        (void)snprintf(text, 16, "%u.%u", number / 10000, number / 100 % 100);
    return text;
}

/* A key of a library: in place of the section, the part of the library that reads it; in place of the version of the
 * standard, the versions of the library. */
static void print_key(const struct rcuinfo__key *key)
{
    char since[16], before[16], versions[40], component[64];
    const char *library = rcuinfo__keys_library(key->owner);

    if (key->since == 0)
        (void)snprintf(versions, sizeof versions, "-");
    else if (key->before == UINT_MAX)
        (void)snprintf(versions, sizeof versions, "%s-", format_version(key->since, since));
    else
        (void)snprintf(versions, sizeof versions, "%s-<%s", format_version(key->since, since),
                       format_version(key->before, before));
    (void)snprintf(component, sizeof component, "%s%s%s", library, *key->component ? " " : "", key->component);
    print_columns(rcuinfo_hint_object_name(key->object), key->hint.key, versions, component,
                  key->is_idle ? "unused" : marks_of(&key->hint), key->hint.initial);
    hints_print_type(&key->hint);
    printf("; %s\n", key->meaning);
}

static void take_object(const char *name, void *into)
{
    rcuinfo_hint_object_t *object = into;
    *object = rcuinfo__keys_object(name);
    if (*object == RCUINFO__OBJECT_UNKNOWN)
        command_die(COMMAND_USAGE, "hints: unknown object '%s' (see rcuinfo --help)", name);
}

static void take_library(const char *name, void *into)
{
    for (unsigned library = RCUINFO__MPICH; library <= RCUINFO__INTEL; library *= 2) {
        if (strcmp(rcuinfo__keys_library(library), name) == 0) {
            *(unsigned *)into = library | RCUINFO__PNETCDF;
            return;
        }
    }
    command_die(COMMAND_USAGE, "hints: unknown MPI '%s': expected mpich, openmpi or intel", name);
}

static const struct command_option options[] = {{"key", COMMAND_TEXT, .into = &given.key}, /* of lint only */
                                                {"value", COMMAND_TEXT, .into = &given.value},
                                                {"for", COMMAND_CALL, .into = &given.object, .take = take_object},
                                                {"mpi", COMMAND_CALL, .into = &given.mpis, .take = take_library},
                                                {.name = NULL}};
static const struct command_option of_report[] = {{"csv", COMMAND_FLAG, .into = &given.is_csv}, {.name = NULL}};
static const struct command_option *const of_list = options + 2, *const none = options + 4;

/* Each of these parses its own options and operands; argv[0] is its name. */

static int list(int argc, char *argv[])
{
    size_t n = 0;

    command_options(argc, argv, of_list, false);
    if (optind < argc)
        command_die(COMMAND_USAGE, "hints list: unexpected argument '%s' (see rcuinfo --help)", argv[optind]);
    print_columns("OBJECT", "KEY", "SINCE", "SECTION", "MARKS", "DEFAULT");
    puts("VALUE");
    for (rcuinfo_hint_object_t at = 0; at < RCUINFO_OBJECT_COUNT; at++) {
        const rcuinfo_hint_t *hint = rcuinfo_hint_standard(at, &n);

        for (; n > 0 && is_wanted(at); n--, hint++) {
            print_columns(rcuinfo_hint_object_name(at), hint->key, hint->since, hint->section, marks_of(hint),
                          hint->initial);
            hints_print_type(hint);
            putchar('\n');
        }
    }
    const struct rcuinfo__key *key = rcuinfo__keys(&n);
    for (; n > 0; n--, key++) {
        if ((given.mpis & key->owner) && is_wanted(key->object))
            print_key(key);
    }
    return COMMAND_OK;
}

static int lint(int argc, char *argv[])
{
    command_options(argc, argv, options, false);
    bool pair = given.key || given.value;
    if (pair && (!given.key || !given.value || optind < argc))
        command_die(COMMAND_USAGE, "hints lint: --key and --value must be given together, without a FILE");
    if (!pair && argc - optind != 1)
        command_die(COMMAND_USAGE, "hints lint: expected one FILE, or --key K --value V (see rcuinfo --help)");
    return pair ? hints_lint_pair(given.object, given.mpis, given.key, given.value)
                : hints_lint_file(given.object, given.mpis, argv[optind]);
}

static _Noreturn void not_a_report(const char *name)
{
    command_die(COMMAND_FAILED, "hints report: %s: not a file written by --hints-report", name);
}

/* Adds one hint of a report file. */
static void add_hint(struct rcuinfo__report *report, const char *name, const json_t *hint)
{
    const char *fields[RCUINFO__REPORT_FIELDS];
    const char *on = json_string_value(json_object_get(hint, "on"));
    const char *verdict = json_string_value(json_object_get(hint, "verdict"));
    json_int_t count = json_integer_value(json_object_get(hint, "count"));

    for (int field = 0; field < RCUINFO__REPORT_FIELDS; field++)
        fields[field] = json_string_value(json_object_get(hint, rcuinfo__report_names[field]));
    enum rcuinfo__report_verdict found = rcuinfo__report_find_verdict(verdict);
    struct rcuinfo__span *spans = NULL;
    bool is_valid = found != RCUINFO__REPORT_VERDICTS && fields[RCUINFO__REPORT_KEY] != NULL &&
                    fields[RCUINFO__REPORT_GIVEN] != NULL && on != NULL && rcuinfo__spans_add_list(&spans, on);
    rcuinfo__spans_free(spans);
    if (!is_valid || count <= 0)
        not_a_report(name);

    /* One for which there is no room or no memory is counted as lost; a default is left out. */
    (void)rcuinfo__report_add(report, found, fields, on, (uint64_t)count);
}

/* A file that cannot be read: the files of other processes can be. */
static void cannot_read(const char *name)
{
    fprintf(stderr, "rcuinfo: hints report: cannot read '%s': %s\n", name, strerror(errno));
    damages++;
}

/* Reads a value of a file, from that line on. NULL: it is damaged or, if it may be cut short, the file ends. */
static json_t *read_value(FILE *file, const char *name, int line, bool may_be_cut)
{
    json_error_t error;
    json_t *value = json_loadf(file, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);

    if (value == NULL && ferror(file)) {
        cannot_read(name);
    } else if (value == NULL && !(may_be_cut && feof(file))) {
        fprintf(stderr, "rcuinfo: hints report: %s:%d:%d: %s\n", name, line + error.line - 1, error.column, error.text);
        damages++;
    }
    return value;
}

static long job_size; /* processes of the job that journals are of; 0: not known */

static void note_job_size(const json_t *line)
{
    json_int_t size = json_integer_value(json_object_get(line, "size"));
    if (size > job_size && size <= INT_MAX)
        job_size = (long)size;
}

/* Adds the hints of a process that did not finalize MPI: if it was killed, up to one that was not written in full. */
static void add_journal(struct rcuinfo__report *report, FILE *file, const char *name)
{
    json_t *line;
    unsigned before = damages;
    for (int n = 1; (line = read_value(file, name, n, true)) != NULL; n++) {
        json_int_t lost = json_integer_value(json_object_get(line, "lost"));
        if (lost < 0)
            not_a_report(name);
        if (json_is_true(json_object_get(line, "complete")))
            rcuinfo__report_lose(report, (uint64_t)lost);
        else if (json_object_get(line, "size") != NULL)
            note_job_size(line);
        else
            add_hint(report, name, line);
        json_decref(line);
    }
    if (damages > before || fseek(file, -1, SEEK_END) != 0 || getc(file) != '\n')
        rcuinfo__report_cut(report);
}

/* Adds the report of one process or more. */
static void add_whole(struct rcuinfo__report *report, const char *name, json_t *whole, long *processes)
{
    json_t *hints;
    json_int_t count, lost;
    if (json_unpack(whole, "{s:o, s:I, s:I}", "hints", &hints, "processes", &count, "lost", &lost) != 0 ||
        !json_is_array(hints) || count <= 0 || count > INT_MAX - *processes || lost < 0)
        not_a_report(name);

    for (size_t n = 0; n < json_array_size(hints); n++)
        add_hint(report, name, json_array_get(hints, n));
    rcuinfo__report_lose(report, (uint64_t)lost);
    *processes += (long)count;
}

/* Takes what the first file is of for all; says if another one is of another job. */
static void compare_jobs(struct rcuinfo__report *report, const char *name, bool is_first, const json_t *file)
{
    static char job[4096]; /* of the first file */
    const char *const about[RCUINFO__REPORT_ABOUT] = {
        [RCUINFO__REPORT_MPI] = json_string_value(json_object_get(file, "mpi")),
        [RCUINFO__REPORT_COMMAND] = json_string_value(json_object_get(file, "command")),
        [RCUINFO__REPORT_DATE] = json_string_value(json_object_get(file, "date")),
    };
    char *its =
        command_text("%s: %s", about[RCUINFO__REPORT_MPI] != NULL ? about[RCUINFO__REPORT_MPI] : "unknown MPI",
                     about[RCUINFO__REPORT_COMMAND] != NULL ? about[RCUINFO__REPORT_COMMAND] : "unknown command");

    rcuinfo__text_show(its, its, strlen(its) + 1); /* e.g. no escape sequences of another's file */
    if (is_first) {
        (void)snprintf(job, sizeof job, "%s", its);
        rcuinfo__report_describe(report, about);
    } else if (strncmp(job, its, sizeof job - 1) != 0) {
        fprintf(stderr, "rcuinfo: '%s' is of another job: %s\n", name, its);
    }
    free(its);
}

/* Adds what a value begins: a report, or a journal, which is the rest of the file. Returns whether more may follow. */
static bool add_value(struct rcuinfo__report *report, FILE *file, const char *name, json_t *value, long *processes)
{
    const char *rules = json_string_value(json_object_get(value, "rules"));
    const json_t *differ = json_object_get(value, "rules_differ");
    bool is_journal = json_object_get(value, "journal") != NULL, is_first = *processes == 0;
    if (rules == NULL || (!is_journal && !json_is_boolean(differ)))
        not_a_report(name);

    compare_jobs(report, name, is_first, value);
    uint64_t signature = strtoull(rules, NULL, 10);
    if (is_first)
        rcuinfo__report_sign(report, 0, signature);
    rcuinfo__report_compare_rules(report, signature, json_is_true(differ));

    *processes += is_journal;
    if (is_journal) {
        note_job_size(value);
        add_journal(report, file, name);
    } else {
        add_whole(report, name, value, processes);
    }
    return !is_journal;
}

/* Whether more than blanks follow, or an error. */
static bool has_more(FILE *file)
{
    int byte;
    do
        byte = getc(file);
    while (isspace(byte));
    return ungetc(byte, file) != EOF || ferror(file);
}

/* Adds a file of a journal, or of reports. */
static void add_file(struct rcuinfo__report *report, const char *name, long *processes)
{
    FILE *file = fopen(name, "re");
    bool may_follow = file != NULL;
    if (file == NULL) {
        rcuinfo__report_cut(report);
        cannot_read(name);
        return;
    }
    while (may_follow) {
        json_t *value = read_value(file, name, 1, false);
        if (value == NULL)
            rcuinfo__report_cut(report);
        may_follow = value != NULL && add_value(report, file, name, value, processes) && has_more(file);
        json_decref(value);
    }
    (void)fclose(file);
}

static int report(int argc, char *argv[])
{
    long processes = 0;

    command_options(argc, argv, of_report, false);
    if (optind == argc)
        command_die(COMMAND_USAGE, "hints report: missing FILE (see rcuinfo --help)");
    struct rcuinfo__report *all = rcuinfo__report_create(REPORT_MOST);
    if (all == NULL)
        command_die(COMMAND_FAILED, "out of memory");
    for (int n = optind; n < argc; n++)
        add_file(all, argv[n], &processes);
    if (job_size > 0 && processes != job_size) /* those of the others are missing */
        rcuinfo__report_cut(all);
    rcuinfo__source_show(all);
    if (processes > 0 && !rcuinfo__judge(all, processes))
        command_die(COMMAND_FAILED, "out of memory");
    if (processes > 0 && given.is_csv) {
        if (!rcuinfo__export_csv(all, stdout))
            command_die(COMMAND_FAILED, "out of memory");
        rcuinfo__table_print_rest(all, stderr);
    } else if (processes > 0 && !rcuinfo__table_print(all, processes, 0, rcuinfo__page_width(STDOUT_FILENO), stdout)) {
        command_die(COMMAND_FAILED, "out of memory");
    }
    rcuinfo__report_free(all);
    return damages > 0 ? COMMAND_FAILED : COMMAND_OK;
}

int command_hints(int argc, char *argv[])
{
    static const struct {
        const char *name;
        int (*run)(int argc, char *argv[]);
    } verbs[] = {{"list", list}, {"lint", lint}, {"report", report}};

    command_options(argc, argv, none, true);
    argc -= optind;
    argv += optind;
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0] && argc > 0; i++) {
        if (strcmp(argv[0], verbs[i].name) == 0)
            return verbs[i].run(argc, argv);
    }
    command_die(COMMAND_USAGE, "hints: expected list, lint or report (see rcuinfo --help)");
}
