/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perform: carries out programs on the store, with a team of threads that yield at the store's sync points, and writes
 * down results and stamps. Linked with the copy of the store that has sync points; defines rcuinfo__sync_point.
 *
 * A snapshot that is held is read again after each operation of its thread that follows, and when the objects are gone.
 * Where it does not say the same each time it says LINEAR_GARBAGE.
 *
 * Each history has objects of its own. perform_begin makes them; then every thread calls perform_thread; when all have
 * returned, perform_end does the operations of thread LINEAR_THREADS and frees the objects. Many histories may be on
 * the way at once.
 */
#ifndef TOOLS_LINEAR_PERFORM_H
#define TOOLS_LINEAR_PERFORM_H

#include <stdatomic.h>
#include <rcuinfo/rcuinfo.h>

#include "linear/history.h"
#include "support/random.h"

/* What objects have beside what a history says of them, so that one of the next changes may copy their block. */
struct fill {
    unsigned pairs; /* fixed ones, which come first; 0: nothing */
    unsigned bytes; /* of their values */
    unsigned sets;  /* of them */
    unsigned holes; /* pairs that were deleted again */
};

struct fill fill_any(struct random *random);

struct perform_object {
    _Atomic rcuinfo_t handle;       /* RCUINFO_NULL: not made (yet) */
    uint64_t version;               /* the store's number of the history's version 0; written before the handle */
    const _Atomic uint32_t *memory; /* of its block at the beginning */
};

struct perform {
    struct linear_history history;
    struct fill fill;    /* of all objects */
    atomic_uint missing; /* threads that have not come to the start yet */
    bool copied;         /* out: an object's block was copied */
    struct perform_object objects[LINEAR_OBJECTS];
    const rcuinfo_snapshot_t *held[LINEAR_OPS]; /* open snapshots, by operation: of its thread until all have ended */
};

/* The history's initial state becomes real. `threads` of them will come. */
void perform_begin(struct perform *perform, unsigned threads);

/* The part of one thread, which starts when all have come. `random` decides at which sync points it yields, and how. */
void perform_thread(struct perform *perform, unsigned thread, struct random *random);

/* Ends a history. Operations that could not be done because their object had not been made are taken out of it. */
void perform_end(struct perform *perform);

#endif
