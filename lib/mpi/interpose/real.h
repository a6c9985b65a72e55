/* SPDX-License-Identifier: BSD-3-Clause */
/* real: the real library: when it can be called, which handles and addresses are its own. */
#pragma once

#include "keys/keys.h"
#include "mpi/hooks.h"

/* The libraries whose keys are known. With the standard ABI the library may be either. */
#if defined(RCUINFO__FLAVOUR_MPICH)
#define RCUINFO__REAL_MPIS (RCUINFO__MPICH | RCUINFO__INTEL)
#elif defined(RCUINFO__FLAVOUR_OPENMPI)
#define RCUINFO__REAL_MPIS RCUINFO__OPENMPI
#else
#define RCUINFO__REAL_MPIS (RCUINFO__MPICH | RCUINFO__OPENMPI | RCUINFO__INTEL)
#endif

/* Whether an address is in the MPI library, or in one of the plugins that it loads on demand, such as the ROMIO of Open
 * MPI. Slower than rcuinfo__next_is_library. */
bool rcuinfo__real_has(const void *address);

/* Whether MPI is initialized by the World Model and not finalized. */
bool rcuinfo__real_in_world(void);

/* Whether real infos can be created and read now. */
bool rcuinfo__real_can_make(void);

/* Whether a real info can have the value "". */
bool rcuinfo__real_takes_empty(void);

/* Whether the value may be a handle of the real library, other than MPI_INFO_NULL and MPI_INFO_ENV. */
bool rcuinfo__real_may_be(MPI_Info info);

/* Whether this process is the root of a call on comm; false if MPI cannot be asked. Returns MPI_SUCCESS or, if comm is
 * not valid, the code of an error that MPI has raised already. Then the call must end, or it would be raised twice. */
int rcuinfo__real_is_root(MPI_Comm comm, int root, bool *is_root);

/* The predefined handler MPI_ERRORS_RETURN. */
MPI_Errhandler rcuinfo__real_errors_return(void);

/* Called when a call on a session has succeeded: the library has infos from now on. */
void rcuinfo__real_note_session(void);

/* Called when MPI or a session has been initialized: prepares for faster conversions. */
void rcuinfo__real_prepare(void);
