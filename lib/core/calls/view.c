/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * view: views of objects, which are read sections, and snapshots, which are references. Both are a pointer to the last
 * entry of a version.
 */
#include <rcuinfo/view.h>

#include "core/memory/handle.h"
#include "core/calls/object.h"

static const rcuinfo_snapshot_t *snapshot_of(const struct rcuinfo__entry *version)
{
    return RCUINFO__BLOCK_CAST(const rcuinfo_snapshot_t, version);
}

rcuinfo_status_t rcuinfo__view_begin(rcuinfo_t info, rcuinfo_view_t *view)
{
    struct rcuinfo__section section;
    *view = (rcuinfo_view_t){0};

    const struct rcuinfo__entry *version = rcuinfo__handle_read(info, RCUINFO__NATIVE_BITS, &section);
    if (!version)
        return RCUINFO_ERR_INFO;
    RCUINFO__SYNC_POINT(READ);
    *view =
        (rcuinfo_view_t){.snapshot = snapshot_of(version), .opaque_reader = section.reader, .opaque_place = section.at};
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo_view_begin(rcuinfo_t info, rcuinfo_view_t *view)
{
    if (!view)
        return RCUINFO_ERR_ARG;

    /* Many views at once: the last place of a record is for reads inside them, which must say what they read. */
    const struct rcuinfo__reader *self = rcuinfo__reader_self;
    if (self->depth + 1 < RCUINFO__READER_ROOM || self == &rcuinfo__reader_none)
        return rcuinfo__view_begin(info, view);
    *view = (rcuinfo_view_t){0};
    return rcuinfo_snapshot_open(info, &view->snapshot);
}

void rcuinfo_view_end(rcuinfo_view_t *view)
{
    if (!view || !view->snapshot)
        return;
    struct rcuinfo__section section = {.reader = view->opaque_reader, .at = view->opaque_place};
    if (!section.reader)
        rcuinfo_snapshot_close(view->snapshot);
    else if (section.reader == rcuinfo__reader_self || section.reader == &rcuinfo__reader_none)
        rcuinfo__reader_end(&section);
    /* else the exit of the thread has ended it, and given its record back */
    view->snapshot = NULL;
}

rcuinfo_status_t rcuinfo__snapshot_open(rcuinfo_t info, const rcuinfo_snapshot_t **snapshot,
                                        struct rcuinfo__flavour flavour)
{
    const struct rcuinfo__entry *version;
    if (!snapshot)
        return RCUINFO_ERR_ARG;
    rcuinfo_status_t status = rcuinfo__object_hold(info, flavour.generation_bits, &version);
    *snapshot = status == RCUINFO_SUCCESS ? snapshot_of(version) : NULL;
    return status;
}

rcuinfo_status_t rcuinfo_snapshot_open(rcuinfo_t info, const rcuinfo_snapshot_t **snapshot)
{
    return rcuinfo__snapshot_open(info, snapshot, RCUINFO__NATIVE);
}

void rcuinfo_snapshot_close(const rcuinfo_snapshot_t *snapshot)
{
    if (snapshot)
        rcuinfo__object_release(rcuinfo__object_opened(snapshot));
}

size_t rcuinfo_snapshot_count(const rcuinfo_snapshot_t *snapshot)
{
    return snapshot ? rcuinfo__object_opened(snapshot)->pairs : 0;
}

uint64_t rcuinfo_snapshot_version(const rcuinfo_snapshot_t *snapshot)
{
    return snapshot ? rcuinfo__log_version(rcuinfo__object_opened(snapshot)) : 0;
}

rcuinfo_status_t rcuinfo_snapshot_nth(const rcuinfo_snapshot_t *snapshot, size_t n, rcuinfo_pair_t *pair)
{
    if (!snapshot || !pair || n >= rcuinfo__object_opened(snapshot)->pairs)
        return RCUINFO_ERR_ARG;
    *pair = rcuinfo__log_pair(rcuinfo__log_nth(rcuinfo__object_opened(snapshot), (uint32_t)n));
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo_snapshot_find(const rcuinfo_snapshot_t *snapshot, const char *key, rcuinfo_pair_t *pair)
{
    uint32_t length = rcuinfo__text_key(key, RCUINFO_MAX_KEY);
    if (!length)
        return RCUINFO_ERR_KEY;
    if (!snapshot || !pair)
        return RCUINFO_ERR_ARG;
    return rcuinfo__log_get(rcuinfo__object_opened(snapshot), key, length, pair) ? RCUINFO_SUCCESS : RCUINFO_ERR_NOKEY;
}
