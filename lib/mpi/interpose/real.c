/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * real: the real library: when it can be called, which handles are its own, and its functions for these.
 *
 * Invariant: Open MPI before version 5 is called only while it is initialized and not finalized, except for
 * PMPI_Initialized and PMPI_Finalized; other calls would abort the program.
 */
#include <pthread.h>
#include <string.h>

#include "mpi/interpose/real.h"
#include "mpi/interpose/interpose.h"
#if !defined(RCUINFO__FLAVOUR_MPICH)
#include "mpi/mpi_integer.h"
#endif

/* Functions of the library that runs, not of mpi.h. */
#define KNOWS_SESSIONS RCUINFO__HAS(PMPI_Session_init)
#define KNOWS_ABI      RCUINFO__HAS(PMPI_Abi_get_version)

static bool is_finalized(void)
{
    int flag = 0;
    return RCUINFO__NEXT(PMPI_Finalized)(&flag) != MPI_SUCCESS || flag;
}

/* In a process that uses only the Sessions Model this is false, and MPI_COMM_WORLD must not be used. */
bool rcuinfo__real_in_world(void)
{
    int flag = 0;
    return RCUINFO__NEXT(PMPI_Initialized)(&flag) == MPI_SUCCESS && flag && !is_finalized();
}

/* Whether the program has had a session, in which the library issues infos as well. */
static _Atomic bool has_had_session;

void rcuinfo__real_note_session(void)
{
    atomic_store_explicit(&has_had_session, true, RCUINFO__RELAXED);
}

static bool had_session(void)
{
    return atomic_load_explicit(&has_had_session, RCUINFO__RELAXED);
}

/* Creates an info that is never freed. MPICH frees the pool of its infos together with the last info and creates it
 * again for the next one, which takes longer than a conversion. Outside of MPI_Init and MPI_Finalize, Open MPI
 * initializes its infos with the first one and finalizes them with the last one, without a lock. One more info prevents
 * both. */
static void keep_info(void)
{
    MPI_Info kept;
    (void)RCUINFO__NEXT(PMPI_Info_create)(&kept);
}

static void keep_info_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, keep_info);
}

#if defined(RCUINFO__FLAVOUR_MPICH)

bool rcuinfo__real_can_make(void)
{
    return true;
}

bool rcuinfo__real_takes_empty(void)
{
    return true;
}

void rcuinfo__real_prepare(void)
{
    keep_info_once();
}

/* Whether handles of the library can be passed to it. */
static bool is_callable(void)
{
    return had_session() || !is_finalized();
}

bool rcuinfo__real_may_be(MPI_Info info)
{
    /* kind 10 (direct) or 11 (indirect), type 0111 (info), see RCUINFO__MPI_MARK */
    return (rcuinfo__mpi_bits(info) & UINT32_C(0xbc000000)) == UINT32_C(0x9c000000);
}

#else

/* Whether handles of the library can be passed to it. Before it is initialized it has issued none, so any address would
 * be an invalid one. */
static bool is_callable(void)
{
    return had_session() || rcuinfo__real_in_world();
}

/* Libraries with sessions, such as Open MPI since version 5, have infos at any time. */
bool rcuinfo__real_can_make(void)
{
    if (rcuinfo__real_in_world())
        return true;
    if (!KNOWS_SESSIONS)
        return false;
    keep_info_once();
    return true;
}

/* An info that is kept from here on would keep Open MPI from cleaning up in the last finalize. */
void rcuinfo__real_prepare(void)
{
}

/* Open MPI refuses empty values before version 6, the first one with the standard ABI. */
bool rcuinfo__real_takes_empty(void)
{
    return KNOWS_ABI;
}

/* Addresses in a user process. The lowest page is never mapped, and objects are allocated by malloc. */
#if defined(__x86_64__)
#define USER_ADDRESS_BITS 47
#else
#define USER_ADDRESS_BITS 56 /* arm64 has up to 52, and possibly a tag above */
#endif
#define LOWEST_ADDRESS   4096
#define OBJECT_ALIGNMENT 8

bool rcuinfo__real_may_be(MPI_Info info)
{
    uint64_t bits = rcuinfo__mpi_bits(info);
    return bits >= LOWEST_ADDRESS && bits >> USER_ADDRESS_BITS == 0 && bits % OBJECT_ALIGNMENT == 0 &&
           info != MPI_INFO_NULL && info != MPI_INFO_ENV;
}

#endif

int rcuinfo__real_is_root(MPI_Comm comm, int root, bool *is_root)
{
    *is_root = false;
    if (comm == MPI_COMM_NULL)
        return MPI_SUCCESS;

    /* Another communicator may be of a session, which is independent of the World Model. */
    bool of_session = KNOWS_SESSIONS && comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF;
    bool can_ask = of_session || rcuinfo__real_in_world();
    int rank = -1;
    int code = can_ask ? RCUINFO__NEXT(PMPI_Comm_rank)(comm, &rank) : MPI_SUCCESS;
    if (can_ask && code == MPI_SUCCESS && rank < 0) /* an error, see FORWARD_GIVEN */
        code = MPI_ERR_COMM;
    *is_root = can_ask && code == MPI_SUCCESS && rank == root;
    return code;
}

const struct rcuinfo__mpi_watch *_Atomic rcuinfo__mpi_watch;

/* MPI_Info_get_string for libraries before MPI-4.0, by a single get, so that length and value are of one version. */
int rcuinfo__mpi_get_string_by_get(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
    if (!buflen || *buflen < 0 || (*buflen > 0 && !value) || !flag)
        return rcuinfo__mpi_raise(MPI_ERR_ARG, "MPI_Info_get_string");

    char whole[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;
    int code = RCUINFO__NEXT(PMPI_Info_get)(info, key, MPI_MAX_INFO_VAL, whole, &found);
    if (code != MPI_SUCCESS)
        return code;
    if (found) {
        int length = (int)strnlen(whole, MPI_MAX_INFO_VAL);
        int copied = length < *buflen ? length : *buflen - 1;
        if (*buflen > 0) {
            memcpy(value, whole, (size_t)copied);
            value[copied] = '\0';
        }
        *buflen = length + 1;
    }
    *flag = found;
    return MPI_SUCCESS;
}

bool rcuinfo__mpi_is_real(MPI_Info info)
{
    return rcuinfo__real_may_be(info) && is_callable();
}

#if defined(RCUINFO__FLAVOUR_ABI)

/* The libraries of the ABI differ: it is 0x143 in MPICH 5.0.2, and 0x142 in Intel MPI 2021.19. */
MPI_Errhandler rcuinfo__real_errors_return(void)
{
    MPI_Errhandler of_files = MPI_ERRORS_ARE_FATAL;
    (void)RCUINFO__NEXT(PMPI_File_get_errhandler)(MPI_FILE_NULL, &of_files); /* their default */
    return of_files;
}

#else

MPI_Errhandler rcuinfo__real_errors_return(void)
{
    return MPI_ERRORS_RETURN;
}

#endif

_Thread_local uintptr_t rcuinfo__interpose_outermost;

bool rcuinfo__real_has(const void *address)
{
    if (rcuinfo__next_is_library(address))
        return true;

    struct rcuinfo__module module;
    const char *slash = rcuinfo__module_of(address, &module) ? strrchr(module.name, '/') : NULL;
    return slash && strncmp(slash, "/mca_", sizeof "/mca_" - 1) == 0;
}

bool rcuinfo__mpi_is_called_by_real(const void *caller)
{
    return rcuinfo__interpose_is_within() || rcuinfo__real_has(caller);
}

/* The conversions of handles to integers. Those of MPICH leave its integers, and so ours, as they are. */
#define BOTH(result, name, parameters, call)                                                                           \
    result rcuinfo__MPI_##name parameters                                                                              \
    {                                                                                                                  \
        return call;                                                                                                   \
    }                                                                                                                  \
    result rcuinfo__PMPI_##name parameters                                                                             \
    {                                                                                                                  \
        return call;                                                                                                   \
    }

#if defined(RCUINFO__FLAVOUR_ABI)

static int toint(MPI_Info info)
{
    bool is_real = !rcuinfo__mpi_is_ours(info) && rcuinfo__mpi_is_real(info);
    return is_real ? RCUINFO__NEXT(PMPI_Info_toint)(info) : rcuinfo__mpi_toint(info);
}

static MPI_Info fromint(int info)
{
    bool is_known = rcuinfo__mpi_integer_is_ours(info) || (info >= 0 && info < RCUINFO__MPI_RESERVED_END);
    return is_known || !is_callable() ? rcuinfo__mpi_fromint(info) : RCUINFO__NEXT(PMPI_Info_fromint)(info);
}

BOTH(int, Info_toint, (MPI_Info info), toint(info))
BOTH(MPI_Info, Info_fromint, (int info), fromint(info))

#elif defined(RCUINFO__FLAVOUR_OPENMPI)

/* The integers of the predefined handles in mpif.h. Open MPI converts them only while it is initialized. */
#define FORTRAN_NULL 0
#define FORTRAN_ENV  1

static MPI_Fint c2f(MPI_Info info)
{
    if (rcuinfo__mpi_is_ours(info))
        return rcuinfo__mpi_to_integer(info);
    if (info == MPI_INFO_NULL)
        return FORTRAN_NULL;
    if (info == MPI_INFO_ENV)
        return FORTRAN_ENV;
    return rcuinfo__mpi_is_real(info) ? RCUINFO__NEXT(PMPI_Info_c2f)(info) : INT_MIN;
}

static MPI_Info f2c(MPI_Fint info)
{
    if (rcuinfo__mpi_integer_is_ours(info))
        return rcuinfo__mpi_from_integer(info);
    if (info == FORTRAN_NULL)
        return MPI_INFO_NULL;
    if (info == FORTRAN_ENV)
        return MPI_INFO_ENV;
    return is_callable() ? RCUINFO__NEXT(PMPI_Info_f2c)(info) : NULL;
}

/* Since MPI-5.0 */
static int toint(MPI_Info info)
{
    bool is_real = !rcuinfo__mpi_is_ours(info) && RCUINFO__HAS(PMPI_Info_toint);
    return is_real ? RCUINFO__NEXT(PMPI_Info_toint)(info) : c2f(info);
}

static MPI_Info fromint(int info)
{
    return info >= 0 && RCUINFO__HAS(PMPI_Info_fromint) ? RCUINFO__NEXT(PMPI_Info_fromint)(info) : f2c(info);
}

BOTH(MPI_Fint, Info_c2f, (MPI_Info info), c2f(info))
BOTH(MPI_Info, Info_f2c, (MPI_Fint info), f2c(info))
BOTH(int, Info_toint, (MPI_Info info), toint(info))
BOTH(MPI_Info, Info_fromint, (int info), fromint(info))

#else

BOTH(int, Info_toint, (MPI_Info info), info)
BOTH(MPI_Info, Info_fromint, (int info), info)

/* Sets the value to the bytes in upper-case hexadecimal. */
static int set_hex(MPI_Info info, const char *key, const void *value, int value_size)
{
    static const char digits[] = "0123456789ABCDEF";
    char text[MPI_MAX_INFO_VAL];
    if (rcuinfo__mpi_is_real(info))
        return RCUINFO__NEXT(PMPIX_Info_set_hex)(info, key, value, value_size);
    if (!value || value_size < 0 || value_size > (MPI_MAX_INFO_VAL - 1) / 2)
        return rcuinfo__mpi_done(RCUINFO_ERR_VALUE, "MPIX_Info_set_hex");

    char *at = text;
    for (int i = 0; i < value_size; i++) {
        unsigned byte = ((const unsigned char *)value)[i];
        *at++ = digits[byte / 16];
        *at++ = digits[byte % 16];
    }
    *at = '\0';
    return rcuinfo__MPI_Info_set(info, key, text);
}

int rcuinfo__MPIX_Info_set_hex(MPI_Info info, const char *key, const void *value, int value_size)
{
    return set_hex(info, key, value, value_size);
}

int rcuinfo__PMPIX_Info_set_hex(MPI_Info info, const char *key, const void *value, int value_size)
{
    return set_hex(info, key, value, value_size);
}

#endif
