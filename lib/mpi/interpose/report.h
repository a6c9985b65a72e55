/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: the report of this process, which report.c records and gather.c shows.
 */
#ifndef RCUINFO_MPI_INTERPOSE_REPORT_H
#define RCUINFO_MPI_INTERPOSE_REPORT_H

#include "hints/report.h"
#include "mpi/interpose/interpose.h"

/* Starts recording. */
void rcuinfo__interpose_begin_report(void);

/* Stops recording and returns the report, which the caller frees. NULL: there is none (any more), or may_wait is false
 * and a thread is recording at the moment. */
struct rcuinfo__report *rcuinfo__interpose_take_report(bool may_wait);

#endif
