/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_table: the time of single-threaded calls: gets of existing and missing keys, sets of existing and new keys; and
 * the share of protection in it. The lower limit is the same table without protection.
 *
 * Each get is checked. Overrides are in random order; afterwards all values are read back. Insertions fill an object
 * from half of its keys to all of them, so that a table that doubles its size does so once. Of small objects, many are
 * filled in one measurement.
 */
#include <stdlib.h>

#include "cells.h"
#include "workload.h"

#define BATCH       64   /* insertions between two readings of the clock */
#define INSERTIONS  2048 /* in a measurement with small objects */
#define OBJECTS_MAX 256

static struct bench_list all_keys = {7, {1, 4, 16, 128, 1024, 8192, 65536}}, all_misses = {2, {0, 100}};
static unsigned milliseconds = 8, repeats = 15;

static struct workload load;

/* What one cell measures. */
struct plan {
    const struct call *call;
    const struct peer *peer;
    const uint32_t *schedule;
    size_t mask;
    unsigned each; /* insertions into one object */
    uint64_t nanoseconds;
    size_t done; /* number of sets */
    size_t objects;
    rcuinfo_t object[OBJECTS_MAX];
};

/* Not inlined, so that the warm-up and all peers run the same loop at the same address. */
static __attribute__((noinline, aligned(64))) void get_many(const struct plan *plan, size_t calls)
{
    _Alignas(BENCH_APART) char value[RCUINFO_MAX_VALUE];
    for (size_t at = 0; at < calls; at++) {
        uint32_t operation = plan->schedule[at & plan->mask];
        if (operation & WORKLOAD_MISS)
            workload_miss(&load, plan->peer, plan->object[0], workload_key_of(operation), value);
        else
            workload_get(&load, plan->peer, plan->object[0], workload_key_of(operation), value);
    }
}

static void get_work(struct cell *cell, unsigned index, bool warm_up)
{
    (void)index;
    get_many(cell->mine, cell_calls(cell, warm_up));
}

static void override_work(struct cell *cell, unsigned index, bool warm_up)
{
    struct plan *plan = cell->mine;
    (void)index;
    for (size_t end = plan->done + cell_calls(cell, warm_up); plan->done < end; plan->done++)
        workload_set(&load, plan->peer, plan->object[0], workload_key_of(plan->schedule[plan->done & plan->mask]),
                     (unsigned)plan->done);
}

/* Checks that after `done` sets in the order of the schedule each key has the value set last. */
static void override_check(const struct plan *plan)
{
    unsigned *last = bench_memory(load.keys * sizeof *last); /* 0: the initial value */
    size_t first =
        plan->done > plan->mask ? plan->done - plan->mask - 1 : 0; /* begins the last pass over the schedule */
    for (size_t at = first; at < plan->done; at++)
        last[workload_key_of(plan->schedule[at & plan->mask])] = (unsigned)(at % WORKLOAD_VARIANTS);
    for (unsigned key = 0; key < load.keys; key++)
        workload_check(&load, plan->peer, plan->object[0], key, last[key]);
    free(last);
}

/* The key of insertion `at`: the objects get the second half of the keys, one object after the other. */
static unsigned inserted_key(const struct plan *plan, size_t at)
{
    return load.keys - plan->each + (unsigned)(at % plan->each);
}

/* Inserts until the time is over or all keys are set. There is no warm-up, which would use up the keys. */
static void insert_work(struct cell *cell, unsigned index, bool warm_up)
{
    struct plan *plan = cell->mine;
    uint64_t start = bench_now();
    (void)index;
    if (warm_up)
        return;
    while (plan->done < cell->calls && bench_now() - start < plan->nanoseconds) {
        size_t end = plan->done + BATCH < cell->calls ? plan->done + BATCH : cell->calls;
        for (; plan->done < end; plan->done++)
            workload_set(&load, plan->peer, plan->object[plan->done / plan->each], inserted_key(plan, plan->done),
                         (unsigned)plan->done);
    }
    cell->calls = (unsigned)plan->done;
}

static void insert_check(const struct plan *plan)
{
    for (size_t i = 0; i < plan->objects; i++) {
        for (unsigned key = 0; key < load.keys - plan->each; key++)
            workload_check(&load, plan->peer, plan->object[i], key, 0);
    }
    for (size_t at = 0; at < plan->done; at++)
        workload_check(&load, plan->peer, plan->object[at / plan->each], inserted_key(plan, at), (unsigned)at);
}

static const struct call {
    const char *name;
    void (*work)(struct cell *cell, unsigned index, bool warm_up);
    void (*check)(const struct plan *plan); /* after the measurement, unless NULL */
} GET = {"get", get_work, NULL}, OVERRIDE = {"override", override_work, override_check},
  INSERT = {"insert", insert_work, insert_check};

static void begin(struct cell *cell)
{
    struct plan *plan = cell->mine;
    plan->done = 0;
    plan->objects = plan->each ? cell->most / plan->each : 1;
    for (size_t i = 0; i < plan->objects; i++)
        plan->object[i] = workload_fill(&load, plan->peer, load.keys - plan->each);
}

static void end(struct cell *cell)
{
    struct plan *plan = cell->mine;
    if (plan->call->check)
        plan->call->check(plan);
    for (size_t i = 0; i < plan->objects; i++)
        workload_empty(plan->peer, &plan->object[i]);
}

/* Measures all peers with one kind of call and one number of keys. */
static void bench_peers(const struct call *call, unsigned misses)
{
    static struct cell cells[PEER_MAX];
    static struct plan plans[PEER_MAX];
    const struct peer_list peers = peers_all(false);
    size_t mask;
    struct workload_mix mix = {.sets = call == &GET ? 0 : 100, .misses = misses, .objects = 1};
    uint32_t *schedule = workload_schedule(&load, mix, load.keys, &mask);
    unsigned each = call == &INSERT ? load.keys - load.keys / 2 : 0;
    unsigned objects = each && each < INSERTIONS ? INSERTIONS / each : 1;

    for (size_t p = 0; p < peers.n; p++) {
        plans[p] = (struct plan){.call = call,
                                 .peer = peers.at[p],
                                 .schedule = schedule,
                                 .mask = mask,
                                 .each = each,
                                 .nanoseconds = (uint64_t)milliseconds * 1000000};
        cells[p] = (struct cell){.row = json_pack("{s:i, s:i, s:s, s:i, s:s}", "threads", 1, "keys", load.keys, "call",
                                                  call->name, "misses_percent", misses, "peer", peers.at[p]->name),
                                 .ratio = {p != peers.store ? &cells[peers.store] : NULL, &cells[p]},
                                 .threads = 1,
                                 .work = call->work,
                                 .begin = begin,
                                 .end = end,
                                 .mine = &plans[p],
                                 .most = each * (objects < OBJECTS_MAX ? objects : OBJECTS_MAX)};
    }

    cells_run(cells, peers.n, milliseconds, repeats);
    free(schedule);
}

static void bench_all(void)
{
    for (size_t k = 0; k < all_keys.n; k++) {
        load = workload_make(all_keys.at[k], WORKLOAD_VALUE);
        for (size_t m = 0; m < all_misses.n; m++)
            bench_peers(&GET, all_misses.at[m]);
        bench_peers(&OVERRIDE, 0);
        bench_peers(&INSERT, 0);
        workload_unmake(&load);
    }
}

int main(int argc, char **argv)
{
    const struct program program = {
        "bench_table",
        "Time of one get and one set: the store compared with its table behind locks and without protection, which\n"
        "override in place, and with other tables. override: keys in random order; insert: the second half of the\n"
        "keys.\n",
        {
            {OPTION_KEYS, &all_keys},
            {"misses", OPTION_LIST, 0, 100, "percentage of gets of a missing key", &all_misses},
            {OPTION_MS, &milliseconds},
            {OPTION_REPEATS, &repeats},
        },
        .has_peers = true,
    };
    return report_main(&program, argc, argv, bench_all);
}
