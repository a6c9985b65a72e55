/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keys: the hints that MPI libraries read, in addition to what the standard says: which part of which version reads a
 * key, and what it takes as a value; and the known key that is nearest to an unknown one, for "did you mean". The table
 * is keys.def. Pure.
 */
#pragma once

#include <stdbool.h>

#include <rcuinfo/hints.h>

/* In place of a kind of object: none of them; and any. */
#define RCUINFO__OBJECT_UNKNOWN RCUINFO_OBJECT_COUNT
#define RCUINFO__OBJECT_ANY     (RCUINFO_OBJECT_COUNT + 1)

/* Libraries, or sums of them. PnetCDF is no MPI library: it reads the program's infos. */
enum { RCUINFO__MPICH = 1, RCUINFO__OPENMPI = 2, RCUINFO__INTEL = 4, RCUINFO__PNETCDF = 8 };

/* The MPI library of a process. */
struct rcuinfo__mpi_version {
    unsigned id;     /* of the library; 0: not known */
    unsigned number; /* 10000 * major + 100 * minor + patch; 0: not known */
};

struct rcuinfo__key {
    rcuinfo_hint_t hint; /* key, type, default; `since` and `section` are NULL */
    rcuinfo_hint_object_t object;
    unsigned owner;         /* the library */
    const char *component;  /* the part of the library that reads it */
    unsigned since, before; /* it is read by the versions since <= number < before; never, if both are 0 */
    bool is_own;            /* get_info returns the value in effect, not only the text that was given */
    bool is_idle;           /* nothing uses its value */
    bool is_creation;       /* it is read only when the object is created */
    bool is_atoi;           /* a number is read up to the first byte that is no digit: "4M" is 4 */
    const char *meaning;
    const char *note; /* what else is to be known, e.g. a fault of these versions; NULL: nothing */
};

/* All *n rows. */
const struct rcuinfo__key *rcuinfo__keys(size_t *n);

/* The name of a library in options and tables. */
const char *rcuinfo__keys_library(unsigned library);

/* A row of these libraries for a key of an object (RCUINFO__OBJECT_ANY: of any), or NULL. */
const struct rcuinfo__key *rcuinfo__keys_find(unsigned libraries, rcuinfo_hint_object_t object, const char *key);

/* Whether all processes of such an object must give the key the same value: the standard says so, or a part of a
 * library that reads it needs that. component: of the object, or NULL. */
bool rcuinfo__keys_must_be_same(rcuinfo_hint_object_t object, const char *component, const char *key);

/* The row by which this version reads the key, or NULL. component: of the object, e.g. "romio-lustre", which also
 * has the rows of "romio"; NULL: not known, and only a row for all components counts. */
const struct rcuinfo__key *rcuinfo__keys_read(const struct rcuinfo__mpi_version *mpi, const char *component,
                                              rcuinfo_hint_object_t object, const char *key);

/* A row by which this version reads and uses the key if the object is of a component that is not known. */
const struct rcuinfo__key *rcuinfo__keys_may_read(const struct rcuinfo__mpi_version *mpi, const char *component,
                                                  rcuinfo_hint_object_t object, const char *key);

/* Whether get_info only returns the text that was given for a key of objects of this kind, or may do so. is_known: the
 * library is known to have the key: the sessions of Open MPI 6 return all others as they were given. */
bool rcuinfo__keys_echoes(const struct rcuinfo__mpi_version *mpi, rcuinfo_hint_object_t object, bool is_known);

/* Whether the table is about this version: then it does not read what has no row. */
bool rcuinfo__keys_covers(const struct rcuinfo__mpi_version *mpi);

/* The library that calls itself so (MPI_Get_library_version). */
struct rcuinfo__mpi_version rcuinfo__keys_version(const char *text);

/* The kind of object of that name; RCUINFO__OBJECT_UNKNOWN: none, or NULL. */
rcuinfo_hint_object_t rcuinfo__keys_object(const char *name);

/* The standard's row for a key of an object, or NULL. */
const rcuinfo_hint_t *rcuinfo__keys_row(rcuinfo_hint_object_t object, const char *key);

/* Same, but includes the keys that a call which creates such an object also takes: those of init for a session, and
 * those of the new communicator for a split. */
const rcuinfo_hint_t *rcuinfo__keys_row_taken(rcuinfo_hint_object_t object, const char *key);

/* The first kind of object that has a key by the standard or by these libraries; RCUINFO__OBJECT_UNKNOWN: none. */
rcuinfo_hint_object_t rcuinfo__keys_object_of(unsigned libraries, const char *key);

/* The key that is most similar to this one or, if none is, has most words in common with it, among the reserved keys of
 * an object (RCUINFO__OBJECT_ANY: of all objects) and the keys of these libraries; NULL if none is similar. The key has
 * less than RCUINFO_MAX_KEY bytes. */
const char *rcuinfo__keys_nearest(rcuinfo_hint_object_t object, unsigned libraries, const char *key);
