/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fill: objects with fixed pairs beside those of a history, of such a size that few sets make them large, or that they
 * were large before and few deletes make them flat.
 *
 * Callers owe: fill_make, by one thread, before the others; the fixed pairs, which come first, are not touched.
 */
#ifndef TOOLS_LINEAR_FILL_H
#define TOOLS_LINEAR_FILL_H

#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "support/random.h"

enum { FILL_PAIRS = 17 };

struct fill {
    uint64_t version; /* of a new object */
    rcuinfo_t object;
    bool ballast;
    char values[FILL_PAIRS][RCUINFO_MAX_VALUE];
};

void fill_make(void);
void fill_free(void);

/* How to fill the objects of a history. */
const struct fill *fill_any(struct random *random);

/* A new object; fill_end is to follow, before others have it, and sets in between count as made on a new object. */
rcuinfo_t fill_begin(const struct fill *fill);
void fill_end(const struct fill *fill, rcuinfo_t object);

/* Whether the fixed pairs are there. */
bool fill_whole(const struct fill *fill, const rcuinfo_snapshot_t *snapshot);

#endif
