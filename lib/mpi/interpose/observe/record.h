/* SPDX-License-Identifier: BSD-3-Clause */
/* record: the report of this process, which record.c records and gather.c shows. */
#pragma once

#include "report/report.h"
#include "mpi/interpose/lend.h"

/* Starts recording. all: also the values of objects other than files that no hint gave. Returns false if there is no
 * memory. */
bool rcuinfo__record_begin(bool all);

/* MPI has been initialized: the size of the job is known. */
void rcuinfo__record_world(void);

/* Before and after each call with an info: records the hints of its loan. */
void rcuinfo__record_lent(struct rcuinfo__loan *loan);
void rcuinfo__record_returned(struct rcuinfo__loan *loan);

/* Stops recording and returns the report, with the hints of calls that have not returned, which the caller frees. NULL:
 * there is none (any more), or may_wait is false and a thread is recording at the moment. */
struct rcuinfo__report *rcuinfo__record_take(bool may_wait);
