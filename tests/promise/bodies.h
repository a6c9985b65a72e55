/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bodies: loops of random calls. A body has a loop for each of its threads, of one to six steps; each thread repeats
 * its steps until all threads together have written BODY_BYTES. A step is a call, or some that belong together, on an
 * object of the thread's own, on one that all threads share, or on one that passes from thread to thread. What a step
 * keeps (a dup, a snapshot, a view) a later round of it gives back.
 *
 * A body follows from its seed. body_run serves one thread at a time, and once in a process: its peaks are those of the
 * process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "promise/bounds.h"
#include "support/scale.h"

enum { BODY_THREADS = 16, BODY_STEPS = 6, BODY_VIEWS = 3, BODY_KEYS = 64, BODY_KEPT = 4, BODY_HANDED = 4 };

/* If what a loop writes were never freed, this would be far more than the bounds allow. */
#define BODY_BYTES ((size_t)SCALED(256) << 20)

enum body_call {
    BODY_SET,
    BODY_DELETE,
    BODY_UPDATE,
    BODY_SWAP,
    BODY_READ,
    BODY_DUP,
    BODY_DUP_KEPT,
    BODY_RENEW,
    BODY_SNAPSHOT,
    BODY_SNAPSHOT_KEPT,
    BODY_VIEW,
    BODY_VIEW_KEPT,
    BODY_PACK,
    BODY_SAVE,
    BODY_ENV,
    BODY_DRAIN,
    BODY_SPLIT, /* from here on with hints */
    BODY_MERGE,
    BODY_HINTS,
    BODY_NEW_HINTS,
    BODY_CALLS
};

enum body_whose { BODY_OWN, BODY_SHARED, BODY_HANDED_ON };

struct body_step {
    enum body_call call;
    enum body_whose whose;
    unsigned times;  /* in a row, or nested */
    unsigned keys;   /* it uses, of BODY_KEYS */
    unsigned length; /* of values */
    bool exact;      /* all of this length; or of any up to that */
    bool more; /* also writes to what it has made, keeps it, dups or frees inside a view, renews beside snapshots */
};

struct body {
    uint64_t seed;
    unsigned threads;
    struct {
        unsigned count;
        struct body_step steps[BODY_STEPS];
    } loops[BODY_THREADS];
    unsigned held;   /* views of the shared object, open from the beginning to the end */
    unsigned rounds; /* after which a thread ends and another one goes on; 0: never */
    unsigned forks;  /* children; each goes on alone, with the loop of the thread that forked */
    enum { BODY_NO_SIGNALS, BODY_READS, BODY_FORKS } signals; /* what the handler of signals at any moment does */
};

/* `forks`: a body that forks. */
void body_make(struct body *body, uint64_t seed, bool forks);
void body_print(const struct body *body, FILE *file);

/* For the bounds on its memory. */
struct bounds_needs body_needs(const struct body *body);

struct body_peaks {
    size_t waiting, growth;
};

/* Runs the loops, writes the most that was seen, and checks that nothing stays. */
void body_run(const struct body *body, struct body_peaks *peaks);
