/* SPDX-License-Identifier: BSD-3-Clause */
/* fork: see fork.c. */
#pragma once

#include <stdbool.h>

/* Registers the fork handlers. Call it once, at load. `prepares`: also call liburcu-bp's handlers; without it the
 * program has registered those itself. */
void rcuinfo__fork_register(bool prepares);
