/* SPDX-License-Identifier: BSD-3-Clause */
/* flavour: the functions of a flavour, for names.h. NULL: it has none of that name. Looks up all that these use. */
#include <rcuinfo/info.h>

#include "mpi/next.h"

#define RCUINFO__NAMES_ALONE
#include <rcuinfo_forwarders.h>

#define DECLARE(name) void rcuinfo__##name(void) __attribute__((weak, visibility("hidden")));
RCUINFO__NAMES(DECLARE)

#define ENTRY(name) rcuinfo__##name,
RCUINFO_API extern const rcuinfo__function_t rcuinfo__flavour_functions[];
const rcuinfo__function_t rcuinfo__flavour_functions[] = {RCUINFO__NAMES(ENTRY)};

/* The section of RCUINFO__NEXT_SYMBOL; the names are the linker's. NOLINTBEGIN(bugprone-reserved-identifier) */
extern struct rcuinfo__next_symbol *const __start_rcuinfo_symbols[] __attribute__((visibility("hidden")));
extern struct rcuinfo__next_symbol *const __stop_rcuinfo_symbols[] __attribute__((visibility("hidden")));
/* NOLINTEND(bugprone-reserved-identifier) */

__attribute__((constructor)) static void look_up(void)
{
    for (struct rcuinfo__next_symbol *const *place = __start_rcuinfo_symbols; place != __stop_rcuinfo_symbols; place++)
        (void)rcuinfo__next(*place);
}
