/* SPDX-License-Identifier: BSD-3-Clause */
/* resident: the memory of this process, as the kernel counts it. */
#pragma once

#include <unistd.h>

#include "support/check.h"

/* In bytes. */
static inline size_t resident_bytes(void)
{
    unsigned long all, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL);
    CHECK(fscanf(file, "%lu %lu", &all, &pages) == 2);
    CHECK(fclose(file) == 0);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* The most that it has had; in the child of a fork, since the fork. */
static inline size_t resident_peak(void)
{
    char line[256];
    size_t kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) && sscanf(line, "VmHWM: %zu kB", &kib) != 1)
        continue;
    CHECK(fclose(file) == 0 && kib > 0);
    return kib << 10;
}
