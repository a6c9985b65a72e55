/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peers_lock: a peer that is a table (table.h) and a lock on the same line of memory, so that whoever gets the lock has
 * the pointer too.
 */
#ifndef BENCH_PEERS_LOCK_H
#define BENCH_PEERS_LOCK_H

#include <stdint.h>
#include <stdlib.h>

#include "harness.h"
#include "peers.h"
#include "table.h"

/*
 * Defines peer_NAME. One text for all of them, so that they differ by their lock and by nothing else: the macro's
 * arguments are the lock's type and how it is made, unmade, taken and given back.
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
        table_destroy(&peer->table);                                                                                   \
        DESTROY(&peer->lock);                                                                                          \
        free(peer);                                                                                                    \
        *object = RCUINFO_NULL;                                                                                        \
        return RCUINFO_SUCCESS;                                                                                        \
    }                                                                                                                  \
                                                                                                                       \
    const struct peer peer_##NAME = {#NAME, WHAT, SHARED, NAME##_create, NAME##_get, NAME##_set, NAME##_free, NULL};

#define NOTHING(LOCK) ((void)(LOCK))

#endif
