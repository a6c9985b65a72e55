/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: prints the machine, the build and the numbers, and writes the same as JSON: an object with the machine, the
 * numeric options of the program, and the rows.
 */
#pragma once

#include <jansson.h>

#include "options.h"

struct report;

/* The main function of a program: reads the options, calls all(report), which adds the rows, and writes the file. */
int report_main(struct program *program, int argc, char **argv, void (*all)(struct report *report));

/* Adds a row, an object, and prints it as a line of its members, with spreads as median (min to max). */
void report_row(struct report *report, json_t *row);

json_t *report_spread(struct bench_spread spread);
