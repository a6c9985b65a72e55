/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layer: the part of the core that the MPI layers use beyond the public headers. librcuinfo.so exports these symbols
 * with the symbol version RCUINFO_PRIVATE_x.y.z, for the MPI libraries of the same release.
 *
 * Functions that take a key or a value know the flavour's limits, so that no string is measured twice.
 */
#pragma once

#include <rcuinfo/info.h>
#include <rcuinfo/update.h>

#include "core/calls/build.h"
#include "core/limits.h"

/* Same as the public functions, in a flavour. rcuinfo__get_nthkey returns RCUINFO_ERR_KEY for a key that was set
 * through another layer and exceeds the limits. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__set(rcuinfo_t info, const char *key, const char *value,
                                              struct rcuinfo__flavour flavour);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__delete(rcuinfo_t info, const char *key, struct rcuinfo__flavour flavour);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__get(rcuinfo_t info, const char *key, int valuelen, char *value, int *flag,
                                              struct rcuinfo__flavour flavour);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__get_valuelen(rcuinfo_t info, const char *key, int *valuelen, int *flag,
                                                       struct rcuinfo__flavour flavour);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__get_string(rcuinfo_t info, const char *key, int *buflen, char *value,
                                                     int *flag, struct rcuinfo__flavour flavour);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__get_nthkey(rcuinfo_t info, int n, char *key, struct rcuinfo__flavour flavour);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__get_nkeys(rcuinfo_t info, int *nkeys, struct rcuinfo__flavour flavour);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__dup(rcuinfo_t info, rcuinfo_t *newinfo, struct rcuinfo__flavour flavour);

/* Ends a build (core/calls/build.h) and makes an object of it: SUCCESS; ERR_NO_MEM: *info is RCUINFO_NULL. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__build_object(struct rcuinfo__build *build, rcuinfo_t *info);

struct rcuinfo_snapshot;
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__snapshot_open(rcuinfo_t info, const struct rcuinfo_snapshot **snapshot,
                                                        struct rcuinfo__flavour flavour);

/* Same as rcuinfo_free, but takes the handle by value. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__free(rcuinfo_t info, struct rcuinfo__flavour flavour);

/*
 * Narrow handles. The number in a layer's handle has 20 + generation_bits bits. It consists of the slot's index and
 * the low bits of the generation, of which near slots have five more, less the bit that says so (core/memory/handle.h).
 * E.g. with 6 bits, 0x2a00007 has the number 0x2a << 15 | 7.
 *
 * rcuinfo__handle_number returns the number of a handle other than RCUINFO_NULL; it is never 0.
 * rcuinfo__handle_of_number returns a handle for calls with these generation_bits; RCUINFO_NULL if no handle has that
 * number.
 * rcuinfo__handle_native returns the native handle of the live object that a number names; RCUINFO_NULL if there is
 * none. All are wait-free.
 */
static inline uint32_t rcuinfo__handle_number(rcuinfo_t info, unsigned generation_bits)
{
    uint32_t far = UINT32_C(1) << (RCUINFO__INDEX_BITS + generation_bits - 1);
    uint32_t index = (uint32_t)info & ((UINT32_C(1) << RCUINFO__INDEX_BITS) - 1);
    uint32_t generation = (uint32_t)(info >> RCUINFO__INDEX_BITS);
    return index < RCUINFO__NEAR ? ((generation << RCUINFO__NEAR_BITS) & (far - 1)) | index
                                 : far | ((uint32_t)info & (far - 1));
}

static inline rcuinfo_t rcuinfo__handle_of_number(uint32_t number, unsigned generation_bits)
{
    uint32_t far = UINT32_C(1) << (RCUINFO__INDEX_BITS + generation_bits - 1);
    if (!(number & far))
        return (rcuinfo_t)(number >> RCUINFO__NEAR_BITS) << RCUINFO__INDEX_BITS | (number & (RCUINFO__NEAR - 1));
    return (number & ((UINT32_C(1) << RCUINFO__INDEX_BITS) - 1)) < RCUINFO__NEAR ? RCUINFO_NULL : number ^ far;
}

RCUINFO_API rcuinfo_t rcuinfo__handle_native(uint32_t number, unsigned generation_bits);

/* Adds n to a counter of rcuinfo_store_stats, if counting is on. */
enum rcuinfo__counter {
    RCUINFO__COUNT_GETS,
    RCUINFO__COUNT_SETS,
    RCUINFO__COUNT_DUPS,
    RCUINFO__COUNT_CONVERSIONS,
    RCUINFO__COUNT_LEFT_OUT,
    RCUINFO__COUNTERS
};
RCUINFO_API void rcuinfo__counters_add(enum rcuinfo__counter counter, uint64_t n);
