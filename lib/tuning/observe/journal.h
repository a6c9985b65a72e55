/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * journal: the lines of this process's report, appended to FILE.NUMBER as they come, in case the process is killed.
 * Each is one write of a line of JSON, so that at most the last one is cut short. A line is written when its
 * hint is given for the first time, so counts are missing.
 *
 * Threads: one at a time; the caller has a lock.
 */
#pragma once

#include "tuning/report.h"

/* Starts a journal next to this file ("": none). */
void rcuinfo__journal_begin(const char *file);

/* The name of the file that only this process writes, FILE.NUMBER, whose number is the rank of this process or, in a
 * spawned job, without a launcher, or if another process has that file, its process id. Valid until the next call. */
const char *rcuinfo__journal_name(void);
long rcuinfo__journal_number(void);
void rcuinfo__journal_use_pid(void);

/* Adds a line that is new in the report. */
void rcuinfo__journal_add(const struct rcuinfo__report_line *line);

/* Says that a file cannot be written, and why: errno. */
void rcuinfo__journal_complain(const char *file);

/* Removes the journal. */
void rcuinfo__journal_end(void);
