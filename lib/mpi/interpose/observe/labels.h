/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * labels: the names of objects in the report, and what tells the same object on other processes: of a file its path,
 * whichever way it was written; of any other object its number among those of its kind and group, since all processes
 * of a group create these in the same order. A name is only the program's, which may differ between processes. An
 * object without a name is called by its number and, unless its group is that of MPI_COMM_WORLD, by its first rank and
 * size, so that the objects of the groups into which a communicator was split differ.
 *
 * Threads: one at a time; the caller has a lock.
 */
#pragma once

#include "mpi/interpose/observe/ask.h"
#include "report/report.h"

struct rcuinfo__label {
    char *name;     /* to be freed; NULL: no memory */
    char *identity; /* to be freed; NULL: the name is that, too */
    bool was_romio;
};

/* Counts an object that has been created. group: NULL: not known. path: of a file; NULL: it is its name. */
void rcuinfo__labels_create(const struct rcuinfo__loan *loan, const char *group, void *handle, const char *path);

/* Finds what the object of a loan is called. name: that it has now, or is opened by; "": none. An object that was not
 * counted has no number. */
void rcuinfo__labels_find(const struct rcuinfo__loan *loan, const char *group, void *handle, const char *name,
                          struct rcuinfo__label *found);

/* Says that an object was created that cannot be counted: from now on objects have no numbers. */
void rcuinfo__labels_lose(void);

/* Marks a file as one of ROMIO's. */
void rcuinfo__labels_mark_romio(rcuinfo_hint_object_t object, void *handle);
