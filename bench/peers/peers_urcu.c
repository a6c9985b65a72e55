/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peers_urcu: liburcu's rculfhash, with a node for each pair, which a set replaces and call_rcu frees. It uses
 * liburcu-bp and the store's hash function, as the store does. The thread that adds a key beyond the number of buckets
 * doubles that. If liburcu's resize thread did it, a measurement could begin before the table has its final size.
 */
#include "core/rcu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <urcu/rculfhash.h>

#include "peers.h"
#include "table.h"

#define FIRST_BUCKETS 16

struct lfht {
    struct cds_lfht *table;
    _Atomic unsigned long pairs;
};

struct node {
    struct cds_lfht_node link;
    struct rcu_head retired;
    struct node *next; /* in the list of nodes that lfht_free frees */
    uint32_t key_length;
    uint32_t value_length;
    char text[]; /* key, NUL, value, NUL */
};

/* Whether callbacks may be outstanding. */
static atomic_bool calling_back;

static struct node *node_of(struct cds_lfht_node *link)
{
    return (struct node *)(void *)((char *)link - offsetof(struct node, link));
}

static int matches(struct cds_lfht_node *link, const void *wanted)
{
    const struct table_key *key = wanted;
    const struct node *node = node_of(link);
    return node->key_length == key->length && rcuinfo__text_equal(node->text, key->text, key->length);
}

static unsigned long hash_of(struct table_key key)
{
    return (unsigned long)XXH3_64bits(key.text, key.length);
}

static rcuinfo_status_t lfht_create(rcuinfo_t *object)
{
    struct lfht *peer = bench_memory(sizeof *peer);
    peer->table = cds_lfht_new_flavor(FIRST_BUCKETS, FIRST_BUCKETS, 0, 0, &urcu_bp_flavor, NULL);
    *object = (rcuinfo_t)(uintptr_t)peer;
    return peer->table ? RCUINFO_SUCCESS : RCUINFO_ERR_NO_MEM;
}

static rcuinfo_status_t lfht_get(rcuinfo_t object, const char *key, int valuelen, char *value, int *flag)
{
    struct lfht *peer = (struct lfht *)(uintptr_t)object;
    struct cds_lfht_iter found;
    struct table_key measured;
    rcuinfo_status_t status = table_check_get(key, valuelen, value, flag, &measured);
    if (status != RCUINFO_SUCCESS)
        return status;
    urcu_bp_read_lock();
    cds_lfht_lookup(peer->table, hash_of(measured), matches, &measured, &found);
    *flag = found.node != NULL;
    if (found.node) {
        const struct node *node = node_of(found.node);
        rcuinfo__text_cut(value, node->text + node->key_length + 1, node->value_length, (size_t)valuelen);
    }
    urcu_bp_read_unlock();
    return RCUINFO_SUCCESS;
}

static void node_free(struct rcu_head *retired)
{
    free((char *)retired - offsetof(struct node, retired));
}

static void count_pair(struct lfht *peer)
{
    unsigned long pairs = atomic_fetch_add_explicit(&peer->pairs, 1, memory_order_relaxed) + 1;
    if (pairs > FIRST_BUCKETS && ((pairs - 1) & (pairs - 2)) == 0)
        cds_lfht_resize(peer->table, 2 * (pairs - 1));
}

static rcuinfo_status_t lfht_set(rcuinfo_t object, const char *key, const char *value)
{
    struct lfht *peer = (struct lfht *)(uintptr_t)object;
    struct table_key measured = {.text = key, .length = rcuinfo__text_key(key, RCUINFO_MAX_KEY)};
    uint32_t value_length = rcuinfo__text_value(value, RCUINFO_MAX_VALUE);

    if (!measured.length)
        return RCUINFO_ERR_KEY;
    if (value_length == RCUINFO__TEXT_BAD)
        return RCUINFO_ERR_VALUE;
    struct node *node = malloc(sizeof *node + rcuinfo__log_pair_bytes(measured.length, value_length));
    if (!node)
        return RCUINFO_ERR_NO_MEM;

    node->key_length = measured.length;
    node->value_length = value_length;
    memcpy(node->text, key, measured.length + 1);
    memcpy(node->text + measured.length + 1, value, value_length + 1);
    cds_lfht_node_init(&node->link);

    urcu_bp_read_lock();
    struct cds_lfht_node *old = cds_lfht_add_replace(peer->table, hash_of(measured), matches, &measured, &node->link);
    urcu_bp_read_unlock();

    if (old) {
        if (!atomic_load_explicit(&calling_back, memory_order_relaxed))
            atomic_store_explicit(&calling_back, true, memory_order_relaxed);
        urcu_bp_flavor.update_call_rcu(&node_of(old)->retired, node_free);
    } else {
        count_pair(peer);
    }
    return RCUINFO_SUCCESS;
}

/* Also waits for the call_rcu thread, which sleeps for up to 10 ms at a time, so that it does not run while the next
 * peer is measured. */
static rcuinfo_status_t lfht_free(rcuinfo_t *object)
{
    struct lfht *peer = (struct lfht *)(uintptr_t)*object;
    struct cds_lfht *table = peer->table;
    struct node *nodes = NULL;
    struct cds_lfht_iter at;

    urcu_bp_read_lock();
    for (cds_lfht_first(table, &at); at.node; cds_lfht_next(table, &at)) {
        struct node *node = node_of(at.node);
        cds_lfht_del(table, at.node);
        node->next = nodes;
        nodes = node;
    }
    urcu_bp_read_unlock();

    if (cds_lfht_destroy(table, NULL))
        bench_die("rculfhash: the table cannot be destroyed");
    urcu_bp_synchronize_rcu();
    if (atomic_exchange(&calling_back, false))
        urcu_bp_flavor.barrier();

    while (nodes) {
        struct node *next = nodes->next;
        free(nodes);
        nodes = next;
    }
    free(peer);
    *object = RCUINFO_NULL;
    return RCUINFO_SUCCESS;
}

const struct peer peer_rculfhash = {
    "rculfhash", "liburcu's cds_lfht with call_rcu", true, lfht_create, lfht_get, lfht_set, lfht_free, NULL};
