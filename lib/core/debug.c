/* SPDX-License-Identifier: BSD-3-Clause */
/* debug: chooses the defect of a process. Only in the copy of the library that has sync points. */
#include "core/debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define NAME(name) #name,
static const char *const names[] = {"", RCUINFO__DEFECTS(NAME)};

enum rcuinfo__defect rcuinfo__defect;

__attribute__((constructor(101))) static void choose(void)
{
    const char *name = getenv("RCUINFO_DEFECT");
    if (!name)
        return;
    for (unsigned i = 1; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(names[i], name) == 0)
            rcuinfo__defect = (enum rcuinfo__defect)i;
    }
    if (!rcuinfo__defect) {
        (void)fprintf(stderr, "rcuinfo: RCUINFO_DEFECT: no defect '%s' in core/debug.h\n", name);
        _exit(2);
    }
}
