/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_memory: what memory objects of one shape take, and dups of them.
 *
 * Each shape is measured in a process of its own, so that it meets no heap, slots or pools that another one has left;
 * once, since it comes out the same each time. Slots are grown beforehand and counted by themselves, since they come
 * many at a time; the rest is the difference that as many objects make as fit into a given amount of memory, after a
 * drain.
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

#include "harness.h"
#include "options.h"
#include "report.h"
#include "workload.h"

#define SLOTS       32768 /* a multiple of what a chunk has */
#define SLOT_BYTES  128   /* about; for the budget only */
#define OBJECTS_MAX 4096
#define HOT_SETS    64 /* of an object at least until it is hot; of each of its keys at least 8 */

static struct bench_list all_keys = {7, {1, 4, 16, 128, 1024, 8192, 65536}}, all_values = {3, {16, 24, 200}};
static unsigned mebibytes = 32; /* so much is filled with objects of each shape, and then with dups that are set */

static struct workload load;

struct footprint {
    double objects; /* how many were measured */
    double strings; /* of all keys and values of one object, without their NULs */
    double slot;    /* bytes of malloc's that one takes, its overhead included */
    double object;  /* the slot included, here and below; each key was set once */
    double hot;     /* the same objects after each of their keys was overridden many times */
    double dup;
    double dup_set; /* a dup in which one value was set */
};

/* Bytes a slot; makes enough of them that nothing below needs a new one. */
static double grow_slots(void)
{
    rcuinfo_t *object = bench_memory(SLOTS * sizeof *object), first;
    must(rcuinfo_create(&first), "create"); /* its chunk has less room than the rest of the last one will have */
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

/* Bytes that `n` more of something took each, the slot apart. */
static double grown_each(size_t before, unsigned n)
{
    rcuinfo_store_drain();
    return ((double)bench_heap() - (double)before) / n;
}

/* An object with all keys, each of which was set once, as programs fill them. */
static rcuinfo_t grow_object(void)
{
    rcuinfo_t object = RCUINFO_NULL;
    must(rcuinfo_create(&object), "create");
    for (unsigned key = 0; key < load.keys; key++)
        workload_set(&load, &peer_store, object, key, 0);
    return object;
}

/* Overrides each key many times; at last with the value of turn 0. */
static void heat_object(rcuinfo_t object)
{
    unsigned turns = (HOT_SETS / load.keys + 8) / WORKLOAD_VARIANTS * WORKLOAD_VARIANTS;
    for (unsigned turn = 1; turn <= turns; turn++) {
        for (unsigned key = 0; key < load.keys; key++)
            workload_set(&load, &peer_store, object, key, turn);
    }
}

/* All keys have the value of turn 0, but for `changed`, which has that of turn 1. */
static void check_object(rcuinfo_t object, unsigned changed)
{
    int nkeys = 0;
    must(rcuinfo_get_nkeys(object, &nkeys), "nkeys");
    if (nkeys != (int)load.keys)
        bench_die("an object is not what it should be: %d pairs, not %u", nkeys, load.keys);
    for (unsigned key = 0; key < load.keys; key++)
        workload_check(&load, &peer_store, object, key, key == changed);
}

/* In a process of its own, for its shape is that of `load`. */
static void measure(struct footprint *out)
{
    rcuinfo_t *object = bench_memory(2 * OBJECTS_MAX * sizeof *object), *dup = object + OBJECTS_MAX;
    out->slot = grow_slots();
    for (unsigned key = 0; key < load.keys; key++)
        out->strings += (double)(strlen(load.key[key]) + load.value_bytes);

    rcuinfo_t warm = grow_object(); /* what malloc keeps for this thread, it keeps from here on */
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

/* Ends the program when the process that measures fails, which has said why. */
static void bench_objects(struct report *report, unsigned keys, unsigned value_bytes)
{
    int status = 0;
    struct footprint *f = mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED)
        bench_die("no memory");
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
        bench_die("a process that measured has failed (wait status %d)", status);
    report_enter(report, NULL, '{');
    report_number(report, "keys", keys);
    report_number(report, "value_bytes", value_bytes);
    report_number(report, "objects", f->objects);
    report_number(report, "bytes_per_object", f->object);
    report_number(report, "strings_per_object", f->strings);
    report_number(report, "over_per_pair", (f->object - f->strings) / keys);
    report_number(report, "hot_over_per_pair", (f->hot - f->strings) / keys);
    report_number(report, "bytes_per_dup", f->dup);
    report_number(report, "bytes_per_dup_set", f->dup_set);
    report_number(report, "bytes_per_slot", f->slot);
    report_leave(report);
    munmap(f, sizeof *f);
}

static void bench_all(struct report *report)
{
    for (size_t v = 0; v < all_values.n; v++) {
        for (size_t k = 0; k < all_keys.n; k++)
            bench_objects(report, all_keys.at[k], all_values.at[v]);
    }
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {OPTION_KEYS, &all_keys},
        {"values", OPTION_LIST, WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1, "lengths of values", &all_values},
        {"mib", OPTION_NUMBER, 1, 65536, "MiB to fill with objects of each shape", &mebibytes},
    };
    struct program program = {
        "bench_memory",
        "Bytes of malloc's, its overhead included, of each object, its slot among them, and dup; and over the\n"
        "strings, of each pair when all were set once (target at 16 keys, values of 24: 45) and when hot, overridden\n"
        "many times (100).\n",
        PROGRAM_OPTIONS(rows), NO_OPERATIONS, NULL};
    return report_main(&program, argc, argv, bench_all);
}
