/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hints.h
 * What the two halves of `rcuinfo hints` share: which keys are meant, and how a row is shown.
 *
 * `object` is a kind of object, or RCUINFO_HINT_OBJECTS for all of them.
 */
#ifndef RCUINFO_TOOLS_HINTS_H
#define RCUINFO_TOOLS_HINTS_H

#include <rcuinfo/hints.h>

/** Prints the reports of so many files as one. Returns the command's exit status. */
int hints_report(int files, char *const names[]);

/** Prints what a value of the row has to be, as "list of words: rar, raw, war, waw; or none". */
void hints_print_type(const rcuinfo_hint_t *hint);

/** Checks a hint file, the standard input for "-", and prints what it finds. Keys that libraries look up (a sum of enum
 * rcuinfo__mpi) are no finding. Returns the command's exit status. */
int hints_lint_file(rcuinfo_hint_object_t object, unsigned mpis, const char *name);

/** The same of one pair. */
int hints_lint_pair(rcuinfo_hint_object_t object, unsigned mpis, const char *key, const char *value);

#endif
