/* SPDX-License-Identifier: BSD-3-Clause */
/* subject: see subject.h. */
#include "subject.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"

static void make_table(struct subject *s)
{
    const struct workload *load = &s->load;
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    table_create(&s->table);
    for (unsigned key = 0; key < load->keys && status == RCUINFO_SUCCESS; key++) {
        struct rcuinfo__edit edit;
        status = table_check_set(load->key[key], workload_value(load, key, 0), &edit);
        if (status == RCUINFO_SUCCESS)
            status = table_set(&s->table, &edit);
    }
    must(status, "table");
}

static struct due due_of(const struct workload *load, unsigned key)
{
    struct due due = {.key = load->key[key], .mask = load->mask[key]};
    due.tail_at = strlen(due.key) + 1 - sizeof due.tail;
    memcpy(&due.tail, due.key + due.tail_at, sizeof due.tail);
    return due;
}

/* GLib's table keeps no order but does not change the one it has, so what is due at each step is noted beforehand: then
 * the check goes through memory as it does for the others. */
static void make_hash(struct subject *s)
{
    const struct workload *load = &s->load;
    GHashTable *numbers = g_hash_table_new(g_str_hash, g_str_equal);
    GHashTableIter iterator;
    gpointer key;
    g_rw_lock_init(&s->lock);
    s->hash = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    for (unsigned i = 0; i < load->keys; i++) {
        g_hash_table_insert(s->hash, g_strdup(load->key[i]), g_strdup(workload_value(load, i, 0)));
        g_hash_table_insert(numbers, load->key[i], GUINT_TO_POINTER(i));
    }
    g_hash_table_iter_init(&iterator, s->hash);
    for (unsigned n = 0; g_hash_table_iter_next(&iterator, &key, NULL); n++)
        s->hashed[n] = due_of(load, GPOINTER_TO_UINT(g_hash_table_lookup(numbers, key)));
    g_hash_table_destroy(numbers);
}

static const rcuinfo_snapshot_t *snapshot_after_sets(const struct subject *s, rcuinfo_t object, unsigned sets)
{
    const rcuinfo_snapshot_t *snapshot = NULL;
    for (unsigned turn = 1; turn <= sets; turn++)
        workload_set(&s->load, peers_named(PEER_STORE).at[0], object, 0, turn);
    must(rcuinfo_snapshot_open(object, &snapshot), "snapshot");
    return snapshot;
}

static void make_snapshots(struct subject *s, unsigned sets)
{
    const struct peer *store = peers_named(PEER_STORE).at[0];
    rcuinfo_t object = workload_fill(&s->load, store, s->load.keys);
    s->old = snapshot_after_sets(s, object, sets);
    s->fresh = snapshot_after_sets(s, object, sets);
    workload_empty(store, &object);
}

struct subject *subject_make(unsigned keys, unsigned value_bytes, unsigned sets)
{
    struct subject *s = bench_memory(sizeof *s);
    s->load = workload_make(keys, value_bytes);
    s->inserted = bench_memory(keys * sizeof *s->inserted);
    s->hashed = bench_memory(keys * sizeof *s->hashed);
    for (unsigned key = 0; key < keys; key++)
        s->inserted[key] = due_of(&s->load, key);
    s->object = workload_fill(&s->load, peers_named(PEER_STORE).at[0], keys);
    make_table(s);
    make_snapshots(s, sets);
    make_hash(s);
    return s;
}

void subject_unmake(struct subject *s)
{
    must(rcuinfo_free(&s->object), "free");
    rcuinfo_snapshot_close(s->old);
    rcuinfo_snapshot_close(s->fresh);
    table_destroy(&s->table);
    g_hash_table_destroy(s->hash);
    g_rw_lock_clear(&s->lock);
    free(s->inserted);
    free(s->hashed);
    workload_unmake(&s->load);
    free(s);
}
