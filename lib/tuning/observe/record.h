/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record: the report of this process, which record.c records and gather.c shows.
 */
#ifndef RCUINFO_TUNING_OBSERVE_RECORD_H
#define RCUINFO_TUNING_OBSERVE_RECORD_H

#include "tuning/report.h"
#include "mpi/interpose/interpose.h"

/* Starts recording. Returns false if there is no memory. */
bool rcuinfo__observe_begin_report(void);

/* Before a call that may create an object: clears the handle, so that it is a null handle if the call does not write
 * it. */
void rcuinfo__observe_expect(const struct rcuinfo__interpose_loan *loan);

/* After a call that succeeded: records the hints of its loan. */
void rcuinfo__observe_note(const struct rcuinfo__interpose_loan *loan);

/* Stops recording and returns the report, which the caller frees. NULL: there is none (any more), or may_wait is false
 * and a thread is recording at the moment. */
struct rcuinfo__report *rcuinfo__observe_take_report(bool may_wait);

#endif
