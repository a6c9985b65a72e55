/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command `rcuinfo`: picks the subcommand. What each of them does is in run.c, env.c, hints.c and stress.c, and in
 * the manual page rcuinfo.1 beside this file.
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

static const char help_text[] = "Usage: rcuinfo run [--mpi mpich|openmpi|abi] [--stats] [--hints FILE]\n"
                                "                   [--hints-report[=FILE]] PROGRAM [ARG...]\n"
                                "       rcuinfo env [--json] [--explain] [ARG...]\n"
                                "       rcuinfo hints list [--for OBJECT] [--mpi mpich|openmpi]\n"
                                "       rcuinfo hints lint [--for OBJECT] [--mpi mpich|openmpi]\n"
                                "                          FILE | --key K --value V\n"
                                "       rcuinfo hints report FILE...\n"
                                "       rcuinfo stress [--seconds N] [--threads N] [--objects N] [--keys N]\n"
                                "                      [--seed N] [--mix OPERATION=WEIGHT,...]\n"
                                "       rcuinfo --help | --version\n"
                                "\n"
                                "run  executes PROGRAM with its MPI_Info_* calls served by rcuinfo's store.\n"
                                "     Goes behind the launcher: mpirun -n 2 rcuinfo run PROGRAM\n"
                                "  --mpi FLAVOUR  the MPI that PROGRAM uses; without it: what PROGRAM links,\n"
                                "                 else what the launcher's environment says\n"
                                "  --stats        each process prints the store's counters when it exits\n"
                                "  --hints FILE   calls that take an info are given the pairs of this hint file\n"
                                "                 too, below what PROGRAM gives. Sections say which: [file *.h5],\n"
                                "                 [window]; [impose] KEY VALUE goes before PROGRAM's pair\n"
                                "  --hints-report[=FILE]  when PROGRAM finalizes MPI, process 0 prints what MPI made\n"
                                "                 of each hint that it was given, and writes it to FILE, as JSON.\n"
                                "                 All processes of the job take this option, or none\n"
                                "\n"
                                "env  prints what is known of how a process was started, as MPI_INFO_ENV has it;\n"
                                "     with ARGs, for a program whose command line they are.\n"
                                "  --json     as one JSON object\n"
                                "  --explain  also which source gave each value\n"
                                "\n"
                                "hints  list prints the info keys that the MPI standard reserves; lint checks the\n"
                                "     hint file FILE (-: the standard input), or one pair, and prints what it\n"
                                "     finds, one line each. Exit status 1: something was found. report prints what\n"
                                "     run --hints-report=FILE has written, of several files as one.\n"
                                "  --for OBJECT  the keys of window, communicator, file, session, spawn, port,\n"
                                "                alloc_mem, split_type, init, process_set or env only\n"
                                "  --mpi FLAVOUR also the keys that this MPI library looks up besides\n"
                                "\n"
                                "stress  threads use the store in every way at once and check all that they see.\n"
                                "     Without options: 10 seconds, 8 threads, 16 objects, 8 keys, a seed of the\n"
                                "     clock's. Exit status 1: a violation, with a report and how to repeat it, or\n"
                                "     too little happened.\n"
                                "  --mix  of get, set, delete, swap, update, dup, snapshot, hot, stay, free, stale\n"
                                "         and drain, each as often as its weight says: get=70,set=20,dup=5,free=5\n"
                                "\n"
                                "Exit status: PROGRAM's; 2: wrong usage, or no MPI was recognised; 126: PROGRAM\n"
                                "cannot be executed; 127: PROGRAM is not there; 1: anything else.\n";

int command_complain(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("rcuinfo: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return status;
}

static int help(void)
{
    fputs(help_text, stdout);
    return COMMAND_OK;
}

/* Says which option getopt_long has just refused. */
static int bad_option(int refusal, char *const argv[])
{
    if (refusal == ':')
        return command_complain(COMMAND_USAGE, "option '%s' needs an argument (see rcuinfo --help)", argv[optind - 1]);
    if (optopt > 0 && optopt < 128)
        return command_complain(COMMAND_USAGE, "unknown option '-%c' (see rcuinfo --help)", optopt);
    return command_complain(COMMAND_USAGE, "unknown option '%s' (see rcuinfo --help)", argv[optind - 1]);
}

int command_number(const char *subcommand, const char *option, const char *text, uint64_t least, uint64_t most,
                   uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || *number < least || *number > most)
        return command_complain(COMMAND_USAGE, "%s: --%s '%s': not a whole number from %" PRIu64 " to %" PRIu64,
                                subcommand, option, text, least, most);
    return COMMAND_OK;
}

/* Puts the argument of an option where its row says. */
static int take(const char *subcommand, const struct command_option *row, const char *argument)
{
    uint64_t number;
    int status = COMMAND_OK;

    switch (row->kind) {
    case COMMAND_FLAG:
        *(bool *)row->into = true;
        break;
    case COMMAND_TEXT:
    case COMMAND_MAYBE_TEXT:
        *(const char **)row->into = argument != NULL ? argument : "";
        break;
    case COMMAND_NUMBER:
        status = command_number(subcommand, row->name, argument, row->least, row->most, &number);
        if (status == COMMAND_OK)
            *(unsigned *)row->into = (unsigned)number;
        break;
    case COMMAND_CALL:
        status = row->take(argument, row->into);
        break;
    }
    return status;
}

int command_options(int argc, char *argv[], const struct command_option *rows, bool leading)
{
    enum { FIRST = 256 }; /* behind all letters */
    struct option options[COMMAND_OPTIONS_MOST + 2] = {{"help", no_argument, NULL, 'h'}};
    int status = COMMAND_OK;
    int option;

    for (int n = 0; n < COMMAND_OPTIONS_MOST && rows[n].name != NULL; n++) {
        int argument = rows[n].kind == COMMAND_FLAG         ? no_argument
                       : rows[n].kind == COMMAND_MAYBE_TEXT ? optional_argument
                                                            : required_argument;

        options[n + 1] = (struct option){rows[n].name, argument, NULL, FIRST + n};
    }

    optind = 0; /* glibc: start again */
    while (status == COMMAND_OK && (option = getopt_long(argc, argv, leading ? "+:h" : ":h", options, NULL)) != -1) {
        if (option == 'h')
            return help();
        status = option < FIRST ? bad_option(option, argv) : take(argv[0], &rows[option - FIRST], optarg);
    }
    return status == COMMAND_OK ? COMMAND_GO_ON : status;
}

void command_print_text(const char *text)
{
    for (; *text; text++)
        putchar((unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
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
    int status = command_options(argc, argv, options, true);
    if (status != COMMAND_GO_ON)
        return status;
    if (version) {
        printf("rcuinfo %s\n", RCUINFO_VERSION);
        return COMMAND_OK;
    }
    if (optind >= argc)
        return command_complain(COMMAND_USAGE, "no subcommand: run, env, hints or stress (see rcuinfo --help)");

    argc -= optind;
    argv += optind;
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        if (strcmp(argv[0], subcommands[i].name) == 0)
            return subcommands[i].run(argc, argv);
    }
    return command_complain(COMMAND_USAGE, "unknown subcommand '%s': run, env, hints or stress (see rcuinfo --help)",
                            argv[0]);
}
