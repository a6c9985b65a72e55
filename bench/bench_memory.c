/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_memory: what memory the store takes.
 *
 * Bytes are malloc's: what is in use, its overhead included, after less before. Each measurement is made in a process
 * of its own, so that none meets the heap, the slots, the pools or the counters that another one has left: objects
 * once, since it comes out the same each time; storms in rounds, in an order that moves on from round to round.
 *
 * A storm: threads that set and get as fast as they can, and what memory the store holds meanwhile and afterwards.
 * Readers may hold snapshots open: each keeps so many, and closes its oldest for each new one.
 *
 * For the bytes of objects of one shape, and of dups of them, slots are grown beforehand, and counted by themselves,
 * since they come many at a time; the rest is the difference that as many objects make as fit into a given amount of
 * memory, after a drain.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rcuinfo/info.h>
#include <rcuinfo/snapshot.h>
#include <rcuinfo/store.h>

#include "harness.h"
#include "options.h"
#include "report.h"
#include "workload.h"

#define KIB               1024.0
#define SLOTS             32768 /* a multiple of what a chunk has */
#define SLOT_BYTES        128   /* about; for the budget only */
#define OBJECTS_MAX       4096
#define BATCH             16 /* operations between two looks at the stop flag; gets between two snapshots */
#define STORM_VALUE_BYTES 24
#define HOT_SETS          64 /* of an object at least until it is hot; of each of its keys at least 8 */

/* There when the program was built with a sanitizer, which has a malloc of its own. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/*
 * Bytes in use: every block with malloc's own overhead, and mapped ones in whole pages. malloc counts what it keeps for
 * a thread as in use. With a sanitizer, the bytes that were asked of it.
 */
static size_t heap_in_use(void)
{
    if (__sanitizer_get_current_allocated_bytes)
        return __sanitizer_get_current_allocated_bytes();
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/*
 * Calls body(context, result) in a new process and copies the `bytes` bytes of its result, zeroed before, into *result.
 * Ends the program when that process fails, which has said why. Callers owe: no other thread.
 */
static void heap_child(void (*body)(const void *context, void *result), const void *context, void *result, size_t bytes)
{
    int status = 0;
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        bench_die("no memory for %zu bytes", bytes);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        bench_die("cannot fork: %s", strerror(errno));
    if (child == 0) {
        body(context, shared);
        _Exit(0);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        bench_die("a process that measured has failed (wait status %d)", status);
    memcpy(result, shared, bytes);
    munmap(shared, bytes);
}

/* What comes of a storm, in the order in which it is shown. Heap bytes are those in use over what was before the
 * objects were made. */
enum {
    FILLED,  /* with the objects */
    PEAK,    /* as the store counts it: what waited for a grace period, at most */
    STOPPED, /* heap when the threads are gone, snapshots still open */
    DRAINED, /* then after rcuinfo_store_drain */
    CLOSED,  /* then with the snapshots closed too, after one more drain */
    SETS,    /* a microsecond */
    GETS,
    GRACE_PERIODS,
    MEMBERS
};
static const struct {
    const char *name;
    double unit;
} MEMBER[MEMBERS] = {
    [FILLED] = {"filled_KiB", KIB},   [PEAK] = {"peak_retired_KiB", KIB},     [STOPPED] = {"stopped_KiB", KIB},
    [DRAINED] = {"drained_KiB", KIB}, [CLOSED] = {"closed_KiB", KIB},         [SETS] = {"sets_M_per_s", 1},
    [GETS] = {"gets_M_per_s", 1},     [GRACE_PERIODS] = {"grace_periods", 1},
};

static struct bench_list all_keys = {7, {1, 4, 16, 128, 1024, 8192, 65536}}, all_values = {3, {16, 24, 200}};
static struct bench_list storm_keys = {2, {16, 1024}};
static unsigned mebibytes = 32; /* so much is filled with objects of each shape, and then with dups that are set */
static unsigned readers, writers, objects = 16, held = 64, milliseconds = 200, repeats = 9;

/* Of the process that measures. */
static struct workload load;

struct shape {
    unsigned keys;
    unsigned value_bytes;
    unsigned held; /* snapshots a reader */
};

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

static unsigned how_many(double bytes_each)
{
    double many = mebibytes * (double)(1 << 20) / bytes_each;
    return many < 1 ? 1 : many < OBJECTS_MAX ? (unsigned)many : OBJECTS_MAX;
}

/* Bytes that `n` more of something took each, the slot apart. */
static double grown_each(size_t before, unsigned n)
{
    rcuinfo_store_drain();
    return ((double)heap_in_use() - (double)before) / n;
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

/* For heap_child. */
static void footprint_measure(const void *context, void *result)
{
    const struct shape *shape = context;
    struct footprint *out = result;
    rcuinfo_t *object = bench_memory(2 * OBJECTS_MAX * sizeof *object), *dup = object + OBJECTS_MAX;
    load = workload_make(shape->keys, shape->value_bytes);
    out->slot = grow_slots();
    for (unsigned key = 0; key < load.keys; key++)
        out->strings += (double)(strlen(load.key[key]) + load.value_bytes);

    rcuinfo_t warm = grow_object(); /* what malloc keeps for this thread, it keeps from here on */
    heat_object(warm);
    must(rcuinfo_free(&warm), "free");
    rcuinfo_store_drain();
    unsigned n = how_many(out->strings + SLOT_BYTES);
    size_t before = heap_in_use();
    for (unsigned i = 0; i < n; i++)
        object[i] = grow_object();
    out->object = out->slot + grown_each(before, n);
    for (unsigned i = 0; i < n; i++)
        heat_object(object[i]);
    out->hot = out->slot + grown_each(before, n);
    out->objects = n;

    unsigned dups = how_many(out->object);
    before = heap_in_use();
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

static void bench_objects(struct report *report, struct shape shape)
{
    struct footprint f;
    heap_child(footprint_measure, &shape, &f, sizeof f);
    report_enter(report, NULL, '{');
    report_text(report, "kind", "object");
    report_number(report, "keys", shape.keys);
    report_number(report, "value_bytes", shape.value_bytes);
    report_number(report, "objects", f.objects);
    report_number(report, "bytes_per_object", f.object);
    report_number(report, "strings_per_object", f.strings);
    report_number(report, "over_per_pair", (f.object - f.strings) / shape.keys);
    report_number(report, "hot_over_per_pair", (f.hot - f.strings) / shape.keys);
    report_number(report, "bytes_per_dup", f.dup);
    report_number(report, "bytes_per_dup_set", f.dup_set);
    report_number(report, "bytes_per_slot", f.slot);
    report_leave(report);
}

/* A storm, in the process that measures it; the writers are the first threads. */
static struct crowd crowd;
static rcuinfo_t *stormed;
static size_t mask;    /* of the schedules */
static unsigned holds; /* snapshots a reader */

/* A thread, and the snapshots that it has open; its own until it ends. */
static struct worker {
    _Alignas(BENCH_APART) uint32_t *schedule;
    const rcuinfo_snapshot_t **held;
    size_t opened;
} worker[BENCH_THREAD_MAX];

/* Whatever was written since, a snapshot has all pairs, in their order, whole. */
static void close_whole(const rcuinfo_snapshot_t *snapshot)
{
    rcuinfo_pair_t pair;
    bool good = rcuinfo_snapshot_count(snapshot) == load.keys;
    for (unsigned n = 0; good && n < load.keys; n++)
        good = rcuinfo_snapshot_nth(snapshot, n, &pair) == RCUINFO_SUCCESS && strcmp(pair.key, load.key[n]) == 0 &&
               pair.value_length == load.value_bytes && workload_whole(&load, pair.value, load.mask[n]);
    if (!good)
        bench_die("a snapshot is not what it should be");
    rcuinfo_snapshot_close(snapshot);
}

static void hold(struct worker *me, rcuinfo_t object)
{
    const rcuinfo_snapshot_t **place = &me->held[me->opened % holds];
    if (*place)
        close_whole(*place);
    must(rcuinfo_snapshot_open(object, place), "snapshot");
    me->opened++;
}

static void storm_body(void *context, unsigned index)
{
    _Alignas(BENCH_APART) char value[RCUINFO_MAX_VALUE];
    struct worker *me = &worker[index];
    bool writes = index < writers;
    uint64_t done = 0;
    (void)context;
    do {
        rcuinfo_t object = stormed[(done / BATCH + index) % objects];
        if (!writes && holds)
            hold(me, object);
        for (unsigned i = 0; i < BATCH; i++, done++) {
            unsigned key = me->schedule[done & mask];
            if (writes)
                workload_set(&load, &peer_store, object, key, (unsigned)done);
            else
                workload_get(&load, &peer_store, object, key, value);
        }
        crowd_count(&crowd, index, writes ? CROWD_SETS : CROWD_GETS, done);
    } while (crowd_phase(&crowd) != CROWD_STOP);
}

static void drain(void)
{
    if (rcuinfo_store_drain() != 0)
        bench_die("something still waits for a grace period after a drain that nobody disturbed");
}

/* Every object still has all its keys; every snapshot that is open is whole. */
static void check_and_close(void)
{
    char value[RCUINFO_MAX_VALUE];
    for (unsigned i = 0; i < objects; i++) {
        for (unsigned key = 0; key < load.keys; key++)
            workload_get(&load, &peer_store, stormed[i], key, value);
    }
    for (unsigned i = 0; i < crowd.threads; i++) {
        for (unsigned h = 0; h < holds; h++) {
            if (worker[i].held[h])
                close_whole(worker[i].held[h]);
        }
    }
}

/* For heap_child: result is the MEMBERS. */
static void storm_measure(const void *context, void *result)
{
    const struct shape *shape = context;
    double *out = result;
    rcuinfo_stats_t stats;
    load = workload_make(shape->keys, shape->value_bytes);
    holds = shape->held;
    stormed = bench_memory(objects * sizeof *stormed);
    crowd.threads = writers + readers;
    crowd.nanoseconds = (uint64_t)milliseconds * 1000000;
    for (unsigned i = 0; i < crowd.threads; i++) {
        worker[i].schedule = workload_schedule(&load, (struct workload_mix){.objects = 1}, i + 1, &mask);
        worker[i].held = bench_memory(holds * sizeof *worker[i].held);
    }
    double before = (double)heap_in_use();
    for (unsigned i = 0; i < objects; i++)
        stormed[i] = workload_fill(&load, &peer_store, load.keys);
    drain();
    out[FILLED] = (double)heap_in_use() - before;
    crowd_run(&crowd, storm_body);
    out[STOPPED] = (double)heap_in_use() - before;
    rcuinfo_store_stats(&stats);
    drain();
    out[DRAINED] = (double)heap_in_use() - before;
    check_and_close();
    drain();
    out[CLOSED] = (double)heap_in_use() - before;
    out[PEAK] = (double)stats.peak_retired;
    out[GRACE_PERIODS] = (double)stats.grace_periods;
    out[SETS] = crowd.per_us[CROWD_SETS];
    out[GETS] = crowd.per_us[CROWD_GETS];
}

/* One storm in all rounds. */
struct cell {
    struct shape shape;
    double member[MEMBERS][BENCH_REPEAT_MAX];
    const struct cell *none_held; /* the same without snapshots, unless this is it */
};

static void measure_storm(void *context, size_t which, unsigned round)
{
    struct cell *cell = (struct cell *)context + which;
    double result[MEMBERS];
    heap_child(storm_measure, &cell->shape, result, sizeof result);
    for (size_t m = 0; m < MEMBERS; m++)
        cell->member[m][round] = result[m] / MEMBER[m].unit;
}

static void report_storm(struct report *report, const struct cell *cell)
{
    report_enter(report, NULL, '{');
    report_text(report, "kind", "storm");
    report_number(report, "keys", cell->shape.keys);
    report_number(report, "value_bytes", cell->shape.value_bytes);
    report_number(report, "held", cell->shape.held);
    for (size_t m = 0; m < MEMBERS; m++)
        report_spread(report, MEMBER[m].name, bench_spread_of(cell->member[m], repeats));
    if (cell->none_held)
        report_spread(report, "ratio_peak_none_held",
                      bench_spread_of_ratios(cell->member[PEAK], cell->none_held->member[PEAK], repeats));
    report_leave(report);
}

static void bench_storms(struct report *report)
{
    size_t n = 0, kinds = held && readers ? 2 : 1;
    struct cell *cells = bench_memory(storm_keys.n * kinds * sizeof *cells);
    for (size_t k = 0; k < storm_keys.n; k++) {
        for (size_t kind = 0; kind < kinds; kind++, n++) {
            cells[n].shape = (struct shape){storm_keys.at[k], STORM_VALUE_BYTES, kind ? held : 0};
            cells[n].none_held = kind ? &cells[n - 1] : NULL;
        }
    }
    bench_rounds(n, repeats, measure_storm, cells);
    for (size_t i = 0; i < n; i++)
        report_storm(report, &cells[i]);
    free(cells);
}

static void bench_all(struct report *report)
{
    for (size_t v = 0; v < all_values.n; v++) {
        for (size_t k = 0; k < all_keys.n; k++)
            bench_objects(report, (struct shape){all_keys.at[k], all_values.at[v], 0});
    }
    bench_storms(report);
}

int main(int argc, char **argv)
{
    readers = writers = bench_cores() < BENCH_THREAD_MAX / 2 ? bench_cores() : BENCH_THREAD_MAX / 2;
    const struct option_row rows[] = {
        {OPTION_KEYS, &all_keys},
        {"values", OPTION_LIST, WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1, "lengths of values", &all_values},
        {"mib", OPTION_NUMBER, 1, 65536, "MiB to fill with objects of each shape", &mebibytes},
        {"storm-keys", OPTION_LIST, 1, WORKLOAD_KEY_MAX, "keys in an object of the storms", &storm_keys},
        {"writers", OPTION_NUMBER, 1, BENCH_THREAD_MAX / 2, "writers in a storm", &writers},
        {"readers", OPTION_NUMBER, 0, BENCH_THREAD_MAX / 2, "readers in a storm", &readers},
        {"objects", OPTION_NUMBER, 1, 65536, "objects of a storm", &objects},
        {"held", OPTION_NUMBER, 0, 65536, "snapshots that each reader holds open in half of the storms", &held},
        {OPTION_MS, &milliseconds},
        {OPTION_REPEATS, &repeats},
    };
    struct program program = {
        "bench_memory",
        "Bytes of malloc's, its overhead included, of each object, its slot among them, and dup; and over the strings, "
        "of\n"
        "each pair when all were set once, and hot, overridden many times (targets at 16 keys, values of 24: 45, "
        "100).\n"
        "In a storm, KiB over what was in use before: filled, with the objects; stopped, when the threads were gone;\n"
        "drained, after a drain; closed, after one without the snapshots; peak_retired, waiting for a grace period.\n",
        PROGRAM_OPTIONS(rows), NO_OPERATIONS, NULL};
    return report_main(&program, argc, argv, bench_all);
}
