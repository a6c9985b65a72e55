/* SPDX-License-Identifier: BSD-3-Clause */
/* calls_own: what the files of calls.h share: the calls by name, all declared here, and how they clean up. */
#ifndef TESTS_INTERPOSE_CALLS_OWN_H
#define TESTS_INTERPOSE_CALLS_OWN_H

#include "interpose/calls.h"
#include "mpi/interpose/table.h"

#define CALL(name)           int call_##name(bool native, MPI_Info info)
#define EITHER(native, name) ((native) ? PMPI_##name : MPI_##name)

#define CALL_DECLARED_IN(name)      CALL(name);
#define CALL_DECLARED_AT_ROOT(name) CALL(name);
#define CALL_DECLARED_TOOL_IN(name) CALL(name);
#define CALL_DECLARED_OUT(name)
#define CALL_DECLARED_TOOL_OUT(name)
#define CALL_DECLARED(kind, name, object, parameters, arguments) CALL_DECLARED_##kind(name)
RCUINFO__INTERPOSE_TABLE(CALL_DECLARED)
CALL(MPI_Comm_spawn_multiple);
#if defined(RCUINFO__HAS_MPI_Session_init)
CALL(MPI_Session_init);
#endif

/* What the function has begun goes on to its end, twice where it is persistent, and calls_between comes before. */
void call_complete(MPI_Request *request, bool persistent);

static inline void drop_comm(MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_free(&comm);
}

#endif
