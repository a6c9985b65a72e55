/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork: parent and child of a fork() in a program with threads both go on.
 *
 * The process-wide locks are taken before and given back after, outermost first; then liburcu's. Objects need nothing:
 * a publication is one exchange, so the child sees the old version or the new, and their locks are free there by epoch.
 *
 * liburcu-bp's handlers do not nest. A program that registers them itself says RCUINFO_ATFORK=no in its environment: we
 * then leave them to it and take no lock of ours before (theirs may be held by then), and the child makes ours anew;
 * what another thread was reclaiming at that moment is lost to the child.
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "core/handle.h"
#include "core/lock.h"
#include "core/rcu.h"
#include "core/reclaim.h"
#include "core/start.h"

static bool reclaim_locked; /* under liburcu's locks, from prepare to release */

static void prepare(void)
{
    bool locked = rcuinfo__reclaim_before_fork();
    rcuinfo__handle_before_fork();
    rcuinfo__rcu_before_fork();
    reclaim_locked = locked;
}

static void release(bool child)
{
    bool locked = reclaim_locked;
    rcuinfo__rcu_after_fork(child);
    rcuinfo__handle_after_fork(child, true);
    rcuinfo__reclaim_after_fork(child, locked);
}

static void parent(void)
{
    release(false);
}

static void child(void)
{
    rcuinfo__lock_after_fork();
    release(true);
}

static void child_of_unprepared(void)
{
    rcuinfo__lock_after_fork();
    rcuinfo__handle_after_fork(true, false);
    rcuinfo__reclaim_after_fork(true, false);
}

__attribute__((constructor)) static void register_handlers(void)
{
    const char *wanted = rcuinfo__start_variable("RCUINFO_ATFORK");
    if (wanted && strcmp(wanted, "no") == 0)
        pthread_atfork(NULL, NULL, child_of_unprepared);
    else
        pthread_atfork(prepare, parent, child);
}
