/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: prints the machine, the build and the numbers, and writes the same as JSON: an object with the machine, the
 * numeric options of the program, and the rows.
 */
#pragma once

#include <jansson.h>

#include "options.h"

/* The main function of a program: reads the options, calls all(), which adds the rows, and writes the file. */
int report_main(struct program *program, int argc, char **argv, void (*all)(void));

/* Adds a row, an object, and prints it as a line of its members, with spreads as median (min to max). */
void report_row(json_t *row);

/* Adds a spread to a row: of n values, 1 to BENCH_REPEAT_MAX; of the ratios above[i] / below[i], each of two numbers of
 * the same round. */
void report_spread(json_t *row, const char *name, const double *values, size_t n);
void report_ratio(json_t *row, const char *name, const double *above, const double *below, size_t n);
