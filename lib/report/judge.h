/* SPDX-License-Identifier: BSD-3-Clause */
/* judge: what follows from several lines of a report. */
#pragma once

#include "report/report.h"

/*
 * Finds the verdicts that depend on several lines; verdict.h judges a hint alone. Call once, before writing.
 *  - DIFFERS: a hint must be the same on all processes of an object, by the standard or because the component that
 * reads it needs that, but some processes gave another value, or none.
 *  - READ: a library above MPI looks up a key that MPI does not know.
 * `processes`: how many the report covers; of an object that has more, it is not known what the others gave. Returns
 * false, and changes nothing, without memory.
 */
bool rcuinfo__judge(struct rcuinfo__report *report, long processes);
