/* SPDX-License-Identifier: BSD-3-Clause */
/* options: see options.h. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "peers.h"

static void take(const struct option_row *row, const char *text)
{
    if (row->kind == OPTION_LIST)
        *(struct bench_list *)row->into = bench_numbers(row->name, text, row->least, row->most);
    else
        *(unsigned *)row->into = bench_number(row->name, text, row->least, row->most);
}

static void print_option(const struct option_row *row)
{
    const struct bench_list *list = row->into;
    char name[32];
    snprintf(name, sizeof name, "%s %s", row->name, row->kind == OPTION_LIST ? "LIST" : "N");
    printf("  --%-16s %s, %u to %u (", name, row->what, row->least, row->most);
    if (row->kind == OPTION_NUMBER)
        printf("%u", *(unsigned *)row->into);
    for (size_t i = 0; row->kind == OPTION_LIST && i < list->n; i++)
        printf("%s%u", i ? "," : "", list->at[i]);
    printf(")\n");
}

static _Noreturn void help(const struct program *program)
{
    printf("usage: %s [options]\n%s\n", program->name, program->about);
    for (size_t i = 0; i < program->n; i++)
        print_option(&program->options[i]);
    printf("  --json FILE        also write the numbers to FILE\n  --help\n");

    if (program->operations_n)
        printf("\noperations:\n");
    for (size_t i = 0; i < program->operations_n; i++) {
        const char *const *texts = (const void *)((const char *)program->operations + i * program->operation_bytes);
        printf("  %-19s %s\n", texts[0], texts[1]);
    }

    if (program->has_peers)
        peers_help();
    printf("\nExit status: 0 success, 1 a call failed or returned a wrong result, 2 invalid arguments.\n");
    exit(0);
}

void options_read(struct program *program, int argc, char **argv)
{
    struct option names[OPTIONS_MAX + 3] = {{.name = NULL}};
    size_t n = program->n;
    if (n > OPTIONS_MAX)
        bench_die("a table of more than %d options", OPTIONS_MAX);

    for (size_t i = 0; i < n; i++)
        names[i] = (struct option){program->options[i].name, required_argument, NULL, 0};
    names[n] = (struct option){"json", required_argument, NULL, 0};
    names[n + 1] = (struct option){"help", no_argument, NULL, 0};

    for (int c, at; (c = getopt_long(argc, argv, "", names, &at)) != -1;) {
        if (c != 0)
            bench_usage("see --help");
        else if ((size_t)at < n)
            take(&program->options[at], optarg);
        else if ((size_t)at == n)
            program->json = optarg;
        else
            help(program);
    }
    if (optind < argc)
        bench_usage("unexpected argument \"%s\"; see --help", argv[optind]);
}
