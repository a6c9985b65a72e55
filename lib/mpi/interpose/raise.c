/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * raise: calls the program's error handler. Infos have no error handlers, so the libraries call that of a communicator,
 * which depends on the library:
 *
 *     Open MPI, Intel MPI, and MPICH before 4.2   MPI_COMM_WORLD
 *     MPICH from 4.2 (MPI-4.1) on                 MPI_COMM_SELF if the program has ever set its handler, else
 *                                                 MPI_COMM_WORLD
 *
 * MPI_Comm_get_errhandler does not tell whether MPI_ERRORS_ARE_FATAL was set or nothing, so this watches the calls that
 * set a handler.
 */
#include <execinfo.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/order.h"
#include "core/quiet.h"
#include "mpi/interpose/real.h"
#if defined(RCUINFO__FLAVOUR_ABI)
#include "mpi/mpi_integer.h"
#endif

#if defined(RCUINFO__FLAVOUR_ABI)

#define IS_PREDEFINED(handler) ((uintptr_t)(handler) < RCUINFO__MPI_RESERVED_END)

#else

#if defined(RCUINFO__FLAVOUR_MPICH)
#define IS_PREDEFINED(handler) ((uint32_t)(handler) >> 30 == 1) /* kind 01, see RCUINFO__MPI_MARK */
#else
#define IS_PREDEFINED(handler)                                                                                         \
    ((handler) == MPI_ERRORS_RETURN || (handler) == MPI_ERRORS_ABORT || (handler) == MPI_ERRORS_ARE_FATAL)
#endif

#endif

/* The handler of MPI_COMM_SELF was set. Needs no memory order: no other data depends on it, and a program orders its
 * own calls. */
static _Atomic bool self_was_set;

/* A handle to compare with predefined ones. */
static MPI_Errhandler handler_of(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
    (void)RCUINFO__NEXT(PMPI_Comm_get_errhandler)(comm, &handler);
    MPI_Errhandler had = handler;
    if (!IS_PREDEFINED(handler))
        (void)RCUINFO__NEXT(PMPI_Errhandler_free)(&handler);
    return had;
}

/* Whether an error ends the program. */
static bool is_fatal(MPI_Comm comm)
{
    MPI_Errhandler handler = handler_of(comm);
    return IS_PREDEFINED(handler) && handler != rcuinfo__real_errors_return();
}

#if defined(RCUINFO__FLAVOUR_OPENMPI)

static MPI_Comm comm_of_errors(void)
{
    return MPI_COMM_WORLD;
}

#else

static int note(MPI_Comm comm, int code)
{
    if (comm == MPI_COMM_SELF && code == MPI_SUCCESS)
        atomic_store_explicit(&self_was_set, true, RCUINFO__RELAXED);
    return code;
}

#define SET(name)                                                                                                      \
    int rcuinfo__##name(MPI_Comm comm, MPI_Errhandler errhandler)                                                      \
    {                                                                                                                  \
        return note(comm, RCUINFO__NEXT(name)(comm, errhandler));                                                      \
    }
SET(MPI_Comm_set_errhandler)
SET(PMPI_Comm_set_errhandler)
SET(MPI_Errhandler_set) /* MPI-1's name, which Fortran programs still use */
SET(PMPI_Errhandler_set)

static bool takes_self(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length, version = 0, subversion = 0;
    (void)RCUINFO__NEXT(PMPI_Get_library_version)(text, &length);
    if (strncmp(text, "Open MPI", sizeof "Open MPI" - 1) == 0 || strstr(text, "Intel(R) MPI"))
        return false;
    (void)RCUINFO__NEXT(PMPI_Get_version)(&version, &subversion);
    return version > 4 || (version == 4 && subversion >= 1);
}

static MPI_Comm comm_of_errors(void)
{
    bool is_self = takes_self() && (atomic_load_explicit(&self_was_set, RCUINFO__RELAXED) ||
                                    handler_of(MPI_COMM_SELF) != MPI_ERRORS_ARE_FATAL);
    return is_self ? MPI_COMM_SELF : MPI_COMM_WORLD;
}

#endif

/* What an error class means. The library's own text may be that of another class: libraries of the standard ABI have
 * texts for the numbers that they use without it. */
static const char *meaning_of(int code)
{
    static const struct {
        int code;
        const char *text;
    } meanings[] = {
        {MPI_ERR_ARG, "MPI_ERR_ARG: invalid argument"},
        {MPI_ERR_COMM, "MPI_ERR_COMM: invalid communicator"},
        {MPI_ERR_INFO, "MPI_ERR_INFO: not a live info, or a change to MPI_INFO_ENV"},
        {MPI_ERR_INFO_KEY, "MPI_ERR_INFO_KEY: the key is NULL, empty or too long"},
        {MPI_ERR_INFO_NOKEY, "MPI_ERR_INFO_NOKEY: the info does not have the key"},
        {MPI_ERR_INFO_VALUE, "MPI_ERR_INFO_VALUE: the value is NULL or too long"},
        {MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM: no memory or no handle is left"},
    };
    for (size_t n = 0; n < sizeof meanings / sizeof *meanings; n++) {
        if (meanings[n].code == code)
            return meanings[n].text;
    }
    return "internal error";
}

/* Says which call of the program is about to end it, and where it is, as the library names MPI_Comm_call_errhandler. */
static void say(int code, const char *function)
{
    static const char prefix[] = "rcuinfo__";
    void *frames[16];
    struct rcuinfo__module here, caller;
    int n = 0, count = backtrace(frames, sizeof frames / sizeof *frames);
    if (!rcuinfo__module_of(&self_was_set, &here))
        return;
    while (n < count && (uintptr_t)frames[n] >= here.first && (uintptr_t)frames[n] < here.end)
        n++;
    if (strncmp(function, prefix, sizeof prefix - 1) == 0)
        function += sizeof prefix - 1;
    function += *function == 'P';
    if (n < count && rcuinfo__module_of(frames[n], &caller))
        rcuinfo__quiet_say("rcuinfo: %s, called from %s+0x%" PRIxPTR ": %s\n", function,
                           *caller.name ? caller.name : "the program", (uintptr_t)frames[n] - caller.base,
                           meaning_of(code));
}

int rcuinfo__mpi_raise(int code, const char *function)
{
    if (rcuinfo__real_in_world()) {
        MPI_Comm comm = comm_of_errors();
        if (is_fatal(comm))
            say(code, function);
        (void)RCUINFO__NEXT(PMPI_Comm_call_errhandler)(comm, code);
    }
    return code;
}
