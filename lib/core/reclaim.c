/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reclaim: see reclaim.h for the interface. This is how a block comes to its end, and a slot with it.
 *
 * A writer that has no room left in its block copies the pairs to another one and publishes that by an exchange of the
 * root. Readers may still be looking at the old block, and other objects (by dup) and open snapshots may refer to it.
 * So the writer retires the object's reference: it queues a record, which says that the reference is to be dropped
 * after a grace period. rcuinfo_free retires the object's reference, and the slot, in the same way. Once enough bytes
 * are waiting, one of the threads that retire takes the reclaim lock, and
 *
 *  1. detaches the whole retire list as a batch; what is retired from now on is for the next batch;
 *  2. waits for a grace period, so that every read section that could have loaded one of these roots has ended;
 *  3. drops the references.
 *
 * A block without references goes to the pool of its size, where the next writer finds it. The slot of a freed object
 * goes to the queue of free slots.
 *
 * What each step does to the counts of a block (core/block.h), and to the record that retires it:
 *
 *     step                          owners   references   record
 *     publish (a copy or a build)   1        1
 *     dup, open a snapshot          +1       +1
 *     close a snapshot              -1       -1
 *     retire                        -1                    IDLE -> RETIRED
 *     retire the only reference                           IDLE -> RETIRED, with `owner` set
 *     detach                                              RETIRED -> DETACHED
 *     drop                                   -1           DETACHED -> IDLE
 *     drop, `owner` set             -1       -1           DETACHED -> IDLE
 *
 * At 0 references the block is free. From the step on that leaves no owner, or sets `owner`, its bytes count towards
 * the limits. E.g. after a dup a block has 2 owners and 2 references. The first object is set until its block is full
 * and copied: 1 owner, 2 references, and no bytes count, because the dup still needs them. After the grace period: 1
 * and 1. The dup is freed: 1 and 1, `owner` is set, and now the bytes count. After the next grace period: 0 and 0.
 *
 * Why dup may simply increment the counts: it does so inside the read section in which it loaded the root. The object's
 * reference is dropped a grace period after the root was replaced, hence after that section, so the count is not 0.
 *
 * Why a record may be part of the block that replaced the one to be dropped: that block cannot go before the record is
 * read. The object has a reference on it, too, and retires that later, with the same lock held and into the same
 * stripe, and the records of a stripe are worked off in order.
 */
#include "core/reclaim.h"

#include <errno.h>
#include <time.h>

#include "core/alloc.h"
#include "core/debug.h"
#include "core/handle.h"
#include "core/rcu.h"
#include "core/recycle.h"

#define SLOW_NS  1000000 /* longer grace periods were held up by preempted readers */
#define QUICK_NS 200000

static rcuinfo__lock_t lock; /* the reclaim lock */
static _Atomic size_t soft_limit = RCUINFO__RECLAIM_SOFT_LIMIT;
static _Atomic size_t peak;
static _Atomic uint64_t grace_periods;

static struct rcuinfo__slot *slot_of(struct rcuinfo__record *record)
{
    return RCUINFO__BLOCK_CAST(struct rcuinfo__slot, (char *)record - offsetof(struct rcuinfo__slot, record));
}

/* Drops a reference, and recycles the block if it was the last one. *pooled: see rcuinfo__recycle_put. */
static void drop_reference(struct rcuinfo__block *block, bool owner, size_t *pooled)
{
    uint64_t owners;
    if (rcuinfo__block_drop(block, owner, &owners))
        rcuinfo__recycle_put(block, pooled);
}

/* Drops the references of objects: the list of a stripe. */
static void drop_of_objects(struct rcuinfo__record *record, size_t *pooled)
{
    while (record) {
        /* Read the link first: after rcuinfo__handle_give the slot, and its record, may be another object's. */
        struct rcuinfo__record *next = rcuinfo__recycle_next(record);
        if (record->drop) {
            drop_reference(record->drop, record->owner, pooled);
        } else { /* a freed object: its slot goes, too */
            struct rcuinfo__slot *slot = slot_of(record);
            drop_reference(rcuinfo__block_of(rcuinfo__handle_clear(slot)), record->owner, pooled);
            rcuinfo__handle_give(slot);
        }

        record = next;
    }
}

/* Drops the references of memory that layers above the core have retired, and frees that memory. */
static void drop_of_layers(struct rcuinfo__record *record, size_t *pooled)
{
    while (record) {
        struct rcuinfo__record *next = rcuinfo__recycle_next(record);
        drop_reference(record->drop, record->owner, pooled);
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

/* Adapts the soft limit to the duration of a grace period: raises it after a slow one, so that fewer are needed, and
 * lowers it after a quick one, to use less memory. */
static void adapt_soft_limit(int64_t ns)
{
    size_t limit = atomic_load_explicit(&soft_limit, RCUINFO__COUNT);

    /* Double at once, before writers get to the hard limit; shrink by 1/32, as quick grace periods may be a
     * coincidence. */
    if (ns > SLOW_NS)
        limit = limit < RCUINFO__RECLAIM_MOST_SOFT / 2 ? 2 * limit : RCUINFO__RECLAIM_MOST_SOFT;
    else if (ns < QUICK_NS && limit > RCUINFO__RECLAIM_SOFT_LIMIT)
        limit -= limit / 32;
    atomic_store_explicit(&soft_limit, limit, RCUINFO__COUNT);
}

/* Steps 1 to 3. Call with the reclaim lock held. */
static void reclaim_batch(void)
{
    struct rcuinfo__batch batch;

    rcuinfo__recycle_detach(&batch);
    RCUINFO__SYNC_POINT(DETACHED);

    int64_t start = now_ns();
    rcuinfo__rcu_synchronize();
    adapt_soft_limit(now_ns() - start);
    atomic_fetch_add_explicit(&grace_periods, 1, RCUINFO__COUNT);
    RCUINFO__SYNC_POINT(PASSED);

    size_t pooled = rcuinfo__recycle_kept();
    drop_of_layers(batch.layers, &pooled);
    for (int i = 0; i < RCUINFO__RECYCLE_STRIPES; i++)
        drop_of_objects(batch.first[i], &pooled);

    rcuinfo__recycle_done(&batch);
}

void rcuinfo__reclaim_lock(void)
{
    /* The batch of a thread that held the lock at a fork is lost. Its bytes count as reclaimed with the next batch. */
    (void)rcuinfo__lock_take(&lock);
}

void rcuinfo__reclaim_unlock(void)
{
    rcuinfo__lock_give(&lock);
}

/*
 * Reclaims if at least `limit` bytes are waiting. Without `wait`, does nothing if another thread is reclaiming.
 *
 * Cancellation is disabled and signals are blocked meanwhile. liburcu may sleep in poll, a cancellation point, and a
 * thread that is cancelled there would leave the lock held; and a signal handler that forks would wait for the lock of
 * its own thread.
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
            reclaim_batch(); /* else another thread has done so while we waited for the lock */
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
