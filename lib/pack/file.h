/* SPDX-License-Identifier: BSD-3-Clause */
/* file: reads a hint file line by line. */
#pragma once

#include <stdio.h>

#include "pack/line.h"

/* Called for each valid line that is not blank and not a comment. Key and value are NUL-terminated. On
 * RCUINFO_ERR_FORMAT it must set `what` and `offset`, in bytes of `line`, of the fault, whose `line` is set. */
typedef rcuinfo_status_t rcuinfo__file_line_t(void *context, const char *line, const struct rcuinfo__line *parts,
                                              rcuinfo_fault_t *fault);

/* Calls `each` for the lines of a file until its end, or until `each` fails, and returns that status. Otherwise returns
 * SUCCESS; ERR_FORMAT: a bad line, and *fault is written; ERR_IO; ERR_NO_MEM. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__file_read(FILE *file, rcuinfo__file_line_t *each, void *context,
                                                    rcuinfo_fault_t *fault);
