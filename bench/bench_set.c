/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_set: what one set costs to a thread that is alone: a new value for a key that is there, and a new key.
 *
 * Overrides come in random order. Insertions take an object from half of its keys to all of them, so that a table that
 * doubles now and then does it once; small objects are made many at a time. A measurement ends with its time or, when
 * keys are inserted, with the last one. In each round every peer is measured once, on new objects, in an order that
 * moves on from round to round; afterwards everything that was set is read back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "options.h"
#include "peers.h"
#include "report.h"
#include "workload.h"

#define BATCH       64   /* sets between two looks at the clock */
#define INSERTIONS  2048 /* in a measurement, where the objects are small */
#define OBJECTS_MAX 256

struct options {
    struct bench_list keys;
    unsigned value_bytes;
    unsigned milliseconds;
    unsigned repeats;
    struct peer_list peers;
};

/* The repeats of one number of keys and one kind of set. */
struct cell {
    const struct options *options;
    const struct workload *load;
    const uint32_t *schedule;
    size_t mask;
    uint64_t duration;
    rows_values ns;
};

/* Goes on with set `from` of the schedule until the time is over; where it has come to, and in *elapsed after how long.
 */
static size_t override_for(const struct cell *cell, const struct peer *peer, rcuinfo_t object, size_t from,
                           uint64_t duration, uint64_t *elapsed)
{
    size_t at = from;
    uint64_t start = bench_now();
    do {
        for (size_t end = at + BATCH; at < end; at++)
            workload_set(cell->load, peer, object, workload_key_of(cell->schedule[at & cell->mask]), (unsigned)at);
        *elapsed = bench_now() - start;
    } while (*elapsed < duration);
    return at;
}

/* After `sets` sets in the order of the schedule each key has the value of its last one. */
static void check_overrides(const struct cell *cell, const struct peer *peer, rcuinfo_t object, size_t sets)
{
    unsigned *last = bench_memory(cell->load->keys * sizeof *last); /* 0: the value that it was filled with */
    size_t first = sets > cell->mask ? sets - cell->mask - 1 : 0;   /* from here on all of the schedule is there */
    for (size_t at = first; at < sets; at++)
        last[workload_key_of(cell->schedule[at & cell->mask])] = (unsigned)(at % WORKLOAD_VARIANTS);
    for (unsigned key = 0; key < cell->load->keys; key++)
        workload_check(cell->load, peer, object, key, last[key]);
    free(last);
}

static void measure_override(void *context, size_t p, unsigned round)
{
    struct cell *cell = context;
    const struct peer *peer = cell->options->peers.at[p];
    uint64_t elapsed;
    rcuinfo_t object = workload_fill(cell->load, peer, cell->load->keys);
    size_t first = override_for(cell, peer, object, 0, cell->duration / 8, &elapsed); /* warm-up */
    size_t end = override_for(cell, peer, object, first, cell->duration, &elapsed);
    check_overrides(cell, peer, object, end);
    workload_empty(peer, &object);
    cell->ns[p][round] = (double)elapsed / (double)(end - first);
}

/* Puts the keys from `half` on into one object after the other until the time is over; how many. */
static size_t insert_for(const struct cell *cell, const struct peer *peer, const rcuinfo_t *objects, size_t n,
                         uint64_t *elapsed)
{
    unsigned half = cell->load->keys / 2, each = cell->load->keys - half;
    size_t inserted = 0;
    uint64_t start = bench_now();
    do {
        for (size_t end = inserted + BATCH; inserted < end && inserted < n * each; inserted++) {
            unsigned key = half + (unsigned)(inserted % each);
            workload_set(cell->load, peer, objects[inserted / each], key, (unsigned)inserted);
        }
        *elapsed = bench_now() - start;
    } while (inserted < n * each && *elapsed < cell->duration);
    return inserted;
}

static void check_insertions(const struct cell *cell, const struct peer *peer, const rcuinfo_t *objects, size_t n,
                             size_t inserted)
{
    unsigned half = cell->load->keys / 2, each = cell->load->keys - half;
    for (size_t i = 0; i < n; i++) {
        for (unsigned key = 0; key < half; key++)
            workload_check(cell->load, peer, objects[i], key, 0);
    }
    for (size_t i = 0; i < inserted; i++)
        workload_check(cell->load, peer, objects[i / each], half + (unsigned)(i % each), (unsigned)i);
}

static void measure_insert(void *context, size_t p, unsigned round)
{
    struct cell *cell = context;
    const struct peer *peer = cell->options->peers.at[p];
    unsigned half = cell->load->keys / 2;
    size_t n = INSERTIONS / (cell->load->keys - half);
    rcuinfo_t objects[OBJECTS_MAX];
    uint64_t elapsed;
    n = n < 1 ? 1 : n > OBJECTS_MAX ? OBJECTS_MAX : n;
    for (size_t i = 0; i < n; i++)
        objects[i] = workload_fill(cell->load, peer, half);
    size_t inserted = insert_for(cell, peer, objects, n, &elapsed);
    check_insertions(cell, peer, objects, n, inserted);
    for (size_t i = 0; i < n; i++)
        workload_empty(peer, &objects[i]);
    cell->ns[p][round] = (double)elapsed / (double)inserted;
}

static const struct {
    const char *name;
    void (*measure)(void *context, size_t p, unsigned round);
} WORK[] = {{"override", measure_override}, {"insert", measure_insert}};
#define WORKS (sizeof WORK / sizeof WORK[0])

#define FIELDS 2

static void bench_cell(const struct options *options, struct report *report, const struct workload *load, size_t work)
{
    static struct cell cell;
    uint32_t *schedule =
        workload_schedule(load, (struct workload_mix){.sets = 100, .objects = 1}, load->keys, &cell.mask);
    cell.options = options;
    cell.load = load;
    cell.schedule = schedule;
    cell.duration = (uint64_t)options->milliseconds * 1000000;
    bench_rounds(options->peers.n, 1, WORK[work].measure, &cell); /* does not count: caches, clock speed, page faults */
    bench_rounds(options->peers.n, options->repeats, WORK[work].measure, &cell);
    const struct rows_field fields[FIELDS] = {{"keys", load->keys, NULL}, {"work", 0, WORK[work].name}};
    rows_times(report, fields, FIELDS, &options->peers, cell.ns, options->repeats, "ns_per_set");
    free(schedule);
}

static void bench_all(const struct options *options, struct report *report)
{
    const struct rows_field names[FIELDS] = {{"keys", 0, NULL}, {"work", 0, NULL}};
    size_t done = 0, cells = options->keys.n * WORKS;
    uint64_t start = bench_now();
    printf(
        "\n# ns per set, one thread, min / median / max of %u rounds of at most %u ms; values of %u bytes, read back\n"
        "# override: keys in random order; insert: new keys, from half of the keys to all of them\n"
        "# last column: time of " PEER_STORE " / of the peer, median (min to max) of the rounds' ratios\n",
        options->repeats, options->milliseconds, options->value_bytes);
    rows_head(names, FIELDS, "ns_per_set, " PEER_STORE " / peer");
    for (size_t k = 0; k < options->keys.n; k++) {
        struct workload load = workload_make(options->keys.at[k], options->value_bytes);
        for (size_t work = 0; work < WORKS; work++) {
            char what[64];
            snprintf(what, sizeof what, "keys %u, %s", load.keys, WORK[work].name);
            bench_progress(start, done++, cells, what);
            bench_cell(options, report, &load, work);
        }
        workload_unmake(&load);
    }
}

int main(int argc, char **argv)
{
    struct options options = {.keys = {7, {1, 4, 16, 128, 1024, 8192, 65536}},
                              .value_bytes = 24,
                              .milliseconds = 8,
                              .repeats = 11,
                              .peers = peers_all()};
    const struct option_row rows[] = {
        OPTION_KEYS(&options.keys),       OPTION_VALUE(&options.value_bytes), OPTION_MS(&options.milliseconds),
        OPTION_REPEATS(&options.repeats), OPTION_PEERS_OF(&options.peers),
    };
    struct program program = {
        "bench_set",
        "What one set costs to a lone thread: the store beside the same table behind locks and alone, which\n"
        "override in place, and beside other tables.\n",
        rows,
        sizeof rows / sizeof rows[0],
        peers_help,
        NULL};
    options_read(&program, argc, argv);
    struct report report = report_open(&program);
    report_enter(&report, "rows", '[');
    bench_all(&options, &report);
    report_close(&report);
    return 0;
}
