/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * storm: threads that set and get as fast as they can, and what memory the store holds meanwhile and afterwards.
 * Readers may hold snapshots open: each keeps so many, and closes its oldest for each new one.
 */
#ifndef BENCH_STORM_H
#define BENCH_STORM_H

#include "workload.h"

struct storm {
    unsigned keys;
    unsigned value_bytes;
    unsigned objects;
    unsigned readers;
    unsigned writers;
    unsigned held; /* snapshots a reader */
    unsigned milliseconds;
};

/* Heap bytes are those in use over what was before the objects were made. */
struct storm_result {
    double filled;       /* with the objects */
    double peak_retired; /* as the store counts it: what waited for a grace period, at most */
    double stopped;      /* heap when the threads are gone, snapshots still open */
    double drained;      /* then after rcuinfo_store_drain */
    double closed;       /* then with the snapshots closed too, after one more drain */
    double grace_periods;
    double sets_per_us;
    double gets_per_us;
};

/* For heap_child: context is a struct storm, result a struct storm_result. */
void storm_run(const void *context, void *result);

#endif
