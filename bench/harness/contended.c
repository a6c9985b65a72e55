/* SPDX-License-Identifier: BSD-3-Clause */
/* contended: see contended.h. */
#include "contended.h"

#include <rcuinfo/store.h>

enum phase { WARM_UP, MEASURE, STOP };

/* Calls until the next one that is timed: `mean` on average, never in step with the schedule. */
static unsigned gap(unsigned mean, uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return 1 + *state % (2 * mean - 1);
}

static inline void perform(const struct contended *run, uint32_t operation, unsigned turn, char *value)
{
    rcuinfo_t object = run->objects[workload_object_of(operation)];
    if (operation & WORKLOAD_SET)
        workload_set(run->load, run->peer, object, workload_key_of(operation), turn);
    else
        workload_get(run->load, run->peer, object, workload_key_of(operation), value);
}

static __attribute__((noinline)) void perform_timed(const struct contended *run, uint32_t operation, unsigned turn,
                                                    char *value, struct histogram *latency)
{
    uint64_t start = bench_now();
    perform(run, operation, turn, value);
    histogram_add(latency, bench_now() - start);
}

static void body(void *context, unsigned index)
{
    _Alignas(BENCH_APART) char value[RCUINFO_MAX_VALUE];
    struct contended *run = context;
    struct contended_worker *worker = &run->workers[index];
    uint32_t state = index + 1;
    unsigned left[2] = {gap(CONTENDED_SAMPLE_GETS, &state), gap(CONTENDED_SAMPLE_SETS, &state)};
    uint64_t done[2] = {0, 0};
    for (int phase; (phase = atomic_load_explicit(&run->phase, memory_order_relaxed)) != STOP;) {
        uint32_t operation = worker->schedule[(done[0] + done[1]) & run->mask];
        unsigned set = operation / WORKLOAD_SET, turn = (unsigned)done[1] + index;
        if (phase != MEASURE || --left[set]) {
            perform(run, operation, turn, value);
        } else {
            perform_timed(run, operation, turn, value, set ? &worker->set_latency : &worker->get_latency);
            left[set] = gap(set ? CONTENDED_SAMPLE_SETS : CONTENDED_SAMPLE_GETS, &state);
        }
        atomic_store_explicit(set ? &worker->sets : &worker->gets, ++done[set], memory_order_relaxed);
    }
}

struct sample {
    uint64_t when;
    uint64_t gets;
    uint64_t sets;
    rcuinfo_stats_t stats;
};

static struct sample sample(const struct contended *run)
{
    struct sample now = {.when = bench_now()};
    for (unsigned i = 0; i < run->threads; i++) {
        now.gets += atomic_load_explicit(&run->workers[i].gets, memory_order_relaxed);
        now.sets += atomic_load_explicit(&run->workers[i].sets, memory_order_relaxed);
    }
    rcuinfo_store_stats(&now.stats);
    return now;
}

static void conduct(void *context)
{
    struct contended *run = context;
    bench_sleep_until(bench_now() + run->duration / 10); /* warm-up */
    atomic_store_explicit(&run->phase, MEASURE, memory_order_relaxed);
    struct sample before = sample(run);
    bench_sleep_until(before.when + run->duration);
    struct sample after = sample(run);
    atomic_store_explicit(&run->phase, STOP, memory_order_relaxed);
    double microseconds = (double)(after.when - before.when) / 1000;
    run->gets_per_us = (double)(after.gets - before.gets) / microseconds;
    run->sets_per_us = (double)(after.sets - before.sets) / microseconds;
    run->grace_periods = after.stats.grace_periods - before.stats.grace_periods;
}

void contended_run(struct contended *run)
{
    char value[RCUINFO_MAX_VALUE];
    for (unsigned i = 0; i < run->objects_n; i++)
        run->objects[i] = workload_fill(run->load, run->peer, run->load->keys);
    for (unsigned i = 0; i < run->threads; i++)
        run->workers[i] = (struct contended_worker){.schedule = run->workers[i].schedule};
    atomic_store(&run->phase, WARM_UP);
    bench_threads(run->threads, body, conduct, run);
    for (unsigned i = 0; i < run->objects_n; i++) {
        for (unsigned key = 0; key < run->load->keys; key++)
            workload_get(run->load, run->peer, run->objects[i], key, value);
        workload_empty(run->peer, &run->objects[i]);
    }
}
