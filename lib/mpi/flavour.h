/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flavour: what differs between the four compilations of the info functions: the limits, the bits of a handle, error
 * handling, the names, and the treatment of handles that the real library may have issued.
 *
 * The build defines exactly one of RCUINFO__FLAVOUR_ABI, RCUINFO__FLAVOUR_MPICH and RCUINFO__FLAVOUR_OPENMPI. It also
 * defines RCUINFO__MPI_ALONE for the standard ABI without a real library.
 * Invariant: our handles have a bit pattern that the real library never issues, so the value alone shows whether a
 * handle is ours. Whether it is live is up to the core.
 */
#pragma once

#if defined(RCUINFO__MPI_ALONE)
#include <rcuinfo/abi/mpi.h>
#elif defined(RCUINFO__FLAVOUR_ABI) || defined(RCUINFO__FLAVOUR_MPICH) || defined(RCUINFO__FLAVOUR_OPENMPI)
#include "mpi/mpi.h"
#else
#error "no flavour"
#endif

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rcuinfo/mpi_compat.h>
#if !defined(RCUINFO__MPI_ALONE)
#include <rcuinfo_forwarders.h>
#endif

#include "core/calls/layer.h"
#include "env/env.h"

#define RCUINFO__MPI_LIMITS  ((struct rcuinfo__limits){MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL})
#define RCUINFO__MPI_FLAVOUR ((struct rcuinfo__flavour){RCUINFO__MPI_LIMITS, RCUINFO__MPI_GENERATION_BITS})
_Static_assert(MPI_MAX_INFO_KEY <= RCUINFO_MAX_KEY && MPI_MAX_INFO_VAL <= RCUINFO_MAX_VALUE,
               "the store can hold what this mpi.h allows");

#if defined(RCUINFO__FLAVOUR_ABI)
#define RCUINFO__MPI_ENV RCUINFO__ENV_ABI
#elif defined(RCUINFO__FLAVOUR_MPICH)
#define RCUINFO__MPI_ENV RCUINFO__ENV_MPICH
#else
#define RCUINFO__MPI_ENV RCUINFO__ENV_OPENMPI
#endif

/* An MPI handle is a mark and the number of rcuinfo__handle_number. */
#if defined(RCUINFO__FLAVOUR_MPICH)
/* E.g. 0x1c000007 | generation << 15 for slot 7. To MPICH this is kind 00 (invalid), type 0111 (info); it issues only
 * the kinds 01, 10 and 11. */
#define RCUINFO__MPI_GENERATION_BITS 6
#define RCUINFO__MPI_MARK            UINT32_C(0x1c000000)
typedef uint32_t rcuinfo__mpi_bits_t;
#else
/* The top bit of a pointer. With 64 bits no address in a user process has it, so no real handle does. With 32 bits,
 * which leave enough for the number, an address may have it, but then there is no real library, so no address is a
 * handle; and no constant of the ABI has it. */
#if defined(RCUINFO__FLAVOUR_ABI)
#define RCUINFO__MPI_GENERATION_BITS 10 /* see mpi_integer.h */
#else
#define RCUINFO__MPI_GENERATION_BITS 11
#endif
#define RCUINFO__MPI_MARK (~(UINTPTR_MAX >> 1))
typedef uintptr_t rcuinfo__mpi_bits_t;
_Static_assert(sizeof(MPI_Info) == sizeof(uintptr_t), "handles are pointers");
#if !defined(RCUINFO__MPI_ALONE)
_Static_assert(sizeof(uintptr_t) == sizeof(uint64_t), "no address has the top bit");
#endif
#endif

#define RCUINFO__MPI_NUMBER_BITS (RCUINFO__INDEX_BITS + RCUINFO__MPI_GENERATION_BITS)
#define RCUINFO__MPI_NUMBER_MASK ((UINT32_C(1) << RCUINFO__MPI_NUMBER_BITS) - 1)

static inline rcuinfo__mpi_bits_t rcuinfo__mpi_bits(MPI_Info info)
{
    return (rcuinfo__mpi_bits_t)info;
}

static inline MPI_Info rcuinfo__mpi_handle(rcuinfo__mpi_bits_t bits)
{
    return (MPI_Info)bits;
}

/* Whether the value is a handle of the store, live or not. On MPICH this includes MPI_INFO_NULL, with number 0. */
static inline bool rcuinfo__mpi_is_ours(MPI_Info info)
{
    return (rcuinfo__mpi_bits(info) & ~(rcuinfo__mpi_bits_t)RCUINFO__MPI_NUMBER_MASK) == RCUINFO__MPI_MARK;
}

static inline uint32_t rcuinfo__mpi_number(MPI_Info info)
{
    return (uint32_t)rcuinfo__mpi_bits(info) & RCUINFO__MPI_NUMBER_MASK;
}

/* The handle with that number. */
static inline MPI_Info rcuinfo__mpi_of_number(uint32_t number)
{
    return rcuinfo__mpi_handle(RCUINFO__MPI_MARK | number);
}

/* The handle of an object that is not RCUINFO_NULL. */
static inline MPI_Info rcuinfo__mpi_encode(rcuinfo_t info)
{
    return rcuinfo__mpi_of_number(rcuinfo__handle_number(info, RCUINFO__MPI_GENERATION_BITS));
}

/* The native handle of MPI_INFO_ENV, a read-only object that is never freed. The first call creates it; RCUINFO_NULL if
 * there is no memory for that. */
static inline rcuinfo_t rcuinfo__mpi_env(void)
{
    return rcuinfo__env_shared(RCUINFO__MPI_ENV, RCUINFO__MPI_LIMITS);
}

/* The handle for calls with RCUINFO__MPI_FLAVOUR, which compare only what the number has; RCUINFO_NULL if the value
 * was never a handle of ours. */
static inline rcuinfo_t rcuinfo__mpi_decode(MPI_Info info)
{
    if (__builtin_expect(rcuinfo__mpi_is_ours(info), 1))
        return rcuinfo__handle_of_number(rcuinfo__mpi_number(info), RCUINFO__MPI_GENERATION_BITS);
    return info == MPI_INFO_ENV ? rcuinfo__mpi_env() : RCUINFO_NULL;
}

/* The native handle; RCUINFO_NULL if the value is not a live object of the store. */
static inline rcuinfo_t rcuinfo__mpi_native(MPI_Info info)
{
    if (__builtin_expect(rcuinfo__mpi_is_ours(info), 1))
        return rcuinfo__handle_native(rcuinfo__mpi_number(info), RCUINFO__MPI_GENERATION_BITS);
    return rcuinfo__mpi_decode(info);
}

static inline int rcuinfo__mpi_code(rcuinfo_status_t status)
{
    static const int codes[] = {
        [RCUINFO_SUCCESS] = MPI_SUCCESS,          [RCUINFO_ERR_ARG] = MPI_ERR_ARG,
        [RCUINFO_ERR_INFO] = MPI_ERR_INFO,        [RCUINFO_ERR_KEY] = MPI_ERR_INFO_KEY,
        [RCUINFO_ERR_VALUE] = MPI_ERR_INFO_VALUE, [RCUINFO_ERR_NOKEY] = MPI_ERR_INFO_NOKEY,
        [RCUINFO_ERR_NO_MEM] = MPI_ERR_NO_MEM,
    };
    /* The others are not returned by any function of MPI. */
    return (unsigned)status < sizeof codes / sizeof *codes ? codes[status] : MPI_ERR_INTERN;
}

#if defined(RCUINFO__MPI_ALONE)

static inline int rcuinfo__mpi_raise(int code, const char *function)
{
    (void)function;
    return code;
}

/* A function of MPI, and the same by its other name PMPI_X. */
#define RCUINFO__MPI_API         RCUINFO_API
#define RCUINFO__MPI(name)       MPI_##name
#define RCUINFO__MPI_STORE(name) name
#define RCUINFO__MPI_ALIAS(name)                                                                                       \
    extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name), visibility("default")))

#define RCUINFO__MPI_PASS(info, name, arguments, then) ((void)0)
#define RCUINFO__MPI_PASS_CREATE(name, arguments)      ((void)0)
#define RCUINFO__MPI_PASS_GET_STRING(info, arguments)  ((void)0)
#define RCUINFO__MPI_WATCH(call)                       ((void)0)

#else

#include "mpi/next.h"

/* Calls the error handler that the standard requires, if MPI is initialized, and returns the code. `function`: what the
 * program has called, for a message: MPI_X, PMPI_X, or our name for one of these. */
int rcuinfo__mpi_raise(int code, const char *function);

/* The functions are compiled twice: as MPI_X and, with RCUINFO__MPI_PROFILED, as PMPI_X. They differ in the functions
 * of the real library that they call: a tool's MPI_X may call PMPI_X. */
#if defined(RCUINFO__MPI_PROFILED)
#define RCUINFO__MPI_NAME(name) PMPI_##name
#else
#define RCUINFO__MPI_NAME(name) MPI_##name
#endif
#define RCUINFO__MPI_API         /* names.c has the names that programs see */
#define RCUINFO__MPI_OURS(name)  RCUINFO__MPI_PASTE(rcuinfo__, name)
#define RCUINFO__MPI_PASTE(a, b) a##b
#define RCUINFO__MPI(name)       RCUINFO__MPI_OURS(RCUINFO__MPI_NAME(name))
#define RCUINFO__MPI_STORE(name) rcuinfo__##name
#define RCUINFO__MPI_ALIAS(name) _Static_assert(1, "")

/* The next function of that name, with its type. */
#define RCUINFO__NEXT(name)      ((__typeof__(&name))RCUINFO__NEXT_PLACE(#name, false))

/* Whether there is one. */
#define RCUINFO__HAS(name)       (RCUINFO__NEXT_PLACE(#name, false) != 0)

/* What watches the look-ups; written at load. Any thread. */
struct rcuinfo__mpi_watch {
    /* A look-up of the key in an info of ours; and how else the caller may know it: from its enumeration, or as it sets
     * it. */
    void (*own)(const char *key, const void *caller);
    void (*own_known)(const char *key, const void *caller, bool is_nth);
    /* The same, or a set, in an info of the real library. */
    void (*looked_up)(const char *key);
    void (*enumerated)(const char *key);
    void (*set)(const char *key, const char *value);
};
extern const struct rcuinfo__mpi_watch *_Atomic rcuinfo__mpi_watch; /* NULL: nothing */

/* Makes one of these calls. */
#define RCUINFO__MPI_WATCH(call)                                                                                       \
    do {                                                                                                               \
        const struct rcuinfo__mpi_watch *watch = atomic_load_explicit(&rcuinfo__mpi_watch, memory_order_relaxed);      \
        if (__builtin_expect(watch != NULL, 0))                                                                        \
            watch->call;                                                                                               \
    } while (0)

/* Whether a value that is not ours may be the real library's, and that can be called now. */
bool rcuinfo__mpi_is_real(MPI_Info info);

/* Returns the code of the real library's function, which calls the error handler itself, if the info is its own. `then`
 * is done before that, if it succeeds. */
#define RCUINFO__MPI_PASS(info, name, arguments, then)                                                                 \
    do {                                                                                                               \
        if (__builtin_expect(!rcuinfo__mpi_is_ours(info), 0) && rcuinfo__mpi_is_real(info)) {                          \
            int passed = RCUINFO__MPI_PASSED(RCUINFO__MPI_NAME(name)) arguments;                                       \
            if (passed == MPI_SUCCESS)                                                                                 \
                then;                                                                                                  \
            return passed;                                                                                             \
        }                                                                                                              \
    } while (0)
#define RCUINFO__MPI_PASSED(name) RCUINFO__NEXT(name)

/* Whether a call of PMPI_X is the real library's, which creates its own infos. */
bool rcuinfo__mpi_is_called_by_real(const void *caller);

#if defined(RCUINFO__MPI_PROFILED)
#define RCUINFO__MPI_PASS_CREATE(name, arguments)                                                                      \
    do {                                                                                                               \
        if (rcuinfo__mpi_is_called_by_real(__builtin_return_address(0)))                                               \
            return RCUINFO__NEXT(PMPI_##name) arguments;                                                               \
    } while (0)
#else
#define RCUINFO__MPI_PASS_CREATE(name, arguments) ((void)0)
#endif

/* MPI_Info_get_string of a library that lacks it. */
int rcuinfo__mpi_get_string_by_get(MPI_Info info, const char *key, int *buflen, char *value, int *flag);
#define RCUINFO__MPI_HAS(name) RCUINFO__HAS(name)
#define RCUINFO__MPI_PASS_GET_STRING(info, arguments)                                                                  \
    do {                                                                                                               \
        if (__builtin_expect(!rcuinfo__mpi_is_ours(info), 0) && rcuinfo__mpi_is_real(info) &&                          \
            !RCUINFO__MPI_HAS(RCUINFO__MPI_NAME(Info_get_string)))                                                     \
            return rcuinfo__mpi_get_string_by_get arguments;                                                           \
    } while (0)

#endif

/* Ends a call: returns the code for a status, after calling the error handler if it is an error. */
static inline int rcuinfo__mpi_done(rcuinfo_status_t status, const char *function)
{
    return __builtin_expect(status == RCUINFO_SUCCESS, 1) ? MPI_SUCCESS
                                                          : rcuinfo__mpi_raise(rcuinfo__mpi_code(status), function);
}

/* Corrects the status of a call that only reads `info`. ERR_INFO for MPI_INFO_ENV means that there was no memory to
 * create it, as it is always live afterwards. */
static inline rcuinfo_status_t rcuinfo__mpi_reading(MPI_Info info, rcuinfo_status_t status)
{
    bool missing = __builtin_expect(status == RCUINFO_ERR_INFO, 0) && info == MPI_INFO_ENV;
    return missing ? RCUINFO_ERR_NO_MEM : status;
}
