/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_iterate: the time to visit all pairs of an object, and of a get from an old or a new snapshot.
 *
 * The lower limit of each way is the same loop over the same table without protection. Each visited pair is compared
 * with the expected one: in the first pass the whole key, then its last eight bytes, which differ between any two keys
 * (workload.h explains why not more).
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/snapshot.h>

#include "cells.h"
#include "table.h"
#include "workload.h"

static struct bench_list all_keys = {6, {1, 16, 128, 1024, 8192, 65536}}, all_threads = {1, {1}};
static unsigned old_sets = 100000, milliseconds = 3, repeats = 21;

/* The pair that is expected at one step. */
struct due {
    const char *key;
    size_t tail_at; /* the offset of its last eight bytes, including the NUL */
    uint64_t tail;
    uint64_t mask; /* of its value */
};

/* The same pairs in the store, in an unprotected table and in GLib's, and the pair expected at each step. And two
 * snapshots of one more object, between which one key was set many times. */
struct subject {
    struct workload load;
    rcuinfo_t object;
    rcuinfo_t bare;
    const struct rcuinfo__entry *last; /* of `bare` */
    const rcuinfo_snapshot_t *old;
    const rcuinfo_snapshot_t *fresh;
    GHashTable *hash;
    GRWLock lock;
    struct due *inserted; /* in the order of insertion */
    struct due *hashed;
};

static struct due due_of(const struct workload *load, unsigned key)
{
    struct due due = {.key = load->key[key], .mask = load->mask[key]};
    due.tail_at = strlen(due.key) + 1 - sizeof due.tail;
    memcpy(&due.tail, due.key + due.tail_at, sizeof due.tail);
    return due;
}

/* GLib's table has an arbitrary but fixed order, so the expected pairs are stored in it beforehand: then the check
 * reads memory in sequence, as with the other tables. */
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

static const rcuinfo_snapshot_t *snapshot_after_sets(const struct subject *s, rcuinfo_t object)
{
    const rcuinfo_snapshot_t *snapshot = NULL;
    for (unsigned turn = 1; turn <= old_sets; turn++)
        workload_set(&s->load, &peer_store, object, 0, turn);
    must(rcuinfo_snapshot_open(object, &snapshot), "snapshot");
    return snapshot;
}

/* Key 0 is set as often before the old snapshot as after it: by then the store gives the object large blocks. */
static void make_snapshots(struct subject *s)
{
    rcuinfo_t object = workload_fill(&s->load, &peer_store, s->load.keys);
    s->old = snapshot_after_sets(s, object);
    s->fresh = snapshot_after_sets(s, object);
    workload_empty(&peer_store, &object);
}

static struct subject *subject_make(unsigned keys)
{
    struct subject *s = bench_memory(sizeof *s);
    s->load = workload_make(keys, WORKLOAD_VALUE);
    s->inserted = bench_memory(keys * sizeof *s->inserted);
    s->hashed = bench_memory(keys * sizeof *s->hashed);
    for (unsigned key = 0; key < keys; key++)
        s->inserted[key] = due_of(&s->load, key);
    s->object = workload_fill(&s->load, &peer_store, keys);
    s->bare = workload_fill(&s->load, &peer_unprotected, keys);
    s->last = peer_unprotected_table(s->bare)->last;
    make_snapshots(s);
    make_hash(s);
    return s;
}

static void subject_unmake(struct subject *s)
{
    must(rcuinfo_free(&s->object), "free");
    rcuinfo_snapshot_close(s->old);
    rcuinfo_snapshot_close(s->fresh);
    workload_empty(&peer_unprotected, &s->bare);
    g_hash_table_destroy(s->hash);
    g_rw_lock_clear(&s->lock);
    free(s->inserted);
    free(s->hashed);
    workload_unmake(&s->load);
    free(s);
}

struct buffers;

struct way {
    const char *name;
    const char *what;
    void (*pass)(struct subject *s, struct buffers *b);
    enum {
        RATIO = 1,      /* reports a ratio to the next way */
        BARE = 2,       /* on the unprotected table */
        KEYS_ALONE = 4, /* without the values */
        FRESH = 8       /* on the later snapshot */
    } flags;
};

/* The data of one thread. */
struct buffers {
    const struct way *way;
    bool first;
    _Alignas(BENCH_APART) char key[RCUINFO_MAX_KEY];
    _Alignas(BENCH_APART) char value[RCUINFO_MAX_VALUE];
};

/* Checks the result of step n: status and flag in `good`, the key, and the value unless NULL. */
static inline void check(const struct subject *s, const struct due *due, const struct buffers *b, unsigned n, bool good,
                         const char *key, const char *value)
{
    uint64_t tail;
    good &= n < s->load.keys;
    if (__builtin_expect(good, 1)) {
        memcpy(&tail, key + due[n].tail_at, sizeof tail);
        good = tail == due[n].tail && (!value || workload_whole(&s->load, value, due[n].mask));
        good &= !b->first || strcmp(key, due[n].key) == 0;
    }
    if (__builtin_expect(!good, 0))
        bench_die("%s: pair %u is not what it should be", b->way->name, n);
}

static void check_count(const struct subject *s, const struct buffers *b, size_t count)
{
    if (count != s->load.keys)
        bench_die("%s: %zu pairs, expected %u", b->way->name, count, s->load.keys);
}

static rcuinfo_status_t bare_nthkey(rcuinfo_t last, int n, char *key)
{
    const struct rcuinfo__entry *entry =
        rcuinfo__log_nth_key((const struct rcuinfo__entry *)(uintptr_t)last, (unsigned)n);
    memcpy(key, rcuinfo__log_key(entry), entry->key_length + 1U);
    return RCUINFO_SUCCESS;
}

/* Visits the table or the store by the MPI functions, with or without the values. */
static void pass_calls(struct subject *s, struct buffers *b)
{
    bool bare = b->way->flags & BARE, values = !(b->way->flags & KEYS_ALONE), good = true;
    rcuinfo_t object = bare ? s->bare : s->object, keys = bare ? (rcuinfo_t)(uintptr_t)s->last : s->object;
    rcuinfo_status_t (*nthkey)(rcuinfo_t, int, char *) = bare ? bare_nthkey : rcuinfo_get_nthkey;
    const struct peer *peer = bare ? &peer_unprotected : &peer_store;
    int nkeys = (int)s->load.keys, flag = 1;
    if (!bare && values)
        good = rcuinfo_get_nkeys(object, &nkeys) == RCUINFO_SUCCESS;
    check_count(s, b, (size_t)nkeys);
    for (int n = 0; n < nkeys; n++) {
        b->key[0] = b->value[0] = '\0'; /* so the last step's result cannot pass for this one's */
        good &= nthkey(keys, n, b->key) == RCUINFO_SUCCESS;
        if (values)
            good &= peer->get(object, b->key, (int)s->load.value_bytes, b->value, &flag) == RCUINFO_SUCCESS;
        check(s, s->inserted, b, (unsigned)n, good && flag, b->key, values ? b->value : NULL);
    }
}

static void pass_snapshot(struct subject *s, struct buffers *b)
{
    const rcuinfo_snapshot_t *snapshot = NULL;
    rcuinfo_pair_t pair = {.key = NULL};
    bool good = rcuinfo_snapshot_open(s->object, &snapshot) == RCUINFO_SUCCESS;
    size_t count = rcuinfo_snapshot_count(snapshot);
    check_count(s, b, count);
    for (unsigned n = 0; n < count; n++) {
        good &= rcuinfo_snapshot_nth(snapshot, n, &pair) == RCUINFO_SUCCESS;
        check(s, s->inserted, b, n, good, pair.key, pair.value);
    }
    rcuinfo_snapshot_close(snapshot);
}

static void pass_hot(struct subject *s, struct buffers *b)
{
    const rcuinfo_snapshot_t *snapshot = b->way->flags & FRESH ? s->fresh : s->old;
    rcuinfo_pair_t pair = {.key = NULL};
    for (unsigned n = 0; n < s->load.keys; n++) {
        bool good = rcuinfo_snapshot_find(snapshot, s->load.key[0], &pair) == RCUINFO_SUCCESS;
        check(s, s->inserted, b, 0, good, pair.key, pair.value);
    }
}

static void pass_table(struct subject *s, struct buffers *b)
{
    check_count(s, b, s->last->pairs);
    for (unsigned n = 0; n < s->last->pairs; n++) {
        const struct rcuinfo__entry *entry = rcuinfo__log_nth(s->last, n);
        check(s, s->inserted, b, n, true, rcuinfo__log_key(entry), rcuinfo__log_value(entry));
    }
}

static void pass_ghashtable(struct subject *s, struct buffers *b)
{
    GHashTableIter iterator;
    gpointer key, value;
    unsigned n = 0;
    g_rw_lock_reader_lock(&s->lock);
    g_hash_table_iter_init(&iterator, s->hash);
    for (; g_hash_table_iter_next(&iterator, &key, &value); n++)
        check(s, s->hashed, b, n, true, key, value);
    g_rw_lock_reader_unlock(&s->lock);
    check_count(s, b, n);
}

#define SAME_ON_TABLE "the same on the same table, without protection"

static const struct way WAY[] = {
    {"mpi", "rcuinfo_get_nkeys, then rcuinfo_get_nthkey and rcuinfo_get for each key", pass_calls, RATIO},
    {"mpi_table", SAME_ON_TABLE, pass_calls, BARE},
    {"nthkey", "rcuinfo_get_nthkey for each key", pass_calls, RATIO | KEYS_ALONE},
    {"nthkey_table", SAME_ON_TABLE, pass_calls, BARE | KEYS_ALONE},
    {"snapshot", "open a snapshot, visit all its pairs, close it", pass_snapshot, RATIO},
    {"table", "visit all pairs of the same table, without protection", pass_table, 0},
    {"get_old", "rcuinfo_snapshot_find of one key in a snapshot opened before --sets sets of it", pass_hot, RATIO},
    {"get_fresh", "the same in a snapshot opened after them", pass_hot, FRESH},
    {"ghashtable", "GLib's GHashTableIter, with a GRWLock held for reading", pass_ghashtable, 0},
};
#define WAYS (sizeof WAY / sizeof WAY[0])

static void iterate_work(struct cell *cell, unsigned index, bool warm_up)
{
    struct buffers buffers = {.way = cell->way, .first = warm_up};
    (void)index;
    for (unsigned i = cell_calls(cell, warm_up); i > 0; i--) {
        buffers.way->pass(cell->mine, &buffers);
        buffers.first = false;
    }
}

static void bench_cells(unsigned threads, unsigned keys)
{
    static struct cell cells[WAYS];
    struct subject *subject = subject_make(keys);
    for (unsigned w = 0; w < WAYS; w++) {
        const struct way *way = &WAY[w];
        cells[w] = (struct cell){
            .row = json_pack("{s:i, s:i, s:s}", "threads", threads, "keys", keys, "operation", way->name),
            .ratio = {way->flags & RATIO ? &cells[w] : NULL, &cells[w + 1]},
            .threads = threads,
            .work = iterate_work,
            .mine = subject,
            .way = way,
            .parts = keys,
        };
    }
    cells_run(cells, WAYS, milliseconds, repeats);
    subject_unmake(subject);
}

static void bench_all(void)
{
    for (size_t t = 0; t < all_threads.n; t++) {
        for (size_t k = 0; k < all_keys.n; k++)
            bench_cells(all_threads.at[t], all_keys.at[k]);
    }
}

int main(int argc, char **argv)
{
    const struct program program = {
        "bench_iterate",
        "Time to visit all pairs of an object: ns per pair in each thread. Ratio: to the next row.\n",
        {
            {OPTION_KEYS, &all_keys},
            {OPTION_THREADS, &all_threads},
            {"sets", OPTION_NUMBER, 1, 1000000000, "sets of a key after the old snapshot", &old_sets},
            {OPTION_MS, &milliseconds},
            {OPTION_REPEATS, &repeats},
        },
        PROGRAM_OPERATIONS(WAY),
    };
    return report_main(&program, argc, argv, bench_all);
}
