/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi_compat.h
 * Functions of rcuinfo's MPI layers beyond the mpi.h in use. Include that mpi.h (MPICH's, Open MPI's or
 * rcuinfo/abi/mpi.h) first, and link or preload librcuinfo_interpose or, for rcuinfo/abi/mpi.h without an MPI,
 * librcuinfo_mpi. Also declares MPI_Info_get_string and MPI_Info_create_env if mpi.h lacks them, as in Open MPI 4.1.
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <mpi.h>
 * #include <rcuinfo/mpi_compat.h>
 * #include <rcuinfo/update.h>
 *
 * int main(void)
 * {
 *     const rcuinfo_change_t changes[] = {{"cb_nodes", "4"},
 *                                         {"no_locks", "true"}};
 *     MPI_Info info;
 *     int nkeys;
 *
 *     // MPI has no call that sets both at one instant.
 *     if (MPI_Info_create(&info) ||
 *         rcuinfo_update(rcuinfo_from_mpi(info), changes, 2, NULL))
 *         return 1;
 *     if (MPI_Info_get_nkeys(info, &nkeys))
 *         return 1;
 *     printf("%d keys\n", nkeys); // prints: 2 keys
 *     return MPI_Info_free(&info);
 * }
 * @endcode
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
 * @return its native handle; RCUINFO_NULL for MPI_INFO_NULL, stale handles, and infos of the real library
 * Threads: wait-free, except for the first call with MPI_INFO_ENV, which creates that object.
 */
RCUINFO_API rcuinfo_t rcuinfo_from_mpi(MPI_Info info);

/**
 * Converts a native handle to the MPI handle of the same object; freeing either handle frees the object. If the native
 * interface sets a key longer than MPI_MAX_INFO_KEY - 1, MPI_Info_get_nthkey returns MPI_ERR_INFO_KEY for that key; the
 * length of a value that it sets may exceed MPI_MAX_INFO_VAL - 1.
 * @param info any value
 * @return its MPI handle; MPI_INFO_NULL if the object is not live
 * Threads: wait-free.
 */
RCUINFO_API MPI_Info rcuinfo_to_mpi(rcuinfo_t info);

#if MPI_VERSION < 4
/** As in MPI-4.0; Open MPI 4.1 does not have it. */
RCUINFO_API int MPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag);
/** As in MPI-4.0; Open MPI 4.1 does not have it. */
RCUINFO_API int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info);
#endif

#ifdef __cplusplus
}
#endif

#endif
