/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fill: objects with fixed pairs beside those of a history, whose blocks are nearly full of entries or of holes, so
 * that one of the next changes copies them.
 *
 * Callers owe: the fixed pairs, which come first, are not touched.
 */
#ifndef TOOLS_LINEAR_FILL_H
#define TOOLS_LINEAR_FILL_H

#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "support/random.h"

struct fill {
    unsigned pairs; /* fixed ones */
    unsigned value; /* bytes of their values */
    unsigned holes; /* pairs that are deleted again */
    unsigned room;  /* for so many sets more */
    enum { FILL_BYTES, FILL_PLACES, FILL_EITHER } finder;
};

/* How to fill the objects of a history. */
const struct fill *fill_any(struct random *random);

/* A new object; fill_end is to follow, before others have it, and sets in between, if any. It returns the version that
 * the object has then. */
rcuinfo_t fill_begin(const struct fill *fill);
uint64_t fill_end(const struct fill *fill, rcuinfo_t object);

/* Whether the fixed pairs are there. */
bool fill_whole(const struct fill *fill, const rcuinfo_snapshot_t *snapshot);

#endif
