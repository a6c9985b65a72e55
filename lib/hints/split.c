/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split: the two views of an info that a schema makes. Both are made of one snapshot, so together they are one version;
 * each is filled by one update, so nobody sees a part of it.
 */
#include <rcuinfo/hints.h>

#include <stdbool.h>

#include <rcuinfo/snapshot.h>
#include <rcuinfo/update.h>

#include "core/alloc.h"
#include "core/layer.h"

/* The pairs of a snapshot, those of one kind together, each in the snapshot's order. */
struct parts {
    size_t recognized;
    size_t rest;
    rcuinfo_change_t pairs[]; /* `count` places for the recognized ones, and behind them as many for the rest */
};

static void part(const rcuinfo_schema_t *schema, const rcuinfo_snapshot_t *snapshot, size_t count, struct parts *parts)
{
    rcuinfo_pair_t pair;
    size_t row;
    parts->recognized = parts->rest = 0;
    for (size_t n = 0; rcuinfo_snapshot_nth(snapshot, n, &pair) == RCUINFO_SUCCESS; n++) {
        bool known = rcuinfo_schema_find(schema, pair.key, &row) == RCUINFO_SUCCESS;
        size_t place = known ? parts->recognized++ : count + parts->rest++;
        parts->pairs[place] = (rcuinfo_change_t){.key = pair.key, .value = pair.value};
    }
}

static rcuinfo_status_t make(const rcuinfo_change_t *pairs, size_t n, rcuinfo_t *info)
{
    if (!info)
        return RCUINFO_SUCCESS;
    rcuinfo_status_t status = rcuinfo_create(info);
    if (status != RCUINFO_SUCCESS)
        return status;
    status = rcuinfo__update(*info, pairs, n);
    if (status != RCUINFO_SUCCESS) {
        rcuinfo__discard(*info);
        *info = RCUINFO_NULL;
    }
    return status;
}

static rcuinfo_status_t split(const rcuinfo_schema_t *schema, const rcuinfo_snapshot_t *snapshot, rcuinfo_t *recognized,
                              rcuinfo_t *rest)
{
    size_t count = rcuinfo_snapshot_count(snapshot);
    struct parts *parts = rcuinfo__alloc(sizeof *parts + 2 * count * sizeof *parts->pairs);
    if (!parts)
        return RCUINFO_ERR_NO_MEM;
    part(schema, snapshot, count, parts);
    rcuinfo_status_t status = make(parts->pairs, parts->recognized, recognized);
    if (status == RCUINFO_SUCCESS) {
        status = make(parts->pairs + count, parts->rest, rest);
        if (status != RCUINFO_SUCCESS && recognized) {
            rcuinfo__discard(*recognized);
            *recognized = RCUINFO_NULL;
        }
    }
    rcuinfo__alloc_free(parts);
    return status;
}

rcuinfo_status_t rcuinfo_schema_split(const rcuinfo_schema_t *schema, rcuinfo_t info, rcuinfo_t *recognized,
                                      rcuinfo_t *rest)
{
    const rcuinfo_snapshot_t *snapshot;
    if (!schema || (!recognized && !rest))
        return RCUINFO_ERR_ARG;
    if (recognized)
        *recognized = RCUINFO_NULL;
    if (rest)
        *rest = RCUINFO_NULL;
    rcuinfo_status_t status = rcuinfo_snapshot_open(info, &snapshot);
    if (status != RCUINFO_SUCCESS)
        return status;
    status = split(schema, snapshot, recognized, rest);
    rcuinfo_snapshot_close(snapshot);
    return status;
}
