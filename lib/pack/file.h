/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file: the lines of a hint file, for those who make something of them.
 */
#ifndef RCUINFO_PACK_FILE_H
#define RCUINFO_PACK_FILE_H

#include <stdio.h>

#include "pack/line.h"

/* What is done with a line that says something, and is not bad. Key and value are NUL-terminated. With
 * RCUINFO_ERR_FORMAT it says in `fault` what, and at which byte of `line`. */
typedef rcuinfo_status_t rcuinfo__file_line_t(void *context, enum rcuinfo__line_is is, const char *line,
                                              const struct rcuinfo__line *parts, rcuinfo_fault_t *fault);

/* Calls `each` line by line to the end of the file, or until it returns something else than SUCCESS, which is returned.
 * RCUINFO_ERR_FORMAT: *fault has been written; RCUINFO_ERR_IO; RCUINFO_ERR_NO_MEM. */
rcuinfo_status_t rcuinfo__file_read(FILE *file, rcuinfo__file_line_t *each, void *context, rcuinfo_fault_t *fault);

#endif
