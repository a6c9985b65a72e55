/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_memory: the memory of objects of one shape, and of dups of them.
 *
 * Each shape is measured in a process of its own, so that it finds no heap, slots or pools left by another shape; and
 * once, as the result is always the same. Slots are allocated beforehand and counted separately, as they are allocated
 * in chunks. Then objects that fill a given amount of memory are created, and the growth of the heap is measured after
 * a drain.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rcuinfo/info.h>
#include <rcuinfo/store.h>

#include "report.h"
#include "workload.h"

#define SLOTS       32768 /* a multiple of the slots in a chunk */
#define SLOT_BYTES  128   /* an estimate, used to compute the number of objects */
#define OBJECTS_MAX 4096
#define HOT_SETS    64 /* the sets that make an object hot; also at least 8 for each key */

static struct bench_list all_keys = {7, {1, 4, 16, 128, 1024, 8192, 65536}}, all_values = {3, {16, 24, 200}};
static unsigned mebibytes = 32; /* the memory to fill with objects of each shape, and then with changed dups */

static struct workload load;

struct footprint {
    double objects; /* the number measured */
    double strings; /* bytes of the keys and values of one object, without NULs */
    double slot;    /* heap bytes of a slot, with the overhead of malloc */
    double object;  /* the same of an object in which each key was set once; includes the slot, as do those below */
    double hot;     /* of the same object, after each key was overridden many times */
    double dup;
    double dup_set; /* of a dup in which one value was set */
};

/* Allocates enough slots for the whole run, and returns the bytes of each. */
static double grow_slots(void)
{
    rcuinfo_t *object = bench_memory(SLOTS * sizeof *object), first;
    must(rcuinfo_create(&first),
         "create"); /* allocates the first chunk, whose other slots offset those left in the last */
    size_t before = bench_heap();
    for (unsigned i = 0; i < SLOTS; i++)
        must(rcuinfo_create(&object[i]), "create");
    double grown = (double)bench_heap() - (double)before;
    for (unsigned i = 0; i < SLOTS; i++)
        must(rcuinfo_free(&object[i]), "free");
    must(rcuinfo_free(&first), "free");
    rcuinfo_store_drain();
    free(object);
    return grown / SLOTS;
}

static unsigned how_many(double bytes_each)
{
    double many = mebibytes * (double)(1 << 20) / bytes_each;
    return many < 1 ? 1 : many < OBJECTS_MAX ? (unsigned)many : OBJECTS_MAX;
}

/* The growth of the heap for each of `n` objects or dups, without slots. */
static double grown_each(size_t before, unsigned n)
{
    rcuinfo_store_drain();
    return ((double)bench_heap() - (double)before) / n;
}

/* Makes an object with all keys, each set once, as programs do. */
static rcuinfo_t grow_object(void)
{
    rcuinfo_t object = RCUINFO_NULL;
    must(rcuinfo_create(&object), "create");
    for (unsigned key = 0; key < load.keys; key++)
        workload_set(&load, &peer_store, object, key, 0);
    return object;
}

/* Overrides each key many times; the last value is that of turn 0. */
static void heat_object(rcuinfo_t object)
{
    unsigned turns = (HOT_SETS / load.keys + 8) / WORKLOAD_VARIANTS * WORKLOAD_VARIANTS;
    for (unsigned turn = 1; turn <= turns; turn++) {
        for (unsigned key = 0; key < load.keys; key++)
            workload_set(&load, &peer_store, object, key, turn);
    }
}

/* Checks that all keys have the value of turn 0, except for `changed`, which has that of turn 1. */
static void check_object(rcuinfo_t object, unsigned changed)
{
    int nkeys = 0;
    must(rcuinfo_get_nkeys(object, &nkeys), "nkeys");
    if (nkeys != (int)load.keys)
        bench_die("an object is not what it should be: %d pairs, expected %u", nkeys, load.keys);
    for (unsigned key = 0; key < load.keys; key++)
        workload_check(&load, &peer_store, object, key, key == changed);
}

/* Measures the shape of `load`, in a process of its own. */
static void measure(struct footprint *out)
{
    rcuinfo_t *object = bench_memory(2 * OBJECTS_MAX * sizeof *object), *dup = object + OBJECTS_MAX;
    out->slot = grow_slots();
    for (unsigned key = 0; key < load.keys; key++)
        out->strings += (double)(strlen(load.key[key]) + load.value_bytes);

    rcuinfo_t warm = grow_object(); /* fills the caches of malloc, which then do not grow */
    heat_object(warm);
    must(rcuinfo_free(&warm), "free");
    rcuinfo_store_drain();
    unsigned n = how_many(out->strings + SLOT_BYTES);
    size_t before = bench_heap();
    for (unsigned i = 0; i < n; i++)
        object[i] = grow_object();
    out->object = out->slot + grown_each(before, n);
    for (unsigned i = 0; i < n; i++)
        heat_object(object[i]);
    out->hot = out->slot + grown_each(before, n);
    out->objects = n;

    unsigned dups = how_many(out->object);
    before = bench_heap();
    for (unsigned i = 0; i < dups; i++)
        must(rcuinfo_dup(object[0], &dup[i]), "dup");
    out->dup = out->slot + grown_each(before, dups);
    for (unsigned i = 0; i < dups; i++)
        workload_set(&load, &peer_store, dup[i], i % load.keys, 1);
    out->dup_set = out->slot + grown_each(before, dups);

    for (unsigned i = 0; i < n; i++)
        check_object(object[i], load.keys);
    for (unsigned i = 0; i < dups; i++)
        check_object(dup[i], i % load.keys);
}

/* Measures and reports one shape. Ends the program if the measuring process fails, which has printed the reason. */
static void bench_objects(unsigned keys, unsigned value_bytes)
{
    int status = 0;
    struct footprint *f = mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED)
        bench_die("out of memory");

    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        bench_die("cannot fork: %s", strerror(errno));
    if (child == 0) {
        load = workload_make(keys, value_bytes);
        measure(f);
        _Exit(0);
    }
    if (waitpid(child, &status, 0) < 0 || status != 0)
        bench_die("the measuring process failed (wait status %#x)", (unsigned)status);

    report_row(json_pack("{s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "keys", keys, "value_bytes", value_bytes,
                         "objects", f->objects, "bytes_per_object", f->object, "strings_per_object", f->strings,
                         "over_per_pair", (f->object - f->strings) / keys, "hot_over_per_pair",
                         (f->hot - f->strings) / keys, "bytes_per_dup", f->dup, "bytes_per_dup_set", f->dup_set,
                         "bytes_per_slot", f->slot));
    munmap(f, sizeof *f);
}

static void bench_all(void)
{
    for (size_t v = 0; v < all_values.n; v++) {
        for (size_t k = 0; k < all_keys.n; k++)
            bench_objects(all_keys.at[k], all_values.at[v]);
    }
}

int main(int argc, char **argv)
{
    const struct program program = {
        "bench_memory",
        "Heap bytes of each object and dup, including its slot and the overhead of malloc; and the bytes of each pair\n"
        "beyond its strings, if all keys were set once (target for 16 keys with values of 24 bytes: 45) and if the\n"
        "object is hot, i.e. was overridden many times (100).\n",
        {
            {OPTION_KEYS, &all_keys},
            {"values", OPTION_LIST, WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1, "lengths of values", &all_values},
            {"mib", OPTION_NUMBER, 1, 65536, "MiB to fill with objects of each shape", &mebibytes},
        },
        .has_peers = false,
    };
    return report_main(&program, argc, argv, bench_all);
}
