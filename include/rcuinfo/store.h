/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file store.h
 * The store as a whole: counters, and releasing memory.
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <rcuinfo/store.h>
 *
 * int main(void)
 * {
 *     rcuinfo_t info;
 *     rcuinfo_stats_t stats;
 *
 *     if (rcuinfo_create(&info))
 *         return 1;
 *     rcuinfo_store_stats(&stats);
 *     printf("%d live\n", (int)stats.live); // prints: 1 live
 *
 *     if (rcuinfo_free(&info))
 *         return 1;
 *     printf("%d bytes\n", (int)rcuinfo_store_drain()); // prints: 0 bytes
 *     return 0;
 * }
 * @endcode
 */
#ifndef RCUINFO_STORE_H
#define RCUINFO_STORE_H

#include <stddef.h>
#include <rcuinfo/info.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Counters of this process since the library was loaded. Those marked (c) count only if the environment variable
 * RCUINFO_STATS was set to anything but "0" and "" at that time, else they stay 0. With RCUINFO_STATS the counters are
 * also printed to the standard error output when the process exits.
 */
typedef struct rcuinfo_stats {
    uint64_t live;          /**< live objects, without those of rcuinfo_env and MPI_INFO_ENV */
    uint64_t gets;          /**< (c) get, get_valuelen, get_string, get_nkeys, get_nthkey */
    uint64_t sets;          /**< (c) versions published by set, delete, update and compare_and_set */
    uint64_t dups;          /**< (c) */
    uint64_t conversions;   /**< (c) infos converted for or from a real MPI library by an interposer */
    uint64_t left_out;      /**< (c) pairs that conversions left out, by MPI's limits or RCUINFO_HINTS_FILTERED */
    uint64_t grace_periods; /**< scans for readers, and grace periods of liburcu-bp */
    uint64_t retired; /**< bytes retired but not reusable yet, other than what rcuinfo_store_drain waits for; a freed
                           handle counts as 256 */
    uint64_t peak_retired; /**< maximum of retired, sampled while threads retire */
    uint64_t reused_slots; /**< how often a slot was reused */
    uint64_t reserved[6];  /**< 0; for later versions */
} rcuinfo_stats_t;

/**
 * Reads the counters. They are read one by one, so while other threads are working they are not of one instant.
 * @param[out] stats NULL is ignored
 * Threads: any; takes no lock.
 */
RCUINFO_API void rcuinfo_store_stats(rcuinfo_stats_t *stats);

/**
 * Frees all memory that was retired before the call, and what it can of the memory that is kept for reuse. Waits for
 * the calls and the views of other threads that read it, but not for what another call of this function waits for.
 * Inside a view, or a read section of liburcu-bp, it does not wait, as that might never end, but leaves what is in use
 * and what is kept for reuse.
 * @return bytes that still wait; 0 unless other threads have retired some meanwhile, the caller may not wait, or old
 * versions of hint sets cannot be reclaimed any more (rcuinfo(7), THREADS and LIMITS)
 * Threads: blocks. Do not hold a lock that is also taken inside views.
 */
RCUINFO_API size_t rcuinfo_store_drain(void);

#ifdef __cplusplus
}
#endif

#endif
