/* SPDX-License-Identifier: BSD-3-Clause */
/* reclaim: see reclaim.h. */
#include "core/reclaim.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "core/alloc.h"
#include "core/check.h"
#include "core/rcu.h"
#include "core/seam.h"

#define STRIPES  16
#define STASHES  256     /* objects whose cells come back to themselves */
#define SLOW_NS  1000000 /* a grace period that preempted readers held up */
#define QUICK_NS 200000

static struct stripe {
    _Alignas(64) ck_stack_t records; /* [P4] field: ends of the queue; any writer pushes, the holder of lock pops all */
    _Atomic size_t bytes;            /* ever retired through it */
} stripes[STRIPES + 1];              /* the last one is that of blocks */

static _Alignas(64) _Atomic size_t closed; /* bytes ever that waited because open snapshots let go of them */
static _Atomic size_t closed_detached;     /* of these, in a batch so far */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of those that reclaim */
static size_t detached;                                  /* bytes ever, of all batches; under lock */
static struct rcuinfo__slot *stashed[STASHES];           /* slots that got a stash; under lock */
static size_t stashes;                                   /* of these */
/* What slots with a queued record are marked with. A child that lost a batch has another: there, they queue anew. */
static _Atomic uint32_t queue_mark = 1;
static _Atomic size_t reclaimed; /* bytes ever, of all batches that are done with */
static _Atomic size_t soft_limit = RCUINFO__RECLAIM_SOFT_LIMIT;
static _Atomic size_t peak;
static _Atomic uint64_t grace_periods;

/* Whether it is time to look at the limits because of what open snapshots let go of. */
static bool much_closed(void)
{
    size_t bytes = atomic_load_explicit(&closed, RCUINFO__COUNT);
    return bytes - atomic_load_explicit(&closed_detached, RCUINFO__COUNT) >= RCUINFO__RECLAIM_STEP;
}

/* Counts bytes in a stripe; returns whether it is time to look at the limits. */
static bool count(struct stripe *stripe, size_t bytes)
{
    size_t before = atomic_fetch_add_explicit(&stripe->bytes, bytes, RCUINFO__DONE_PUBLISH);
    return before / RCUINFO__RECLAIM_STEP != (before + bytes) / RCUINFO__RECLAIM_STEP || much_closed();
}

/* Where the object's record is queued already: behind that one. */
static bool retire_more(struct rcuinfo__slot *slot, struct stripe *stripe, struct rcuinfo__record *record, size_t bytes)
{
    record->link.next = slot->more;
    slot->more = &record->link;
    if (bytes <= slot->spare) {
        slot->spare -= bytes;
        return much_closed();
    }
    /* As much again as so far, so that one who goes on seldom comes here, and what is counted is at most doubled. */
    size_t ahead = slot->counted < RCUINFO__RECLAIM_STEP ? slot->counted : RCUINFO__RECLAIM_STEP;
    bool look = count(stripe, bytes + ahead);
    slot->counted += bytes + ahead;
    slot->spare += ahead;
    return look;
}

bool rcuinfo__reclaim_retire(struct rcuinfo__slot *slot, struct rcuinfo__record *record, size_t bytes)
{
    struct stripe *stripe = &stripes[slot->record.slot % STRIPES];
    uint32_t mark = atomic_load_explicit(&queue_mark, RCUINFO__COUNT);
    bytes += sizeof *record;
    record->slot = slot->record.slot;
    if (slot->queued && slot->mark == mark && record != &slot->record)
        return retire_more(slot, stripe, record, bytes);
    if (record != &slot->record)
        slot->more = NULL;                               /* of a batch that is lost */
    ck_stack_push_upmc(&stripe->records, &record->link); /* [P4] publish */
    if (record != &slot->record) {
        slot->counted = bytes;
        slot->spare = 0;
        slot->mark = mark;
        slot->queued = record;
    }
    return count(stripe, bytes);
}

void rcuinfo__reclaim_retire_block(struct rcuinfo__record *record, size_t bytes)
{
    ck_stack_push_upmc(&stripes[STRIPES].records, &record->link); /* [P4] publish */
    (void)count(&stripes[STRIPES], bytes);
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
        for (int i = 0; i <= STRIPES; i++)
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

static struct rcuinfo__record *record_of(ck_stack_entry_t *link)
{
    return (struct rcuinfo__record *)(void *)link;
}

/* Puts behind each queued record what was retired after it. From here on the object queues anew. */
static void gather(ck_stack_entry_t *link)
{
    for (; link; link = link->next) {
        if (!record_of(link)->drop)
            continue;
        struct rcuinfo__slot *slot = rcuinfo__handle_slot(record_of(link)->slot);
        rcuinfo__lock_take(&slot->lock);
        ck_stack_entry_t *newest = NULL;
        if (slot->queued == record_of(link)) {
            newest = slot->more;
            slot->more = NULL;
            slot->queued = NULL;
        }
        rcuinfo__lock_give(&slot->lock);
        ck_stack_entry_t *behind = link->next;
        ck_stack_entry_t *last = newest ? newest : link;
        while (newest) {
            ck_stack_entry_t *older = newest->next;
            newest->next = behind;
            behind = newest;
            newest = older;
        }
        link->next = behind;
        link = last;
    }
}

static void pool_all(struct rcuinfo__cell *cells, size_t *pooled)
{
    while (cells) {
        struct rcuinfo__cell *cell = rcuinfo__cell_unstash(&cells);
        rcuinfo__cell_recycle(cell, pooled);
    }
}

/* Takes back what objects have not used of their stashes. */
static void take_stashes(size_t *pooled)
{
    while (stashes) {
        struct rcuinfo__slot *slot = stashed[--stashes];
        rcuinfo__lock_take(&slot->lock);
        struct rcuinfo__cell *cells = slot->stash;
        slot->stash = NULL;
        rcuinfo__lock_give(&slot->lock);
        pool_all(cells, pooled);
    }
}

/* Gives an object its cells back, `last` being the last of them; a single one, and those of no object, go to their
 * pool. */
static void give_stash(uint32_t index, struct rcuinfo__cell *cells, struct rcuinfo__cell *last, size_t *pooled)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(index);
    if (cells == last || stashes == STASHES || !rcuinfo__handle_lives(slot)) {
        pool_all(cells, pooled);
        return;
    }
    rcuinfo__lock_take(&slot->lock);
    last->record.drop = slot->stash;
    slot->stash = cells;
    rcuinfo__lock_give(&slot->lock);
    stashed[stashes++] = slot;
}

/* Freed slots on their way to the queue, in order. */
struct freed {
    struct rcuinfo__slot *first;
    struct rcuinfo__slot *last;
    uint32_t n;
};

static void recycle_slot(struct rcuinfo__record *record, size_t *pooled, struct freed *freed)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(record->slot);
    struct rcuinfo__cell *cell = rcuinfo__handle_clear(slot);
    if (rcuinfo__cell_drop(cell, NULL, record->both, pooled))
        rcuinfo__cell_recycle(cell, pooled);
    if (freed->last)
        freed->last->record.link.next = &slot->record.link;
    else
        freed->first = slot;
    freed->last = slot;
    freed->n++;
}

/* The version that a record lies in replaced the one that it drops. */
static struct rcuinfo__cell *successor_of(struct rcuinfo__record *record)
{
    return (struct rcuinfo__cell *)(void *)((char *)record - offsetof(struct rcuinfo__cell, record));
}

/* After the grace period. The records of one object stand together, but for that of its slot. */
static void recycle(ck_stack_entry_t *link, size_t *pooled, struct freed *freed)
{
    while (link) {
        struct rcuinfo__record *record = record_of(link);
        uint32_t index = record->slot;
        struct rcuinfo__cell *cells = NULL;
        struct rcuinfo__cell *last = NULL;
        link = link->next; /* the record may lie in a cell that is dropped next */
        if (!record->drop) {
            recycle_slot(record, pooled, freed);
            continue;
        }
        for (;;) {
            struct rcuinfo__cell *cell = record->drop;
            if (rcuinfo__cell_drop(cell, successor_of(record), record->both, pooled)) {
                last = cells ? last : cell;
                rcuinfo__cell_stash(&cells, cell);
            }
            if (!link || !record_of(link)->drop || record_of(link)->slot != index)
                break;
            record = record_of(link);
            link = link->next;
        }
        give_stash(index, cells, last, pooled);
    }
}

/* After the grace period, before the objects' records: so those drop last, and the cells go where theirs go. */
static void recycle_blocks(ck_stack_entry_t *link, size_t *pooled)
{
    while (link) {
        struct rcuinfo__record *record = record_of(link);
        link = link->next;
        if (rcuinfo__cell_drop(record->drop, NULL, record->both, pooled))
            rcuinfo__cell_recycle(record->drop, pooled);
        rcuinfo__alloc_free(record);
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

/*
 * Under lock. Detaching comes before the grace period: what is pushed during it needs another. The bytes are read
 * before the records are taken, so none is said to be reclaimed that still waits.
 */
static void reclaim(void)
{
    ck_stack_entry_t *batches[STRIPES];
    size_t bytes = atomic_load_explicit(&closed, RCUINFO__COUNT);
    atomic_store_explicit(&closed_detached, bytes, RCUINFO__COUNT);
    for (int i = 0; i <= STRIPES; i++)
        bytes += atomic_load_explicit(&stripes[i].bytes, RCUINFO__DONE_CONSUME);
    detached = bytes;
    ck_stack_entry_t *blocks = detach(&stripes[STRIPES]);
    for (int i = 0; i < STRIPES; i++) {
        batches[i] = detach(&stripes[i]);
        gather(batches[i]);
    }
    RCUINFO__SEAM(DETACHED);
    int64_t start = now_ns();
    rcuinfo__rcu_synchronize();
    adapt(now_ns() - start);
    atomic_fetch_add_explicit(&grace_periods, 1, RCUINFO__COUNT);
    RCUINFO__SEAM(PASSED);
    size_t pooled = rcuinfo__pool_kept();
    take_stashes(&pooled);
    recycle_blocks(blocks, &pooled);
    struct freed freed = {0};
    for (int i = 0; i < STRIPES; i++)
        recycle(batches[i], &pooled, &freed);
    if (freed.n)
        rcuinfo__handle_give(freed.first, freed.last, freed.n);
    atomic_store_explicit(&reclaimed, bytes, RCUINFO__DONE_PUBLISH);
}

/*
 * Reclaims if so many bytes wait, or, without `wait`, leaves it to the thread that does so already. A thread that was
 * cancelled in here would keep the lock (liburcu's wait sleeps in poll, a cancellation point), and a signal handler
 * that calls fork would wait for it for ever, so neither may come in.
 */
static void reclaim_guarded(size_t limit, bool wait, bool drain)
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
        if (drain) {
            size_t pooled = rcuinfo__pool_kept();
            take_stashes(&pooled);
        }
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
        reclaim_guarded(limit, bytes >= RCUINFO__RECLAIM_HARD_LIMIT, false);
}

bool rcuinfo__reclaim_flush(void)
{
    if (rcuinfo__rcu_reading())
        return false;
    reclaim_guarded(0, true, true);
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

bool rcuinfo__reclaim_before_fork(void)
{
    /* Who reclaims may wait for a slot's lock: one that this thread holds, where a signal handler forks. */
    if (rcuinfo__lock_holding)
        return pthread_mutex_trylock(&lock) == 0;
    pthread_mutex_lock(&lock);
    return true;
}

void rcuinfo__reclaim_after_fork(bool child, bool locked)
{
    if (locked) {
        pthread_mutex_unlock(&lock);
    } else if (child) {
        lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        /* The batch that another thread was at is lost, and with it the turn of those objects that wait in it. */
        atomic_store_explicit(&reclaimed, detached, RCUINFO__COUNT);
        atomic_fetch_add_explicit(&queue_mark, 1, RCUINFO__COUNT);
        stashes = 0;
    }
}
