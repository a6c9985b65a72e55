/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi.h
 * The info part of the MPI-5.0 standard ABI: its types, constants and functions, without the rest of MPI.
 *
 * A program that is compiled with -I<prefix>/include/rcuinfo/abi and linked with librcuinfo_mpi needs no MPI library. A
 * program that is built for the whole ABI may use the ABI's own mpi.h and link librcuinfo_mpi before its MPI library,
 * as long as it does not pass infos to other functions of that library, since they are not converted.
 *
 * Rules for all functions:
 *  1. There is no error handler: the code of an error, which is also its class, is returned.
 *  2. On errors no output is written and the object is unchanged. Exception: MPI_Info_create, MPI_Info_dup and
 *     MPI_Info_create_env set the new handle to MPI_INFO_NULL, except on MPI_ERR_ARG.
 *  3. MPI_INFO_NULL, NULL, a freed handle and any value that was never issued give MPI_ERR_INFO; a stale handle is
 *     detected for at least 2^22 later frees. Arguments are checked first: a NULL output gives MPI_ERR_ARG, an invalid
 *     key MPI_ERR_INFO_KEY, an invalid value MPI_ERR_INFO_VALUE.
 *  4. Keys have 1 to MPI_MAX_INFO_KEY - 1 bytes, values 0 to MPI_MAX_INFO_VAL - 1 bytes. They may contain any bytes
 *     except NUL, and are case-sensitive. Keys keep the order in which they were first set.
 *  5. Threads: any thread may call any function at any time, also in constructors and destructors. All calls are
 *     linearizable. "Wait-free" below means: takes no lock and makes no system call (except that the first call of a
 *     thread may register it).
 *  6. PMPI_X is the same function as MPI_X, for profiling tools that define MPI_X themselves.
 *
 * Source: MPI-5.0, chapter on the info object and appendix on the ABI.
 */
#ifndef RCUINFO_ABI_MPI_H
#define RCUINFO_ABI_MPI_H

#if defined(__GNUC__)
/** Precedes the declaration of every function. */
#define RCUINFO__ABI __attribute__((visibility("default")))
#else
#define RCUINFO__ABI
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the standard that defines this ABI. */
#define MPI_VERSION 5
/** The minor version. */
#define MPI_SUBVERSION 0

/** A handle of an info object. Values up to 4095 are reserved for constants; the others are not addresses, either. */
typedef struct MPI_ABI_Info *MPI_Info;

/** No object. */
#define MPI_INFO_NULL ((MPI_Info)0x00000130)
/** How this process was started. A read-only object: calls that would change it give MPI_ERR_INFO. The first use
 * creates it; if there is no memory, that call gives MPI_ERR_NO_MEM, and a later call tries again. */
#define MPI_INFO_ENV ((MPI_Info)0x00000131)

/** Size of the longest key in bytes, with its NUL. */
#define MPI_MAX_INFO_KEY 256
/** Size of the longest value in bytes, with its NUL. */
#define MPI_MAX_INFO_VAL 1024

#define MPI_SUCCESS        0  /**< success */
#define MPI_ERR_ARG        13 /**< an argument is out of range or a pointer is NULL */
#define MPI_ERR_OTHER      16 /**< an error of no other class */
#define MPI_ERR_INTERN     17 /**< an internal error */
#define MPI_ERR_INFO_KEY   31 /**< the key is NULL, empty or too long */
#define MPI_ERR_INFO_NOKEY 32 /**< the key to delete is not there */
#define MPI_ERR_INFO_VALUE 33 /**< the value is NULL or too long */
#define MPI_ERR_INFO       34 /**< not a live object, or a change to a read-only one */
#define MPI_ERR_NO_MEM     39 /**< no memory, or no handle left */

/**
 * Creates an empty object.
 * @return MPI_SUCCESS; MPI_ERR_ARG: info is NULL; MPI_ERR_NO_MEM.
 * Threads: as rcuinfo_create.
 */
RCUINFO__ABI int MPI_Info_create(MPI_Info *info);

/**
 * Adds a pair, or overrides the value of a key in place.
 * @return MPI_SUCCESS; MPI_ERR_INFO_KEY; MPI_ERR_INFO_VALUE; MPI_ERR_INFO; MPI_ERR_NO_MEM.
 * Threads: may block on other writers.
 */
RCUINFO__ABI int MPI_Info_set(MPI_Info info, const char *key, const char *value);

/**
 * Removes a pair.
 * @return MPI_SUCCESS; MPI_ERR_INFO_KEY; MPI_ERR_INFO_NOKEY: not there; MPI_ERR_INFO; MPI_ERR_NO_MEM.
 * Threads: may block on other writers.
 */
RCUINFO__ABI int MPI_Info_delete(MPI_Info info, const char *key);

/**
 * Copies the value of a key, cut at valuelen bytes, and a NUL. flag: whether the key is there.
 * @return MPI_SUCCESS, also if the value is cut or the key is absent; MPI_ERR_INFO_KEY; MPI_ERR_ARG; MPI_ERR_INFO.
 * Threads: wait-free.
 */
RCUINFO__ABI int MPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag);

/**
 * Gets the length, without the NUL, of the value of a key; valuelen is untouched when flag is 0.
 * @return MPI_SUCCESS; MPI_ERR_INFO_KEY; MPI_ERR_ARG; MPI_ERR_INFO.
 * Threads: wait-free.
 */
RCUINFO__ABI int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag);

/**
 * Copies the value of a key to a buffer of buflen bytes, and sets buflen to the size that it needs; both with the NUL.
 * If buflen is 0, value is untouched and may be NULL. If flag is 0, value and buflen are untouched.
 * @return MPI_SUCCESS; MPI_ERR_INFO_KEY; MPI_ERR_ARG: also if buflen is negative; MPI_ERR_INFO.
 * Threads: wait-free.
 */
RCUINFO__ABI int MPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag);

/**
 * Gets the number of pairs.
 * @return MPI_SUCCESS; MPI_ERR_ARG; MPI_ERR_INFO.
 * Threads: wait-free.
 */
RCUINFO__ABI int MPI_Info_get_nkeys(MPI_Info info, int *nkeys);

/**
 * Copies key number n, from 0, with its NUL, to a buffer of MPI_MAX_INFO_KEY bytes.
 * @return MPI_SUCCESS; MPI_ERR_ARG: n is out of range; MPI_ERR_INFO; MPI_ERR_INFO_KEY: the key was set through another
 * interface and is longer than MPI_MAX_INFO_KEY - 1 bytes.
 * Threads: wait-free.
 */
RCUINFO__ABI int MPI_Info_get_nthkey(MPI_Info info, int n, char *key);

/**
 * Creates an object with the same pairs in the same order.
 * @return MPI_SUCCESS; MPI_ERR_ARG: newinfo is NULL; MPI_ERR_INFO; MPI_ERR_NO_MEM.
 * Threads: as MPI_Info_create.
 */
RCUINFO__ABI int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo);

/**
 * Frees an object and sets the handle to MPI_INFO_NULL.
 * @return MPI_SUCCESS; MPI_ERR_ARG: info is NULL; MPI_ERR_INFO.
 * Threads: may block on other writers.
 */
RCUINFO__ABI int MPI_Info_free(MPI_Info *info);

/**
 * Creates an object with the pairs that MPI_INFO_ENV would have if the process had been started with these arguments.
 * argv may be NULL if argc is 0, and need not end with a NULL.
 * @return MPI_SUCCESS; MPI_ERR_ARG: argc is negative; argv or one of its strings is NULL with argc > 0; info is NULL;
 * MPI_ERR_NO_MEM.
 * Threads: may block.
 */
RCUINFO__ABI int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info);

/**
 * Converts a handle to an integer: its value for MPI_INFO_NULL and MPI_INFO_ENV, else 0x40000000 or more.
 * @return the integer; 0 if info cannot be a handle. Whether the handle is live is not checked.
 * Threads: wait-free.
 */
RCUINFO__ABI int MPI_Info_toint(MPI_Info info);

/**
 * Converts an integer of MPI_Info_toint to the handle.
 * @return the handle; for other integers an invalid one.
 * Threads: wait-free.
 */
RCUINFO__ABI MPI_Info MPI_Info_fromint(int info);

/**
 * @name Profiling interface
 * @{
 */
/** Same as the functions without the P: see rule 6. */
RCUINFO__ABI int PMPI_Info_create(MPI_Info *info);
RCUINFO__ABI int PMPI_Info_set(MPI_Info info, const char *key, const char *value);
RCUINFO__ABI int PMPI_Info_delete(MPI_Info info, const char *key);
RCUINFO__ABI int PMPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag);
RCUINFO__ABI int PMPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag);
RCUINFO__ABI int PMPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag);
RCUINFO__ABI int PMPI_Info_get_nkeys(MPI_Info info, int *nkeys);
RCUINFO__ABI int PMPI_Info_get_nthkey(MPI_Info info, int n, char *key);
RCUINFO__ABI int PMPI_Info_dup(MPI_Info info, MPI_Info *newinfo);
RCUINFO__ABI int PMPI_Info_free(MPI_Info *info);
RCUINFO__ABI int PMPI_Info_create_env(int argc, char *argv[], MPI_Info *info);
RCUINFO__ABI int PMPI_Info_toint(MPI_Info info);
RCUINFO__ABI MPI_Info PMPI_Info_fromint(int info);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
