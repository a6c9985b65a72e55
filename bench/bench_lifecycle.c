/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_lifecycle: the time to create and free objects and snapshots.
 *
 * If an operation has a source, a filled object, each thread has its own, or all threads share one. The results of the
 * warm-up are read back; after the run the sources are, and the store must have as many objects as before.
 */
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/rcuinfo.h>

#include "cells.h"
#include "workload.h"

#define FEW_SETS 8

static struct bench_list all_keys = {4, {1, 16, 1024, 65536}}, all_threads;
static unsigned milliseconds = 10, repeats = 11;

/* The sources with one number of keys, one for each thread; the shared one is the first. */
struct sources {
    struct workload load;
    rcuinfo_t object[BENCH_THREAD_MAX];
    unsigned *shuffled; /* the numbers of the keys, in random order */
    char *packed;       /* the packed form, the same for all */
    size_t packed_bytes;
    char *buffer[BENCH_THREAD_MAX];
};

/* The order in which the keys of an object are deleted. */
enum order { ANY, FRONT, BACK, RANDOM };

/* One run of an operation. */
struct step {
    const struct sources *from;
    rcuinfo_t source;
    rcuinfo_t made; /* RCUINFO_NULL: no object */
    char *buffer;   /* the thread's own, for the packed source */
    unsigned key;   /* the key to set, or to read back */
    enum order order;
};

static void create(struct step *s)
{
    must(rcuinfo_create(&s->made), "create");
}

static void create_8_sets(struct step *s)
{
    create(s);
    for (unsigned key = 0; key < FEW_SETS; key++)
        must(rcuinfo_set(s->made, s->from->load.key[key], workload_value(&s->from->load, key, 0)), "set");
}

static void create_env(struct step *s)
{
    must(rcuinfo_env_create(0, NULL, &s->made), "create_env");
}

static void dup_source(struct step *s)
{
    must(rcuinfo_dup(s->source, &s->made), "dup");
}

static void dup_set(struct step *s)
{
    dup_source(s);
    must(rcuinfo_set(s->made, s->from->load.key[s->key], workload_value(&s->from->load, s->key, 1)), "set");
}

static void snapshot(struct step *s)
{
    const rcuinfo_snapshot_t *open;
    must(rcuinfo_snapshot_open(s->source, &open), "snapshot");
    rcuinfo_snapshot_close(open);
}

static void pack(struct step *s)
{
    const rcuinfo_snapshot_t *open;
    must(rcuinfo_snapshot_open(s->source, &open), "snapshot");
    must(rcuinfo_pack(open, s->buffer, s->from->packed_bytes), "pack");
    rcuinfo_snapshot_close(open);
}

static void unpack(struct step *s)
{
    must(rcuinfo_unpack(s->from->packed, s->from->packed_bytes, &s->made, NULL), "unpack");
}

/* Deletes all keys of a dup. */
static void empty(struct step *s)
{
    unsigned keys = s->from->load.keys;
    dup_source(s);
    for (unsigned i = 0; i < keys; i++) {
        unsigned key = s->order == FRONT ? i : s->order == BACK ? keys - 1 - i : s->from->shuffled[i];
        must(rcuinfo_delete(s->made, s->from->load.key[key]), "delete");
    }
}

static const struct operation {
    const char *name;
    const char *what;
    bool keyed; /* has a source */
    void (*once)(struct step *s);
    enum order order; /* unless ANY, measured with one thread only */
} ALL[] = {
    {"create_free", "create, free", false, create, ANY},
    {"create_8_sets_free", "create, 8 sets of new keys, free", false, create_8_sets, ANY},
    {"env_free", "create_env of this process, free", false, create_env, ANY},
    {"dup_free", "dup of the source, free", true, dup_source, ANY},
    {"dup_set_free", "dup of the source, one set of a key in the dup, free", true, dup_set, ANY},
    {"snapshot", "snapshot of the source opened, closed", true, snapshot, ANY},
    {"pack", "snapshot of the source opened, packed, closed", true, pack, ANY},
    {"unpack_free", "the packed source unpacked, free", true, unpack, ANY},
    {"empty_front", "dup of the source, delete of each key, first to last, free", true, empty, FRONT},
    {"empty_back", "the same, last to first", true, empty, BACK},
    {"empty_random", "the same in random order; target: less than a second at 65,536 keys", true, empty, RANDOM},
};
#define OPERATIONS (sizeof ALL / sizeof ALL[0])

/* Checks that a new object is empty or has the pairs of its source, and that packing gave the bytes of the source. */
static void check(const struct step *s, const struct operation *operation)
{
    const struct workload *load = &s->from->load;
    bool none = operation->once == create || operation->once == empty;
    int nkeys = -1;
    if (operation->once == pack && memcmp(s->buffer, s->from->packed, s->from->packed_bytes) != 0)
        bench_die("pack: the bytes differ from the source");
    if (s->made == RCUINFO_NULL || operation->once == create_env)
        return;
    must(rcuinfo_get_nkeys(s->made, &nkeys), "nkeys");
    if (nkeys != (none ? 0 : (int)load->keys))
        bench_die("%s: not what it should be: %d pairs", operation->name, nkeys);
    if (!none)
        workload_check(load, &peer_store, s->made, s->key, operation->once == dup_set);
}

static void work(struct cell *cell, unsigned index, bool warm_up)
{
    const struct operation *operation = cell->way;
    const struct sources *sources = cell->mine;
    struct step step = {.from = sources,
                        .source = sources->object[cell->shared ? 0 : index],
                        .buffer = sources->buffer[index],
                        .order = operation->order};
    for (unsigned turn = 0, calls = cell_calls(cell, warm_up); turn < calls; turn++) {
        step.key = turn % sources->load.keys;
        operation->once(&step);
        if (warm_up)
            check(&step, operation);
        if (step.made != RCUINFO_NULL)
            must(rcuinfo_free(&step.made), "free");
    }
}

static void pack_sources(struct sources *sources, unsigned threads)
{
    const rcuinfo_snapshot_t *open;
    must(rcuinfo_snapshot_open(sources->object[0], &open), "snapshot");
    sources->packed_bytes = rcuinfo_pack_size(open);
    sources->packed = bench_memory(sources->packed_bytes);
    must(rcuinfo_pack(open, sources->packed, sources->packed_bytes), "pack");
    rcuinfo_snapshot_close(open);
    for (unsigned i = 0; i < threads; i++)
        sources->buffer[i] = bench_memory(sources->packed_bytes);
}

/* Makes a source for each thread, all with the same number of keys. */
static void make_sources(struct sources *sources, unsigned keys, unsigned threads)
{
    sources->load = workload_make(keys, WORKLOAD_VALUE);
    sources->shuffled = bench_memory(keys * sizeof *sources->shuffled);
    for (unsigned i = 0; i < keys; i++) {
        unsigned other = (unsigned)random() % (i + 1);
        sources->shuffled[i] = sources->shuffled[other];
        sources->shuffled[other] = i;
    }
    for (unsigned i = 0; i < threads; i++)
        sources->object[i] = workload_fill(&sources->load, &peer_store, keys);
    if (threads)
        pack_sources(sources, threads);
}

static void unmake_sources(struct sources *sources, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++) {
        for (unsigned key = 0; key < sources->load.keys; key++)
            workload_check(&sources->load, &peer_store, sources->object[i], key, 0);
        must(rcuinfo_free(&sources->object[i]), "free");
        free(sources->buffer[i]);
    }
    free(sources->shuffled);
    free(sources->packed);
    workload_unmake(&sources->load);
}

static struct sources sources[BENCH_LIST_MAX + 1];
static struct cell cells[OPERATIONS * 2 * BENCH_LIST_MAX];

/* Lists the cells for a number of threads, and returns their number. One thread has nothing to share. */
static size_t list_cells(unsigned threads)
{
    size_t n = 0;

    for (size_t i = 0; i < OPERATIONS; i++) {
        if (ALL[i].order != ANY && threads > 1)
            continue;

        bool keyed = ALL[i].keyed;
        for (unsigned shared = 0; shared <= (keyed && threads > 1); shared++) {
            for (size_t k = 0; k < (keyed ? all_keys.n : 1); k++, n++) {
                cells[n] = (struct cell){
                    .threads = threads,
                    .work = work,
                    .mine = &sources[keyed ? k : all_keys.n],
                    .way = &ALL[i],
                    .shared = shared,
                    .row = json_pack("{s:i, s:s, s:i, s:i}", "threads", threads, "operation", ALL[i].name, "keys",
                                     keyed ? all_keys.at[k] : 0, "shared", shared),
                };
            }
        }
    }
    return n;
}

static void bench_cells(unsigned threads)
{
    for (size_t k = 0; k < all_keys.n; k++)
        make_sources(&sources[k], all_keys.at[k], threads);
    make_sources(&sources[all_keys.n], FEW_SETS, 0);
    size_t n = list_cells(threads);
    uint64_t live = store_stats().live;
    cells_run(cells, n, milliseconds, repeats);
    if (store_stats().live != live)
        bench_die("%ld objects were not freed", (long)(store_stats().live - live));
    for (size_t k = 0; k < all_keys.n; k++)
        unmake_sources(&sources[k], threads);
    unmake_sources(&sources[all_keys.n], 0);
}

static void bench_all(void)
{
    for (size_t t = 0; t < all_threads.n; t++)
        bench_cells(all_threads.at[t]);
}

int main(int argc, char **argv)
{
    all_threads = bench_default_threads();
    const struct program program = {
        "bench_lifecycle",
        "Time to create and free objects and snapshots: ns per operation in each thread.\n"
        "shared: one source for all threads.\n",
        {
            {OPTION_KEYS, &all_keys},
            {OPTION_THREADS, &all_threads},
            {OPTION_MS, &milliseconds},
            {OPTION_REPEATS, &repeats},
        },
        PROGRAM_OPERATIONS(ALL),
    };
    return report_main(&program, argc, argv, bench_all);
}
