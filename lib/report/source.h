/* SPDX-License-Identifier: BSD-3-Clause */
/* source: the source lines of the calls in a report. */
#pragma once

#include "report/report.h"

/* Converts each place in a report, "FILE+0xOFFSET", to the source line "FILE:LINE" if elfutils' libdw finds one in
 * FILE, else to the file without its directory, and the offset. A second place, after a newline, is shown as " from
 * FILE:LINE", or not at all. Lines that are then the same are united. */
void rcuinfo__source_show(struct rcuinfo__report *report);
