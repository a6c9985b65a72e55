/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table: the store's own block (core/log/log.h) without handles, protection and reclamation. It serves to measure the
 * cost of the data structure alone, and with a lock.
 *
 * The block is only accessible through the table, so a set changes a pair in place, which a lock allows and a published
 * version does not, and each entry is a pair. A full block is copied into a larger one, with as much room as in a hot
 * object of the store. A lookup does exactly what the store's does. The caller must ensure mutual exclusion.
 */
#pragma once

#include <string.h>

#include <rcuinfo/info.h>

#include "core/calls/layer.h"
#include "core/log/log.h"

struct table {
    const struct rcuinfo__entry *last; /* first, so in the cache line of the preceding lock */
    struct rcuinfo__end end;
};

/* A key and its length, which a get computes before it accesses the table. */
struct table_key {
    const char *text;
    uint32_t length;
};

void table_create(struct table *table);

/* Checks the arguments and computes the length of the key, as rcuinfo_get does. */
static inline rcuinfo_status_t table_check_get(const char *key, int valuelen, const char *value, const int *flag,
                                               struct table_key *out)
{
    *out = (struct table_key){.text = key, .length = rcuinfo__text_key(key, RCUINFO_MAX_KEY)};
    if (!out->length)
        return RCUINFO_ERR_KEY;
    return valuelen < 0 || !value || !flag ? RCUINFO_ERR_ARG : RCUINFO_SUCCESS;
}

/* Finds a key and copies as much of the value as fits. Inline, so that the gets of peers differ only in protection. */
static inline __attribute__((always_inline)) void table_find(const struct rcuinfo__entry *last, struct table_key key,
                                                             int valuelen, char *value, int *flag)
{
    rcuinfo_pair_t pair;
    *flag = rcuinfo__log_get(last, key.text, key.length, &pair);
    if (*flag)
        rcuinfo__text_cut(value, pair.value, pair.value_length, (size_t)valuelen);
}

/* The part of a set that needs no mutual exclusion: checks the arguments, computes the lengths and hashes the key. */
rcuinfo_status_t table_check_set(const char *key, const char *value, struct rcuinfo__edit *edit);

/* The rest of a set, in place. */
rcuinfo_status_t table_set(struct table *table, const struct rcuinfo__edit *edit);

/* Allocates a block of that shape with the pairs of a version, after `front` bytes for the caller, a multiple of 64.
 * Returns false if there is no memory. table_memory returns the beginning of the allocation, table_free frees it; the
 * empty version has none. */
bool table_copy(struct rcuinfo__writing *writing, const struct rcuinfo__entry *from, const struct rcuinfo__shape *shape,
                size_t front);

static inline void *table_memory(const struct rcuinfo__entry *last, size_t front)
{
    return (char *)rcuinfo__block_memory(rcuinfo__block_of(last)) - front;
}

void table_free(const struct rcuinfo__entry *last, size_t front);
