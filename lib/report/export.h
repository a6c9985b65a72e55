/* SPDX-License-Identifier: BSD-3-Clause */
/* export: a report for programs, as JSON or as CSV. */
#pragma once

#include "report/report.h"

/* Writes the report of `processes` processes. Returns false without memory. */
bool rcuinfo__export_json(const struct rcuinfo__report *report, long processes, FILE *file);
bool rcuinfo__export_csv(const struct rcuinfo__report *report, FILE *file);
/* Writes what a report is of as members of a JSON object, each followed by a comma. */
void rcuinfo__export_about(const char *const about[RCUINFO__REPORT_ABOUT], FILE *file);
/* Writes a line as a JSON object. process: >= 0: it is of this one, whatever the report says. `count`: in place of the
 * line's. */
void rcuinfo__export_line(const struct rcuinfo__report_line *line, long process, uint64_t count, FILE *file);
/* Writes a JSON string, with U+FFFD for each byte that is not UTF-8. */
void rcuinfo__export_string(const char *text, FILE *file);
