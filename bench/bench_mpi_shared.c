/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Orders of bench_mpi_calls in which threads share one object: readers only get and writers only set, each as fast as
 * it can.
 *
 * The counts of all threads are read at two instants by one clock: a thread that is not on a processor meanwhile has
 * simply done nothing. Latencies are of every set from the first to the last, in a run of their own, for the clock that
 * is read between two sets would be measured with them.
 */
#include "bench_mpi_calls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "histogram.h"

#define BATCH 16 /* calls between two looks at the stop flag */

/* A thread's number of calls; written by that thread alone. */
struct count {
    _Alignas(BENCH_APART) _Atomic uint64_t calls;
};

struct shared {
    const struct load *load;
    const struct mpi_order *order;
    double gets_per_us;
    double sets_per_us;
    struct histogram *latency; /* of the first writer; NULL: not measured */
    _Alignas(BENCH_APART) atomic_bool stop;
    struct count count[BENCH_THREAD_MAX]; /* the readers' first */
};

static void read_many(const struct load *load, size_t at)
{
    _Alignas(BENCH_APART) char value[BENCH_APART];
    for (size_t end = at + BATCH; at < end; at++)
        calls_get(load, load->info, calls_key(load, at), value);
}

static void write_many(const struct load *load, size_t at, struct histogram *latency)
{
    uint64_t before = latency ? bench_now() : 0;
    for (size_t end = at + BATCH; at < end; at++) {
        calls_set(load, load->info, calls_key(load, at), at);
        if (latency) {
            uint64_t now = bench_now();
            histogram_add(latency, now - before);
            before = now;
        }
    }
}

static void body(void *context, unsigned index)
{
    struct shared *shared = context;
    uint64_t calls = 0;
    size_t at = (size_t)index * 1031; /* threads do not go through the keys in step */
    bool reader = index < shared->order->readers;
    struct histogram *latency = index == shared->order->readers ? shared->latency : NULL;
    while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
        if (reader)
            read_many(shared->load, at + calls);
        else
            write_many(shared->load, at + calls, latency);
        calls += BATCH;
        atomic_store_explicit(&shared->count[index].calls, calls, memory_order_relaxed);
    }
}

/* The calls so far of threads from `first` to before `end`. */
static uint64_t calls_of(struct shared *shared, unsigned first, unsigned end)
{
    uint64_t sum = 0;
    for (unsigned i = first; i < end; i++)
        sum += atomic_load_explicit(&shared->count[i].calls, memory_order_relaxed);
    return sum;
}

static void conduct(void *context)
{
    struct shared *shared = context;
    unsigned readers = shared->order->readers, all = readers + shared->order->writers;
    bench_sleep_until(bench_now() + shared->order->nanoseconds / 10); /* warm-up */
    uint64_t start = bench_now(), gets = calls_of(shared, 0, readers), sets = calls_of(shared, readers, all);
    bench_sleep_until(start + shared->order->nanoseconds);
    double us = (double)(bench_now() - start) / 1000;
    shared->gets_per_us = (double)(calls_of(shared, 0, readers) - gets) / us;
    shared->sets_per_us = (double)(calls_of(shared, readers, all) - sets) / us;
    atomic_store_explicit(&shared->stop, true, memory_order_relaxed);
}

struct mpi_result calls_shared(const struct load *load, const struct mpi_order *order)
{
    static const double quantiles[] = MPI_WORK_QUANTILES;
    struct mpi_result result = {{0}};
    struct shared *shared = bench_memory(sizeof *shared);
    shared->load = load;
    shared->order = order;
    if (order->work == MPI_WORK_LATENCY)
        shared->latency = bench_memory(sizeof *shared->latency);
    bench_threads(order->readers + order->writers, body, conduct, shared);
    result.value[MPI_WORK_GETS] = shared->gets_per_us;
    result.value[MPI_WORK_SETS] = shared->sets_per_us;
    result.value[MPI_WORK_BOTH] = shared->gets_per_us + shared->sets_per_us;
    if (shared->latency) {
        for (unsigned i = 0; i < MPI_WORK_VALUES - 1; i++)
            result.value[i] = (double)histogram_percentile(shared->latency, quantiles[i]) / 1000;
        result.value[MPI_WORK_VALUES - 1] = (double)shared->latency->max / 1000;
    }
    free(shared->latency);
    free(shared);
    return result;
}
