/* SPDX-License-Identifier: BSD-3-Clause */
/* layers: see layers.h. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "core/memory/alloc.h"
#include "core/memory/arena.h"
#include "core/debug.h"
#include "core/rcu.h"
#include "core/memory/layers.h"
#include "core/memory/reclaim.h"

#define LAYERS_MOST ((size_t)512 << 10) /* bytes that may wait before a thread waits for a grace period */

static ck_stack_t layers = CK_STACK_INITIALIZER; /* [P4] field: pushed by writers, popped with the lock held */
static rcuinfo__lock_t layers_lock;
static _Atomic uint64_t grace_periods;

/* If at least that many bytes wait: waits for a grace period, and frees what was retired before it; if another thread
 * does so, only `wait` waits for it. Signals are blocked: a signal handler that forks would wait for
 * the lock of its own thread. liburcu may sleep in poll, which is a cancellation point. */
static void flush(size_t least, bool wait)
{
    struct rcuinfo__block *dropped = NULL;
    int saved_errno = errno;
    int state;
    sigset_t mask;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    rcuinfo__lock_hold_signals(&mask);
    bool locked = rcuinfo__lock_try(&layers_lock);
    if (!locked && wait) {
        (void)rcuinfo__lock_take(&layers_lock);
        locked = true;
    }

    /* Another thread may have done so while we waited. liburcu aborts the process where membarrier fails. */
    if (locked && rcuinfo__arena_load(&rcuinfo__reclaim_of_layers) >= least && rcuinfo__reader_try_membarrier()) {
        ck_stack_entry_t *link = ck_stack_batch_pop_upmc(&layers); /* [P4] acquire */
        RCUINFO__SYNC_POINT(DETACHED);
        rcuinfo__rcu_synchronize();
        atomic_fetch_add_explicit(&grace_periods, 1, RCUINFO__RELAXED);
        RCUINFO__SYNC_POINT(PASSED);
        while (link) {
            struct rcuinfo__layer *layer = RCUINFO__BLOCK_CAST(struct rcuinfo__layer, link); /* its first field */
            link = link->next;
            atomic_fetch_sub_explicit(&rcuinfo__reclaim_of_layers, layer->bytes, RCUINFO__RELAXED);
            if (rcuinfo__block_drop(layer->drop, RCUINFO__BLOCK_UNMARKED))
                rcuinfo__arena_push_block(&dropped, layer->drop);
            rcuinfo__alloc_free(layer);
        }
    }

    if (locked)
        rcuinfo__lock_give(&layers_lock);
    rcuinfo__lock_release_signals(&mask);

    /* Not with the lock, as this may wait for readers, and a fork waits for the lock. */
    for (struct rcuinfo__block *block; (block = rcuinfo__arena_pop_block(&dropped));)
        rcuinfo__reclaim_block(block);
    pthread_setcancelstate(state, NULL);
    errno = saved_errno;
}

void rcuinfo__layers_retire(struct rcuinfo__layer *layer)
{
    size_t bytes =
        layer->bytes + atomic_fetch_add_explicit(&rcuinfo__reclaim_of_layers, layer->bytes, RCUINFO__RELAXED);
    ck_stack_push_upmc(&layers, &layer->link); /* [P4] publish */
    if (bytes >= LAYERS_MOST && rcuinfo__rcu_may_wait())
        flush(LAYERS_MOST, bytes >= RCUINFO__RECLAIM_HARD_LIMIT);
}

bool rcuinfo__layers_drain(void)
{
    (void)rcuinfo__reclaim_peak(); /* which may be now */
    if (rcuinfo__reclaim_may_wait() && rcuinfo__rcu_may_wait() && rcuinfo__arena_load(&rcuinfo__reclaim_of_layers) > 0)
        flush(1, true);
    return rcuinfo__reclaim_flush();
}

uint64_t rcuinfo__layers_grace_periods(void)
{
    return atomic_load_explicit(&grace_periods, RCUINFO__RELAXED);
}

void rcuinfo__layers_before_fork(void)
{
    (void)rcuinfo__lock_take(&layers_lock);
}

void rcuinfo__layers_after_fork_parent(void)
{
    rcuinfo__lock_give(&layers_lock);
}

/* What another thread was doing is lost. */
void rcuinfo__layers_after_fork_child(void)
{
    size_t bytes = 0;
    for (const ck_stack_entry_t *link = layers.head; link; link = link->next)
        bytes += RCUINFO__BLOCK_CAST(const struct rcuinfo__layer, link)->bytes;
    rcuinfo__arena_store(&rcuinfo__reclaim_of_layers, bytes);
    atomic_store_explicit(&layers_lock.word, atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__RELAXED),
                          RCUINFO__RELAXED);
}
