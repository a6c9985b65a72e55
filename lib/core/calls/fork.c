/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork: lets a program with threads fork, and both parent and child go on using the store.
 *
 * Objects need no preparation. A version is published by a single store, so the child sees either the old version or
 * the new one. In the child, all locks of objects are free (see lock.h); after taking one that was held at the fork, a
 * writer copies the pairs into a new block, because the end of the old one may be half written. Nor do records of
 * readers and arenas: those of other threads are given back, and made usable, in the child.
 *
 * liburcu, whose readers are those of hint sets, does need it. Before the fork we take the lock of those who wait for a
 * grace period, then liburcu's locks, and release them afterwards. All signals are blocked meanwhile, because a signal
 * handler that forks would wait for those locks.
 *
 * A thread may fork inside a read section of liburcu's: the program's, or one of ours if a signal handler interrupts
 * it. Then no lock can be taken, because its holder may be waiting for that read section to end. The child cannot know
 * the state of liburcu's locks and of its list of readers, so it never uses them again (rcuinfo__rcu_abandon), and
 * neither do its own children. All calls work there, also in new threads, but old versions of hint sets are not
 * reclaimed. The same holds for a signal handler that interrupts our call of malloc: the fork may never return, as
 * malloc's own fork handlers wait for that call, and then nobody must be waiting for us.
 *
 * A thread that forks outside a read section must not hold anything that another thread waits for inside one: the fork
 * may have to wait for a grace period, which would never end.
 *
 * liburcu-bp's handlers do not nest. A program that registers them itself sets RCUINFO_ATFORK=no in its environment.
 * Then we call none of them, and do not take the lock either, since liburcu's locks may be held by then.
 * librcuinfo.a does the same when librcuinfo.so is loaded in the process, since both use the same liburcu-bp.so and the
 * shared library calls the handlers.
 */
#include "core/calls/fork.h"

#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "core/memory/alloc.h"
#include "core/memory/lock.h"
#include "core/rcu.h"
#include "core/memory/deferred.h"
#include "core/memory/reclaim.h"

/* During a fork by this thread: whether it took those locks. */
static _Thread_local bool prepared;
static sigset_t mask; /* signal mask of the thread that forks; protected by them */

#ifdef RCUINFO_STATIC
static int is_shared_store(struct dl_phdr_info *object, size_t size, void *unused)
{
    const char *name = strstr(object->dlpi_name, "librcuinfo.so"); /* with or without its version */
    (void)size, (void)unused;
    return name && (name[13] == '\0' || name[13] == '.');
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
    prepared = rcuinfo__rcu_may_wait() && !rcuinfo__alloc_active() && !shared_store_is_there();
    if (!prepared)
        return;

    sigset_t before;
    rcuinfo__lock_hold_signals(&before);
    rcuinfo__deferred_before_fork();
    urcu_bp_before_fork();
    mask = before; /* only now: another fork may have been under way */
}

static void parent(void)
{
    if (!prepared)
        return;
    sigset_t before = mask; /* before we give the lock away */
    urcu_bp_after_fork_parent();
    rcuinfo__deferred_after_fork_parent();
    rcuinfo__lock_release_signals(&before);
}

/* What every child needs, prepared or not. */
static void child_of_any(void)
{
    rcuinfo__lock_after_fork();
    rcuinfo__reclaim_after_fork();
    rcuinfo__deferred_after_fork_child();
}

static void child(void)
{
    sigset_t before = mask;
    if (prepared)
        urcu_bp_after_fork_child();
    else if (!rcuinfo__rcu_may_wait() || rcuinfo__alloc_active())
        rcuinfo__rcu_abandon();
    child_of_any();
    if (prepared)
        rcuinfo__lock_release_signals(&before);
}

void rcuinfo__fork_register(bool prepares)
{
    if (prepares)
        pthread_atfork(prepare, parent, child);
    else
        pthread_atfork(NULL, NULL, child_of_any);
}
