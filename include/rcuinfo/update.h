/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file update.h
 * Updates: several changes in one version, and compare-and-set.
 *
 * Threads: all but rcuinfo_object_version as rcuinfo_set (info.h). Each linearizes at the publication of its new
 * version, or, if nothing was changed, at the load of the version that showed this.
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <rcuinfo/update.h>
 *
 * int main(void)
 * {
 *     const rcuinfo_change_t changes[] = {{"host", "n1"},
 *                                         {"owner", "none"}};
 *     rcuinfo_t info;
 *     uint64_t version;
 *     int swapped;
 *
 *     // No thread sees one of the pairs without the other.
 *     if (rcuinfo_create(&info) || rcuinfo_update(info, changes, 2, NULL))
 *         return 1;
 *
 *     // Of several threads that try this, one succeeds.
 *     if (rcuinfo_compare_and_set(info, "owner", "none", "me", &swapped))
 *         return 1;
 *     puts(swapped ? "mine" : "taken"); // prints: mine
 *
 *     if (rcuinfo_object_version(info, &version))
 *         return 1;
 *     printf("version %d\n", (int)version); // prints: version 2
 *     return rcuinfo_free(&info);
 * }
 * @endcode
 */
#ifndef RCUINFO_UPDATE_H
#define RCUINFO_UPDATE_H

#include <stddef.h>
#include <rcuinfo/info.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One change: sets the key to the value or, with a NULL value, deletes the key. */
typedef struct rcuinfo_change {
    const char *key;   /**< 1 to RCUINFO_MAX_KEY - 1 bytes */
    const char *value; /**< up to RCUINFO_MAX_VALUE - 1 bytes; NULL: delete the key */
} rcuinfo_change_t;

/**
 * Applies changes in the given order: all of them as one new version, or none. All keys and values are checked before
 * the first change is applied.
 * @param info an object that is not read-only
 * @param changes an array; may be NULL if n is 0, which changes nothing
 * @param n number of changes
 * @param[out] failed may be NULL; on ERR_KEY, ERR_VALUE and ERR_NOKEY the index of the change that failed
 * @return SUCCESS; ERR_ARG: changes is NULL with n > 0; ERR_KEY; ERR_VALUE; ERR_NOKEY: a change deletes a key that is
 * not there after the changes before it; ERR_INFO; ERR_NO_MEM
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n,
                                                size_t *failed);

/**
 * Sets or deletes a key if it has the expected value.
 * @param info an object that is not read-only
 * @param key the key to compare and change
 * @param expected the value that the key must have; NULL: the key must be absent
 * @param desired the value to set; NULL: delete the key (without effect if it is absent, as expected)
 * @param[out] swapped 1: the value was as expected, and is now as desired; 0: it was not, and nothing was changed
 * @return SUCCESS, whether swapped or not; ERR_KEY; ERR_VALUE: expected or desired is too long; ERR_ARG: swapped is
 * NULL; ERR_INFO; ERR_NO_MEM
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_compare_and_set(rcuinfo_t info, const char *key, const char *expected,
                                                         const char *desired, int *swapped);

/**
 * Gets the version number of an object (see rcuinfo_snapshot_version).
 * @param info any object
 * @param[out] version the number
 * @return SUCCESS; ERR_ARG; ERR_INFO
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_object_version(rcuinfo_t info, uint64_t *version);

#ifdef __cplusplus
}
#endif

#endif
