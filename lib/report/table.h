/* SPDX-License-Identifier: BSD-3-Clause */
/* table: a report for readers. */
#pragma once

#include "report/report.h"

/* Writes the report of `processes` processes as a table of at most `most` rows (0: all, and the defaults) and `width`
 * columns. Lines that differ only in the object's name and in the call are one row. Returns false without memory. */
bool rcuinfo__table_print(const struct rcuinfo__report *report, long processes, size_t most, size_t width, FILE *file);

/* Writes what follows the table, which concerns the whole report: that rules differ, and how many lines are missing. */
void rcuinfo__table_print_rest(const struct rcuinfo__report *report, FILE *file);
