/* SPDX-License-Identifier: BSD-3-Clause */
/* judge: what follows from several lines of a report. */
#pragma once

#include "report/report.h"

/* Finds what follows from other lines: the hints that must be the same on all processes of an object, by the standard
 * or for the part of the library that reads them, and are not, as some processes gave another value, or none; and
 * unknown keys that a library above MPI reads. Once, before the report is written. `processes`: how many the report
 * covers. If an object has more, it is not known what the others gave. false: no memory, and nothing is found. */
bool rcuinfo__judge(struct rcuinfo__report *report, long processes);
