/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * workload: keys, values from which one can tell whether they are whole and belong to the right key, and the order of
 * operations. All of it is made before the clock starts and is the same for every peer.
 *
 * Invariant of a value: the XOR of its first and last eight bytes is the mask of its key, which is unique. Only these
 * bytes are checked. If a peer copies with overlapping stores, loads in between would measure the processor's store
 * forwarding, not the get.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "peers.h"

#define WORKLOAD_KEY_MAX   65536
#define WORKLOAD_VALUE_MIN 16
#define WORKLOAD_VALUE     24 /* bytes of each value, if not said otherwise */
#define WORKLOAD_VARIANTS  4  /* the number of values of each key that are set in turn */

/* Options of programs that make a workload; see OPTION_MS. */
#define OPTION_KEYS    "keys", OPTION_LIST, 1, WORKLOAD_KEY_MAX, "number of keys in the object"
#define OPTION_THREADS "threads", OPTION_LIST, 1, BENCH_THREAD_MAX, "threads"

/* An operation is encoded as its kind, its object and its key. */
#define WORKLOAD_SET         0x80000000u
#define WORKLOAD_MISS        0x40000000u
#define WORKLOAD_OBJECT_BITS 14
#define WORKLOAD_OBJECT_MAX  (1 << WORKLOAD_OBJECT_BITS)
#define WORKLOAD_KEY_BITS    16

struct workload {
    unsigned keys;
    unsigned value_bytes;
    size_t value_stride;
    char (*key)[64];
    char (*absent)[64]; /* as many keys of the same lengths, never set */
    char *value;        /* WORKLOAD_VARIANTS for each key, of value_stride bytes */
    uint64_t *mask;
};

struct workload workload_make(unsigned keys, unsigned value_bytes);
void workload_unmake(struct workload *load);

/* The operations of a schedule: percentages of sets and misses, and the number of objects. */
struct workload_mix {
    unsigned sets;
    unsigned misses;
    unsigned objects;
};

/*
 * Makes operations in a pseudo-random order, with exact shares, for the caller to free. *mask becomes their number, a
 * power of two, minus 1.
 */
uint32_t *workload_schedule(const struct workload *load, struct workload_mix mix, uint64_t seed, size_t *mask);

/* Creates an object of the peer with the first `keys` keys. */
rcuinfo_t workload_fill(const struct workload *load, const struct peer *peer, unsigned keys);

/* Frees it. */
void workload_empty(const struct peer *peer, rcuinfo_t *object);

/* Checks that the key has the value of `turn`, in whole. */
void workload_check(const struct workload *load, const struct peer *peer, rcuinfo_t object, unsigned key,
                    unsigned turn);

/* Reports a get or set that failed, and ends the program with status 1. */
_Noreturn void workload_failed(const struct workload *load, const struct peer *peer, const char *call, unsigned key,
                               rcuinfo_status_t status);

static inline unsigned workload_key_of(uint32_t operation)
{
    return operation & ((1u << WORKLOAD_KEY_BITS) - 1);
}

static inline unsigned workload_object_of(uint32_t operation)
{
    return operation >> WORKLOAD_KEY_BITS & (WORKLOAD_OBJECT_MAX - 1);
}

static inline const char *workload_value(const struct workload *load, unsigned key, unsigned turn)
{
    return load->value + ((size_t)key * WORKLOAD_VARIANTS + turn % WORKLOAD_VARIANTS) * load->value_stride;
}

/* Whether a value is whole and belongs to the key with this mask. */
static inline bool workload_whole(const struct workload *load, const char *value, uint64_t mask)
{
    uint64_t first, last;
    memcpy(&first, value, sizeof first);
    memcpy(&last, value + load->value_bytes - sizeof last, sizeof last);
    return (first ^ last) == mask;
}

/* One get of a peer, with the same check of the value for all peers. `value` has value_bytes + 1 bytes. */
static inline void workload_get(const struct workload *load, const struct peer *peer, rcuinfo_t object, unsigned key,
                                char *value)
{
    int flag = 0;
    value[0] = '\0'; /* so the result of the last get cannot pass for that of this one */
    rcuinfo_status_t status = peer->get(object, load->key[key], (int)load->value_bytes, value, &flag);
    if (__builtin_expect(status != RCUINFO_SUCCESS || !flag || !workload_whole(load, value, load->mask[key]), 0))
        workload_failed(load, peer, "get", key, status);
}

/* One get of a missing key. */
static inline void workload_miss(const struct workload *load, const struct peer *peer, rcuinfo_t object, unsigned key,
                                 char *value)
{
    int flag = 1;
    rcuinfo_status_t status = peer->get(object, load->absent[key], (int)load->value_bytes, value, &flag);
    if (__builtin_expect(status != RCUINFO_SUCCESS || flag, 0))
        workload_failed(load, peer, "get of the absent counterpart", key, status);
}

static inline void workload_set(const struct workload *load, const struct peer *peer, rcuinfo_t object, unsigned key,
                                unsigned turn)
{
    rcuinfo_status_t status = peer->set(object, load->key[key], workload_value(load, key, turn));
    if (__builtin_expect(status != RCUINFO_SUCCESS, 0))
        workload_failed(load, peer, "set", key, status);
}
