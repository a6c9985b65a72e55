/* SPDX-License-Identifier: BSD-3-Clause */
/* rcu: see rcu.h. */
#include "core/rcu.h"

#if __has_feature(thread_sanitizer)
char rcuinfo__rcu_tag;
#endif

bool rcuinfo__rcu_abandoned;

void rcuinfo__rcu_synchronize(void)
{
    urcu_bp_synchronize_rcu();
    RCUINFO__RCU_ACQUIRE();
}

void rcuinfo__rcu_before_fork(void)
{
    urcu_bp_before_fork();
}

void rcuinfo__rcu_after_fork(bool child)
{
    if (child)
        urcu_bp_after_fork_child();
    else
        urcu_bp_after_fork_parent();
}
