/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * raise: calls the program's error handler. Infos have no error handlers, so the libraries call that of a communicator,
 * which depends on the library:
 *
 *     Open MPI, and MPICH before 4.2   MPI_COMM_WORLD
 *     MPICH from 4.2 (MPI-4.1) on      MPI_COMM_SELF if the program has ever set its handler, else MPI_COMM_WORLD
 *
 * MPI_Comm_get_errhandler does not tell whether MPI_ERRORS_ARE_FATAL was set or nothing, so this watches the calls that
 * set a handler. MPICH's mpi_f08 calls PMPI_Comm_set_errhandler, which is not seen: any handler but that one is found.
 */
#include <string.h>

#include <rcuinfo_declared.h>

#include "core/order.h"
#include "mpi/interpose/interpose.h"

#if defined(RCUINFO__FLAVOUR_OPENMPI)

static MPI_Comm comm_of_errors(void)
{
    return MPI_COMM_WORLD;
}

#else

/* The handler of MPI_COMM_SELF was set. Needs no memory order: no other data depends on it, and a program orders its
 * own calls. */
static _Atomic bool self_was_set;

static int note(MPI_Comm comm, int code)
{
    if (comm == MPI_COMM_SELF && code == MPI_SUCCESS)
        atomic_store_explicit(&self_was_set, true, RCUINFO__RELAXED);
    return code;
}

RCUINFO_API int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return note(comm, RCUINFO__INTERPOSE_NEXT(MPI_Comm_set_errhandler)(comm, errhandler));
}

#if defined(RCUINFO__HAS_MPI_Errhandler_set)

/* MPI-1's name, which Fortran programs still use. */
RCUINFO_API int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return note(comm, RCUINFO__INTERPOSE_NEXT(MPI_Errhandler_set)(comm, errhandler));
}

#endif

static bool takes_self(void)
{
#if defined(RCUINFO__FLAVOUR_MPICH)
    int version = 0, subversion = 0;
    (void)RCUINFO__PMPI(Get_version)(&version, &subversion);
    return version > 4 || (version == 4 && subversion >= 1);
#else
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    (void)RCUINFO__PMPI(Get_library_version)(text, &length);
    return strncmp(text, "Open MPI", sizeof "Open MPI" - 1) != 0;
#endif
}

static bool self_is_set(void)
{
    MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
    (void)RCUINFO__PMPI(Comm_get_errhandler)(MPI_COMM_SELF, &handler);
    bool is_set = handler != MPI_ERRORS_ARE_FATAL;
    if (is_set && handler != MPI_ERRORS_RETURN)
        (void)RCUINFO__PMPI(Errhandler_free)(&handler);
    return is_set;
}

static MPI_Comm comm_of_errors(void)
{
    bool is_self = takes_self() && (atomic_load_explicit(&self_was_set, RCUINFO__RELAXED) || self_is_set());
    return is_self ? MPI_COMM_SELF : MPI_COMM_WORLD;
}

#endif

int rcuinfo__mpi_raise(int code)
{
    if (rcuinfo__interpose_in_world())
        (void)RCUINFO__PMPI(Comm_call_errhandler)(comm_of_errors(), code);
    return code;
}

int rcuinfo__interpose_absent(void)
{
    return rcuinfo__mpi_raise(MPI_ERR_INTERN);
}
