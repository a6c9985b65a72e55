/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schema: a table of rows with a hash index by key: open addressing, at most half full. Header, rows and index are one
 * allocation. A schema is immutable once it is created, so it is read without synchronization.
 */
#include <rcuinfo/hints.h>

#include <stdbool.h>
#include <string.h>

#include "core/memory/alloc.h"
#include "core/text.h"
#include "hints/check.h"

/* A place of the index. row: 0 if the place is free, else the number of the row + 1. */
struct place {
    uint32_t hash;
    uint32_t row;
};

struct rcuinfo_schema {
    size_t count;
    struct place *index;
    uint32_t mask; /* places - 1 */
    rcuinfo_hint_t rows[];
};

/* So that the size of a schema fits into a size_t of 32 bits, and the number of places into a uint32_t. */
#define MOST_ROWS (UINT32_C(1) << 24)

/* The place of a key, or the free place for it. Ends, since at least half of the places are free. */
static struct place *find_place(const rcuinfo_schema_t *schema, const char *key, uint32_t hash)
{
    /* Linear probing. */
    for (uint32_t at = hash & schema->mask;; at = (at + 1) & schema->mask) {
        struct place *place = &schema->index[at];
        if (!place->row || (place->hash == hash && strcmp(schema->rows[place->row - 1].key, key) == 0))
            return place;
    }
}

/* Allocates a schema without rows, with room for `most` of them. */
static rcuinfo_schema_t *new_schema(size_t most)
{
    uint32_t places = 2;

    /* A power of two, so that a mask finds the place. */
    while (places < 2 * most)
        places *= 2;

    size_t before = sizeof(rcuinfo_schema_t) + most * sizeof(rcuinfo_hint_t), index = places * sizeof(struct place);
    rcuinfo_schema_t *schema = rcuinfo__alloc(before + index);
    if (!schema)
        return NULL;

    schema->count = 0;
    schema->index = (void *)((char *)schema + before);
    schema->mask = places - 1;
    memset(schema->index, 0, index);
    return schema;
}

/* Adds a row, or replaces the row of the same key. */
static void add_row(rcuinfo_schema_t *schema, const rcuinfo_hint_t *row)
{
    uint32_t hash = rcuinfo__text_hash(row->key, strlen(row->key), 1);

    struct place *place = find_place(schema, row->key, hash);
    if (!place->row)
        *place = (struct place){.hash = hash, .row = (uint32_t)++schema->count};

    schema->rows[place->row - 1] = *row;
}

static rcuinfo_status_t check_row(const rcuinfo_hint_t *row)
{
    if (!rcuinfo__text_key(row->key, RCUINFO_MAX_KEY))
        return RCUINFO_ERR_KEY;
    if (!rcuinfo__hint_declared(row))
        return RCUINFO_ERR_TYPE;
    if (row->initial && rcuinfo_hint_check(row, row->initial, NULL, NULL) != RCUINFO_SUCCESS)
        return RCUINFO_ERR_VALUE;
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo_schema_create(const rcuinfo_schema_t *base, const rcuinfo_hint_t *rows, size_t n,
                                       rcuinfo_schema_t **schema, size_t *failed)
{
    if (!schema || (!rows && n > 0))
        return RCUINFO_ERR_ARG;
    *schema = NULL;

    size_t inherited = rcuinfo_schema_count(base);
    if (n > MOST_ROWS - inherited)
        return RCUINFO_ERR_NO_MEM;

    /* all rows, before anything is allocated */
    for (size_t i = 0; i < n; i++) {
        rcuinfo_status_t status = check_row(&rows[i]);
        if (status != RCUINFO_SUCCESS) {
            if (failed)
                *failed = i;
            return status;
        }
    }

    rcuinfo_schema_t *made = new_schema(inherited + n);
    if (!made)
        return RCUINFO_ERR_NO_MEM;

    /* The rows of the base are valid. Each keeps its number, as rows are only added or replaced in place. */
    for (size_t i = 0; i < inherited; i++)
        add_row(made, &base->rows[i]);
    for (size_t i = 0; i < n; i++)
        add_row(made, &rows[i]);
    *schema = made;
    return RCUINFO_SUCCESS;
}

void rcuinfo_schema_free(rcuinfo_schema_t **schema)
{
    if (!schema)
        return;
    rcuinfo__alloc_free(*schema);
    *schema = NULL;
}

size_t rcuinfo_schema_count(const rcuinfo_schema_t *schema)
{
    return schema ? schema->count : 0;
}

const rcuinfo_hint_t *rcuinfo_schema_row(const rcuinfo_schema_t *schema, size_t row)
{
    return row < rcuinfo_schema_count(schema) ? &schema->rows[row] : NULL;
}

rcuinfo_status_t rcuinfo_schema_find(const rcuinfo_schema_t *schema, const char *key, size_t *row)
{
    uint32_t length = rcuinfo__text_key(key, RCUINFO_MAX_KEY);
    if (!length)
        return RCUINFO_ERR_KEY;
    if (!schema || !row)
        return RCUINFO_ERR_ARG;

    const struct place *place = find_place(schema, key, rcuinfo__text_hash(key, length, 1));
    if (!place->row)
        return RCUINFO_ERR_NOKEY;
    *row = place->row - 1;
    return RCUINFO_SUCCESS;
}
