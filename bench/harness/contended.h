/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * contended: threads that get and set for a while, each by a schedule of its own, and what came of it: how many calls
 * there were in a time, how long some of them took, and what the store had to do for it.
 *
 * The calls of all threads are read at two instants by one clock: a thread that is not on a processor meanwhile has
 * simply done nothing. Of the calls between these two instants about one in CONTENDED_SAMPLE_* is timed, at random
 * distances, so that the clock takes a few hundredths of the time.
 */
#ifndef BENCH_CONTENDED_H
#define BENCH_CONTENDED_H

#include <stdatomic.h>
#include <stdint.h>

#include "harness.h"
#include "histogram.h"
#include "peers.h"
#include "workload.h"

#define CONTENDED_SAMPLE_GETS 64
#define CONTENDED_SAMPLE_SETS 8

/* What a thread has done. The counts are written by that thread alone and read by the conductor. */
struct contended_worker {
    _Alignas(BENCH_APART) _Atomic uint64_t gets;
    _Atomic uint64_t sets;
    const uint32_t *schedule;
    struct histogram get_latency;
    struct histogram set_latency;
};

struct contended {
    const struct workload *load;
    const struct peer *peer;
    rcuinfo_t *objects;
    unsigned objects_n;
    unsigned threads;
    uint64_t duration;
    size_t mask;        /* of the schedules */
    double gets_per_us; /* the results: millions a second */
    double sets_per_us;
    uint64_t grace_periods;
    struct contended_worker *workers;
    _Alignas(BENCH_APART) atomic_int phase;
};

/* Fills the objects, lets the threads run, reads everything back, and frees the objects. The histograms of the workers
 * are those of this run alone. */
void contended_run(struct contended *run);

#endif
