/* SPDX-License-Identifier: BSD-3-Clause */
/* peers: the list, and the store itself; see peers.h. */
#include "peers.h"

#include <stdio.h>

static rcuinfo_status_t store_free(rcuinfo_t *object)
{
    rcuinfo_status_t status = rcuinfo_free(object);
    rcuinfo_store_drain();
    return status;
}

const struct peer peer_store = {PEER_STORE,  "the store", true,       rcuinfo_create,
                                rcuinfo_get, rcuinfo_set, store_free, rcuinfo_update};

struct peer_list peers_all(bool shared)
{
    static const struct peer *const all[] = {&peer_unprotected,    &peer_store,     &peer_mutex,
                                             &peer_pthread_rwlock, &peer_ck_rwlock, &peer_ck_brlock,
                                             &peer_ck_epoch,       &peer_glib,      &peer_rculfhash};
    struct peer_list list = {.n = 0};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i] == &peer_store)
            list.store = list.n;
        if (!shared || all[i]->shared)
            list.at[list.n++] = all[i];
    }
    return list;
}

void peers_help(void)
{
    struct peer_list all = peers_all(false);
    printf("\npeers:\n");
    for (size_t p = 0; p < all.n; p++)
        printf("  %-16s %s\n", all.at[p]->name, all.at[p]->what);
}
