/* SPDX-License-Identifier: BSD-3-Clause */
/* reclaim: see reclaim.h. */
#include "core/reclaim.h"

#include <errno.h>
#include <time.h>

#include "core/alloc.h"
#include "core/debug.h"
#include "core/handle.h"
#include "core/rcu.h"
#include "core/recycle.h"

#define SLOW_NS  1000000 /* a grace period that preempted readers held up */
#define QUICK_NS 200000

static rcuinfo__lock_t lock; /* of those that reclaim */
static _Atomic size_t soft_limit = RCUINFO__RECLAIM_SOFT_LIMIT;
static _Atomic size_t peak;
static _Atomic uint64_t grace_periods;

static struct rcuinfo__slot *slot_of(struct rcuinfo__record *record)
{
    return (struct rcuinfo__slot *)(void *)((char *)record - offsetof(struct rcuinfo__slot, record));
}

/* After the grace period: drops the reference that the record stands for. */
static void drop(struct rcuinfo__block *block, bool owner, size_t *pooled)
{
    uint64_t owners;
    if (rcuinfo__block_drop(block, owner, &owners))
        rcuinfo__recycle_put(block, pooled);
}

static void drop_all(struct rcuinfo__record *record, size_t *pooled)
{
    while (record) {
        /* It may lie in the very block that a later record of its object drops. */
        struct rcuinfo__record *next = rcuinfo__recycle_next(record);
        if (record->drop) {
            drop(record->drop, record->owner, pooled);
        } else {
            struct rcuinfo__slot *slot = slot_of(record);
            drop(rcuinfo__block_of(rcuinfo__handle_clear(slot)), record->owner, pooled);
            rcuinfo__handle_give(slot);
        }
        record = next;
    }
}

static void drop_foreign(struct rcuinfo__record *record, size_t *pooled)
{
    while (record) {
        struct rcuinfo__record *next = rcuinfo__recycle_next(record);
        drop(record->drop, record->owner, pooled);
        rcuinfo__alloc_free(record);
        record = next;
    }
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Fewer grace periods while they are slow; less memory while they are quick. */
static void adapt(int64_t ns)
{
    size_t limit = atomic_load_explicit(&soft_limit, RCUINFO__COUNT);
    if (ns > SLOW_NS)
        limit = limit < RCUINFO__RECLAIM_MOST_SOFT / 2 ? 2 * limit : RCUINFO__RECLAIM_MOST_SOFT;
    else if (ns < QUICK_NS && limit > RCUINFO__RECLAIM_SOFT_LIMIT)
        limit -= limit / 32;
    atomic_store_explicit(&soft_limit, limit, RCUINFO__COUNT);
}

/* Under lock. Detaching comes before the grace period: what is retired during it needs another. */
static void reclaim(void)
{
    struct rcuinfo__batch batch;
    rcuinfo__recycle_detach(&batch);
    RCUINFO__SYNC_POINT(DETACHED);
    int64_t start = now_ns();
    rcuinfo__rcu_synchronize();
    adapt(now_ns() - start);
    atomic_fetch_add_explicit(&grace_periods, 1, RCUINFO__COUNT);
    RCUINFO__SYNC_POINT(PASSED);

    size_t pooled = rcuinfo__recycle_kept();
    drop_foreign(batch.foreign, &pooled);
    for (int i = 0; i < RCUINFO__RECYCLE_STRIPES; i++)
        drop_all(batch.first[i], &pooled);
    rcuinfo__recycle_done(&batch);
}

void rcuinfo__reclaim_lock(void)
{
    /* A batch that was left behind in a fork is lost, and counted as done with the next one. */
    (void)rcuinfo__lock_take(&lock);
}

void rcuinfo__reclaim_unlock(void)
{
    rcuinfo__lock_give(&lock);
}

/*
 * Reclaims if so many bytes wait, or, without `wait`, leaves it to the thread that does so already. A thread that was
 * cancelled in here would keep the lock (liburcu's wait sleeps in poll, a cancellation point), and a signal handler
 * that calls fork would wait for it for ever, so neither may come in.
 */
static void reclaim_guarded(size_t limit, bool wait)
{
    int saved_errno = errno;
    int state;
    sigset_t mask;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    rcuinfo__lock_hold_signals(&mask);
    if (wait)
        rcuinfo__reclaim_lock();
    if (wait || rcuinfo__lock_try(&lock)) {
        if (rcuinfo__recycle_waiting() >= limit)
            reclaim();
        rcuinfo__reclaim_unlock();
    }
    rcuinfo__lock_release_signals(&mask);
    pthread_setcancelstate(state, NULL);
    errno = saved_errno;
}

static void note_peak(size_t bytes)
{
    size_t most = atomic_load_explicit(&peak, RCUINFO__COUNT);
    while (bytes > most && !atomic_compare_exchange_weak_explicit(&peak, &most, bytes, RCUINFO__COUNT, RCUINFO__COUNT))
        ;
}

void rcuinfo__reclaim_balance(void)
{
    size_t bytes = rcuinfo__recycle_waiting();
    size_t limit = atomic_load_explicit(&soft_limit, RCUINFO__COUNT);
    note_peak(bytes);
    if (bytes >= limit && rcuinfo__rcu_may_wait())
        reclaim_guarded(limit, bytes >= RCUINFO__RECLAIM_HARD_LIMIT);
}

bool rcuinfo__reclaim_flush(void)
{
    if (!rcuinfo__rcu_may_wait())
        return false;
    reclaim_guarded(0, true);
    return true;
}

size_t rcuinfo__reclaim_peak(void)
{
    return atomic_load_explicit(&peak, RCUINFO__COUNT);
}

uint64_t rcuinfo__reclaim_grace_periods(void)
{
    return atomic_load_explicit(&grace_periods, RCUINFO__COUNT);
}
