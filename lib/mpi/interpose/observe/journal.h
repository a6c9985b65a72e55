/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * journal: the lines of this process's report in FILE.NUMBER, as they come, in case the process does not finalize MPI.
 * A line of JSON says what the report is of, or a later one how many processes the job has, once that is known; then
 * there is one for each line of the report, when its hint is given for the first time; then those of the calls that
 * have not returned yet, which the next lines overwrite; blanks may follow. If the process ends by exit(), the counts
 * that are missing follow, as lines with the same fields, and a last line says that the report is complete. Each change
 * is one write: if the process is killed, at most the last line is cut short.
 *
 * Threads: one at a time: the one with the lock of record.c or, when the report has been taken, the one that has it.
 */
#pragma once

#include "report/report.h"

/* Starts a journal next to this file ("": none). */
void rcuinfo__journal_begin(const char *file);
bool rcuinfo__journal_is_wanted(void);
const char *rcuinfo__journal_file(void);

/* Whether this is the process that started it, not a child after fork, which must show nothing of it. Without a file,
 * too. */
bool rcuinfo__journal_is_ours(void);

/* The name of the file that only this process writes, FILE.NUMBER, whose number is the rank of this process or, in a
 * spawned job, without a launcher, or if another process has that file, its process id. Valid until the next call. */
const char *rcuinfo__journal_name(void);
long rcuinfo__journal_number(void);
void rcuinfo__journal_use_pid(void);

/* Opens the journal, for this process alone, unless it is open. Returns whether lines can be written. */
bool rcuinfo__journal_open(void);

/* Adds a line that is new in the report. */
void rcuinfo__journal_add(const struct rcuinfo__report_line *line);

/* Writes the lines, each with its newline, of the calls that have not returned, in place of those of the last time. */
void rcuinfo__journal_set_calls(const char *lines, size_t length);

/* Adds the size of the job, if that was not known when the journal was begun. */
void rcuinfo__journal_set_size(void);

/* Completes the journal. */
void rcuinfo__journal_complete(const struct rcuinfo__report *report);

/* Writes the report of all processes to a file, which it replaces as a whole. Returns whether that succeeded; otherwise
 * it has said why. */
bool rcuinfo__journal_replace(const char *file, const struct rcuinfo__report *report, long processes);

/* Removes the journal. */
void rcuinfo__journal_end(void);
