/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library: the keys that MPI libraries look up besides those that the standard reserves, and what a key may have been
 * meant to be. Pure.
 */
#ifndef RCUINFO_HINTS_LIBRARY_H
#define RCUINFO_HINTS_LIBRARY_H

#include <stdbool.h>

#include <rcuinfo/hints.h>

enum rcuinfo__mpi { RCUINFO__MPICH = 1, RCUINFO__OPENMPI = 2 }; /* or both, summed */

struct rcuinfo__hint_key {
    const char *key;
    rcuinfo_hint_object_t object;
};

/* The keys of one library, in the order of strcmp; *n is how many there are. */
RCUINFO_API const struct rcuinfo__hint_key *rcuinfo__hint_library(enum rcuinfo__mpi mpi, size_t *n);

/* Whether one of the libraries in `mpis` looks up that key. */
RCUINFO_API bool rcuinfo__hint_of_library(unsigned mpis, const char *key);

/* The standard's row of a key among those of an object; NULL: there is none. */
RCUINFO_API const rcuinfo_hint_t *rcuinfo__hint_row(rcuinfo_hint_object_t object, const char *key);

/* The same, as a call that gives hints to the object may have it: a session takes those of init, and what splits a
 * communicator those of the new one. */
RCUINFO_API const rcuinfo_hint_t *rcuinfo__hint_row_taken(rcuinfo_hint_object_t object, const char *key);

/* The reserved key of an object (RCUINFO_HINT_OBJECTS: of all of them), or key of these libraries, that is nearest to
 * this one and not too far; NULL: there is none. Key: less than RCUINFO_MAX_KEY bytes. */
RCUINFO_API const char *rcuinfo__hint_nearest(rcuinfo_hint_object_t object, unsigned mpis, const char *key);

#endif
