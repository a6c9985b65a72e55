/* SPDX-License-Identifier: BSD-3-Clause */
/* fork: see fork.c. */
#ifndef RCUINFO_CORE_FORK_H
#define RCUINFO_CORE_FORK_H

#include <stdbool.h>

/* Registers the handlers, once, at load. `prepares`: liburcu-bp's are called from ours; otherwise the program does. */
void rcuinfo__fork_register(bool prepares);

#endif
