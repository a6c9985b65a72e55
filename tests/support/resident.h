/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * resident: how much memory this process has. Of no use in builds with sanitizers, which keep what is freed.
 */
#ifndef TESTS_SUPPORT_RESIDENT_H
#define TESTS_SUPPORT_RESIDENT_H

#include <unistd.h>

#include "support/check.h"

static inline size_t resident_bytes(void)
{
    unsigned long all, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL);
    CHECK(fscanf(file, "%lu %lu", &all, &pages) == 2);
    CHECK(fclose(file) == 0);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

#endif
