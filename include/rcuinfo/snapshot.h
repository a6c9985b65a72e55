/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file snapshot.h
 * Snapshots: one version of an object, kept for as long as the caller likes.
 *
 * Every pointer out of a snapshot points to immutable memory and is valid until the snapshot is closed, even if the
 * object is changed or freed meanwhile. Several threads may use a snapshot at once, and any of them may close it. An
 * open snapshot keeps the memory block of its version, which may also have room for later versions. It blocks nobody:
 * all threads, the one that opened it included, can go on writing to the object.
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <rcuinfo/snapshot.h>
 *
 * int main(void)
 * {
 *     rcuinfo_t info;
 *     const rcuinfo_snapshot_t *snapshot;
 *     rcuinfo_pair_t pair;
 *     size_t n = 0;
 *
 *     if (rcuinfo_create(&info) || rcuinfo_set(info, "host", "n1") ||
 *         rcuinfo_set(info, "soft", "2:8"))
 *         return 1;
 *     if (rcuinfo_snapshot_open(info, &snapshot))
 *         return 1;
 *
 *     // The snapshot stays as it is.
 *     if (rcuinfo_set(info, "host", "n2"))
 *         return 1;
 *
 *     // prints: host=n1
 *     // prints: soft=2:8
 *     while (rcuinfo_snapshot_nth(snapshot, n++, &pair) == RCUINFO_SUCCESS)
 *         printf("%s=%s\n", pair.key, pair.value);
 *
 *     rcuinfo_snapshot_close(snapshot);
 *     return rcuinfo_free(&info);
 * }
 * @endcode
 */
#ifndef RCUINFO_SNAPSHOT_H
#define RCUINFO_SNAPSHOT_H

#include <stddef.h>
#include <rcuinfo/info.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One version of an object. Immutable. */
typedef struct rcuinfo_snapshot rcuinfo_snapshot_t;

/** One pair; both strings are NUL-terminated, the lengths are in bytes without the NUL. */
typedef struct rcuinfo_pair {
    const char *key;     /**< into the snapshot */
    const char *value;   /**< into the snapshot */
    size_t key_length;   /**< 1 to RCUINFO_MAX_KEY - 1 */
    size_t value_length; /**< 0 to RCUINFO_MAX_VALUE - 1 */
} rcuinfo_pair_t;

/**
 * Opens the current version of an object.
 * @param info any object
 * @param[out] snapshot to be closed by rcuinfo_snapshot_close; NULL on ERR_INFO and ERR_NO_MEM
 * @return SUCCESS; ERR_ARG: snapshot is NULL; ERR_INFO; ERR_NO_MEM: 2^31 objects and snapshots
 * share its memory
 * Threads: waits for nothing, but may wake another thread by a system call. Linearizes at its only load of the version.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_snapshot_open(rcuinfo_t info, const rcuinfo_snapshot_t **snapshot);

/** Number of pairs; 0 for NULL. Threads: wait-free. */
RCUINFO_API size_t rcuinfo_snapshot_count(const rcuinfo_snapshot_t *snapshot);

/**
 * The version number of a snapshot; 0 for NULL. An object that is created empty begins with 0, one that is made of
 * pairs with 1, and a dup with the number of its source. Each set, delete, update and compare-and-set that succeeds
 * adds one, except an update without changes.
 * Threads: wait-free.
 */
RCUINFO_API uint64_t rcuinfo_snapshot_version(const rcuinfo_snapshot_t *snapshot);

/**
 * Gets the nth pair, in the order of rule 5 of info.h.
 * @param snapshot an open one
 * @param n 0 to count - 1
 * @param[out] pair valid until the snapshot is closed
 * @return SUCCESS; ERR_ARG: n is out of range or a pointer is NULL
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_snapshot_nth(const rcuinfo_snapshot_t *snapshot, size_t n,
                                                      rcuinfo_pair_t *pair);

/**
 * Finds the pair of a key.
 * @param snapshot an open one
 * @param key the key to look up
 * @param[out] pair valid until the snapshot is closed
 * @return SUCCESS; ERR_KEY; ERR_ARG: a pointer is NULL; ERR_NOKEY: not there
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_snapshot_find(const rcuinfo_snapshot_t *snapshot, const char *key,
                                                       rcuinfo_pair_t *pair);

/** Closes a snapshot; NULL is ignored. Threads: may take a lock for a moment, call free, and at the limit of retired
 * memory wait for readers, as rcuinfo_set does. */
RCUINFO_API void rcuinfo_snapshot_close(const rcuinfo_snapshot_t *snapshot);

#ifdef __cplusplus
}
#endif

#endif
