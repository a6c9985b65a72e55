/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * labels: the names of objects in the report. An object has the name that the program has given it or, without one, a
 * number, which is the same on all processes of its group; and, unless that is all of MPI_COMM_WORLD, its first rank
 * and size, so that the objects of the groups into which a communicator was split differ.
 *
 * Threads: one at a time; the caller has a lock.
 */
#pragma once

#include "tuning/observe/ask.h"
#include "tuning/report.h"

/* A copy of the name of a loan's object: `name` unless it is "", else the name that an earlier call gave it, else a
 * number. Of objects with the same place in the table only the last one is known. fields: of the line. */
char *rcuinfo__labels_find(const struct rcuinfo__interpose_loan *loan, const char *const fields[RCUINFO__REPORT_FIELDS],
                           void *handle, const char *name, bool *was_romio);

/* Marks a file that has a name as one of ROMIO's. */
void rcuinfo__labels_mark_romio(rcuinfo_hint_object_t object, void *handle);
