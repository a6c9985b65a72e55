/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peers: see peers.h. Every peer but the store is a table (table.h) and a lock on the same line of memory, so that
 * whoever gets the lock has the pointer too.
 */
#include "peers.h"

#include <ck_rwlock.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/store.h>

#include "harness.h"
#include "table.h"

/*
 * Defines the four calls of one peer. One text for all of them, so that they differ by their lock and by nothing else:
 * the macro's arguments are the lock's type and how it is made, unmade, taken and given back.
 */
#define DEFINE_PEER(NAME, LOCK, INIT, DESTROY, READ_LOCK, READ_UNLOCK, WRITE_LOCK, WRITE_UNLOCK)                       \
    struct NAME {                                                                                                      \
        LOCK lock;                                                                                                     \
        struct table table;                                                                                            \
    };                                                                                                                 \
                                                                                                                       \
    static rcuinfo_status_t NAME##_create(rcuinfo_t *object)                                                           \
    {                                                                                                                  \
        struct NAME *peer = bench_memory(sizeof *peer);                                                                \
        INIT(&peer->lock);                                                                                             \
        *object = (rcuinfo_t)(uintptr_t)peer;                                                                          \
        return table_create(&peer->table);                                                                             \
    }                                                                                                                  \
                                                                                                                       \
    static rcuinfo_status_t NAME##_get(rcuinfo_t object, const char *key, int valuelen, char *value, int *flag)        \
    {                                                                                                                  \
        struct NAME *peer = (struct NAME *)(uintptr_t)object;                                                          \
        struct table_key measured;                                                                                     \
        rcuinfo_status_t status = table_check_get(key, valuelen, value, flag, &measured);                              \
        if (status != RCUINFO_SUCCESS)                                                                                 \
            return status;                                                                                             \
        READ_LOCK(&peer->lock);                                                                                        \
        table_get(&peer->table, measured, valuelen, value, flag);                                                      \
        READ_UNLOCK(&peer->lock);                                                                                      \
        return RCUINFO_SUCCESS;                                                                                        \
    }                                                                                                                  \
                                                                                                                       \
    static rcuinfo_status_t NAME##_set(rcuinfo_t object, const char *key, const char *value)                           \
    {                                                                                                                  \
        struct NAME *peer = (struct NAME *)(uintptr_t)object;                                                          \
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
        struct NAME *peer = (struct NAME *)(uintptr_t)*object;                                                         \
        table_destroy(&peer->table);                                                                                   \
        DESTROY(&peer->lock);                                                                                          \
        free(peer);                                                                                                    \
        *object = RCUINFO_NULL;                                                                                        \
        return RCUINFO_SUCCESS;                                                                                        \
    }

#define NOTHING(LOCK)     ((void)(LOCK))
#define MUTEX_INIT(LOCK)  pthread_mutex_init(LOCK, NULL)
#define RWLOCK_INIT(LOCK) pthread_rwlock_init(LOCK, NULL)

DEFINE_PEER(unprotected, char, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING)
DEFINE_PEER(mutex, pthread_mutex_t, MUTEX_INIT, pthread_mutex_destroy, pthread_mutex_lock, pthread_mutex_unlock,
            pthread_mutex_lock, pthread_mutex_unlock)
DEFINE_PEER(rwlock, pthread_rwlock_t, RWLOCK_INIT, pthread_rwlock_destroy, pthread_rwlock_rdlock, pthread_rwlock_unlock,
            pthread_rwlock_wrlock, pthread_rwlock_unlock)
DEFINE_PEER(ck, ck_rwlock_t, ck_rwlock_init, NOTHING, ck_rwlock_read_lock, ck_rwlock_read_unlock, ck_rwlock_write_lock,
            ck_rwlock_write_unlock)

/* Leaves nothing behind that the peer measured next would pay for. */
static rcuinfo_status_t store_free(rcuinfo_t *object)
{
    rcuinfo_status_t status = rcuinfo_free(object);
    rcuinfo_store_drain();
    return status;
}

#define CALLS(NAME) NAME##_create, NAME##_get, NAME##_set, NAME##_free

static const struct peer ALL[] = {
    {PEER_LIMIT, "the same table, nothing around it", false, CALLS(unprotected)},
    {PEER_STORE, "the store", true, rcuinfo_create, rcuinfo_get, rcuinfo_set, store_free},
    {"mutex", "the same table, a pthread_mutex_t", true, CALLS(mutex)},
    {"pthread_rwlock", "the same table, a pthread_rwlock_t", true, CALLS(rwlock)},
    {"ck_rwlock", "the same table, ConcurrencyKit's ck_rwlock_t", true, CALLS(ck)},
};

struct peer_list peers_all(bool shared)
{
    struct peer_list list = {.n = 0};
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++) {
        if (ALL[i].shared || !shared)
            list.at[list.n++] = &ALL[i];
    }
    return list;
}

size_t peers_index(const struct peer_list *list, const char *name)
{
    size_t i = 0;
    while (i < list->n && strcmp(list->at[i]->name, name) != 0)
        i++;
    return i;
}

struct peer_list peers_named(const char *names, const struct peer_list *from)
{
    struct peer_list list = {.n = 0};
    for (;;) {
        char name[32] = "";
        size_t length = strcspn(names, ",");
        if (length < sizeof name)
            memcpy(name, names, length);
        size_t found = peers_index(from, name);
        if (found == from->n)
            bench_usage("--peers: no peer \"%.*s\" here; --help lists them", (int)length, names);
        if (peers_index(&list, name) == list.n)
            list.at[list.n++] = from->at[found];
        if (!names[length])
            return list;
        names += length + 1;
    }
}
