/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * real: the real library as the layer above sees it: when it may be called, which handles are its own, its functions
 * for these, and its error handler.
 *
 * Invariant: before Open MPI 5 no function of it but PMPI_Initialized and PMPI_Finalized is called before it is
 * initialized or after it is finalized: it would end the program.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include <rcuinfo_declared.h>

#include "core/order.h"
#include "mpi/interpose/interpose.h"
#include "mpi/interpose/table.h"
#if !defined(RCUINFO__FLAVOUR_MPICH)
#include "mpi/mpi_integer.h"
#endif

/* The caches need no order: an address of code carries nothing, and every thread finds the same one. */
rcuinfo__interpose_function_t rcuinfo__interpose_next(_Atomic(rcuinfo__interpose_function_t) *cache, const char *name,
                                                      rcuinfo__interpose_function_t fallback)
{
    rcuinfo__interpose_function_t next = atomic_load_explicit(cache, RCUINFO__COUNT);
    if (__builtin_expect(next != NULL, 1))
        return next;
    void *found = dlsym(RTLD_NEXT, name);
    if (found)
        memcpy(&next, &found, sizeof next);
    else
        next = fallback;
    atomic_store_explicit(cache, next, RCUINFO__COUNT);
    return next;
}

int rcuinfo__interpose_absent(void)
{
    return rcuinfo__mpi_raise(MPI_ERR_INTERN);
}

/* Where the real library's code is: found when we are loaded. */
static const char *real_code;
static const char *real_code_end;

/* What it knows, whatever its mpi.h declares: addresses of functions, NULL for what it lacks. (A dlsym that fails would
 * leave its error for the program to find.) */
extern const char knows_sessions[] __asm__("PMPI_Session_init") __attribute__((weak));
extern const char knows_abi[] __asm__("PMPI_Abi_get_version") __attribute__((weak));

__attribute__((constructor)) static void look_at_real(void)
{
    struct dl_find_object found;
    void *init = dlsym(RTLD_DEFAULT, "PMPI_Init");
    if (init && _dl_find_object(init, &found) == 0) {
        real_code = found.dlfo_map_start;
        real_code_end = found.dlfo_map_end;
    }
}

bool rcuinfo__interpose_is_real_code(const void *address)
{
    return (const char *)address >= real_code && (const char *)address < real_code_end;
}

static bool is_finalized(void)
{
    int flag = 0;
    return PMPI_Finalized(&flag) != MPI_SUCCESS || flag;
}

/* In a process of the Sessions Model only PMPI_Initialized says no, and MPI_COMM_WORLD is not to be touched. */
bool rcuinfo__interpose_in_world(void)
{
    int flag = 0;
    return PMPI_Initialized(&flag) == MPI_SUCCESS && flag && !is_finalized();
}

/* MPICH gives the memory of its infos back with the last one, and sets it up anew for the next, which takes longer than
 * a conversion. The first info that Open MPI is asked for outside of init and finalize sets up what infos need, and the
 * last one that is freed tears it down, with no lock. One that is handed to nobody keeps it. */
static void keep_one(void)
{
    MPI_Info kept;
    (void)PMPI_Info_create(&kept);
}

static void keep_one_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, keep_one);
}

#if defined(RCUINFO__FLAVOUR_MPICH)

/* Errors that belong to no object are MPI_COMM_SELF's since MPI-4.0, and since MPICH knows MPI-4.1. */
static MPI_Comm comm_of_errors(void)
{
    int version = 0;
    int subversion = 0;
    (void)PMPI_Get_version(&version, &subversion);
    return version > 4 || (version == 4 && subversion >= 1) ? MPI_COMM_SELF : MPI_COMM_WORLD;
}

bool rcuinfo__interpose_can_make(void)
{
    return true;
}

bool rcuinfo__interpose_takes_empty(void)
{
    return true;
}

void rcuinfo__interpose_prepare(void)
{
    keep_one_once();
}

bool rcuinfo__interpose_keeps_unknown(void)
{
    return false;
}

/* Whether handles that it has issued are still its own. */
static bool is_callable(void)
{
    return !is_finalized();
}

bool rcuinfo__interpose_may_be_real(MPI_Info info)
{
    /* kind "direct" or "indirect", type "info" */
    return (rcuinfo__mpi_bits(info) & UINT32_C(0xbc000000)) == UINT32_C(0x9c000000);
}

#else

/* The standard gives errors that belong to no object to MPI_COMM_SELF, Open MPI's own library to MPI_COMM_WORLD. */
static MPI_Comm comm_of_errors(void)
{
#if defined(RCUINFO__FLAVOUR_ABI)
    return MPI_COMM_SELF;
#else
    return MPI_COMM_WORLD;
#endif
}

/* A value that was never issued may be any address: where the library was never asked for infos, none is a handle. */
static bool is_callable(void)
{
    return rcuinfo__interpose_in_world();
}

/* What knows sessions, as from Open MPI 5 on, has infos at any time. */
bool rcuinfo__interpose_can_make(void)
{
    if (rcuinfo__interpose_in_world())
        return true;
    if (knows_sessions == NULL)
        return false;
    keep_one_once();
    return true;
}

/* One that is kept here would keep Open MPI from ending what its last finalize ends. */
void rcuinfo__interpose_prepare(void)
{
}

/* Open MPI keeps all keys before its version 5, which is the first that has sessions. */
bool rcuinfo__interpose_keeps_unknown(void)
{
    return knows_sessions == NULL;
}

/* Open MPI refuses an empty value before its version 6, which is the first that knows the standard ABI. */
bool rcuinfo__interpose_takes_empty(void)
{
    return knows_abi != NULL;
}

/* Addresses of a user process; the lowest page is never mapped, and objects come from malloc. */
#if defined(__x86_64__)
#define USER_ADDRESS_BITS 47
#else
#define USER_ADDRESS_BITS 56 /* arm64 has up to 52, and may have a tag above them */
#endif
#define LOWEST_ADDRESS   4096
#define OBJECT_ALIGNMENT 8

bool rcuinfo__interpose_may_be_real(MPI_Info info)
{
    uint64_t bits = rcuinfo__mpi_bits(info);
    return bits >= LOWEST_ADDRESS && bits >> USER_ADDRESS_BITS == 0 && bits % OBJECT_ALIGNMENT == 0 &&
           info != MPI_INFO_NULL && info != MPI_INFO_ENV;
}

#endif

int rcuinfo__mpi_raise(int code)
{
    if (rcuinfo__interpose_in_world())
        (void)PMPI_Comm_call_errhandler(comm_of_errors(), code);
    return code;
}

int rcuinfo__interpose_is_root(MPI_Comm comm, int root, bool *is_root)
{
    *is_root = false;
    if (comm == MPI_COMM_NULL)
        return MPI_SUCCESS;
    /* Any other communicator may come from a session, which lives outside of the world's init and finalize. */
    bool of_session = knows_sessions != NULL && comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF;
    bool can_ask = of_session || rcuinfo__interpose_in_world();
    int rank = -1;
    int code = can_ask ? PMPI_Comm_rank(comm, &rank) : MPI_SUCCESS;
    if (can_ask && code == MPI_SUCCESS && rank < 0) /* it failed, see forward.c */
        code = MPI_ERR_COMM;
    *is_root = can_ask && code == MPI_SUCCESS && rank == root;
    return code;
}

/* NEXT(x) in each function below: the next MPI_Info_x. */
#define NEXT(name) RCUINFO__INTERPOSE_NEXT(next, MPI_##name)

static int real_set(MPI_Info info, const char *key, const char *value)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    return NEXT(Info_set)(info, key, value);
}

static int real_remove(MPI_Info info, const char *key)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    return NEXT(Info_delete)(info, key);
}

static int real_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    return NEXT(Info_get)(info, key, valuelen, value, flag);
}

static int real_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    return NEXT(Info_get_valuelen)(info, key, valuelen, flag);
}

/* Before MPI-4.0: made of one get, so that length and content are of one version. */
static int get_string_by_get(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
    if (!buflen || *buflen < 0 || (*buflen > 0 && !value) || !flag)
        return rcuinfo__mpi_raise(MPI_ERR_ARG);
    char whole[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;
    int code = real_get(info, key, MPI_MAX_INFO_VAL, whole, &found);
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

static int real_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    rcuinfo__interpose_function_t found =
        rcuinfo__interpose_next(&next, "MPI_Info_get_string", (rcuinfo__interpose_function_t)get_string_by_get);
    return ((__typeof__(&get_string_by_get))found)(info, key, buflen, value, flag);
}

static int real_get_nkeys(MPI_Info info, int *nkeys)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    return NEXT(Info_get_nkeys)(info, nkeys);
}

static int real_get_nthkey(MPI_Info info, int n, char *key)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    return NEXT(Info_get_nthkey)(info, n, key);
}

static int real_dup(MPI_Info info, MPI_Info *newinfo)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    return NEXT(Info_dup)(info, newinfo);
}

static int real_free(MPI_Info *info)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    return NEXT(Info_free)(info);
}

const struct rcuinfo__mpi_real *rcuinfo__mpi_real_for(MPI_Info info)
{
    static const struct rcuinfo__mpi_real real = {
        .set = real_set,
        .remove = real_remove,
        .get = real_get,
        .get_valuelen = real_get_valuelen,
        .get_string = real_get_string,
        .get_nkeys = real_get_nkeys,
        .get_nthkey = real_get_nthkey,
        .dup = real_dup,
        .free = real_free,
    };
    return rcuinfo__interpose_may_be_real(info) && is_callable() ? &real : NULL;
}

#if defined(RCUINFO__FLAVOUR_ABI)

RCUINFO_API int MPI_Info_toint(MPI_Info info)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    bool is_real = !rcuinfo__mpi_is_ours(info) && rcuinfo__mpi_real_for(info);
    return is_real ? NEXT(Info_toint)(info) : rcuinfo__mpi_toint(info);
}

RCUINFO_API MPI_Info MPI_Info_fromint(int info)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    bool is_known = rcuinfo__mpi_integer_is_ours(info) || (info >= 0 && info < RCUINFO__MPI_RESERVED_END);
    return is_known || !is_callable() ? rcuinfo__mpi_fromint(info) : NEXT(Info_fromint)(info);
}

#elif defined(RCUINFO__FLAVOUR_OPENMPI)

/* The integers that mpif.h has for the predefined handles; Open MPI's own table holds them only while it is
 * initialized. */
#define FORTRAN_NULL 0
#define FORTRAN_ENV  1

RCUINFO_API MPI_Fint MPI_Info_c2f(MPI_Info info)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    if (rcuinfo__mpi_is_ours(info))
        return rcuinfo__mpi_to_integer(info);
    if (info == MPI_INFO_NULL)
        return FORTRAN_NULL;
    if (info == MPI_INFO_ENV)
        return FORTRAN_ENV;
    return rcuinfo__mpi_real_for(info) ? NEXT(Info_c2f)(info) : INT_MIN;
}

RCUINFO_API MPI_Info MPI_Info_f2c(MPI_Fint info)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    if (rcuinfo__mpi_integer_is_ours(info))
        return rcuinfo__mpi_from_integer(info);
    if (info == FORTRAN_NULL)
        return MPI_INFO_NULL;
    if (info == FORTRAN_ENV)
        return MPI_INFO_ENV;
    return is_callable() ? NEXT(Info_f2c)(info) : NULL;
}

/* Of MPI-5.0. Weak: an older library lacks them. */
extern int PMPI_Info_toint(MPI_Info info) __attribute__((weak));
extern MPI_Info PMPI_Info_fromint(int info) __attribute__((weak));

RCUINFO_API int MPI_Info_toint(MPI_Info info);
RCUINFO_API MPI_Info MPI_Info_fromint(int info);

RCUINFO_API int MPI_Info_toint(MPI_Info info)
{
    if (rcuinfo__mpi_is_ours(info) || !PMPI_Info_toint)
        return MPI_Info_c2f(info);
    return PMPI_Info_toint(info);
}

RCUINFO_API MPI_Info MPI_Info_fromint(int info)
{
    return info < 0 || !PMPI_Info_fromint ? MPI_Info_f2c(info) : PMPI_Info_fromint(info);
}

#elif defined(RCUINFO__HAS_MPIX_Info_set_hex)

extern __typeof__(PMPIX_Info_set_hex) PMPIX_Info_set_hex __attribute__((weak));
/* The bytes as upper-case digits, two each. */
RCUINFO_API int MPIX_Info_set_hex(MPI_Info info, const char *key, const void *value, int value_size)
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    static const char digits[] = "0123456789ABCDEF";
    char text[MPI_MAX_INFO_VAL];
    if (rcuinfo__mpi_real_for(info))
        return RCUINFO__INTERPOSE_NEXT(next, MPIX_Info_set_hex)(info, key, value, value_size);
    if (!value || value_size < 0 || value_size > (MPI_MAX_INFO_VAL - 1) / 2)
        return rcuinfo__mpi_done(RCUINFO_ERR_VALUE);
    for (int i = 0; i < value_size; i++) {
        unsigned byte = ((const unsigned char *)value)[i];
        text[2 * i] = digits[byte / 16];
        text[2 * i + 1] = digits[byte % 16];
    }
    text[2 * value_size] = '\0';
    return MPI_Info_set(info, key, text);
}

#endif
