/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table: the store's own block (core/log.h) with nothing around it: no handle, no protection, no reclamation. What a
 * lock around the same data costs, and what the data costs alone, is measured on this.
 *
 * Nobody sees the block but through the table, so a set changes a pair in place, which a lock allows and a published
 * version does not, and each entry is a pair. A block that is full is copied into one with room as in a hot object of
 * the store. A lookup does exactly what the store's does. Callers owe the exclusion.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <string.h>

#include <rcuinfo/info.h>

#include "core/layer.h"
#include "core/log.h"

struct table {
    const struct rcuinfo__entry *last; /* first: on the line of the lock before it */
    struct rcuinfo__end end;
};

/* What a get knows of its key before it looks into the table. */
struct table_key {
    const char *text;
    uint32_t length;
};

void table_create(struct table *table);
void table_destroy(struct table *table);

/* Arguments checked and the key measured as rcuinfo_get does it. */
static inline rcuinfo_status_t table_check_get(const char *key, int valuelen, const char *value, const int *flag,
                                               struct table_key *out)
{
    *out = (struct table_key){.text = key, .length = rcuinfo__text_key(key, RCUINFO_MAX_KEY)};
    if (!out->length)
        return RCUINFO_ERR_KEY;
    return valuelen < 0 || !value || !flag ? RCUINFO_ERR_ARG : RCUINFO_SUCCESS;
}

/* Finds, and copies what fits; inline so that the protection is all that sets one peer's get apart from another's. */
static inline __attribute__((always_inline)) void table_find(const struct rcuinfo__entry *last, struct table_key key,
                                                             int valuelen, char *value, int *flag)
{
    rcuinfo_pair_t pair;
    *flag = rcuinfo__log_get(last, key.text, key.length, &pair);
    if (*flag)
        rcuinfo__text_cut(value, pair.value, pair.value_length, (size_t)valuelen);
}

/* Arguments checked, texts measured, key hashed: all of a set that needs no exclusion. */
rcuinfo_status_t table_check_set(const char *key, const char *value, struct rcuinfo__edit *edit);

/* The rest of a set, in place. */
rcuinfo_status_t table_set(struct table *table, const struct rcuinfo__edit *edit);

/* A block of that shape with the pairs of a version, its memory behind `front` bytes of the caller's, a multiple of 64;
 * false: no memory. And where that begins, and giving it back; the empty version has none. */
bool table_copy(struct rcuinfo__writing *writing, const struct rcuinfo__entry *from, const struct rcuinfo__shape *shape,
                size_t front);

static inline void *table_memory(const struct rcuinfo__entry *last, size_t front)
{
    return (char *)rcuinfo__block_memory(rcuinfo__block_of(last)) - front;
}

void table_free(const struct rcuinfo__entry *last, size_t front);

#endif
