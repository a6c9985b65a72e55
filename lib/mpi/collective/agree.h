/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agree: one comparison of keys over all processes, as both of its files see it.
 */
#ifndef RCUINFO_MPI_COLLECTIVE_AGREE_H
#define RCUINFO_MPI_COLLECTIVE_AGREE_H

#include "mpi/collective/collective.h"

struct rcuinfo__agree {
    struct rcuinfo__collective on;
    const char *const *keys;
    size_t n;
    int root;
    const rcuinfo_snapshot_t *snapshot; /* the version that is compared */
    uint64_t *hashes;                   /* of its values, by key; 0: absent */
};

/* Keys that are described at once. */
#define RCUINFO__AGREE_DETAILS 16

/*
 * Finds out who disagrees on n <= RCUINFO__AGREE_DETAILS keys, which do not have one value everywhere, and tells root.
 * index: of the keys; the same on every process. to: n entries at root, NULL elsewhere. Gives what MPI returns.
 * Collective.
 */
int rcuinfo__agree_describe(const struct rcuinfo__agree *self, const size_t index[], int n,
                            rcuinfo_disagreement_t to[]);

#endif
