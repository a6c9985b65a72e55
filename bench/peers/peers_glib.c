/* SPDX-License-Identifier: BSD-3-Clause */
/* peers_glib: GLib's GHashTable, which owns its strings, with a GRWLock, as a program based on GLib would use it. */
#include <glib.h>

#include "peers.h"
#include "table.h"

struct glib {
    GRWLock lock;
    GHashTable *table;
};

static rcuinfo_status_t glib_create(rcuinfo_t *object)
{
    struct glib *peer = bench_memory(sizeof *peer);
    g_rw_lock_init(&peer->lock);
    peer->table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    *object = (rcuinfo_t)(uintptr_t)peer;
    return RCUINFO_SUCCESS;
}

static rcuinfo_status_t glib_get(rcuinfo_t object, const char *key, int valuelen, char *value, int *flag)
{
    struct glib *peer = (struct glib *)(uintptr_t)object;
    struct table_key measured;
    rcuinfo_status_t status = table_check_get(key, valuelen, value, flag, &measured);
    if (status != RCUINFO_SUCCESS)
        return status;
    g_rw_lock_reader_lock(&peer->lock);
    const char *found = g_hash_table_lookup(peer->table, key);
    if (found)
        rcuinfo__text_cut(value, found, strlen(found), (size_t)valuelen);
    g_rw_lock_reader_unlock(&peer->lock);
    *flag = found != NULL;
    return RCUINFO_SUCCESS;
}

/* Allocates before taking the lock; the insertion frees the copy of a key that exists already. */
static rcuinfo_status_t glib_set(rcuinfo_t object, const char *key, const char *value)
{
    struct glib *peer = (struct glib *)(uintptr_t)object;
    uint32_t key_length = rcuinfo__text_key(key, RCUINFO_MAX_KEY);
    uint32_t value_length = rcuinfo__text_value(value, RCUINFO_MAX_VALUE);
    if (!key_length)
        return RCUINFO_ERR_KEY;
    if (value_length == RCUINFO__TEXT_BAD)
        return RCUINFO_ERR_VALUE;
    char *own_key = g_strndup(key, key_length), *own_value = g_strndup(value, value_length);
    g_rw_lock_writer_lock(&peer->lock);
    g_hash_table_insert(peer->table, own_key, own_value);
    g_rw_lock_writer_unlock(&peer->lock);
    return RCUINFO_SUCCESS;
}

static rcuinfo_status_t glib_free(rcuinfo_t *object)
{
    struct glib *peer = (struct glib *)(uintptr_t)*object;
    g_hash_table_destroy(peer->table);
    g_rw_lock_clear(&peer->lock);
    free(peer);
    *object = RCUINFO_NULL;
    return RCUINFO_SUCCESS;
}

const struct peer peer_glib = {
    "glib", "GLib's GHashTable with a GRWLock", true, glib_create, glib_get, glib_set, glib_free, NULL};
