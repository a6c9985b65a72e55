/* SPDX-License-Identifier: BSD-3-Clause */
/* flavour: the functions of a flavour, for names.h. NULL: it has none of that name. */
#include <rcuinfo/info.h>

#include "mpi/next.h"

#define RCUINFO__NAMES_ALONE
#include <rcuinfo_forwarders.h>

#define DECLARE(name) void rcuinfo__##name(void) __attribute__((weak, visibility("hidden")));
RCUINFO__NAMES(DECLARE)

#define ENTRY(name) rcuinfo__##name,
RCUINFO_API extern const rcuinfo__function_t rcuinfo__flavour_functions[];
const rcuinfo__function_t rcuinfo__flavour_functions[] = {RCUINFO__NAMES(ENTRY)};
