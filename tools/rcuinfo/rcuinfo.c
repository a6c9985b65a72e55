/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command `rcuinfo`: parses options and runs a subcommand, see run.c, env.c, hints.c and stress.c. The manual page
 * is rcuinfo.1.
 */
#include "command.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/version.h>

#include "core/text.h"

static const char help_text[] = "Usage: rcuinfo run [--mpi mpich|openmpi|abi|PATH] [--no-dlsym] [--stats]\n"
                                "                   [--hints FILE] [--hints-report[=FILE|=all]] PROGRAM [ARG...]\n"
                                "       rcuinfo env [--json] [--explain] [ARG...]\n"
                                "       rcuinfo hints list [--for OBJECT] [--mpi mpich|openmpi|intel]\n"
                                "       rcuinfo hints lint [--for OBJECT] [--mpi mpich|openmpi|intel]\n"
                                "                          FILE | --key K --value V\n"
                                "       rcuinfo hints report [--csv] FILE...\n"
                                "       rcuinfo stress [--seconds N] [--threads N] [--objects N] [--keys N]\n"
                                "                      [--seed N] [--mix OPERATION=WEIGHT,...]\n"
                                "       rcuinfo --help | --version\n"
                                "\n"
                                "run     executes PROGRAM with its MPI_Info_* calls served by rcuinfo's store; put\n"
                                "        it after the launcher: mpirun -n 2 rcuinfo run PROGRAM\n"
                                "env     prints the keys of MPI_INFO_ENV: how this process was started or, with ARGs,\n"
                                "        a program started with that command line\n"
                                "hints   lists the info keys of the standard, with --mpi also those of a library;\n"
                                "        checks a hint file (-: the standard input) or a pair; prints reports\n"
                                "        written by run --hints-report=FILE\n"
                                "        OBJECT: window, communicator, file, session, spawn, port, alloc_mem,\n"
                                "        split_type, init, process_set or env\n"
                                "stress  exercises the store from many threads at once and checks the results\n"
                                "        OPERATION: get, set, delete, swap, update, dup, snapshot, hot, stay, free,\n"
                                "        stale or drain\n"
                                "\n"
                                "See rcuinfo(1) for details, including exit statuses.\n";

void command_die(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("rcuinfo: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

char *command_text(const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        command_die(COMMAND_FAILED, "out of memory");
    va_end(arguments);
    return text;
}

/* Ends the process, with another status if the output cannot be written. */
static _Noreturn void finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        command_die(COMMAND_FAILED, "cannot write the output");
    exit(status);
}

/* Reports the option that getopt_long has just rejected. */
static _Noreturn void refuse(int refusal, char *const argv[])
{
    if (refusal == ':')
        command_die(COMMAND_USAGE, "option '%s' requires an argument (see rcuinfo --help)", argv[optind - 1]);
    if (optopt > 0 && optopt < 128)
        command_die(COMMAND_USAGE, "unknown option '-%c' (see rcuinfo --help)", optopt);
    command_die(COMMAND_USAGE, "unknown option '%s' (see rcuinfo --help)", argv[optind - 1]);
}

uint64_t command_number(const char *subcommand, const char *option, const char *text, uint64_t least, uint64_t most)
{
    char *end;

    errno = 0;
    uint64_t number = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || number < least || number > most)
        command_die(COMMAND_USAGE, "%s: --%s '%s': not an integer from %" PRIu64 " to %" PRIu64, subcommand, option,
                    text, least, most);
    return number;
}

/* Stores the argument of an option as its row specifies. */
static void take(const char *subcommand, const struct command_option *row, const char *argument)
{
    switch (row->kind) {
    case COMMAND_FLAG:
        *(bool *)row->into = true;
        break;
    case COMMAND_TEXT:
    case COMMAND_MAYBE_TEXT:
        *(const char **)row->into = argument != NULL ? argument : "";
        break;
    case COMMAND_NUMBER:
        *(unsigned *)row->into = (unsigned)command_number(subcommand, row->name, argument, row->least, row->most);
        break;
    case COMMAND_CALL:
        row->take(argument, row->into);
        break;
    }
}

void command_options(int argc, char *argv[], const struct command_option *rows, bool leading)
{
    enum { FIRST = 256 }; /* larger than any character */
    struct option options[COMMAND_OPTIONS_MOST + 2] = {{"help", no_argument, NULL, 'h'}};
    int option;

    for (int n = 0; n < COMMAND_OPTIONS_MOST && rows[n].name != NULL; n++) {
        int argument = rows[n].kind == COMMAND_FLAG         ? no_argument
                       : rows[n].kind == COMMAND_MAYBE_TEXT ? optional_argument
                                                            : required_argument;

        options[n + 1] = (struct option){rows[n].name, argument, NULL, FIRST + n};
    }

    optind = 0; /* glibc: resets getopt_long */
    while ((option = getopt_long(argc, argv, leading ? "+:h" : ":h", options, NULL)) != -1) {
        if (option == 'h') {
            fputs(help_text, stdout);
            finish(COMMAND_OK);
        }
        if (option < FIRST)
            refuse(option, argv);
        take(argv[0], &rows[option - FIRST], optarg);
    }
}

void command_print_text(const char *text)
{
    while (*text) {
        size_t control = rcuinfo__text_control(text);
        putchar(control ? '?' : *text);
        text += control ? control : 1;
    }
}

int main(int argc, char *argv[])
{
    static const struct {
        const char *name;
        int (*run)(int argc, char *argv[]);
    } subcommands[] = {
        {"run", command_run}, {"env", command_env}, {"hints", command_hints}, {"stress", command_stress}};
    bool version = false;
    const struct command_option options[] = {{"version", COMMAND_FLAG, .into = &version}, {.name = NULL}};

    opterr = 0;
    command_options(argc, argv, options, true);
    if (version) {
        printf("rcuinfo %s\n", RCUINFO_VERSION);
        finish(COMMAND_OK);
    }
    if (optind >= argc)
        command_die(COMMAND_USAGE, "missing subcommand: run, env, hints or stress (see rcuinfo --help)");

    argc -= optind;
    argv += optind;
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        if (strcmp(argv[0], subcommands[i].name) == 0)
            finish(subcommands[i].run(argc, argv));
    }
    command_die(COMMAND_USAGE, "unknown subcommand '%s': run, env, hints or stress (see rcuinfo --help)", argv[0]);
}
