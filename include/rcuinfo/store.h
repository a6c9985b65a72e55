/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file store.h
 * The store as a whole: its counters, and giving memory back.
 */
#ifndef RCUINFO_STORE_H
#define RCUINFO_STORE_H

#include <stddef.h>
#include <rcuinfo/info.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Counters of this process since it was loaded. Those marked (c) stay 0 unless the environment variable RCUINFO_STATS
 * is set to something other than "0" or "" when the library is loaded: counting is then on, and is printed to the
 * standard error output when the process exits.
 */
typedef struct rcuinfo_stats {
    uint64_t live;          /**< objects that exist now, those behind rcuinfo_env and MPI_INFO_ENV left out */
    uint64_t gets;          /**< (c) get, get_valuelen, get_string, get_nkeys, get_nthkey */
    uint64_t sets;          /**< (c) versions published by set, delete, update and compare_and_set */
    uint64_t dups;          /**< (c) */
    uint64_t conversions;   /**< (c) infos made for, or read from, a real MPI library by an interposer */
    uint64_t left_out;      /**< (c) pairs left out of these, refused by that library or RCUINFO_HINTS_FILTERED */
    uint64_t grace_periods; /**< grace periods waited for */
    uint64_t retired;       /**< bytes that await a grace period now */
    uint64_t peak_retired;  /**< the most of these that was seen; looked at about every 16 KiB */
    uint64_t reused_slots;  /**< slots that were given out a second time or more */
} rcuinfo_stats_t;

/**
 * Reads the counters. Each is read by itself: while other threads are at work they are not of one instant.
 * @param[out] stats must not be NULL
 * Threads: any; takes no lock.
 */
RCUINFO_API void rcuinfo_store_stats(rcuinfo_stats_t *stats);

/**
 * Waits for a grace period and gives back all that was retired before the call, and the memory kept for reuse.
 * @return bytes that still await a grace period: 0 unless other threads retired some meanwhile, or the caller is itself
 *         inside a read section of liburcu-bp, where waiting would never end and nothing is done
 * Threads: blocks; not to be called with a lock held that a read section waits for.
 */
RCUINFO_API size_t rcuinfo_store_drain(void);

#ifdef __cplusplus
}
#endif

#endif
