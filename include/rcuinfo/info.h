/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file info.h
 * Info objects: ordered maps from string to string, safe to use from any thread at any time.
 *
 * Rules that hold for every function of rcuinfo:
 *  1. A handle is a value. 0 (RCUINFO_NULL), a freed one or one that was never issued gives RCUINFO_ERR_INFO; a stale
 *     handle is detected for at least 2^40 later frees.
 *  2. Arguments come in the order object, inputs, outputs. No pointer may be NULL unless its text says so: a NULL
 *     output gives RCUINFO_ERR_ARG, a NULL key RCUINFO_ERR_KEY, a NULL value RCUINFO_ERR_VALUE. The handle is
 *     looked up after these checks.
 *  3. On any error no output is written (but the handle out of create and dup, set to RCUINFO_NULL) and the object is
 *     unchanged.
 *  4. Keys and values are NUL-terminated, case sensitive, any bytes. A key has 1 to RCUINFO_MAX_KEY - 1 bytes, a value
 *     0 to RCUINFO_MAX_VALUE - 1 bytes; nothing is stripped. Inputs are copied before the call returns.
 *  5. Keys keep the order in which they were first set; an override keeps its place, a delete closes the gap.
 *  6. Threads: every function may be called by every thread, before, while and after MPI is initialized, from
 *     constructors and destructors. None is async-signal-safe, none may be cancelled asynchronously; deferred
 *     cancellation is safe.
 *  7. Every call is linearizable: it takes effect at one instant between its start and its return.
 *
 * "Wait-free" below: takes no lock and makes no system call, whatever other threads do (the first read that a thread
 * ever makes may register it, which takes a lock for a moment; where the system has no memory left for that, liburcu
 * ends the process by abort).
 */
#ifndef RCUINFO_INFO_H
#define RCUINFO_INFO_H

#include <stdint.h>

#if defined(RCUINFO_STATIC) && defined(__GNUC__) /* while librcuinfo.a is built: hidden, as all of it */
#define RCUINFO_API
#define RCUINFO_CHECKED __attribute__((warn_unused_result))
#elif defined(__GNUC__)
/** Stands before every public function. */
#define RCUINFO_API     __attribute__((visibility("default")))
/** Stands before every public function whose result has to be looked at. */
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

/** An info object: slot index and generation, never an address. */
typedef uint64_t rcuinfo_t;

/** No object. */
#define RCUINFO_NULL UINT64_C(0)

/** What a call says of itself. */
typedef enum rcuinfo_status {
    RCUINFO_SUCCESS = 0,    /**< done */
    RCUINFO_ERR_ARG = 1,    /**< an argument is out of range or a pointer is NULL */
    RCUINFO_ERR_INFO = 2,   /**< the handle is no live object, or one that is read-only was to be changed */
    RCUINFO_ERR_KEY = 3,    /**< the key is NULL, empty or too long */
    RCUINFO_ERR_VALUE = 4,  /**< the value is NULL or too long */
    RCUINFO_ERR_NOKEY = 5,  /**< the key is not in the object */
    RCUINFO_ERR_NO_MEM = 6, /**< no memory, or no handle left */
    RCUINFO_ERR_TYPE = 7,   /**< the value is not of the type that was asked for */
    RCUINFO_ERR_FORMAT = 8, /**< the bytes are no packed info, or the text is no hint file */
    RCUINFO_ERR_IO = 9      /**< reading or writing failed; errno says why */
} rcuinfo_status_t;

/** One sentence on a status, in English, static; "unknown status" for a value that is none. Threads: pure. */
RCUINFO_API const char *rcuinfo_status_string(rcuinfo_status_t status);

/**
 * Makes a new empty object.
 * @param[out] info the object; RCUINFO_NULL on RCUINFO_ERR_NO_MEM
 * @return SUCCESS; ERR_ARG: info is NULL; ERR_NO_MEM
 * Threads: lock-free; makes a system call only when the store must grow. When it can grow no more (1,048,568 handles,
 * of which the 8,192 freed last rest) it may wait for a grace period instead. Source: MPI-4.0, MPI_INFO_CREATE.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_create(rcuinfo_t *info);

/**
 * Adds a pair, or overrides the value of a key in place.
 * @param info an object that is not read-only
 * @param key copied
 * @param value copied; "" is a value
 * @return SUCCESS; ERR_KEY; ERR_VALUE; ERR_INFO; ERR_NO_MEM
 * Threads: may block on other writers of the same object, and may wait for a grace period: of those that find more
 * retired bytes than the soft limit one waits, past the hard limit all do. So do not call it with a lock held that a
 * read section of liburcu-bp waits for; from inside such a section it never waits. Linearizes at the publication of the
 * new version. Source: MPI-4.0, MPI_INFO_SET.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_set(rcuinfo_t info, const char *key, const char *value);

/**
 * Removes a pair.
 * @param info an object that is not read-only
 * @param key one that is in it
 * @return SUCCESS; ERR_KEY; ERR_NOKEY: not there; ERR_INFO; ERR_NO_MEM
 * Threads: as rcuinfo_set. Source: MPI-4.0, MPI_INFO_DELETE.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_delete(rcuinfo_t info, const char *key);

/**
 * Copies the value of a key, cut to valuelen bytes, and a NUL.
 * @param info any object
 * @param key looked for
 * @param valuelen bytes that value can hold without the NUL, 0 or more
 * @param[out] value at most valuelen + 1 bytes are written, and never more than the value and its NUL
 * @param[out] flag 1: found; 0: the key is not there, and value is untouched
 * @return SUCCESS, also for a value that was cut and for a key that is not there; ERR_KEY; ERR_ARG; ERR_INFO
 * Threads: wait-free. Linearizes at its one load of the version. Source: MPI-4.0, MPI_INFO_GET.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get(rcuinfo_t info, const char *key, int valuelen, char *value, int *flag);

/**
 * Gets the length in bytes, without the NUL, of a key's value.
 * @param info any object
 * @param key looked for
 * @param[out] valuelen untouched when flag is 0
 * @param[out] flag 1: found; 0: the key is not there
 * @return SUCCESS; ERR_KEY; ERR_ARG; ERR_INFO
 * Threads: wait-free. Source: MPI-4.0, MPI_INFO_GET_VALUELEN.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_valuelen(rcuinfo_t info, const char *key, int *valuelen, int *flag);

/**
 * Copies the value of a key and says what size it needs, both from one version.
 * @param info any object
 * @param key looked for
 * @param[in,out] buflen in: bytes in value, NUL included; out: bytes needed, NUL included; untouched when flag is 0
 * @param[out] value untouched, and may be NULL, when buflen is 0; else NUL-terminated when the key is there
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
 * Copies the nth key and its NUL.
 * @param info any object
 * @param n 0 to nkeys - 1
 * @param[out] key RCUINFO_MAX_KEY bytes hold every key
 * @return SUCCESS; ERR_ARG: n out of range in the version that was met, key untouched; ERR_INFO
 * Threads: wait-free. A loop over n sees several versions when others write: iterate a snapshot (snapshot.h) instead.
 * Source: MPI-4.0, MPI_INFO_GET_NTHKEY.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_nthkey(rcuinfo_t info, int n, char *key);

/**
 * Makes a new object with the same pairs in the same order, in constant time; the two share nothing that shows. The new
 * object may be written to even when the old one is read-only.
 * @param info any object
 * @param[out] newinfo RCUINFO_NULL on ERR_INFO and ERR_NO_MEM
 * @return SUCCESS; ERR_ARG; ERR_INFO; ERR_NO_MEM
 * Threads: as rcuinfo_create. Linearizes at its one load of the version. Source: MPI-4.0, MPI_INFO_DUP.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_dup(rcuinfo_t info, rcuinfo_t *newinfo);

/**
 * Frees an object and sets the handle to RCUINFO_NULL. Snapshots opened before stay valid.
 * @param[in,out] info in: an object that is not read-only; out: RCUINFO_NULL
 * @return SUCCESS; ERR_ARG: info is NULL; ERR_INFO
 * Threads: as rcuinfo_set. Linearizes at the change of the slot's generation. Source: MPI-4.0, MPI_INFO_FREE.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_free(rcuinfo_t *info);

#ifdef __cplusplus
}
#endif

#endif
