/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo hints`: lists the keys that the standard reserves, or has lint.c check what somebody wrote. Here are the
 * command line and the list.
 */
#include "command.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "hints/library.h"

/* Of a row as it is listed; what a value has to be comes last, since it is of any length. */
enum { COLUMNS = 6 };

struct arguments {
    rcuinfo_hint_object_t object;
    unsigned mpis; /* whose keys count besides the standard's */
    const char *key;
    const char *value;
};

void hints_print_type(const rcuinfo_hint_t *hint)
{
    static const struct {
        const char *name, *form;
    } types[] = {
        [RCUINFO_HINT_STRING] = {"string", ""},
        [RCUINFO_HINT_BOOL] = {"boolean", ": true, false"},
        [RCUINFO_HINT_INT] = {"integer", ""},
        [RCUINFO_HINT_CHOICE] = {"word", ": "},
        [RCUINFO_HINT_RANGE] = {"range", ": a, a:b, a:b:c"},
        [RCUINFO_HINT_KIND] = {"memory kind", ": kind[:restrictor[:...]]"},
    };
    bool list = hint->flags & RCUINFO_HINT_LIST;

    printf("%s%s%s%s", list ? "list of " : "", types[hint->type].name, list ? "s" : "", types[hint->type].form);
    if (hint->type == RCUINFO_HINT_INT && hint->most == INT64_MAX)
        printf(", %" PRId64 " or more", hint->least);
    else if (hint->type == RCUINFO_HINT_INT && (hint->least != 0 || hint->most != 0))
        printf(", %" PRId64 " to %" PRId64, hint->least, hint->most);
    for (const char *word = hint->type == RCUINFO_HINT_CHOICE ? hint->allowed : ""; *word; word++)
        printf("%c%s", *word, *word == ',' ? " " : "");
    if (hint->alone)
        printf("; or %s", hint->alone);
    if (hint->flags & RCUINFO_HINT_ANY_CASE)
        fputs(", in any case", stdout);
}

static const char *marks_of(const rcuinfo_hint_t *hint)
{
    bool same = hint->flags & RCUINFO_HINT_SAME, fixed = hint->flags & RCUINFO_HINT_FIXED;

    if (hint->flags & RCUINFO_HINT_GET_ONLY)
        return "get";
    return same && fixed ? "same,fixed" : same ? "same" : fixed ? "fixed" : "-";
}

static const struct {
    const char *name;
    enum rcuinfo__mpi mpi;
} libraries[] = {{"mpich", RCUINFO__MPICH}, {"openmpi", RCUINFO__OPENMPI}};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

/* Every line is visited twice: first for the widths of the columns, then to be printed. */
struct listing {
    const struct arguments *wanted;
    int widths[COLUMNS];
    bool print;
};

/* Without a hint nothing says what a value has to be, and `rest` stands there. */
static void visit(struct listing *list, const char *const columns[COLUMNS], const rcuinfo_hint_t *hint,
                  const char *rest)
{
    for (int i = 0; i < COLUMNS; i++) {
        int length = (int)strlen(columns[i]);

        if (list->print)
            printf("%-*s  ", list->widths[i], columns[i]);
        else if (length > list->widths[i])
            list->widths[i] = length;
    }
    if (!list->print)
        return;
    if (hint != NULL)
        hints_print_type(hint);
    else
        fputs(rest, stdout);
    putchar('\n');
}

static bool is_wanted(const struct listing *list, rcuinfo_hint_object_t object)
{
    return list->wanted->object == object || list->wanted->object == RCUINFO_HINT_OBJECTS;
}

static void walk(struct listing *list)
{
    static const char *const heading[COLUMNS] = {"OBJECT", "KEY", "SINCE", "SECTION", "MARKS", "DEFAULT"};
    size_t n = 0;

    visit(list, heading, NULL, "VALUE");
    for (int i = 0; i < RCUINFO_HINT_OBJECTS; i++) {
        rcuinfo_hint_object_t at = (rcuinfo_hint_object_t)i;
        const rcuinfo_hint_t *hint = rcuinfo_hint_standard(at, &n);

        for (; n > 0 && is_wanted(list, at); n--, hint++) {
            const char *const columns[] = {
                rcuinfo_hint_object_name(at),       hint->key, hint->since, hint->section, marks_of(hint),
                hint->initial ? hint->initial : "-"};
            visit(list, columns, hint, "-");
        }
    }
    for (int i = 0; i < LIBRARIES; i++) {
        const struct rcuinfo__hint_key *key = rcuinfo__hint_library(libraries[i].mpi, &n);

        for (; n > 0 && (list->wanted->mpis & libraries[i].mpi); n--, key++) {
            const char *const columns[] = {
                rcuinfo_hint_object_name(key->object), key->key, "-", libraries[i].name, "-", "-"};
            if (is_wanted(list, key->object))
                visit(list, columns, NULL, "-");
        }
    }
}

static void take_object(const char *name, void *into)
{
    rcuinfo_hint_object_t *object = into;
    char names[256] = "";

    for (int i = 0; i < RCUINFO_HINT_OBJECTS; i++) {
        *object = (rcuinfo_hint_object_t)i;
        if (strcmp(rcuinfo_hint_object_name(*object), name) == 0)
            return;
        (void)snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                       rcuinfo_hint_object_name(*object));
    }
    command_die(COMMAND_USAGE, "hints: no such object: '%s': %s", name, names);
}

static void take_library(const char *name, void *into)
{
    for (int i = 0; i < LIBRARIES; i++) {
        if (strcmp(libraries[i].name, name) == 0) {
            *(unsigned *)into = libraries[i].mpi;
            return;
        }
    }
    command_die(COMMAND_USAGE, "hints: no such MPI: '%s': mpich or openmpi", name);
}

static void read_arguments(int argc, char *argv[], bool lint, struct arguments *arguments)
{
    const struct command_option options[] = {{"key", COMMAND_TEXT, .into = &arguments->key}, /* of lint only */
                                             {"value", COMMAND_TEXT, .into = &arguments->value},
                                             {"for", COMMAND_CALL, .into = &arguments->object, .take = take_object},
                                             {"mpi", COMMAND_CALL, .into = &arguments->mpis, .take = take_library},
                                             {.name = NULL}};

    *arguments = (struct arguments){.object = RCUINFO_HINT_OBJECTS};
    command_options(argc, argv, lint ? options : options + 2, false);
}

static const struct command_option none[] = {{.name = NULL}};

/* Each of these reads its own options and operands, argv[0] being its name. */

static int list(int argc, char *argv[])
{
    struct arguments arguments;

    read_arguments(argc, argv, false, &arguments);
    if (optind < argc)
        command_die(COMMAND_USAGE, "hints list: '%s' is too much (see rcuinfo --help)", argv[optind]);
    struct listing listing = {.wanted = &arguments};
    walk(&listing);
    listing.print = true;
    walk(&listing);
    return COMMAND_OK;
}

static int lint(int argc, char *argv[])
{
    struct arguments arguments;

    read_arguments(argc, argv, true, &arguments);
    bool pair = arguments.key || arguments.value;
    if (pair && (!arguments.key || !arguments.value || optind < argc))
        command_die(COMMAND_USAGE, "hints lint: --key and --value go together, without a FILE");
    if (!pair && argc - optind != 1)
        command_die(COMMAND_USAGE, "hints lint: one FILE, or --key K --value V (see rcuinfo --help)");
    return pair ? hints_lint_pair(arguments.object, arguments.mpis, arguments.key, arguments.value)
                : hints_lint_file(arguments.object, arguments.mpis, argv[optind]);
}

static int report(int argc, char *argv[])
{
    command_options(argc, argv, none, false);
    if (optind == argc)
        command_die(COMMAND_USAGE, "hints report: FILE... (see rcuinfo --help)");
    return hints_report(argc - optind, argv + optind);
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
        if (strcmp(argv[0], verbs[i].name) != 0)
            continue;
        int status = verbs[i].run(argc, argv);
        if (fflush(stdout) != 0 || ferror(stdout))
            command_die(COMMAND_FAILED, "hints: the output could not be written");
        return status;
    }
    command_die(COMMAND_USAGE, "hints: list, lint or report (see rcuinfo --help)");
}
