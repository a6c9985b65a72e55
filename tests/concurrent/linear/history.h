/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * history: records the operations of several threads on a few objects of the store. Objects, keys and values are small
 * numbers, so that states can be compared and hashed as bytes.
 *
 * A history consists of the initial contents of the objects and the operations. Each operation has arguments, a result
 * and two stamps, one taken before the call and one after it returned. All stamps are distinct. An operation that
 * returned before another was invoked precedes it; concurrent operations may take effect in any order.
 * The caller must use distinct values throughout a history, including its initial contents, so that the value that a
 * read returns identifies the write.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "stress/random.h"

enum {
    LINEAR_OPS = 32,       /* sets of operations are bits of a uint32_t */
    LINEAR_OBJECTS = 5,    /* of a history, those that it makes included */
    LINEAR_KEYS = 4,       /* of an object */
    LINEAR_VALUES = 128,   /* numbers 1 to 127; 0: no value, the key is not there */
    LINEAR_CHANGES = 3,    /* of an update */
    LINEAR_THREADS = 4,    /* numbers 0 to 3; operations of thread 4 are done when these have ended */
    LINEAR_GARBAGE = 0xff, /* a result that is no key, value or number of this history */
};

enum linear_kind {
    LINEAR_CREATE,
    LINEAR_DUP,
    LINEAR_FREE,
    LINEAR_UPDATE,
    LINEAR_OFFER, /* hint set: changes keys, makes no version; a lower value of the rising key is ignored */
    LINEAR_SET,   /* from here to get_string, an operation reads or changes only one key */
    LINEAR_DELETE,
    LINEAR_COMPARE_AND_SET,
    LINEAR_GET,
    LINEAR_VALUELEN,
    LINEAR_GET_STRING,
    LINEAR_NKEYS,
    LINEAR_NTHKEY,
    LINEAR_VERSION,
    LINEAR_SNAPSHOT,
};

enum linear_life { LINEAR_NOT_YET, LINEAR_LIVE, LINEAR_FREED };

struct linear_pair {
    uint8_t key;
    uint8_t value;
};

/* What is unused is 0, so that equal contents are equal bytes. */
struct linear_object {
    uint8_t life; /* enum linear_life */
    uint8_t version;
    uint8_t count;
    struct linear_pair pairs[LINEAR_KEYS];
};

struct linear_state {
    struct linear_object objects[LINEAR_OBJECTS];
    uint8_t unused; /* makes it a number of whole words */
};

_Static_assert(sizeof(struct linear_state) % sizeof(uint64_t) == 0, "hashed by words");
_Static_assert(sizeof(struct linear_state) == LINEAR_OBJECTS * (3 + 2 * LINEAR_KEYS) + 1,
               "no padding: compared as bytes");

struct linear_result {
    uint8_t status; /* rcuinfo_status_t; when it is no success the rest is 0, but for the index that update gives */
    uint8_t number; /* value, key, number of keys, version, swapped, or the index of the change that failed */
    struct linear_object contents; /* of a snapshot */
};

struct linear_op {
    enum linear_kind kind;
    uint8_t thread;
    uint8_t object;                             /* create: the object that is made */
    uint8_t target;                             /* dup: the object that is made */
    uint8_t nth;                                /* nthkey; offer: the key that may only rise, or none */
    uint8_t expected;                           /* compare-and-set; 0: the key must be absent */
    uint8_t changed;                            /* update, offer: how many changes */
    bool hold;                                  /* snapshot: keep it open, and check that it never changes */
    struct linear_pair changes[LINEAR_CHANGES]; /* value 0: delete. Operations on one key have it in the first */
    struct linear_result result;
    uint64_t invoked;
    uint64_t returned;
};

struct linear_history {
    struct linear_state initial;
    unsigned count;
    struct linear_op ops[LINEAR_OPS];
};

static inline bool linear_single_key(const struct linear_op *op)
{
    return op->kind >= LINEAR_SET && op->kind <= LINEAR_GET_STRING;
}

/* Prints the initial objects and the operations in `which`, in the order of invocation. Stamps are printed relative to
 * the first one. */
void linear_print(const struct linear_history *history, uint32_t which);

/* Returns the operations of the first part of the history that has no order; 0: it is linearizable. */
uint32_t linear_check(const struct linear_history *history);

/* The sequential specification: applies the operation to the state, and returns the result that it must have. */
struct linear_result linear_apply(struct linear_state *state, const struct linear_op *op);

/*
 * Generates a history without results and stamps: a random program for `threads` threads (2 to LINEAR_THREADS) that
 * depends only on the state of `random`. The operations of each thread are in program order. Those of thread
 * LINEAR_THREADS finally read all objects, which reveals lost updates.
 */
void linear_generate(struct linear_history *history, struct random *random, unsigned threads);
