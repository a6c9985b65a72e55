/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peers_lock: the table (table.h) without protection, and with a lock of POSIX or ConcurrencyKit in the same cache line
 * as the pointer to the table; and versions of it with ck_epoch. See peers.h.
 *
 * ck_brlock needs a record for each thread and lock, ck_epoch one for each thread. Both are indexed by bench_thread,
 * which a new thread reuses after the end of an old one.
 */
#include <ck_brlock.h>
#include <ck_epoch.h>
#include <ck_rwlock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "peers.h"
#include "table.h"

/*
 * Defines peer_NAME. One macro for all of them, so that they differ only in their lock: the arguments are its type and
 * how to initialize, destroy, acquire and release it.
 */
#define DEFINE_PEER(NAME, WHAT, SHARED, LOCK, INIT, DESTROY, READ_LOCK, READ_UNLOCK, WRITE_LOCK, WRITE_UNLOCK)         \
    struct NAME##_peer {                                                                                               \
        LOCK lock;                                                                                                     \
        struct table table;                                                                                            \
    };                                                                                                                 \
                                                                                                                       \
    static rcuinfo_status_t NAME##_create(rcuinfo_t *object)                                                           \
    {                                                                                                                  \
        struct NAME##_peer *peer = bench_memory(sizeof *peer);                                                         \
        INIT(&peer->lock);                                                                                             \
        *object = (rcuinfo_t)(uintptr_t)peer;                                                                          \
        table_create(&peer->table);                                                                                    \
        return RCUINFO_SUCCESS;                                                                                        \
    }                                                                                                                  \
                                                                                                                       \
    static rcuinfo_status_t NAME##_get(rcuinfo_t object, const char *key, int valuelen, char *value, int *flag)        \
    {                                                                                                                  \
        struct NAME##_peer *peer = (struct NAME##_peer *)(uintptr_t)object;                                            \
        struct table_key measured;                                                                                     \
        rcuinfo_status_t status = table_check_get(key, valuelen, value, flag, &measured);                              \
        if (status != RCUINFO_SUCCESS)                                                                                 \
            return status;                                                                                             \
        READ_LOCK(&peer->lock);                                                                                        \
        table_find(peer->table.last, measured, valuelen, value, flag);                                                 \
        READ_UNLOCK(&peer->lock);                                                                                      \
        return RCUINFO_SUCCESS;                                                                                        \
    }                                                                                                                  \
                                                                                                                       \
    static rcuinfo_status_t NAME##_set(rcuinfo_t object, const char *key, const char *value)                           \
    {                                                                                                                  \
        struct NAME##_peer *peer = (struct NAME##_peer *)(uintptr_t)object;                                            \
        struct rcuinfo__edit edit;                                                                                     \
        rcuinfo_status_t status = table_check_set(key, value, &edit);                                                  \
        if (status != RCUINFO_SUCCESS)                                                                                 \
            return status;                                                                                             \
        WRITE_LOCK(&peer->lock);                                                                                       \
        status = table_set(&peer->table, &edit);                                                                       \
        WRITE_UNLOCK(&peer->lock);                                                                                     \
        return status;                                                                                                 \
    }                                                                                                                  \
                                                                                                                       \
    static rcuinfo_status_t NAME##_free(rcuinfo_t *object)                                                             \
    {                                                                                                                  \
        struct NAME##_peer *peer = (struct NAME##_peer *)(uintptr_t)*object;                                           \
        table_free(peer->table.last, 0);                                                                               \
        DESTROY(&peer->lock);                                                                                          \
        free(peer);                                                                                                    \
        *object = RCUINFO_NULL;                                                                                        \
        return RCUINFO_SUCCESS;                                                                                        \
    }                                                                                                                  \
                                                                                                                       \
    const struct peer peer_##NAME = {#NAME, WHAT, SHARED, NAME##_create, NAME##_get, NAME##_set, NAME##_free, NULL};

#define NOTHING(LOCK) ((void)(LOCK))

#define MUTEX_INIT(LOCK)  pthread_mutex_init(LOCK, NULL)
#define RWLOCK_INIT(LOCK) pthread_rwlock_init(LOCK, NULL)

DEFINE_PEER(unprotected, "the same table without protection: for readers, or one thread", false, char, NOTHING, NOTHING,
            NOTHING, NOTHING, NOTHING, NOTHING)
DEFINE_PEER(mutex, "the same table with a pthread_mutex_t", true, pthread_mutex_t, MUTEX_INIT, pthread_mutex_destroy,
            pthread_mutex_lock, pthread_mutex_unlock, pthread_mutex_lock, pthread_mutex_unlock)
DEFINE_PEER(pthread_rwlock, "the same table with a pthread_rwlock_t", true, pthread_rwlock_t, RWLOCK_INIT,
            pthread_rwlock_destroy, pthread_rwlock_rdlock, pthread_rwlock_unlock, pthread_rwlock_wrlock,
            pthread_rwlock_unlock)

const struct table *peer_unprotected_table(rcuinfo_t object)
{
    return &((const struct unprotected_peer *)(uintptr_t)object)->table;
}

#define NUMBERS (BENCH_THREAD_MAX + 1) /* the main thread has one too */

struct brlock {
    ck_brlock_t lock;
    ck_brlock_reader_t **readers; /* by thread number; NULL: that thread has not read yet */
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
    ck_brlock_reader_t **reader = &brlock->readers[bench_thread];
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

DEFINE_PEER(ck_rwlock, "the same table with ConcurrencyKit's ck_rwlock_t", true, ck_rwlock_t, ck_rwlock_init, NOTHING,
            ck_rwlock_read_lock, ck_rwlock_read_unlock, ck_rwlock_write_lock, ck_rwlock_write_unlock)
DEFINE_PEER(ck_brlock, "the same table with ConcurrencyKit's ck_brlock_t", true, struct brlock, brlock_init,
            brlock_destroy, BRLOCK_READ_LOCK, BRLOCK_READ_UNLOCK, BRLOCK_WRITE_LOCK, BRLOCK_WRITE_UNLOCK)

/* A version: the last entry of a block, which the store's own functions fill. It never changes, and is freed when no
 * reader can use it any more. The data of ck_epoch for that precedes it in memory. */
#define FRONT 64
_Static_assert(sizeof(ck_epoch_entry_t) <= FRONT, "fits");

struct epoch_peer {
    _Atomic(const struct rcuinfo__entry *) current;
    pthread_mutex_t writers;
    uint32_t text; /* bytes of the pairs of the current version; protected by `writers` */
};

#define POLL_EACH    4    /* versions that a thread retires between two attempts to free some */
#define PENDING_MOST 4096 /* pending versions from which on it waits until they can be freed */

static ck_epoch_t epoch;
static ck_epoch_record_t epoch_records[NUMBERS];
static bool epoch_registered[NUMBERS];

__attribute__((constructor)) static void epoch_init(void)
{
    ck_epoch_init(&epoch);
}

/* A record stays registered until epoch_free when its thread ends; a later thread reuses it. */
static inline ck_epoch_record_t *epoch_record(void)
{
    unsigned number = bench_thread;
    if (__builtin_expect(!epoch_registered[number], 0)) {
        ck_epoch_register(&epoch, &epoch_records[number], NULL);
        epoch_registered[number] = true;
    }
    return &epoch_records[number];
}

static void version_free(ck_epoch_entry_t *retired)
{
    free(retired);
}

static void epoch_retire(const struct rcuinfo__entry *old)
{
    ck_epoch_record_t *record = epoch_record();
    if (old == RCUINFO__EMPTY)
        return;
    ck_epoch_call(record, table_memory(old, FRONT), version_free);
    if (record->n_pending >= PENDING_MOST)
        ck_epoch_barrier(record);
    else if (record->n_pending % POLL_EACH == 0)
        ck_epoch_poll(record);
}

static rcuinfo_status_t epoch_create(rcuinfo_t *object)
{
    struct epoch_peer *peer = bench_memory(sizeof *peer);
    struct table empty;
    table_create(&empty);
    atomic_init(&peer->current, empty.last);
    pthread_mutex_init(&peer->writers, NULL);
    *object = (rcuinfo_t)(uintptr_t)peer;
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
    const struct rcuinfo__entry *version = atomic_load_explicit(&peer->current, memory_order_acquire);
    table_find(version, measured, valuelen, value, flag);
    ck_epoch_end(record, NULL);
    return RCUINFO_SUCCESS;
}

/* Publishes the version after the current one: a copy with the edits. */
static rcuinfo_status_t epoch_commit(struct epoch_peer *peer, const struct rcuinfo__edit *edits, size_t n)
{
    struct rcuinfo__writing writing;
    pthread_mutex_lock(&peer->writers);
    const struct rcuinfo__entry *old = atomic_load_explicit(&peer->current, memory_order_relaxed);
    struct rcuinfo__shape shape = {.entries = old->pairs + n, .text = peer->text};
    for (size_t i = 0; i < n; i++)
        shape.text += rcuinfo__log_pair_bytes(edits[i].key_length, edits[i].value_length);
    if (!table_copy(&writing, old, &shape, FRONT))
        bench_die("out of memory");
    for (size_t i = 0; i < n; i++)
        (void)rcuinfo__log_write(&writing, &edits[i], rcuinfo__log_written(&writing, &edits[i]));
    peer->text = writing.end.live;
    atomic_store_explicit(&peer->current, writing.last, memory_order_release);
    pthread_mutex_unlock(&peer->writers);
    epoch_retire(old);
    return RCUINFO_SUCCESS;
}

static rcuinfo_status_t epoch_set(rcuinfo_t object, const char *key, const char *value)
{
    struct rcuinfo__edit edit;
    rcuinfo_status_t status = table_check_set(key, value, &edit);
    return status == RCUINFO_SUCCESS ? epoch_commit((struct epoch_peer *)(uintptr_t)object, &edit, 1) : status;
}

static rcuinfo_status_t epoch_update(rcuinfo_t object, const rcuinfo_change_t *changes, size_t n, size_t *failed)
{
    struct rcuinfo__edit *edits = bench_memory(n * sizeof *edits);
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    for (size_t i = 0; i < n && status == RCUINFO_SUCCESS; i++) {
        status = table_check_set(changes[i].key, changes[i].value, &edits[i]);
        if (failed)
            *failed = i;
    }
    if (status == RCUINFO_SUCCESS)
        status = epoch_commit((struct epoch_peer *)(uintptr_t)object, edits, n);
    free(edits);
    return status;
}

/* Also frees versions that ended threads have retired, for whose records no other thread is responsible now. */
static rcuinfo_status_t epoch_free(rcuinfo_t *object)
{
    struct epoch_peer *peer = (struct epoch_peer *)(uintptr_t)*object;
    ck_epoch_synchronize(epoch_record());
    for (unsigned i = 0; i < NUMBERS; i++) {
        if (epoch_registered[i])
            ck_epoch_reclaim(&epoch_records[i]);
    }
    ck_epoch_init(&epoch); /* each poll looks at all records, also those of threads that have ended */
    memset(epoch_registered, 0, sizeof epoch_registered);
    table_free(atomic_load(&peer->current), FRONT);
    pthread_mutex_destroy(&peer->writers);
    free(peer);
    *object = RCUINFO_NULL;
    return RCUINFO_SUCCESS;
}

const struct peer peer_ck_epoch = {"ck_epoch", "versions of the same table; a mutex for writers, ck_epoch for readers",
                                   true,       epoch_create,
                                   epoch_get,  epoch_set,
                                   epoch_free, epoch_update};
