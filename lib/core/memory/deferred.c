/* SPDX-License-Identifier: BSD-3-Clause */
/* deferred: see deferred.h. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "core/memory/alloc.h"
#include "core/memory/arena.h"
#include "core/debug.h"
#include "core/rcu.h"
#include "core/memory/deferred.h"
#include "core/memory/reclaim.h"

#define DEFERRED_MOST ((size_t)512 << 10) /* bytes that may wait before a thread waits for a grace period */

static ck_stack_t waiting = CK_STACK_INITIALIZER; /* [P4] field: pushed by writers, popped with the lock held */
static rcuinfo__lock_t lock;
static _Atomic uint64_t grace_periods;

/* If at least `least` bytes wait: waits for a grace period, and frees what was retired before it. If another thread has
 * the lock, waits for that with `wait`, and else returns. Signals are blocked: a signal handler that forks would wait
 * for the lock of its own thread. liburcu may sleep in poll, which is a cancellation point. */
static void flush(size_t least, bool wait)
{
    struct rcuinfo__block *dropped = NULL;
    int saved_errno = errno;
    int state;
    sigset_t mask;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    rcuinfo__lock_hold_signals(&mask);
    bool locked = rcuinfo__lock_try(&lock);
    if (!locked && wait) {
        (void)rcuinfo__lock_take(&lock);
        locked = true;
    }

    /* Another thread may have done so while we waited for the lock. */
    if (locked && rcuinfo__arena_load(&rcuinfo__reclaim_deferred) >= least && rcuinfo__reader_try_membarrier()) {
        ck_stack_entry_t *link = ck_stack_batch_pop_upmc(&waiting); /* [P4] acquire */
        RCUINFO__SYNC_POINT(DETACHED);
        rcuinfo__rcu_synchronize();
        atomic_fetch_add_explicit(&grace_periods, 1, RCUINFO__RELAXED);
        RCUINFO__SYNC_POINT(PASSED);
        while (link) {
            struct rcuinfo__deferred *deferred =
                RCUINFO__BLOCK_CAST(struct rcuinfo__deferred, link); /* its first field */
            link = link->next;
            atomic_fetch_sub_explicit(&rcuinfo__reclaim_deferred, deferred->bytes, RCUINFO__RELAXED);
            if (rcuinfo__block_drop(deferred->drop, RCUINFO__BLOCK_UNMARKED))
                rcuinfo__arena_push_block(&dropped, deferred->drop);
            rcuinfo__alloc_free(deferred);
        }
    }

    if (locked)
        rcuinfo__lock_give(&lock);
    rcuinfo__lock_release_signals(&mask);

    /* Not with the lock, as this may wait for readers, and a fork waits for the lock. */
    for (struct rcuinfo__block *block; (block = rcuinfo__arena_pop_block(&dropped));)
        rcuinfo__reclaim_retire(block);
    pthread_setcancelstate(state, NULL);
    errno = saved_errno;
}

void rcuinfo__deferred_retire(struct rcuinfo__deferred *deferred)
{
    size_t bytes =
        deferred->bytes + atomic_fetch_add_explicit(&rcuinfo__reclaim_deferred, deferred->bytes, RCUINFO__RELAXED);
    ck_stack_push_upmc(&waiting, &deferred->link); /* [P4] publish */
    if (bytes >= DEFERRED_MOST && rcuinfo__rcu_may_wait())
        flush(DEFERRED_MOST, bytes >= RCUINFO__RECLAIM_HARD_LIMIT);
}

bool rcuinfo__deferred_drain(void)
{
    (void)rcuinfo__reclaim_peak(); /* which may be now */
    if (rcuinfo__reclaim_may_wait() && rcuinfo__rcu_may_wait() && rcuinfo__arena_load(&rcuinfo__reclaim_deferred) > 0)
        flush(1, true);
    return rcuinfo__reclaim_flush();
}

uint64_t rcuinfo__deferred_grace_periods(void)
{
    return atomic_load_explicit(&grace_periods, RCUINFO__RELAXED);
}

void rcuinfo__deferred_before_fork(void)
{
    (void)rcuinfo__lock_take(&lock);
}

void rcuinfo__deferred_after_fork_parent(void)
{
    rcuinfo__lock_give(&lock);
}

/* What another thread was doing is lost. */
void rcuinfo__deferred_after_fork_child(void)
{
    size_t bytes = 0;
    for (const ck_stack_entry_t *link = waiting.head; link; link = link->next)
        bytes += RCUINFO__BLOCK_CAST(const struct rcuinfo__deferred, link)->bytes;
    rcuinfo__arena_store(&rcuinfo__reclaim_deferred, bytes);
    atomic_store_explicit(&lock.word, atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__RELAXED), RCUINFO__RELAXED);
}
