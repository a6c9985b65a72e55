/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keys: the keys that MPI libraries look up in addition to those that the standard reserves; and the known key that
 * is nearest to an unknown one, for "did you mean". Pure.
 */
#ifndef RCUINFO_TUNING_KEYS_H
#define RCUINFO_TUNING_KEYS_H

#include <stdbool.h>

#include <rcuinfo/hints.h>

enum rcuinfo__mpi { RCUINFO__MPICH = 1, RCUINFO__OPENMPI = 2 }; /* or the sum of both */

struct rcuinfo__hint_key {
    const char *key;
    rcuinfo_hint_object_t object;
};

/* The *n keys of one library, sorted by strcmp. */
const struct rcuinfo__hint_key *rcuinfo__hint_library(enum rcuinfo__mpi mpi, size_t *n);

/* Whether one of the libraries in `mpis` looks up this key. */
bool rcuinfo__hint_of_library(unsigned mpis, const char *key);

/* The standard's row for a key of an object, or NULL. */
const rcuinfo_hint_t *rcuinfo__hint_row(rcuinfo_hint_object_t object, const char *key);

/* Same, but includes the keys that a call which creates such an object also takes: those of init for a session, and
 * those of the new communicator for a split. */
const rcuinfo_hint_t *rcuinfo__hint_row_taken(rcuinfo_hint_object_t object, const char *key);

/* The key that is most similar to this one, among the reserved keys of an object (RCUINFO_HINT_OBJECTS: of all objects)
 * and the keys of these libraries; NULL if none is similar. The key has less than RCUINFO_MAX_KEY bytes. */
const char *rcuinfo__hint_nearest(rcuinfo_hint_object_t object, unsigned mpis, const char *key);

#endif
