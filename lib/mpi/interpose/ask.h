/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ask: what the real library says of an object that has got hints. `handle`: where the object's handle is, by its kind.
 */
#ifndef RCUINFO_MPI_INTERPOSE_ASK_H
#define RCUINFO_MPI_INTERPOSE_ASK_H

#include <string.h>

#include "mpi/interpose/interpose.h"
#include "mpi/interpose/table.h"

#if defined(RCUINFO__FLAVOUR_ABI) || defined(RCUINFO__HAS_MPI_Session_get_info)
#define RCUINFO__INTERPOSE_HAS_SESSIONS 1
#else
#define RCUINFO__INTERPOSE_HAS_SESSIONS 0
typedef int MPI_Session;
#define MPI_SESSION_NULL                0
#endif

/* A handle of a kind of object, by which the library says what is in use. */
#define RCUINFO__COMM_AT(handle)    (*(MPI_Comm *)(handle))
#define RCUINFO__WIN_AT(handle)     (*(MPI_Win *)(handle))
#define RCUINFO__FILE_AT(handle)    (*(MPI_File *)(handle))
#define RCUINFO__SESSION_AT(handle) (*(MPI_Session *)(handle))

enum { RCUINFO__INTERPOSE_GROUP = 64 /* bytes of a group's text */ };

/* Whether a call gives hints to an object that is there. */
static inline bool rcuinfo__interpose_is_change(const struct rcuinfo__interpose_loan *loan)
{
    return strstr(loan->function, "_set_") != NULL;
}

/* The handle of a loan's object, after the call; NULL: there is none to ask. */
void *rcuinfo__interpose_ask_handle(const struct rcuinfo__interpose_loan *loan);

/* The hints in use, to be freed; MPI_INFO_NULL: the library does not say. */
MPI_Info rcuinfo__interpose_ask_hints(rcuinfo_hint_object_t object, void *handle);

/* Whose object it is: "FIRST+COUNT:DIGEST", by their ranks in the world; NULL: not known. */
const char *rcuinfo__interpose_ask_group(rcuinfo_hint_object_t object, void *handle,
                                         char text[RCUINFO__INTERPOSE_GROUP]);

/* The name that the program, or the library, has given to it; "": none. */
void rcuinfo__interpose_ask_name(rcuinfo_hint_object_t object, void *handle, char name[MPI_MAX_OBJECT_NAME + 1]);

#endif
