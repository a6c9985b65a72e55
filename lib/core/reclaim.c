/* SPDX-License-Identifier: BSD-3-Clause */
/* reclaim: see reclaim.h. */
#include "core/reclaim.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "core/check.h"
#include "core/handle.h"
#include "core/rcu.h"
#include "core/seam.h"

#define STRIPES  16
#define SLOW_NS  1000000 /* a grace period that preempted readers held up */
#define QUICK_NS 200000

static struct stripe {
    _Alignas(64) ck_stack_t records; /* [P4] field: ends of the queue; any writer pushes, the holder of lock pops all */
    _Atomic size_t bytes;            /* ever retired through it */
} stripes[STRIPES];

static _Alignas(64) _Atomic size_t closed; /* bytes ever that waited because open snapshots let go of them */
static _Atomic size_t closed_detached;     /* of these, in a batch so far */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of those that reclaim */
static size_t detached;                                  /* bytes ever, of all batches; under lock */
static _Atomic size_t reclaimed;                         /* bytes ever, of all batches that are done with */
static _Atomic size_t soft_limit = RCUINFO__RECLAIM_SOFT_LIMIT;
static _Atomic size_t peak;
static _Atomic uint64_t grace_periods;

bool rcuinfo__reclaim_retire(uint32_t slot, struct rcuinfo__record *record, size_t bytes)
{
    struct stripe *stripe = &stripes[slot % STRIPES];
    bytes += sizeof *record;
    ck_stack_push_upmc(&stripe->records, &record->link); /* [P4] publish */
    size_t before = atomic_fetch_add_explicit(&stripe->bytes, bytes, RCUINFO__DONE_PUBLISH);
    return before / RCUINFO__RECLAIM_STEP != (before + bytes) / RCUINFO__RECLAIM_STEP ||
           atomic_load_explicit(&closed, RCUINFO__COUNT) - atomic_load_explicit(&closed_detached, RCUINFO__COUNT) >=
               RCUINFO__RECLAIM_STEP;
}

void rcuinfo__reclaim_count(size_t bytes)
{
    atomic_fetch_add_explicit(&closed, bytes, RCUINFO__COUNT);
}

size_t rcuinfo__reclaim_waiting(void)
{
    size_t before;
    size_t bytes;
    do { /* counts only grow, so a sum during which no batch ended is one that was true */
        before = atomic_load_explicit(&reclaimed, RCUINFO__DONE_CONSUME);
        bytes = atomic_load_explicit(&closed, RCUINFO__DONE_CONSUME);
        for (int i = 0; i < STRIPES; i++)
            bytes += atomic_load_explicit(&stripes[i].bytes, RCUINFO__DONE_CONSUME);
    } while (before != atomic_load_explicit(&reclaimed, RCUINFO__COUNT));
    return bytes - before;
}

/* Takes every record of a stripe, oldest first. */
static ck_stack_entry_t *detach(struct stripe *stripe)
{
    ck_stack_entry_t *oldest = NULL;
    ck_stack_entry_t *record = ck_stack_batch_pop_upmc(&stripe->records); /* [P4] consume */
    while (record) {
        ck_stack_entry_t *next = record->next;
        record->next = oldest;
        oldest = record;
        record = next;
    }
    return oldest;
}

static void recycle(ck_stack_entry_t *link, size_t *pooled)
{
    while (link) {
        struct rcuinfo__record *record = (struct rcuinfo__record *)(void *)link;
        link = link->next; /* the record may lie in a cell that is dropped next */
        if (record->drop) {
            rcuinfo__cell_recycle(record->drop, record->both, pooled);
        } else {
            struct rcuinfo__slot *slot =
                (struct rcuinfo__slot *)(void *)((char *)record - offsetof(struct rcuinfo__slot, record));
            rcuinfo__cell_recycle(rcuinfo__handle_clear(slot), record->both, pooled);
            rcuinfo__handle_give(slot);
        }
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
        limit = limit < RCUINFO__RECLAIM_HARD_LIMIT / 4 ? 2 * limit : RCUINFO__RECLAIM_HARD_LIMIT / 2;
    else if (ns < QUICK_NS && limit > RCUINFO__RECLAIM_SOFT_LIMIT)
        limit -= limit / 32;
    atomic_store_explicit(&soft_limit, limit, RCUINFO__COUNT);
}

/*
 * Under lock. Detaching comes before the grace period: what is pushed during it needs another. The bytes are read
 * before the records are taken, so none is said to be reclaimed that still waits.
 */
static void reclaim(void)
{
    ck_stack_entry_t *batches[STRIPES];
    size_t bytes = atomic_load_explicit(&closed, RCUINFO__COUNT);
    atomic_store_explicit(&closed_detached, bytes, RCUINFO__COUNT);
    for (int i = 0; i < STRIPES; i++)
        bytes += atomic_load_explicit(&stripes[i].bytes, RCUINFO__DONE_CONSUME);
    detached = bytes;
    for (int i = 0; i < STRIPES; i++)
        batches[i] = detach(&stripes[i]);
    RCUINFO__SEAM(DETACHED);
    int64_t start = now_ns();
    rcuinfo__rcu_synchronize();
    adapt(now_ns() - start);
    atomic_fetch_add_explicit(&grace_periods, 1, RCUINFO__COUNT);
    RCUINFO__SEAM(PASSED);
    size_t pooled = rcuinfo__cell_pooled();
    for (int i = 0; i < STRIPES; i++)
        recycle(batches[i], &pooled);
    atomic_store_explicit(&reclaimed, bytes, RCUINFO__DONE_PUBLISH);
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
    sigset_t all, mask;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    if (wait)
        pthread_mutex_lock(&lock);
    if (wait || pthread_mutex_trylock(&lock) == 0) {
        if (rcuinfo__reclaim_waiting() >= limit)
            reclaim();
        pthread_mutex_unlock(&lock);
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
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
    size_t bytes = rcuinfo__reclaim_waiting();
    size_t limit = atomic_load_explicit(&soft_limit, RCUINFO__COUNT);
    note_peak(bytes);
    if (bytes >= limit && !rcuinfo__rcu_reading())
        reclaim_guarded(limit, bytes >= RCUINFO__RECLAIM_HARD_LIMIT);
}

bool rcuinfo__reclaim_flush(void)
{
    if (rcuinfo__rcu_reading())
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

void rcuinfo__reclaim_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

void rcuinfo__reclaim_after_fork(bool child, bool locked)
{
    if (locked) {
        pthread_mutex_unlock(&lock);
    } else if (child) {
        lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        /* The batch that another thread was at is lost. */
        atomic_store_explicit(&reclaimed, detached, RCUINFO__COUNT);
    }
}
