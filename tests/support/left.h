/* SPDX-License-Identifier: BSD-3-Clause */
/* left: what a test leaves behind. */
#ifndef TESTS_SUPPORT_LEFT_H
#define TESTS_SUPPORT_LEFT_H

#include <rcuinfo/store.h>

#include "support/check.h"

static inline rcuinfo_stats_t left_stats(void)
{
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    return stats;
}

/* How many objects live. */
static inline uint64_t left_live(void)
{
    return left_stats().live;
}

/* No object lives, and nothing waits for a grace period. */
static inline void left_nothing(void)
{
    CHECKF(left_live() == 0, "%llu objects are left", (unsigned long long)left_live());
    CHECK(rcuinfo_store_drain() == 0);
}

#endif
