/* SPDX-License-Identifier: BSD-3-Clause */
/* sift: which retired slots and blocks are free, by the result of a scan. The head of reclaim.c explains why.
 */
#pragma once

#include <stddef.h>

#include "core/arena.h"
#include "core/scan.h"

struct rcuinfo__sifted {
    size_t stuck; /* bytes in use by readers that have not said which block */
    size_t held;  /* bytes in use by readers that have */
};

/* Looks at all slots and blocks of a list: gives those that are free to the arena, and moves the others to another
 * list. Adds to *result. Call with the arena's lock held. */
void rcuinfo__sift(struct rcuinfo__arena *arena, const struct rcuinfo__found *found, struct rcuinfo__retired *from,
                   struct rcuinfo__retired *to, struct rcuinfo__sifted *result);
