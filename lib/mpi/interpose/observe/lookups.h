/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lookups: the hints that are seen to be looked up and set. ROMIO calls PMPI_Info_get and PMPI_Info_set for every hint
 * that it knows, which the interposer defines; other parts of MPI libraries read infos by functions of their own, where
 * nothing can be seen. Libraries above MPI, such as PnetCDF, call MPI_Info_get for infos of the program.
 *
 * A look-up of the key that MPI_Info_get_nthkey has just returned is ignored: the caller copies the info, and need not
 * know the key.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A key that the MPI library has looked up or set during a call. */
struct rcuinfo__lookup {
    struct rcuinfo__lookup *next;
    const char *set; /* the last value that it has set since it looked the key up; NULL: none */
    bool was_read;
    char key[];
};

/* What the MPI library does in this thread, between begin and end. Calls nest. */
struct rcuinfo__lookups {
    struct rcuinfo__lookups *outer;
    struct rcuinfo__lookup *first;
    size_t reads;
};
void rcuinfo__lookups_begin(struct rcuinfo__lookups *lookups);
void rcuinfo__lookups_end(struct rcuinfo__lookups *lookups);
void rcuinfo__lookups_free(struct rcuinfo__lookups *lookups);
struct rcuinfo__lookup *rcuinfo__lookups_find(const struct rcuinfo__lookups *lookups, const char *key);

/* The library of a call, if that has set the key of an info itself, e.g. "libnetcdf.so.19"; NULL: the program has, or a
 * binding, perhaps for the program. In *module. */
struct rcuinfo__module;
const char *rcuinfo__lookups_setter(const char *key, const void *caller, struct rcuinfo__module *module);

/* Notes a pair of an info that the library returns. */
void rcuinfo__lookups_note_answer(const char *key, const char *value);

/* Notes that the program gives a pair. Returns whether the library had returned it before, so that the program only
 * passes it on. */
bool rcuinfo__lookups_note_given(const char *key, const char *value);

/* Starts to watch. `seen` is called once for each key and library above MPI that looks it up, by any thread. */
void rcuinfo__lookups_watch(void (*seen)(const char *key, const char *library));
