/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork: lets a program with threads fork, and both parent and child go on using the store.
 *
 * Before the fork we take the reclaim lock, then liburcu's locks, and release them afterwards. All signals are blocked
 * meanwhile, because a signal handler that forks would wait for those locks. Objects need no preparation. A version is
 * published by a single exchange, so the child sees either the old version or the new one. In the child, all locks of
 * objects are free (see lock.h); after taking one that was held at the fork, a writer copies the pairs into a new
 * block, because the end of the old one may be half written.
 *
 * A thread may fork inside a read section: its own, or one of ours if a signal handler interrupts it. Then no lock can
 * be taken, because its holder may be waiting for that read section to end. In the child the reclaim lock is free all
 * the same, and a batch that another thread was reclaiming is lost. The child cannot know the state of liburcu's locks
 * and of its list of readers, so it never uses them again (rcuinfo__rcu_abandon), and neither do its own children. All
 * calls work there, in new threads, too, but memory that is retired is not reclaimed. Such a process should soon exec
 * or exit.
 *
 * A thread that forks outside a read section must not hold anything that another thread waits for inside one: the fork
 * may have to wait for a grace period, which would never end.
 *
 * liburcu-bp's handlers do not nest. A program that registers them itself sets RCUINFO_ATFORK=no in its environment.
 * Then we call none of them, and do not take the reclaim lock either, since liburcu's locks may be held by then.
 * librcuinfo.a does the same when librcuinfo.so is loaded in the process, since both use the same liburcu-bp.so and the
 * shared library calls the handlers.
 */
#include "core/fork.h"

#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "core/lock.h"
#include "core/rcu.h"
#include "core/reclaim.h"

/* During a fork by this thread: whether it took the reclaim lock and liburcu's locks. */
static _Thread_local bool prepared;
static sigset_t mask; /* signal mask of the thread that forks; protected by the reclaim lock */

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
    mask = before; /* only now: another fork may have been under way */
}

static void release_locks(bool child)
{
    sigset_t before = mask; /* before we give the lock away */
    rcuinfo__rcu_after_fork(child);
    rcuinfo__reclaim_unlock();
    rcuinfo__lock_release_signals(&before);
}

static void parent(void)
{
    if (prepared)
        release_locks(false);
}

static void child_of_unprepared(void)
{
    rcuinfo__lock_after_fork();
    rcuinfo__reclaim_unlock(); /* rcuinfo__lock_try fails on a lock that was left behind, so give it a word of this
                                  epoch */
}

static void child(void)
{
    if (prepared) {
        rcuinfo__lock_after_fork();
        release_locks(true);
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
