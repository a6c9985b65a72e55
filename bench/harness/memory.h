/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory: how much of malloc's memory is in use, and processes to look at it in, so that no measurement meets the heap,
 * the slots, the pools or the counters that another one has left; and storms.
 *
 * A storm: threads that set and get as fast as they can, and what memory the store holds meanwhile and afterwards.
 * Readers may hold snapshots open: each keeps so many, and closes its oldest for each new one.
 */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stddef.h>

/*
 * Bytes in use: every block with malloc's own overhead, and mapped ones in whole pages. malloc counts what it keeps for
 * a thread as in use. With a sanitizer, the bytes that were asked of it.
 */
size_t heap_in_use(void);

/*
 * Calls body(context, result) in a new process and copies the `bytes` bytes of its result, zeroed before, into *result.
 * Ends the program when that process fails, which has said why. Callers owe: no other thread.
 */
void heap_child(void (*body)(const void *context, void *result), const void *context, void *result, size_t bytes);

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
