/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file info.h
 * Info objects: ordered maps from string to string, safe to use from any thread at any time.
 *
 * Rules that hold for every function of rcuinfo:
 *  1. A handle is a number. RCUINFO_NULL (0), the handle of a freed object, and one that was never issued give
 *     RCUINFO_ERR_INFO. A stale handle is detected for at least 2^40 later frees. Where no object is
 *     needed, the description says that RCUINFO_NULL is accepted.
 *  2. Arguments come in the order object, inputs, outputs; the size of a buffer or an array follows it. No pointer
 *     may be NULL unless its description says so: a NULL output gives RCUINFO_ERR_ARG, a NULL key RCUINFO_ERR_KEY, a
 *     NULL value RCUINFO_ERR_VALUE. The handle is checked after the other arguments. A call that returns no status
 *     ignores NULL, or returns 0 or NULL for it.
 *  3. On any error the object is unchanged and no output is written, with two exceptions: a call that makes something
 *     sets its handle or pointer to RCUINFO_NULL or NULL on any error except RCUINFO_ERR_ARG; and outputs called
 *     `fault` and `failed`, which may be NULL, tell what is wrong with the input.
 *  4. Keys and values are case-sensitive, NUL-terminated strings of any bytes. A key has 1 to RCUINFO_MAX_KEY - 1
 *     bytes, a value 0 to RCUINFO_MAX_VALUE - 1 bytes. Nothing is stripped. Inputs are copied before the call returns.
 *  5. Keys stay in the order in which they were first set. Overriding a value keeps its place; deleting a key closes
 *     the gap.
 *  6. What is absent gives RCUINFO_ERR_NOKEY. The size of a buffer counts the NUL, the length of a string does not.
 *     Both are of type size_t.
 *  7. The calls that MPI also has, namely those of this header and rcuinfo_env_create, have MPI's signatures, so that a
 *     layer for MPI only converts handles and codes. This includes conventions that rules 2 and 6 otherwise exclude:
 *     lengths, sizes and counts are ints; the buffer of rcuinfo_get comes with a length, that of rcuinfo_get_nthkey
 *     without any; rcuinfo_get_string has one argument for the size and the size needed; and get, get_valuelen and
 *     get_string set a flag to 0 and return RCUINFO_SUCCESS if a key is absent. The calls of mpi_collective.h return
 *     classes of MPI's errors, but otherwise keep rules 2 and 6.
 *  8. Threads: any thread may call any function but those of mpi_collective.h, which are bound by MPI's own rules,
 *     before, during and after MPI, and from constructors and destructors. No function is async-signal-safe. Deferred
 *     cancellation is safe, asynchronous cancellation is not.
 *  9. Every call is linearizable: it takes effect at one instant between its start and its return.
 *
 * The example in each header is a whole program. What it prints follows `prints:`, line by line. On an error it
 * ends with status 1, and does not free what it has made.
 *
 * "Wait-free" below means: waits for no lock and makes no system call, whatever other threads do. There is one
 * exception: a thread's first read, which may allocate a record for the thread. (A thread's first read of a hint set
 * registers it with liburcu, which takes a lock for a moment, and calls abort if the system has no memory for that.)
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <rcuinfo/info.h>
 *
 * int main(void)
 * {
 *     rcuinfo_t info;
 *     char value[RCUINFO_MAX_VALUE];
 *     int found;
 *
 *     if (rcuinfo_create(&info) || rcuinfo_set(info, "cb_nodes", "4"))
 *         return 1;
 *
 *     // This length does not count the NUL: rule 7.
 *     if (rcuinfo_get(info, "cb_nodes", sizeof value - 1, value, &found))
 *         return 1;
 *     if (found)
 *         printf("cb_nodes=%s\n", value); // prints: cb_nodes=4
 *
 *     // prints: the key is not in the object
 *     puts(rcuinfo_status_string(rcuinfo_delete(info, "host")));
 *     return rcuinfo_free(&info);
 * }
 * @endcode
 */
#ifndef RCUINFO_INFO_H
#define RCUINFO_INFO_H

#include <stdint.h>

#if defined(RCUINFO_STATIC) && defined(__GNUC__) /* librcuinfo.a is being built, where all symbols are hidden */
#define RCUINFO_API
#define RCUINFO_CHECKED __attribute__((warn_unused_result))
#elif defined(__GNUC__)
/** Marks every public function. */
#define RCUINFO_API     __attribute__((visibility("default")))
/** Marks every public function whose result must not be ignored. */
#define RCUINFO_CHECKED __attribute__((visibility("default"), warn_unused_result))
#else
#define RCUINFO_API
#define RCUINFO_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Size in bytes, NUL included, that holds every key. */
#define RCUINFO_MAX_KEY 256
/** Size in bytes, NUL included, that holds every value. */
#define RCUINFO_MAX_VALUE 1024

/** A handle of an info object: slot index and generation, never an address. */
typedef uint64_t rcuinfo_t;

/** No object. */
#define RCUINFO_NULL UINT64_C(0)

/** Result of a call. */
typedef enum rcuinfo_status {
    RCUINFO_SUCCESS = 0,    /**< done */
    RCUINFO_ERR_ARG = 1,    /**< an argument is out of range or a pointer is NULL */
    RCUINFO_ERR_INFO = 2,   /**< invalid or freed handle, or the object is read-only */
    RCUINFO_ERR_KEY = 3,    /**< the key is NULL, empty or too long */
    RCUINFO_ERR_VALUE = 4,  /**< the value is NULL or too long */
    RCUINFO_ERR_NOKEY = 5,  /**< the key is not in the object */
    RCUINFO_ERR_NO_MEM = 6, /**< no memory or no handle is left */
    RCUINFO_ERR_TYPE = 7,   /**< the value is not of the requested type */
    RCUINFO_ERR_FORMAT = 8, /**< the bytes are not a packed info, or the text is not a hint file */
    RCUINFO_ERR_IO = 9      /**< reading or writing failed; errno says why */
} rcuinfo_status_t;

/** An English phrase for a status, a static string; "unknown status" for any other number. Threads: wait-free. */
RCUINFO_API const char *rcuinfo_status_string(rcuinfo_status_t status);

/**
 * Creates an empty object.
 * @param[out] info the object; RCUINFO_NULL on RCUINFO_ERR_NO_MEM
 * @return SUCCESS; ERR_ARG: info is NULL; ERR_NO_MEM
 * Threads: briefly takes one of several locks, a free one if possible; makes a system call only when the store must
 * grow, or all locks are held. When the store cannot grow (1,048,568 handles are live, or were freed too recently to be
 * reused), it may wait for readers of freed objects.
 * Source: MPI-4.0, MPI_INFO_CREATE.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_create(rcuinfo_t *info);

/**
 * Sets a key to a value: adds the pair, or overrides the value in place.
 * @param info an object that is not read-only
 * @param key copied
 * @param value copied; "" is a value
 * @return SUCCESS; ERR_KEY; ERR_VALUE; ERR_INFO; ERR_NO_MEM
 * Threads: may block on other writers of the same object. It waits for readers only if they keep 16 MiB of replaced
 * versions in use, which is possible only if a signal handler reads while it interrupts reads of its own thread, if
 * there was no memory at a thread's first read, or if a reader is preempted at its first step and so is a thread that
 * reclaims memory. Inside a view or a read section of liburcu-bp it never waits for readers. Linearizes at the
 * publication of the new version; accesses to the caller's own memory are ordered with it as with the unlocking of a
 * mutex. Source: MPI-4.0, MPI_INFO_SET.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_set(rcuinfo_t info, const char *key, const char *value);

/**
 * Deletes a key and its value.
 * @param info an object that is not read-only
 * @param key a key of the object
 * @return SUCCESS; ERR_KEY; ERR_NOKEY: not there; ERR_INFO; ERR_NO_MEM
 * Threads: as rcuinfo_set. Source: MPI-4.0, MPI_INFO_DELETE.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_delete(rcuinfo_t info, const char *key);

/**
 * Gets the value of a key, cut to valuelen bytes, and a NUL.
 * @param info any object
 * @param key the key to look up
 * @param valuelen number of bytes that value can hold, without the NUL; 0 or more
 * @param[out] value receives the value and its NUL; at most valuelen + 1 bytes are written, and nothing after the NUL
 * @param[out] flag 1: found; 0: the key is not there, and value is unchanged
 * @return SUCCESS, also if the value was cut, or the key is not there; ERR_KEY; ERR_ARG; ERR_INFO
 * Threads: wait-free. Linearizes at its only load of the version. Source: MPI-4.0, MPI_INFO_GET.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get(rcuinfo_t info, const char *key, int valuelen, char *value, int *flag);

/**
 * Gets the length in bytes, without the NUL, of a key's value.
 * @param info any object
 * @param key the key to look up
 * @param[out] valuelen unchanged if flag is 0
 * @param[out] flag 1: found; 0: the key is not there
 * @return SUCCESS; ERR_KEY; ERR_ARG; ERR_INFO
 * Threads: wait-free. Source: MPI-4.0, MPI_INFO_GET_VALUELEN.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_valuelen(rcuinfo_t info, const char *key, int *valuelen, int *flag);

/**
 * Gets the value of a key, cut to the buffer, and the size that it needs, both from one version.
 * @param info any object
 * @param key the key to look up
 * @param[in,out] buflen in: size of value, NUL included; out: size needed, NUL included; unchanged if flag is 0
 * @param[out] value may be NULL, and is unchanged, if buflen is 0; else NUL-terminated if the key is there
 * @param[out] flag 1: found; 0: the key is not there
 * @return SUCCESS; ERR_KEY; ERR_ARG: buflen NULL or negative, value NULL with buflen > 0, flag NULL; ERR_INFO
 * Threads: wait-free. Source: MPI-4.0, MPI_INFO_GET_STRING.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_string(rcuinfo_t info, const char *key, int *buflen, char *value,
                                                    int *flag);

/**
 * Gets the number of pairs.
 * @param info any object
 * @param[out] nkeys 0 or more
 * @return SUCCESS; ERR_ARG; ERR_INFO
 * Threads: wait-free. Source: MPI-4.0, MPI_INFO_GET_NKEYS.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_nkeys(rcuinfo_t info, int *nkeys);

/**
 * Gets the nth key and its NUL.
 * @param info any object
 * @param n 0 to nkeys - 1
 * @param[out] key a buffer of RCUINFO_MAX_KEY bytes is large enough for every key
 * @return SUCCESS; ERR_ARG: n is out of range in the current version; ERR_INFO
 * Threads: wait-free. While other threads write, a loop over n may see different versions: use a snapshot (snapshot.h)
 * for a loop.
 * Source: MPI-4.0, MPI_INFO_GET_NTHKEY.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_nthkey(rcuinfo_t info, int n, char *key);

/**
 * Creates an object with the same pairs in the same order, in constant time. Later changes of one do not affect the
 * other. The new object may be changed even if the old one is read-only.
 * @param info any object
 * @param[out] newinfo RCUINFO_NULL on ERR_INFO and ERR_NO_MEM
 * @return SUCCESS; ERR_ARG; ERR_INFO; ERR_NO_MEM
 * Threads: as rcuinfo_create. Linearizes at its only load of the version. Source: MPI-4.0, MPI_INFO_DUP.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_dup(rcuinfo_t info, rcuinfo_t *newinfo);

/**
 * Frees an object and sets the handle to RCUINFO_NULL. Open snapshots of the object stay valid.
 * @param[in,out] info in: an object that is not read-only; out: RCUINFO_NULL
 * @return SUCCESS; ERR_ARG: info is NULL; ERR_INFO
 * Threads: as rcuinfo_set. Linearizes at the change of the slot's generation. Source: MPI-4.0, MPI_INFO_FREE.
 */
RCUINFO_API rcuinfo_status_t rcuinfo_free(rcuinfo_t *info);

#ifdef __cplusplus
}
#endif

#endif
