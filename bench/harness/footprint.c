/* SPDX-License-Identifier: BSD-3-Clause */
/* footprint: see memory.h. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include <rcuinfo/info.h>
#include <rcuinfo/store.h>

#include "harness.h"
#include "workload.h"

#define SLOTS       32768 /* a multiple of what a chunk has */
#define SLOT_BYTES  128   /* about; for the budget only */
#define OBJECTS_MAX 4096
#define HOT_SETS    64 /* of an object at least until it is hot; of each of its keys at least 8 */

static void must(rcuinfo_status_t status, const char *what)
{
    if (status != RCUINFO_SUCCESS)
        bench_die("%s: %s", what, rcuinfo_status_string(status));
}

/* Bytes a slot; makes enough of them that nothing below needs a new one. */
static double grow_slots(void)
{
    rcuinfo_t *object = bench_memory(SLOTS * sizeof *object), first;
    must(rcuinfo_create(&first), "create"); /* its chunk has less room than the rest of the last one will have */
    size_t before = heap_in_use();
    for (unsigned i = 0; i < SLOTS; i++)
        must(rcuinfo_create(&object[i]), "create");
    double grown = (double)heap_in_use() - (double)before;
    for (unsigned i = 0; i < SLOTS; i++)
        must(rcuinfo_free(&object[i]), "free");
    must(rcuinfo_free(&first), "free");
    rcuinfo_store_drain();
    free(object);
    return grown / SLOTS;
}

static unsigned how_many(const struct shape *shape, double bytes_each)
{
    double many = shape->mebibytes * (double)(1 << 20) / bytes_each;
    return many < 1 ? 1 : many < OBJECTS_MAX ? (unsigned)many : OBJECTS_MAX;
}

/* Bytes that `n` more of something took each, the slot apart. */
static double grown_each(size_t before, unsigned n)
{
    rcuinfo_store_drain();
    return ((double)heap_in_use() - (double)before) / n;
}

/* An object with all keys, each of which was set once, as programs fill them. */
static rcuinfo_t grow_object(const struct workload *load, const struct peer *store)
{
    rcuinfo_t object = RCUINFO_NULL;
    must(rcuinfo_create(&object), "create");
    for (unsigned key = 0; key < load->keys; key++)
        workload_set(load, store, object, key, 0);
    return object;
}

/* Overrides each key many times; at last with the value of turn 0. */
static void heat_object(const struct workload *load, const struct peer *store, rcuinfo_t object)
{
    unsigned turns = (HOT_SETS / load->keys + 8) / WORKLOAD_VARIANTS * WORKLOAD_VARIANTS;
    for (unsigned turn = 1; turn <= turns; turn++) {
        for (unsigned key = 0; key < load->keys; key++)
            workload_set(load, store, object, key, turn);
    }
}

/* All keys have the value of turn 0, but for `changed`, which has that of turn 1. */
static void check_object(const struct workload *load, const struct peer *store, rcuinfo_t object, unsigned changed)
{
    int nkeys = 0;
    must(rcuinfo_get_nkeys(object, &nkeys), "nkeys");
    if (nkeys != (int)load->keys)
        bench_die("an object is not what it should be: %d pairs, not %u", nkeys, load->keys);
    for (unsigned key = 0; key < load->keys; key++)
        workload_check(load, store, object, key, key == changed);
}

void footprint_measure(const void *context, void *result)
{
    const struct shape *shape = context;
    struct footprint *out = result;
    const struct peer *store = peers_named(PEER_STORE).at[0];
    struct workload load = workload_make(shape->keys, shape->value_bytes);
    rcuinfo_t *object = bench_memory(2 * OBJECTS_MAX * sizeof *object), *dup = object + OBJECTS_MAX;
    out->slot = grow_slots();
    for (unsigned key = 0; key < load.keys; key++)
        out->strings += (double)(strlen(load.key[key]) + load.value_bytes);

    rcuinfo_t warm = grow_object(&load, store); /* what malloc keeps for this thread, it keeps from here on */
    heat_object(&load, store, warm);
    must(rcuinfo_free(&warm), "free");
    rcuinfo_store_drain();
    unsigned n = how_many(shape, out->strings + SLOT_BYTES);
    size_t before = heap_in_use();
    for (unsigned i = 0; i < n; i++)
        object[i] = grow_object(&load, store);
    out->object = out->slot + grown_each(before, n);
    for (unsigned i = 0; i < n; i++)
        heat_object(&load, store, object[i]);
    out->hot = out->slot + grown_each(before, n);
    out->objects = n;

    unsigned dups = how_many(shape, out->object);
    before = heap_in_use();
    for (unsigned i = 0; i < dups; i++)
        must(rcuinfo_dup(object[0], &dup[i]), "dup");
    out->dup = out->slot + grown_each(before, dups);
    for (unsigned i = 0; i < dups; i++)
        workload_set(&load, store, dup[i], i % load.keys, 1);
    out->dup_set = out->slot + grown_each(before, dups);

    for (unsigned i = 0; i < n; i++)
        check_object(&load, store, object[i], load.keys);
    for (unsigned i = 0; i < dups; i++)
        check_object(&load, store, dup[i], i % load.keys);
}
