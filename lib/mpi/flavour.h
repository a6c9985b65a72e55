/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flavour: what differs between the four compilations of the MPI-named functions: mpi.h, the limits, the bits of a
 * handle, error handling, and the treatment of handles that the real library may have issued.
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
#include <mpi.h>
#else
#error "no flavour"
#endif

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rcuinfo/mpi_compat.h>

#include "core/layer.h"
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

/* An MPI handle is a mark and the payload of rcuinfo__handle_narrow. */
#if defined(RCUINFO__FLAVOUR_MPICH)
/* E.g. 0x1c000007 | generation << 15 for slot 7. To MPICH this is kind 00 (invalid), type 0111 (info); it issues only
 * the kinds 01, 10 and 11. */
#define RCUINFO__MPI_GENERATION_BITS 6
#define RCUINFO__MPI_MARK            UINT32_C(0x1c000000)
typedef uint32_t rcuinfo__mpi_bits_t;
#else
/* The top bit of a pointer. With 64 bits no address in a user process has it, so no real handle does. With 32 bits,
 * which leave enough for the payload, an address may have it, but then there is no real library, so no address is a
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

#define RCUINFO__MPI_PAYLOAD_BITS (RCUINFO__INDEX_BITS + RCUINFO__MPI_GENERATION_BITS)
#define RCUINFO__MPI_PAYLOAD_MASK ((UINT32_C(1) << RCUINFO__MPI_PAYLOAD_BITS) - 1)

static inline rcuinfo__mpi_bits_t rcuinfo__mpi_bits(MPI_Info info)
{
    return (rcuinfo__mpi_bits_t)info;
}

static inline MPI_Info rcuinfo__mpi_handle(rcuinfo__mpi_bits_t bits)
{
    return (MPI_Info)bits;
}

/* Whether the value is a handle of the store, live or not. On MPICH this includes MPI_INFO_NULL, with payload 0. */
static inline bool rcuinfo__mpi_is_ours(MPI_Info info)
{
    return (rcuinfo__mpi_bits(info) & ~(rcuinfo__mpi_bits_t)RCUINFO__MPI_PAYLOAD_MASK) == RCUINFO__MPI_MARK;
}

static inline uint32_t rcuinfo__mpi_payload(MPI_Info info)
{
    return (uint32_t)rcuinfo__mpi_bits(info) & RCUINFO__MPI_PAYLOAD_MASK;
}

/* The handle with that payload. */
static inline MPI_Info rcuinfo__mpi_dress(uint32_t payload)
{
    return rcuinfo__mpi_handle(RCUINFO__MPI_MARK | payload);
}

/* The handle of an object that is not RCUINFO_NULL. */
static inline MPI_Info rcuinfo__mpi_encode(rcuinfo_t info)
{
    return rcuinfo__mpi_dress(rcuinfo__handle_narrow(info, RCUINFO__MPI_GENERATION_BITS));
}

/* The native handle of MPI_INFO_ENV, a read-only object that is never freed. The first call creates it; RCUINFO_NULL if
 * there is no memory for that. */
static inline rcuinfo_t rcuinfo__mpi_env(void)
{
    return rcuinfo__env_shared(RCUINFO__MPI_ENV, RCUINFO__MPI_LIMITS);
}

/* The handle for calls with RCUINFO__MPI_FLAVOUR, which compare only what the payload has; RCUINFO_NULL if the value
 * was never a handle of ours. */
static inline rcuinfo_t rcuinfo__mpi_decode(MPI_Info info)
{
    if (__builtin_expect(rcuinfo__mpi_is_ours(info), 1))
        return rcuinfo__handle_expand(rcuinfo__mpi_payload(info), RCUINFO__MPI_GENERATION_BITS);
    return info == MPI_INFO_ENV ? rcuinfo__mpi_env() : RCUINFO_NULL;
}

/* The native handle; RCUINFO_NULL if the value is not a live object of the store. */
static inline rcuinfo_t rcuinfo__mpi_native(MPI_Info info)
{
    if (__builtin_expect(rcuinfo__mpi_is_ours(info), 1))
        return rcuinfo__handle_widen(rcuinfo__mpi_payload(info), RCUINFO__MPI_GENERATION_BITS);
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

static inline int rcuinfo__mpi_raise(int code)
{
    return code;
}

/* Gives a function MPI_X, defined above in the same file, the second name PMPI_X. An interposer must leave that to the
 * real library, which calls these names itself. */
#define RCUINFO__MPI_ALIAS(name)                                                                                       \
    extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name), visibility("default")))

#define RCUINFO__MPI_PASS(info, call)   ((void)0)
#define RCUINFO__MPI_WATCH(key, is_nth) ((void)0)

#else

/* Calls the error handler that the standard requires, if MPI is initialized, and returns the code. */
int rcuinfo__mpi_raise(int code);

/* Called with the key of each look-up, and with each key that is enumerated. NULL: nothing watches. Written at load. */
typedef void rcuinfo__mpi_watch_t(const char *key, const void *caller, bool is_nth);
extern rcuinfo__mpi_watch_t *_Atomic rcuinfo__mpi_watch;

#define RCUINFO__MPI_WATCH(key, is_nth)                                                                                \
    do {                                                                                                               \
        rcuinfo__mpi_watch_t *watch = atomic_load_explicit(&rcuinfo__mpi_watch, memory_order_relaxed);                 \
        if (__builtin_expect(watch != NULL, 0))                                                                        \
            watch(key, __builtin_return_address(0), is_nth);                                                           \
    } while (0)

typedef void (*rcuinfo__interpose_function_t)(void);

/*
 * The definition of an MPI function after ours: that of a tool, or the MPI library's. NULL: there is none, or no MPI
 * library is loaded. Any thread, also during a fork.
 */
rcuinfo__interpose_function_t rcuinfo__interpose_next(_Atomic(rcuinfo__interpose_function_t) *cache, const char *name);

/* Called instead of a function that the MPI library lacks, with its arguments: raises and returns MPI_ERR_INTERN. */
int rcuinfo__interpose_absent(void);

static inline rcuinfo__interpose_function_t rcuinfo__interpose_present(rcuinfo__interpose_function_t next)
{
    return __builtin_expect(next != NULL, 1) ? next
                                             : (rcuinfo__interpose_function_t)(void (*)(void))rcuinfo__interpose_absent;
}

/* The next function of that name, with its type. */
#define RCUINFO__INTERPOSE_NEXT(name)                                                                                  \
    __extension__({                                                                                                    \
        static _Atomic(rcuinfo__interpose_function_t) cache;                                                           \
        (__typeof__(&name))rcuinfo__interpose_present(rcuinfo__interpose_next(&cache, #name));                         \
    })

/* Whether a value that is not ours may be the real library's, and that can be called now. */
bool rcuinfo__mpi_is_real(MPI_Info info);

/* MPI_Info_get_string of the real library, or the same by MPI_Info_get if it has none. */
int rcuinfo__mpi_real_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag);

/* Returns the value of a call of the real library, which calls the error handler itself, if the info is its own. */
#define RCUINFO__MPI_PASS(info, call)                                                                                  \
    do {                                                                                                               \
        if (__builtin_expect(!rcuinfo__mpi_is_ours(info), 0) && rcuinfo__mpi_is_real(info))                            \
            return call;                                                                                               \
    } while (0)

#endif

/* Ends a call: returns the code for a status, after calling the error handler if it is an error. */
static inline int rcuinfo__mpi_done(rcuinfo_status_t status)
{
    return __builtin_expect(status == RCUINFO_SUCCESS, 1) ? MPI_SUCCESS : rcuinfo__mpi_raise(rcuinfo__mpi_code(status));
}

/* Corrects the status of a call that only reads `info`. ERR_INFO for MPI_INFO_ENV means that there was no memory to
 * create it, as it is always live afterwards. */
static inline rcuinfo_status_t rcuinfo__mpi_reading(MPI_Info info, rcuinfo_status_t status)
{
    bool missing = __builtin_expect(status == RCUINFO_ERR_INFO, 0) && info == MPI_INFO_ENV;
    return missing ? RCUINFO_ERR_NO_MEM : status;
}
