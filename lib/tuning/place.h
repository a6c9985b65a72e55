/* SPDX-License-Identifier: BSD-3-Clause */
/* place: the source lines of the calls in a report. */
#pragma once

#include "tuning/report.h"

/* Converts each place in a report, "FILE+0xOFFSET", to the source line "FILE:LINE" if elfutils' libdw finds one in
 * FILE, else to the file without its directory, and the offset. */
void rcuinfo__report_show_places(struct rcuinfo__report *report);
