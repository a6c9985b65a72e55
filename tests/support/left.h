/* SPDX-License-Identifier: BSD-3-Clause */
/* left: checks that a test leaves nothing behind. */
#pragma once

#include <rcuinfo/store.h>

#include "support/check.h"

static inline rcuinfo_stats_t left_stats(void)
{
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    return stats;
}

/* The number of live objects. */
static inline uint64_t left_live(void)
{
    return left_stats().live;
}

/* Checks that no object is live, and nothing awaits a grace period. */
static inline void left_nothing(void)
{
    CHECKF(left_live() == 0, "%llu objects are left", (unsigned long long)left_live());
    CHECK(rcuinfo_store_drain() == 0);
}
