/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: what has been recorded, between who records it and who gathers it.
 */
#ifndef RCUINFO_MPI_INTERPOSE_REPORT_H
#define RCUINFO_MPI_INTERPOSE_REPORT_H

#include "hints/report.h"
#include "mpi/interpose/interpose.h"

/* Begins to record. */
void rcuinfo__interpose_begin_report(void);

/* Takes what has been recorded, and ends that, so that it is shown once; NULL: nothing is, or, unless it may wait,
 * somebody is just recording. */
struct rcuinfo__report *rcuinfo__interpose_take_report(bool may_wait);

#endif
