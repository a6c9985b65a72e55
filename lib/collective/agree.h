/* SPDX-License-Identifier: BSD-3-Clause */
/* agree: what agree.c and disagree.c share. */
#pragma once

#include "collective/collective.h"

/* A comparison of keys over all processes. */
struct rcuinfo__agree {
    struct rcuinfo__collective on;
    const char *const *keys;
    size_t n;
    int root;
    const rcuinfo_snapshot_t *snapshot; /* the version of this process's info */
    uint64_t *hashes;                   /* of the values, by the index of the key; 0: absent */
};

/* The most keys that are described at once. */
#define RCUINFO__AGREE_DETAILS 16

/*
 * Finds the details of n <= RCUINFO__AGREE_DETAILS keys in dispute. index: the indices of the keys, the same on every
 * process. to: n entries at root, which are written; NULL elsewhere. Returns MPI's error code. Collective.
 */
int rcuinfo__agree_describe(const struct rcuinfo__agree *self, const size_t index[], int n,
                            rcuinfo_disagreement_t to[]);
