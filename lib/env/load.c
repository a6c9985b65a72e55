/* SPDX-License-Identifier: BSD-3-Clause */
/* load: the library's constructor, which passes switches in the environment on to the core. */
#include <string.h>

#include "core/calls/fork.h"
#include "core/calls/counters.h"
#include "env/start.h"

__attribute__((constructor)) static void load(void)
{
    const char *atfork = rcuinfo__start_variable("RCUINFO_ATFORK");
    rcuinfo__fork_register(!atfork || strcmp(atfork, "no") != 0);
    const char *stats = rcuinfo__start_variable("RCUINFO_STATS");
    if (stats && *stats && strcmp(stats, "0") != 0)
        rcuinfo__counters_begin();
}
