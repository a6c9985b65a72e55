/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork: parent and child of a fork() in a program with threads both go on.
 *
 * The lock of those who reclaim is taken before and given back after, and liburcu's inside of it. Meanwhile signals are
 * held back: a handler that forks would wait for them. Objects need nothing: a publication is one exchange, so the
 * child sees the old version or the new. Their locks are free there by epoch; who finds one that was held begins a new
 * block, since the end of the old one may be half written.
 *
 * A thread that forks inside a read section, its own or one of ours that a signal handler interrupts, takes no lock:
 * the holder may be waiting for that very section. In the child ours is free by epoch, too, and what another thread was
 * reclaiming at that moment is lost. How liburcu's locks and its list of readers were left it cannot know, so it
 * does without them (rcuinfo__rcu_abandon), and so do its children: all calls work, in new threads too, but what is
 * retired stays. Such a process is to exec, or to end.
 *
 * Callers owe: who forks outside a read section holds nothing that another thread waits for inside one of its own; a
 * grace period, for which the fork may wait, would never end.
 *
 * liburcu-bp's handlers do not nest. A program that registers them itself says RCUINFO_ATFORK=no in its environment: we
 * then leave them to it and take no lock of ours before (theirs may be held by then).
 * The store of librcuinfo.a does the same at each fork where librcuinfo.so is in the process, whose handlers these are
 * then: both use one liburcu-bp.so.
 */
#include "core/fork.h"

#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "core/lock.h"
#include "core/rcu.h"
#include "core/reclaim.h"

/* Of this thread's fork, from prepare to its end: whether our locks are held, and liburcu's. */
static _Thread_local bool prepared;
static sigset_t mask; /* of the thread that forks; under the locks */

#ifdef RCUINFO_STATIC
static int is_shared_store(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    return strstr(object->dlpi_name, "librcuinfo.so.") != NULL;
}

static bool shared_store_is_there(void)
{
    return dl_iterate_phdr(is_shared_store, NULL) != 0;
}
#else
static bool shared_store_is_there(void)
{
    return false;
}
#endif

static void prepare(void)
{
    prepared = rcuinfo__rcu_may_wait() && !shared_store_is_there();
    if (!prepared)
        return;
    sigset_t before;
    rcuinfo__lock_hold_signals(&before);
    rcuinfo__reclaim_lock();
    rcuinfo__rcu_before_fork();
    mask = before;
}

static void release(bool child)
{
    sigset_t before = mask;
    rcuinfo__rcu_after_fork(child);
    rcuinfo__reclaim_unlock();
    rcuinfo__lock_release_signals(&before);
}

static void parent(void)
{
    if (prepared)
        release(false);
}

static void child_of_unprepared(void)
{
    rcuinfo__lock_after_fork();
    rcuinfo__reclaim_unlock(); /* whoever had it: rcuinfo__lock_try takes none that was left behind */
}

static void child(void)
{
    if (prepared) {
        rcuinfo__lock_after_fork();
        release(true);
    } else {
        if (rcuinfo__rcu_reading())
            rcuinfo__rcu_abandon();
        child_of_unprepared();
    }
}

void rcuinfo__fork_register(bool prepares)
{
    if (prepares)
        pthread_atfork(prepare, parent, child);
    else
        pthread_atfork(NULL, NULL, child_of_unprepared);
}
