/* SPDX-License-Identifier: BSD-3-Clause */
/* peers: the list, and the store itself; see peers.h. */
#include "peers.h"

#include <stdio.h>
#include <string.h>

static rcuinfo_status_t store_free(rcuinfo_t *object)
{
    rcuinfo_status_t status = rcuinfo_free(object);
    rcuinfo_store_drain();
    return status;
}

const struct peer peer_store = {PEER_STORE,  "the store", true,       rcuinfo_create,
                                rcuinfo_get, rcuinfo_set, store_free, rcuinfo_update};

struct peer_list peers_all(void)
{
    struct peer_list list = {.at = {&peer_unprotected, &peer_store, &peer_mutex, &peer_pthread_rwlock, &peer_ck_rwlock,
                                    &peer_ck_brlock, &peer_ck_epoch, &peer_glib, &peer_rculfhash}};
    while (list.at[list.n])
        list.n++;
    return list;
}

struct peer_list peers_shared(const struct peer_list *list)
{
    struct peer_list shared = {.n = 0};
    for (size_t i = 0; i < list->n; i++) {
        if (list->at[i]->shared)
            shared.at[shared.n++] = list->at[i];
    }
    return shared;
}

size_t peers_index(const struct peer_list *list, const char *name)
{
    size_t i = 0;
    while (i < list->n && strcmp(list->at[i]->name, name) != 0)
        i++;
    return i;
}

void peers_help(void)
{
    struct peer_list all = peers_all();
    printf("\npeers:\n");
    for (size_t p = 0; p < all.n; p++)
        printf("  %-16s %s\n", all.at[p]->name, all.at[p]->what);
}
