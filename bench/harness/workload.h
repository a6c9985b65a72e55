/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * workload: keys, values that show by themselves whether they are whole and of the right key, and the order in which
 * the operations come. All of it is made before the clock starts and is the same for every peer.
 *
 * Invariant of a value: its first eight bytes and its last eight differ by the mask of its key, which no other key
 * has. Eight loaded bytes at each end are checked, never any between: where the copy is made with overlapping stores
 * those would measure how the processor forwards stores, not the get.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "peers.h"

#define WORKLOAD_KEY_MAX   65536
#define WORKLOAD_VALUE_MIN 16
#define WORKLOAD_VARIANTS  4 /* values of each key that setters take in turn */

/* Options of those who make a workload; see OPTION_MS. */
#define OPTION_KEYS    "keys", OPTION_LIST, 1, WORKLOAD_KEY_MAX, "numbers of keys in the object"
#define OPTION_VALUE   "value", OPTION_NUMBER, WORKLOAD_VALUE_MIN, RCUINFO_MAX_VALUE - 1, "bytes of each value"
#define OPTION_THREADS "threads", OPTION_LIST, 1, BENCH_THREAD_MAX, "threads"
#define OPTION_PEERS   "peers", OPTION_NAMES, 0, 0, "of the peers below (all)"

/* An operation: what it does, to which object, to which key. */
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
    char (*absent)[64]; /* as many, as long, never set */
    char *value;        /* WORKLOAD_VARIANTS a key, value_stride bytes each */
    uint64_t *mask;
};

struct workload workload_make(unsigned keys, unsigned value_bytes);
void workload_unmake(struct workload *load);

/* Of what operations a schedule is made: sets and misses of a hundred, and how many objects there are. */
struct workload_mix {
    unsigned sets;
    unsigned misses;
    unsigned objects;
};

/*
 * Operations in a pseudo-random order of that seed. The shares are exact; *mask becomes the number of operations - 1, a
 * power of two - 1. Given back with free.
 */
uint32_t *workload_schedule(const struct workload *load, struct workload_mix mix, uint64_t seed, size_t *mask);

/* A new object of the peer with the first `keys` keys in it. */
rcuinfo_t workload_fill(const struct workload *load, const struct peer *peer, unsigned keys);

/* Frees it. */
void workload_empty(const struct peer *peer, rcuinfo_t *object);

/* That the object has that value of the key, all of it. */
void workload_check(const struct workload *load, const struct peer *peer, rcuinfo_t object, unsigned key,
                    unsigned turn);

/* Says which get or set went wrong, and ends the program with status 1. */
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

/* Whether a value is whole and of the key with this mask. */
static inline bool workload_whole(const struct workload *load, const char *value, uint64_t mask)
{
    uint64_t first, last;
    memcpy(&first, value, sizeof first);
    memcpy(&last, value + load->value_bytes - sizeof last, sizeof last);
    return (first ^ last) == mask;
}

/* One get of a peer, and the same check of its value whatever the peer. `value` has value_bytes + 1 bytes. */
static inline void workload_get(const struct workload *load, const struct peer *peer, rcuinfo_t object, unsigned key,
                                char *value)
{
    int flag = 0;
    value[0] = '\0'; /* what the last get left here must not pass for the result of this one */
    rcuinfo_status_t status = peer->get(object, load->key[key], (int)load->value_bytes, value, &flag);
    if (__builtin_expect(status != RCUINFO_SUCCESS || !flag || !workload_whole(load, value, load->mask[key]), 0))
        workload_failed(load, peer, "get", key, status);
}

/* One get of a key that is not there. */
static inline void workload_miss(const struct workload *load, const struct peer *peer, rcuinfo_t object, unsigned key,
                                 char *value)
{
    int flag = 1;
    rcuinfo_status_t status = peer->get(object, load->absent[key], (int)load->value_bytes, value, &flag);
    if (__builtin_expect(status != RCUINFO_SUCCESS || flag, 0))
        workload_failed(load, peer, "get of what is not there, beside", key, status);
}

static inline void workload_set(const struct workload *load, const struct peer *peer, rcuinfo_t object, unsigned key,
                                unsigned turn)
{
    rcuinfo_status_t status = peer->set(object, load->key[key], workload_value(load, key, turn));
    if (__builtin_expect(status != RCUINFO_SUCCESS, 0))
        workload_failed(load, peer, "set", key, status);
}

#endif
