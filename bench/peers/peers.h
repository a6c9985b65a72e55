/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peers: the store and the stores that it is compared with, all with the signatures of the store's calls. So every peer
 * is called through the same kind of pointer, and the store without a wrapper.
 *
 * free is called when no other thread uses the object. It also does all deferred work, which would otherwise slow down
 * the peer measured next.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <rcuinfo/info.h>
#include <rcuinfo/store.h>
#include <rcuinfo/update.h>

#include "harness.h"

struct peer {
    const char *name;
    const char *what;
    bool shared; /* thread-safe: may be written to while other threads use it */
    rcuinfo_status_t (*create)(rcuinfo_t *object);
    rcuinfo_status_t (*get)(rcuinfo_t object, const char *key, int valuelen, char *value, int *flag);
    rcuinfo_status_t (*set)(rcuinfo_t object, const char *key, const char *value);
    rcuinfo_status_t (*free)(rcuinfo_t *object);
    /* Many sets at once; NULL if that is not faster than single sets. */
    rcuinfo_status_t (*update)(rcuinfo_t object, const rcuinfo_change_t *changes, size_t n, size_t *failed);
};

#define PEER_MAX 16

#define PEER_STORE "rcuinfo"

struct peer_list {
    size_t n, store; /* the number of peers; the index of the store */
    const struct peer *at[PEER_MAX];
};

/* Ends the program if a call of the store has failed. */
static inline void must(rcuinfo_status_t status, const char *call)
{
    if (__builtin_expect(status != RCUINFO_SUCCESS, 0))
        bench_die("%s: %s", call, rcuinfo_status_string(status));
}

static inline rcuinfo_stats_t store_stats(void)
{
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    return stats;
}

/* All peers in this build; with `shared`, the thread-safe ones. */
struct peer_list peers_all(bool shared);

/* Prints the peers, for the help of a program. */
void peers_help(void);

extern const struct peer peer_store, peer_unprotected, peer_mutex, peer_pthread_rwlock, peer_ck_rwlock, peer_ck_brlock,
    peer_ck_epoch, peer_glib, peer_rculfhash;

/* The table in an object of peer_unprotected. */
const struct table *peer_unprotected_table(rcuinfo_t object);
