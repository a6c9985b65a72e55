/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flavour: what differs between the flavours of the info functions: the types, the limits, the bits of a handle, and
 * the codes of errors.
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
