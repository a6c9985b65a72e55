/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peers_ck: the table behind the locks of ConcurrencyKit, and versions of it under ck_epoch; see peers.h.
 *
 * ck_brlock wants a record of each thread for each lock, ck_epoch one of each thread. Both are kept by the number of
 * the thread, which it is given at its first call and which goes to another thread after its end.
 */
#include <ck_brlock.h>
#include <ck_epoch.h>
#include <ck_rwlock.h>
#include <pthread.h>
#include <stdatomic.h>

#include "peers_lock.h"

#define NUMBERS (BENCH_THREAD_MAX + 1) /* the main thread has one too */

static pthread_mutex_t numbers_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t numbers_once = PTHREAD_ONCE_INIT;
static pthread_key_t numbers_key; /* only for its destructor */
static bool numbers_taken[NUMBERS];
static _Thread_local unsigned number_plus_one; /* 0: none yet */

static void number_give(void *taken)
{
    pthread_mutex_lock(&numbers_lock);
    *(bool *)taken = false;
    pthread_mutex_unlock(&numbers_lock);
}

static void numbers_init(void)
{
    if (pthread_key_create(&numbers_key, number_give))
        bench_die("cannot make a thread-specific key");
}

static __attribute__((noinline, cold)) void number_take(void)
{
    unsigned number = 0;
    pthread_once(&numbers_once, numbers_init);
    pthread_mutex_lock(&numbers_lock);
    while (number < NUMBERS && numbers_taken[number])
        number++;
    if (number == NUMBERS)
        bench_die("more than %d threads", NUMBERS);
    numbers_taken[number] = true;
    pthread_mutex_unlock(&numbers_lock);
    if (pthread_setspecific(numbers_key, &numbers_taken[number]))
        bench_die("cannot remember the number of a thread");
    number_plus_one = number + 1;
}

static inline unsigned thread_number(void)
{
    if (__builtin_expect(!number_plus_one, 0))
        number_take();
    return number_plus_one - 1;
}

struct brlock {
    ck_brlock_t lock;
    ck_brlock_reader_t **readers; /* by thread number; NULL: has not read here yet */
};

static void brlock_init(struct brlock *brlock)
{
    ck_brlock_init(&brlock->lock);
    brlock->readers = bench_memory(NUMBERS * sizeof *brlock->readers);
}

static void brlock_destroy(struct brlock *brlock)
{
    for (unsigned i = 0; i < NUMBERS; i++)
        free(brlock->readers[i]);
    free(brlock->readers);
}

static inline ck_brlock_reader_t *brlock_reader(struct brlock *brlock)
{
    ck_brlock_reader_t **reader = &brlock->readers[thread_number()];
    if (__builtin_expect(!*reader, 0)) {
        *reader = bench_memory(sizeof **reader);
        ck_brlock_read_register(&brlock->lock, *reader);
    }
    return *reader;
}

#define BRLOCK_READ_LOCK(LOCK)    ck_brlock_read_lock(&(LOCK)->lock, brlock_reader(LOCK))
#define BRLOCK_READ_UNLOCK(LOCK)  ck_brlock_read_unlock(brlock_reader(LOCK))
#define BRLOCK_WRITE_LOCK(LOCK)   ck_brlock_write_lock(&(LOCK)->lock)
#define BRLOCK_WRITE_UNLOCK(LOCK) ck_brlock_write_unlock(&(LOCK)->lock)

DEFINE_PEER(ck_rwlock, "the same table, ConcurrencyKit's ck_rwlock_t", true, ck_rwlock_t, ck_rwlock_init, NOTHING,
            ck_rwlock_read_lock, ck_rwlock_read_unlock, ck_rwlock_write_lock, ck_rwlock_write_unlock)
DEFINE_PEER(ck_brlock, "the same table, ConcurrencyKit's ck_brlock_t", true, struct brlock, brlock_init, brlock_destroy,
            BRLOCK_READ_LOCK, BRLOCK_READ_UNLOCK, BRLOCK_WRITE_LOCK, BRLOCK_WRITE_UNLOCK)

/* A version: made by the store's own builder, never changed, freed when no reader can be in it any more. */
struct version {
    ck_epoch_entry_t retired;
    _Alignas(64) struct rcuinfo__snapshot snapshot;
};

struct epoch_peer {
    _Atomic(struct version *) current;
    pthread_mutex_t writers;
};

#define POLL_EACH    4    /* versions that a thread retires between two looks whether some can be freed */
#define PENDING_MOST 4096 /* and from how many on it waits for that */

static ck_epoch_t epoch;
static ck_epoch_record_t epoch_records[NUMBERS];
static bool epoch_registered[NUMBERS];
static pthread_once_t epoch_once = PTHREAD_ONCE_INIT;

static void epoch_init(void)
{
    ck_epoch_init(&epoch);
}

/* The records stay registered when their threads end: those that come later go on with them. */
static inline ck_epoch_record_t *epoch_record(void)
{
    unsigned number = thread_number();
    if (__builtin_expect(!epoch_registered[number], 0)) {
        pthread_once(&epoch_once, epoch_init);
        ck_epoch_register(&epoch, &epoch_records[number], NULL);
        epoch_registered[number] = true;
    }
    return &epoch_records[number];
}

static void version_free(ck_epoch_entry_t *retired)
{
    free((char *)retired - offsetof(struct version, retired));
}

static struct version *version_alloc(uint64_t bytes)
{
    return table_memory(offsetof(struct version, snapshot) + bytes);
}

static void epoch_retire(struct version *old)
{
    ck_epoch_record_t *record = epoch_record();
    ck_epoch_call(record, &old->retired, version_free);
    if (record->n_pending >= PENDING_MOST)
        ck_epoch_barrier(record);
    else if (record->n_pending % POLL_EACH == 0)
        ck_epoch_poll(record);
}

static rcuinfo_status_t epoch_create(rcuinfo_t *object)
{
    struct epoch_peer *peer = bench_memory(sizeof *peer);
    struct version *first = version_alloc(RCUINFO__SNAPSHOT_EMPTY);
    *object = (rcuinfo_t)(uintptr_t)peer;
    if (!first)
        return RCUINFO_ERR_NO_MEM;
    rcuinfo__snapshot_init(&first->snapshot);
    atomic_init(&peer->current, first);
    pthread_mutex_init(&peer->writers, NULL);
    return RCUINFO_SUCCESS;
}

static rcuinfo_status_t epoch_get(rcuinfo_t object, const char *key, int valuelen, char *value, int *flag)
{
    struct epoch_peer *peer = (struct epoch_peer *)(uintptr_t)object;
    struct table_key measured;
    rcuinfo_status_t status = table_check_get(key, valuelen, value, flag, &measured);
    if (status != RCUINFO_SUCCESS)
        return status;
    ck_epoch_record_t *record = epoch_record();
    ck_epoch_begin(record, NULL);
    const struct version *version = atomic_load_explicit(&peer->current, memory_order_acquire);
    table_find(&version->snapshot, measured, valuelen, value, flag);
    ck_epoch_end(record, NULL);
    return RCUINFO_SUCCESS;
}

/* The version after `old`, of one edit. */
static struct version *version_next(const struct version *old, const struct rcuinfo__edit *edit)
{
    uint32_t position = rcuinfo__snapshot_find_hashed(&old->snapshot, edit->key, edit->key_length, edit->hash);
    struct version *next = version_alloc(rcuinfo__snapshot_plan(&old->snapshot, edit, position));
    if (next)
        rcuinfo__snapshot_apply(&old->snapshot, edit, position, &next->snapshot);
    return next;
}

/* And of many. */
static struct version *version_next_all(const struct version *old, const struct rcuinfo__edit *edits, size_t n)
{
    uint64_t scratch_bytes;
    struct version *next = version_alloc(rcuinfo__snapshot_plan_all(&old->snapshot, edits, n, &scratch_bytes));
    void *scratch = table_memory(scratch_bytes);
    if (next && scratch)
        rcuinfo__snapshot_apply_all(&old->snapshot, edits, n, scratch, &next->snapshot);
    else
        bench_die("no memory for a version");
    free(scratch);
    return next;
}

static rcuinfo_status_t epoch_set(rcuinfo_t object, const char *key, const char *value)
{
    struct epoch_peer *peer = (struct epoch_peer *)(uintptr_t)object;
    struct rcuinfo__edit edit;
    rcuinfo_status_t status = table_check_set(key, value, &edit);
    if (status != RCUINFO_SUCCESS)
        return status;
    pthread_mutex_lock(&peer->writers);
    struct version *old = atomic_load_explicit(&peer->current, memory_order_relaxed);
    struct version *next = version_next(old, &edit);
    if (next)
        atomic_store_explicit(&peer->current, next, memory_order_release);
    pthread_mutex_unlock(&peer->writers);
    if (!next)
        return RCUINFO_ERR_NO_MEM;
    epoch_retire(old);
    return RCUINFO_SUCCESS;
}

static rcuinfo_status_t epoch_update(rcuinfo_t object, const rcuinfo_change_t *changes, size_t n, size_t *failed)
{
    struct epoch_peer *peer = (struct epoch_peer *)(uintptr_t)object;
    struct rcuinfo__edit *edits = bench_memory(n * sizeof *edits);
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    for (size_t i = 0; i < n && status == RCUINFO_SUCCESS; i++) {
        status = table_check_set(changes[i].key, changes[i].value, &edits[i]);
        if (failed)
            *failed = i;
    }
    if (status == RCUINFO_SUCCESS) {
        pthread_mutex_lock(&peer->writers);
        struct version *old = atomic_load_explicit(&peer->current, memory_order_relaxed);
        atomic_store_explicit(&peer->current, version_next_all(old, edits, n), memory_order_release);
        pthread_mutex_unlock(&peer->writers);
        epoch_retire(old);
    }
    free(edits);
    return status;
}

/* Also frees what ended threads have retired: nobody else looks after their records now. */
static rcuinfo_status_t epoch_free(rcuinfo_t *object)
{
    struct epoch_peer *peer = (struct epoch_peer *)(uintptr_t)*object;
    ck_epoch_synchronize(epoch_record());
    for (unsigned i = 0; i < NUMBERS; i++) {
        if (epoch_registered[i])
            ck_epoch_reclaim(&epoch_records[i]);
    }
    free(atomic_load(&peer->current));
    pthread_mutex_destroy(&peer->writers);
    free(peer);
    *object = RCUINFO_NULL;
    return RCUINFO_SUCCESS;
}

const struct peer peer_ck_epoch = {"ck_epoch", "versions of the same table, a mutex for writers, ck_epoch for readers",
                                   true,       epoch_create,
                                   epoch_get,  epoch_set,
                                   epoch_free, epoch_update};
