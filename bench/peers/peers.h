/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peers: the store and what it is compared with, all behind the signatures of the store's own calls, so that a program
 * calls each through the same kind of pointer and rcuinfo_get itself stands in the table, without a wrapper.
 *
 * free is called when no other thread uses the object, and leaves nothing behind that the peer measured next would pay
 * for.
 */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#include <rcuinfo/info.h>
#include <rcuinfo/update.h>

#include "harness.h"

struct peer {
    const char *name;
    const char *what;
    bool shared; /* may be written to while others use it */
    rcuinfo_status_t (*create)(rcuinfo_t *object);
    rcuinfo_status_t (*get)(rcuinfo_t object, const char *key, int valuelen, char *value, int *flag);
    rcuinfo_status_t (*set)(rcuinfo_t object, const char *key, const char *value);
    rcuinfo_status_t (*free)(rcuinfo_t *object);
    /* Many sets as one; NULL where that is no cheaper than a set each. */
    rcuinfo_status_t (*update)(rcuinfo_t object, const rcuinfo_change_t *changes, size_t n, size_t *failed);
};

#define PEER_MAX 16

#define PEER_STORE "rcuinfo"

struct peer_list {
    size_t n;
    const struct peer *at[PEER_MAX];
};

/* Ends the program when a call of the store has failed. */
static inline void must(rcuinfo_status_t status, const char *call)
{
    if (__builtin_expect(status != RCUINFO_SUCCESS, 0))
        bench_die("%s: %s", call, rcuinfo_status_string(status));
}

/* All that this build has. */
struct peer_list peers_all(void);

/* Those of the list that may be written to while others use them. */
struct peer_list peers_shared(const struct peer_list *list);

/* Those that the text names, with commas between; an unknown name ends the program. */
struct peer_list peers_named(const char *names);

/* Where in the list the peer of that name is, or the list's length. */
size_t peers_index(const struct peer_list *list, const char *name);

/* Of a program's help: the peers. */
void peers_help(void);

/* One by one, each where it is made. */
extern const struct peer peer_store, peer_unprotected, peer_mutex, peer_pthread_rwlock, peer_ck_rwlock, peer_ck_brlock,
    peer_ck_epoch, peer_glib, peer_rculfhash;

/* The table itself of an object of peer_unprotected. */
const struct table *peer_unprotected_table(rcuinfo_t object);

#endif
