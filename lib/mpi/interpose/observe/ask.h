/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ask: asks the real library about an object that hints were given to. `handle` is the address of the object's handle,
 * whose type depends on the kind of object.
 */
#pragma once

#include <limits.h>
#include <string.h>

#include "mpi/interpose/lend.h"

#include "mpi/interpose/observe/lookups.h"
#include "report/report.h"
#include "report/verdict.h"

enum {
    RCUINFO__ASK_GROUP = 64,    /* size of the text of a group */
    RCUINFO__ASK_COMPONENT = 64 /* of a component */
};

/* The bits of a handle. */
uintptr_t rcuinfo__ask_bits(rcuinfo_hint_object_t object, const void *handle);

/* Before a call that may create an object: clears the handle, so that it is a null handle if the call does not write
 * it. */
void rcuinfo__ask_clear_handle(const struct rcuinfo__loan *loan);

/* The address of the handle of a loan's object, after the call; NULL: there is no such object. */
void *rcuinfo__ask_handle(const struct rcuinfo__loan *loan);

/* The hints in use, to be freed; MPI_INFO_NULL: not known. */
MPI_Info rcuinfo__ask_hints(rcuinfo_hint_object_t object, void *handle);

/* The processes of an object as "FIRST+COUNT:DIGEST", where FIRST and DIGEST are of their ranks in MPI_COMM_WORLD; as
 * "0+COUNT" if they are all of these; NULL: not known. */
const char *rcuinfo__ask_group(rcuinfo_hint_object_t object, void *handle, char text[RCUINFO__ASK_GROUP]);

/* Describes an error by its class and the text of the library. */
void rcuinfo__ask_error(int code, char text[RCUINFO__VERDICT_NOTE]);

/* Says how many processes MPI_COMM_WORLD has, and how many have spawned it. job_size: 0: not known (yet). */
void rcuinfo__ask_set_job(int size, int parents);
int rcuinfo__ask_job_size(void);

/* What a report of this process is of. The texts are valid until the next call. Threads: as journal.h. */
void rcuinfo__ask_about(const char *about[RCUINFO__REPORT_ABOUT]);

/* The library and its version. */
struct rcuinfo__mpi_version rcuinfo__ask_version(void);

/* The part of the library that a loan's object is of, as keys.def names it, e.g. "romio-ufs"; NULL: not known. in_use:
 * what the library answered; `lookups`: what it did in the call; was_romio: whether the file was seen to be ROMIO's. */
const char *rcuinfo__ask_component(const struct rcuinfo__loan *loan, MPI_Info in_use,
                                   const struct rcuinfo__lookups *lookups, bool was_romio,
                                   char text[RCUINFO__ASK_COMPONENT]);

/* The type of the file system that a file is on, or NULL. */
const char *rcuinfo__ask_system(const char *file);

/* The path of a file without links; NULL: it cannot be found, or is the name itself. */
const char *rcuinfo__ask_path(const char *file, char path[PATH_MAX]);

/* The value of a key in a real info, or NULL. */
const char *rcuinfo__ask_value(MPI_Info info, const char *key, char value[MPI_MAX_INFO_VAL + 1]);

/* The same of a key that a loan has no hint of: the library's own value. */
const char *rcuinfo__ask_own_value(const struct rcuinfo__loan *loan, MPI_Info in_use, const char *key,
                                   char value[MPI_MAX_INFO_VAL + 1]);

/* The name that the program or the library has set; "": none. */
void rcuinfo__ask_name(rcuinfo_hint_object_t object, void *handle, char name[MPI_MAX_OBJECT_NAME + 1]);
