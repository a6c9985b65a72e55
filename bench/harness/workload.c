/* SPDX-License-Identifier: BSD-3-Clause */
/* workload: see workload.h. */
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>

#include "stress/random.h"

/* Keys with realistic lengths and common prefixes: hints that MPI-IO and Open MPI reserve. */
static const char *const HINTS[] = {
    "access_style", "collective_buffering", "cb_block_size", "cb_buffer_size", "cb_nodes",     "chunked",
    "chunked_item", "chunked_size",         "filename",      "file_perm",      "io_node_list", "nb_proc",
    "num_io_nodes", "striping_factor",      "striping_unit", "romio_cb_read",
};
#define HINT_COUNT (sizeof HINTS / sizeof HINTS[0])

/* Bytes 0x40 to 0x7f stay in that range when XORed with bytes below 0x40, so no value contains a NUL. */
#define LETTERS 0x4040404040404040
#define MASKED  0x3f3f3f3f3f3f3f3f

/* The mask of a key has the key's number in the low six bits of three bytes, so all masks differ. */
static uint64_t mask_of(unsigned key)
{
    struct random random = {key};
    uint64_t number = key + 1;
    uint64_t distinct = (number & 0x3f) | (number & 0xfc0) << 2 | (number & 0x3f000) << 4;
    return (random_next(&random) & MASKED & ~(uint64_t)0xffffff) | distinct;
}

static void fill_value(const struct workload *load, unsigned key, unsigned variant)
{
    char *value = load->value + ((size_t)key * WORKLOAD_VARIANTS + variant) * load->value_stride;
    struct random random = {(uint64_t)key * WORKLOAD_VARIANTS + variant};
    uint64_t first = LETTERS | (random_next(&random) & MASKED);
    uint64_t last = first ^ load->mask[key];
    memset(value, '.', load->value_bytes);
    memcpy(value, &first, sizeof first);
    memcpy(value + load->value_bytes - sizeof last, &last, sizeof last);
    value[load->value_bytes] = '\0';
}

/* Makes a key, and an absent key of the same length that differs as much from the other keys. */
static void make_key(const struct workload *load, unsigned key)
{
    const char *hint = HINTS[key % HINT_COUNT];
    size_t size = sizeof load->key[key];
    if (key < HINT_COUNT) {
        snprintf(load->key[key], size, "%s", hint);
        snprintf(load->absent[key], size, "%.*s-", (int)strlen(hint) - 1, hint);
    } else {
        snprintf(load->key[key], size, "%s_%u", hint, key);
        snprintf(load->absent[key], size, "%s-%u", hint, key);
    }
}

struct workload workload_make(unsigned keys, unsigned value_bytes)
{
    struct workload load = {.keys = keys, .value_bytes = value_bytes};
    load.value_stride = (value_bytes + 1 + 63) / 64 * 64;
    load.key = bench_memory(keys * sizeof *load.key);
    load.absent = bench_memory(keys * sizeof *load.absent);
    load.value = bench_memory((size_t)keys * WORKLOAD_VARIANTS * load.value_stride);
    load.mask = bench_memory(keys * sizeof *load.mask);
    for (unsigned key = 0; key < keys; key++) {
        make_key(&load, key);
        load.mask[key] = mask_of(key);
        for (unsigned variant = 0; variant < WORKLOAD_VARIANTS; variant++)
            fill_value(&load, key, variant);
    }
    return load;
}

void workload_unmake(struct workload *load)
{
    free(load->key);
    free(load->absent);
    free(load->value);
    free(load->mask);
}

uint32_t *workload_schedule(const struct workload *load, struct workload_mix mix, uint64_t seed, size_t *mask)
{
    size_t n = 4096; /* too long for a branch predictor to learn */
    while (n < 4 * (size_t)load->keys)
        n *= 2;
    uint32_t *schedule = bench_memory(n * sizeof *schedule);
    struct random random = {seed};
    size_t sets = (n * mix.sets + 50) / 100, misses = (n * mix.misses + 50) / 100;

    for (size_t i = 0; i < n; i++) {
        uint32_t object = (uint32_t)(random_next(&random) % mix.objects) << WORKLOAD_KEY_BITS;
        uint32_t what = i < sets ? WORKLOAD_SET : i < sets + misses ? WORKLOAD_MISS : 0;
        schedule[i] = what | object | (uint32_t)(random_next(&random) % load->keys);
    }

    /* Shuffle. */
    for (size_t i = n - 1; i > 0; i--) {
        size_t other = (size_t)(random_next(&random) % (i + 1));
        uint32_t moved = schedule[i];
        schedule[i] = schedule[other];
        schedule[other] = moved;
    }
    *mask = n - 1;
    return schedule;
}

/* Sets all keys by one update: single sets, each with a copy of the object, would take minutes. */
static rcuinfo_status_t fill_at_once(const struct workload *load, const struct peer *peer, rcuinfo_t object,
                                     unsigned keys)
{
    rcuinfo_change_t *changes = bench_memory(keys * sizeof *changes);
    for (unsigned key = 0; key < keys; key++)
        changes[key] = (rcuinfo_change_t){.key = load->key[key], .value = workload_value(load, key, 0)};
    rcuinfo_status_t status = peer->update(object, changes, keys, NULL);
    free(changes);
    return status;
}

rcuinfo_t workload_fill(const struct workload *load, const struct peer *peer, unsigned keys)
{
    rcuinfo_t object = RCUINFO_NULL;
    if (peer->create(&object) != RCUINFO_SUCCESS)
        bench_die("%s: create failed", peer->name);
    if (!peer->update) {
        for (unsigned key = 0; key < keys; key++)
            workload_set(load, peer, object, key, 0);
    } else if (keys && fill_at_once(load, peer, object, keys) != RCUINFO_SUCCESS) {
        bench_die("%s: update failed", peer->name);
    }
    return object;
}

void workload_empty(const struct peer *peer, rcuinfo_t *object)
{
    if (peer->free(object) != RCUINFO_SUCCESS)
        bench_die("%s: free failed", peer->name);
}

void workload_check(const struct workload *load, const struct peer *peer, rcuinfo_t object, unsigned key, unsigned turn)
{
    char value[RCUINFO_MAX_VALUE];
    workload_get(load, peer, object, key, value);
    if (strcmp(value, workload_value(load, key, turn)) != 0)
        workload_failed(load, peer, "get after the sets", key, RCUINFO_SUCCESS);
}

void workload_failed(const struct workload *load, const struct peer *peer, const char *call, unsigned key,
                     rcuinfo_status_t status)
{
    bench_die("%s: %s of key \"%s\" returned status %d or a wrong value", peer->name, call, load->key[key],
              (int)status);
}
