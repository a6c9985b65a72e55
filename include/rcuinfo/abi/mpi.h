/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi.h
 * The info part of the MPI-5.0 standard ABI: types, constants and functions, nothing of the rest of MPI.
 *
 * A program that compiles with -I<prefix>/include/rcuinfo/abi and links librcuinfo_mpi needs no MPI library; one that
 * is built for the whole ABI may use the ABI's own mpi.h and link librcuinfo_mpi before its library, as long as it
 * hands no info on to a function of that library: nothing is converted for it.
 *
 * Rules that hold for every function:
 *  1. There is no error handler: an error comes back as its code, which is its class.
 *  2. On any error no output is written (but the handle out of MPI_Info_create, MPI_Info_dup and MPI_Info_create_env,
 *     set to MPI_INFO_NULL unless the code is MPI_ERR_ARG) and the object is unchanged.
 *  3. MPI_INFO_NULL, NULL, a freed handle and any value that was never issued give MPI_ERR_INFO; a stale handle is
 *     detected for at least 2^22 later frees. Arguments are checked first: a NULL output gives MPI_ERR_ARG, a bad key
 *     MPI_ERR_INFO_KEY, a bad value MPI_ERR_INFO_VALUE.
 *  4. Keys have 1 to MPI_MAX_INFO_KEY - 1 bytes, values 0 to MPI_MAX_INFO_VAL - 1 bytes; any bytes but NUL; case
 *     sensitive. Keys keep the order in which they were first set.
 *  5. Threads: every function may be called by every thread at any time, also from constructors and destructors. Every
 *     call is linearizable. "Wait-free" below: takes no lock and makes no system call (the first call that a thread
 *     ever makes may register it).
 *  6. PMPI_X is MPI_X, for profiling tools that define MPI_X themselves.
 *
 * Source: MPI-5.0, chapter on the info object and appendix on the ABI.
 */
#ifndef RCUINFO_ABI_MPI_H
#define RCUINFO_ABI_MPI_H

#if defined(__GNUC__)
/** Stands before every function. */
#define RCUINFO__ABI __attribute__((visibility("default")))
#else
#define RCUINFO__ABI
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the standard whose ABI this is. */
#define MPI_VERSION 5
/** What stands behind the point in it. */
#define MPI_SUBVERSION 0

/** An info object. Values up to 4095 are reserved; those above are never addresses of anything. */
typedef struct MPI_ABI_Info *MPI_Info;

/** No object. */
#define MPI_INFO_NULL ((MPI_Info)0x00000130)
/** What is known of how this process was started; it can be read and dupped, and refuses every change. Its first use
 * makes it: where there is no memory for that, the call gives MPI_ERR_NO_MEM, and a later one may succeed. */
#define MPI_INFO_ENV ((MPI_Info)0x00000131)

/** Size in bytes, NUL included, that holds every key. */
#define MPI_MAX_INFO_KEY 256
/** Size in bytes, NUL included, that holds every value. */
#define MPI_MAX_INFO_VAL 1024

#define MPI_SUCCESS        0  /**< done */
#define MPI_ERR_ARG        13 /**< an argument is out of range or a pointer is NULL */
#define MPI_ERR_OTHER      16 /**< an error that no other class has */
#define MPI_ERR_INTERN     17 /**< an error inside of the library */
#define MPI_ERR_INFO_KEY   31 /**< the key is NULL, empty or too long */
#define MPI_ERR_INFO_NOKEY 32 /**< the key to be deleted is not there */
#define MPI_ERR_INFO_VALUE 33 /**< the value is NULL or too long */
#define MPI_ERR_INFO       34 /**< no live object, or one that refuses changes was to be changed */
#define MPI_ERR_NO_MEM     39 /**< no memory, or no handle left */

/**
 * Makes a new empty object.
 * @return MPI_SUCCESS; MPI_ERR_ARG: info is NULL; MPI_ERR_NO_MEM.
 * Threads: takes no lock; makes a system call only when the store must grow.
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
 * Copies the value of a key, cut to valuelen bytes, and a NUL; flag says whether the key is there.
 * @return MPI_SUCCESS, also for a cut value and for an absent key; MPI_ERR_INFO_KEY; MPI_ERR_ARG; MPI_ERR_INFO.
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
 * Copies the value of a key into buflen bytes, NUL included, and sets buflen to the bytes that it needs.
 * With buflen 0 value is untouched and may be NULL; value and buflen are untouched when flag is 0.
 * @return MPI_SUCCESS; MPI_ERR_INFO_KEY; MPI_ERR_ARG: also buflen negative; MPI_ERR_INFO.
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
 * Copies the nth key, counted from 0, and its NUL; MPI_MAX_INFO_KEY bytes hold every key.
 * @return MPI_SUCCESS; MPI_ERR_ARG: n is out of range; MPI_ERR_INFO; MPI_ERR_INFO_KEY: the key was put in by another
 * interface and is longer than MPI_MAX_INFO_KEY - 1 bytes.
 * Threads: wait-free.
 */
RCUINFO__ABI int MPI_Info_get_nthkey(MPI_Info info, int n, char *key);

/**
 * Makes a new object with the same pairs in the same order.
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
 * Makes a new object with the pairs that MPI_INFO_ENV would have if the process had been started with these arguments.
 * argc 0 with argv NULL is legal; argv need not end in a NULL.
 * @return MPI_SUCCESS; MPI_ERR_ARG: argc is negative, argv or one of its strings NULL with argc > 0, info NULL;
 * MPI_ERR_NO_MEM.
 * Threads: may block in the first call of the process.
 */
RCUINFO__ABI int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info);

/**
 * The integer of a handle: the same value for MPI_INFO_NULL and MPI_INFO_ENV, 0x40000000 and up for the rest.
 * @return the integer; 0 for a value that is no handle.
 * Threads: wait-free.
 */
RCUINFO__ABI int MPI_Info_toint(MPI_Info info);

/**
 * The handle of an integer that MPI_Info_toint has given.
 * @return the handle; for other integers one that every function refuses.
 * Threads: wait-free.
 */
RCUINFO__ABI MPI_Info MPI_Info_fromint(int info);

/**
 * @name Profiling interface
 * @{
 */
/** Each is the function without the P, for profiling tools that define MPI_X themselves: see rule 6. */
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
