/* SPDX-License-Identifier: BSD-3-Clause */
/* options: see options.h. */
#include "options.h"

#include <getopt.h>
#include <stdbool.h>

#include "harness.h"
#include "peers.h"

static void take(const struct option_row *row, const char *text)
{
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)row->into = true;
        break;
    case OPTION_NUMBER:
        *(unsigned *)row->into = bench_number(row->name, text, row->least, row->most);
        break;
    case OPTION_LIST:
        *(struct bench_list *)row->into = bench_numbers(row->name, text, row->least, row->most);
        break;
    case OPTION_PAIRS:
        *(struct bench_pairs *)row->into = bench_pairs(row->name, text, row->most);
        break;
    case OPTION_PEERS:
        *(struct peer_list *)row->into = peers_named(text);
        break;
    case OPTION_TEXT:
        *(const char **)row->into = text;
        break;
    }
}

void options_read(int argc, char **argv, const struct option_row *rows, size_t n, void (*help)(void))
{
    struct option names[OPTIONS_MAX + 2] = {{"help", no_argument, NULL, 'h'}}; /* the last stays zero */
    char letters[2 * OPTIONS_MAX + 2] = "h";
    size_t at = 1;
    if (n > OPTIONS_MAX)
        bench_die("a table of more than %d options", OPTIONS_MAX);
    for (size_t i = 0; i < n; i++) {
        bool value = rows[i].kind != OPTION_FLAG;
        names[i + 1] = (struct option){rows[i].name, value ? required_argument : no_argument, NULL, rows[i].letter};
        letters[at++] = rows[i].letter;
        if (value)
            letters[at++] = ':';
    }
    for (int c; (c = getopt_long(argc, argv, letters, names, NULL)) != -1;) {
        size_t i = 0;
        while (i < n && rows[i].letter != c)
            i++;
        if (i < n)
            take(&rows[i], optarg);
        else if (c == 'h')
            help();
        else
            bench_usage("see --help");
    }
    if (optind < argc)
        bench_usage("what is \"%s\"? see --help", argv[optind]);
}
