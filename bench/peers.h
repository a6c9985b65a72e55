/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peers: the store and what it is compared with, all behind the signatures of the store's own calls, so that a program
 * calls each through the same kind of pointer and rcuinfo_get itself stands in the table, without a wrapper.
 */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#include <rcuinfo/info.h>

struct peer {
    const char *name;
    const char *what;
    bool shared; /* may be written to while others read */
    rcuinfo_status_t (*create)(rcuinfo_t *object);
    rcuinfo_status_t (*get)(rcuinfo_t object, const char *key, int valuelen, char *value, int *flag);
    rcuinfo_status_t (*set)(rcuinfo_t object, const char *key, const char *value);
    rcuinfo_status_t (*free)(rcuinfo_t *object);
};

#define PEER_MAX 8

#define PEER_STORE "rcuinfo"
#define PEER_LIMIT "unprotected"

struct peer_list {
    size_t n;
    const struct peer *at[PEER_MAX];
};

/* All peers; those without `shared` only when not all have to be. */
struct peer_list peers_all(bool shared);

/* Those of `from` that the text names, with commas between; an unknown name ends the program. */
struct peer_list peers_named(const char *names, const struct peer_list *from);

/* Where in the list the peer of that name is, or the list's length. */
size_t peers_index(const struct peer_list *list, const char *name);

#endif
