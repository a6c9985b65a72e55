/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table: the store's own flat layout with nothing around it: no handle, no protection, no reclamation. What a lock
 * around the same data costs, and what the data costs alone, is measured on this.
 *
 * A table is changed in place, which a lock allows and a published snapshot does not: a value of the same length is
 * overridden, a new pair appended. So a block has room for more than is in it, and is built anew, twice as large, when
 * that is used up. At the capacities, powers of two, a lookup does exactly what the store's does in a flat snapshot.
 * Callers owe the exclusion.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <string.h>

#include <rcuinfo/info.h>

#include "core/layer.h"
#include "core/snapshot.h"
#include "core/text.h"

struct table {
    struct rcuinfo__snapshot *block; /* first: on the line of the lock before it */
    uint32_t capacity;               /* pairs that there is room for */
    uint32_t text_room;              /* bytes of text that there is room for */
    uint32_t text_used;
};

/* What a get and a set know of their texts before they look into the table. */
struct table_key {
    const char *text;
    uint32_t length;
};

/* Memory for a block, aligned to a line; NULL when there is none. Given back with free. */
void *table_memory(uint64_t bytes);

rcuinfo_status_t table_create(struct table *table);
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
static inline __attribute__((always_inline)) void table_find(const struct rcuinfo__snapshot *s, struct table_key key,
                                                             int valuelen, char *value, int *flag)
{
    uint32_t position = rcuinfo__snapshot_find(s, key.text, key.length);
    if (position == RCUINFO__NOT_FOUND) {
        *flag = 0;
        return;
    }
    const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(s, position);
    rcuinfo__text_cut(value, rcuinfo__snapshot_value(s, entry), entry->value_length, (size_t)valuelen);
    *flag = 1;
}

/* Arguments checked, texts measured, key hashed: all of a set that needs no exclusion. */
rcuinfo_status_t table_check_set(const char *key, const char *value, struct rcuinfo__edit *edit);

/* The rest of a set, in place. */
rcuinfo_status_t table_set(struct table *table, const struct rcuinfo__edit *edit);

#endif
