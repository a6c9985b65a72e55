/* SPDX-License-Identifier: BSD-3-Clause */
/* rcu: see rcu.h. */
#include "core/rcu.h"

#include <limits.h>
#include <pthread.h>

#if __has_feature(thread_sanitizer)
char rcuinfo__rcu_tag;
#endif

bool rcuinfo__rcu_abandoned;

void rcuinfo__rcu_register(void)
{
    /* A read section uses only the first field of the thread's record, so a lone counter serves as a record. */
    static _Thread_local unsigned long unlisted;
    _Static_assert(offsetof(struct urcu_bp_reader, ctr) == 0, "ctr is the first field");

    if (rcuinfo__rcu_abandoned)
        URCU_TLS(urcu_bp_reader) = (struct urcu_bp_reader *)(void *)&unlisted;
    else
        urcu_bp_register_thread();
}

void rcuinfo__rcu_synchronize(void)
{
    urcu_bp_synchronize_rcu();
    RCUINFO__RCU_ACQUIRE();
}

void rcuinfo__rcu_abandon(void)
{
    const void *record = URCU_TLS(urcu_bp_reader);
    rcuinfo__rcu_abandoned = true;

    /* liburcu unregisters a thread in the destructor of a thread-specific key that it keeps to itself. The key's value
     * is the thread's record, so look for that, and clear it. */
    for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
        if (pthread_getspecific(key) == record)
            pthread_setspecific(key, NULL);
    }
}
