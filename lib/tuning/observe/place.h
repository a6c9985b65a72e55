/* SPDX-License-Identifier: BSD-3-Clause */
/* place: where in the program a call was made. */
#pragma once

#include "tuning/report.h"

/* The place of a return address, as "FILE+0xOFFSET", to be freed by rcuinfo__alloc_free. NULL: not known, or no memory.
 * Threads: any. */
char *rcuinfo__observe_place(const void *caller);
