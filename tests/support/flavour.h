/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flavour: the names of the interface under test, and the differences between the four. The build defines exactly one
 * of TEST_FLAVOUR_native, _abi, _mpich and _openmpi.
 *
 *                                  native        standard ABI   MPICH             Open MPI
 *   largest key, value (no NUL)    255, 1023     255, 1023      254, 1023         35, 255
 *   a handle                       64 bits       pointer        int               pointer
 *   MPI_INFO_NULL                  0             0x130          0x1c000000        an object's address
 *   MPI_INFO_ENV                   a function    0x131          0x5c000001        an object's address
 *   a handle that is not ours      ERR_INFO      ERR_INFO       the real library  the real library
 *     while that may be called     -             -              until finalize    init to finalize
 *   phases to be tested            one           one            three             three
 */
#pragma once

#include <stdint.h>

#include "support/check.h"

#if defined(TEST_FLAVOUR_native)
#include "support/native_mpi.h"
typedef uint64_t flavour_bits_t;
#define TEST_REAL_MPI 0
_Static_assert(MPI_MAX_INFO_KEY == 256 && MPI_MAX_INFO_VAL == 1024, "limits of the native interface");
#elif defined(TEST_FLAVOUR_abi)
#include <rcuinfo/abi/mpi.h>
#include <rcuinfo/mpi_compat.h>
typedef uintptr_t flavour_bits_t;
#define TEST_REAL_MPI 0
_Static_assert(MPI_MAX_INFO_KEY == 256 && MPI_MAX_INFO_VAL == 1024, "limits of the standard ABI");
#elif defined(TEST_FLAVOUR_mpich)
#include <mpi.h>
#include <rcuinfo/mpi_compat.h>
typedef uint32_t flavour_bits_t;
#define TEST_REAL_MPI 1
_Static_assert(MPI_MAX_INFO_KEY == 255 && MPI_MAX_INFO_VAL == 1024, "limits of MPICH 4.0");
#elif defined(TEST_FLAVOUR_openmpi)
#include <mpi.h>
#include <rcuinfo/mpi_compat.h>
typedef uintptr_t flavour_bits_t;
#define TEST_REAL_MPI 1
_Static_assert(MPI_MAX_INFO_KEY == 36 && MPI_MAX_INFO_VAL == 256, "limits of Open MPI 4.1");
#else
#error "no flavour chosen"
#endif

#define KEY_LIMIT   ((size_t)MPI_MAX_INFO_KEY) /* with the NUL */
#define VALUE_LIMIT ((size_t)MPI_MAX_INFO_VAL)

/* A call by MPI's name must give this code. */
#define CHECK_MPI(call, wanted)                                                                                        \
    do {                                                                                                               \
        int check_code = (int)(call);                                                                                  \
        CHECKF(check_code == (int)(wanted), "%s gives %d", #call, check_code);                                         \
    } while (0)

#if TEST_REAL_MPI
/* The libraries call the handler of one of these communicators for an error in an info. */
static inline void flavour_set_errhandler(MPI_Errhandler errhandler)
{
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler), MPI_SUCCESS);
}
#endif

/* The handle of this flavour with these bits, truncated to its size. */
static inline MPI_Info flavour_handle(uint64_t bits)
{
    return (MPI_Info)(flavour_bits_t)bits;
}

static inline uint64_t flavour_bits(MPI_Info info)
{
    return (flavour_bits_t)info;
}

/* Whether a value could be a handle of the real library, which is then called with it, while that is allowed. */
static inline int flavour_may_be_real(uint64_t bits)
{
#if defined(TEST_FLAVOUR_mpich)
    /* The two top bits are the kind, of which the library never issues 0. */
    return (uint32_t)bits >> 30 != 0;
#elif defined(TEST_FLAVOUR_openmpi)
    return bits >> 63 == 0 && bits >= 4096 && bits % sizeof(void *) == 0;
#else
    (void)bits;
    return 0;
#endif
}
