/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi_compat.h
 * Functions of rcuinfo's MPI layers that are not in mpi.h. Include the mpi.h in use (that of MPICH or Open MPI, or
 * rcuinfo/abi/mpi.h) first, and link or preload the layer of the same flavour (librcuinfo_mpich, librcuinfo_openmpi or
 * librcuinfo_mpi). Also declares MPI_Info_get_string and MPI_Info_create_env for Open MPI 4.1, whose mpi.h lacks them.
 */
#ifndef RCUINFO_MPI_COMPAT_H
#define RCUINFO_MPI_COMPAT_H

#ifndef MPI_INFO_NULL
#error "include mpi.h before rcuinfo/mpi_compat.h"
#endif

#include <rcuinfo/info.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Converts an MPI handle to the native handle of the same object.
 * @param info any value
 * @return the native handle; RCUINFO_NULL for MPI_INFO_NULL, a stale handle, and infos of the real library
 * Threads: wait-free, except for the first call with MPI_INFO_ENV, which creates that object.
 */
RCUINFO_API rcuinfo_t rcuinfo_from_mpi(MPI_Info info);

/**
 * Converts a native handle to the MPI handle of the same object. As both name the same object, it must be freed only
 * once. MPI_Info_get_nthkey returns MPI_ERR_INFO_KEY for keys longer than MPI_MAX_INFO_KEY - 1 that were set through
 * the native interface.
 * @param info any value
 * @return the MPI handle; MPI_INFO_NULL if the object is not live
 * Threads: wait-free.
 */
RCUINFO_API MPI_Info rcuinfo_to_mpi(rcuinfo_t info);

#if MPI_VERSION < 4
/** See MPI-4.0. */
RCUINFO_API int MPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag);
/** See MPI-4.0. */
RCUINFO_API int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info);
#endif

#ifdef __cplusplus
}
#endif

#endif
