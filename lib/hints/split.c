/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split: splits an info into the pairs that a schema recognizes and the rest. Both are built from one view, so
 * together they are one version, and neither is visible to others before it is complete.
 */
#include <rcuinfo/hints.h>
#include <rcuinfo/view.h>

#include <stdbool.h>

#include <rcuinfo/snapshot.h>

#include "core/calls/layer.h"

/* Creates an object of the pairs whose keys the schema has, or lacks (has = false). Does nothing if info is NULL. */
static rcuinfo_status_t make_part(const rcuinfo_schema_t *schema, const rcuinfo_snapshot_t *snapshot, bool has,
                                  rcuinfo_t *info)
{
    struct rcuinfo__build build;
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    rcuinfo_pair_t pair;
    size_t row;
    if (!info)
        return RCUINFO_SUCCESS;

    rcuinfo__build_begin(&build, 0, 0);
    for (size_t n = 0; status == RCUINFO_SUCCESS && rcuinfo_snapshot_nth(snapshot, n, &pair) == RCUINFO_SUCCESS; n++) {
        if ((rcuinfo_schema_find(schema, pair.key, &row) == RCUINFO_SUCCESS) == has)
            status = rcuinfo__build_set(&build, pair.key, pair.value, RCUINFO__NATIVE_LIMITS);
    }

    if (status == RCUINFO_SUCCESS)
        return rcuinfo__build_object(&build, info);
    rcuinfo__build_drop(&build);
    return status;
}

rcuinfo_status_t rcuinfo_schema_split(const rcuinfo_schema_t *schema, rcuinfo_t info, rcuinfo_t *recognized,
                                      rcuinfo_t *rest)
{
    rcuinfo_view_t view;
    if (!schema || (!recognized && !rest))
        return RCUINFO_ERR_ARG;

    /* So that the outputs are RCUINFO_NULL on errors. */
    if (recognized)
        *recognized = RCUINFO_NULL;
    if (rest)
        *rest = RCUINFO_NULL;

    rcuinfo_status_t status = rcuinfo_view_begin(info, &view);
    if (status != RCUINFO_SUCCESS)
        return status;
    status = make_part(schema, view.snapshot, true, recognized);
    if (status == RCUINFO_SUCCESS) {
        status = make_part(schema, view.snapshot, false, rest);
        if (status != RCUINFO_SUCCESS && recognized)
            (void)rcuinfo_free(recognized);
    }
    rcuinfo_view_end(&view);
    return status;
}
