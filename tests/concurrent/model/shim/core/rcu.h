/* SPDX-License-Identifier: BSD-3-Clause */
/* rcu: in place of core/rcu.h: nothing is deferred, and no thread is in a read section of liburcu. */
#pragma once

#include <stdbool.h>

static inline bool rcuinfo__rcu_reading(void)
{
    return false;
}

static inline bool rcuinfo__rcu_may_wait(void)
{
    return true;
}

static inline void rcuinfo__rcu_synchronize(void)
{
}
