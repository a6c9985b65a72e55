/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layer: what the MPI layers need of the core beyond the native interface. These symbols leave librcuinfo.so under the
 * version RCUINFO_PRIVATE, for the libraries of the same release only.
 *
 * The calls that take a text take the limits of the flavour too, so that no string is measured twice.
 */
#ifndef RCUINFO_CORE_LAYER_H
#define RCUINFO_CORE_LAYER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <rcuinfo/info.h>
#include <rcuinfo/update.h>

/*
 * Sizes in bytes, NUL included: a key has at most key - 1 bytes, a value at most value - 1. Of the generation in a
 * handle only the low generation_bits count: a layer passes the payload of its narrow handle (below) as it is.
 */
struct rcuinfo__limits {
    uint16_t key;
    uint16_t value;
    uint32_t generation_bits;
};

#define RCUINFO__INDEX_BITS    20
#define RCUINFO__NATIVE_BITS   (64 - RCUINFO__INDEX_BITS)
#define RCUINFO__NATIVE_LIMITS ((struct rcuinfo__limits){RCUINFO_MAX_KEY, RCUINFO_MAX_VALUE, RCUINFO__NATIVE_BITS})

/* As the public calls of the same name, with the flavour's limits. rcuinfo__get_nthkey gives RCUINFO_ERR_KEY for a key
 * that has come in by another layer and is longer than these limits. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__set(rcuinfo_t info, const char *key, const char *value,
                                              struct rcuinfo__limits limits);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__delete(rcuinfo_t info, const char *key, struct rcuinfo__limits limits);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__get(rcuinfo_t info, const char *key, int valuelen, char *value, int *flag,
                                              struct rcuinfo__limits limits);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__get_valuelen(rcuinfo_t info, const char *key, int *valuelen, int *flag,
                                                       struct rcuinfo__limits limits);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__get_string(rcuinfo_t info, const char *key, int *buflen, char *value,
                                                     int *flag, struct rcuinfo__limits limits);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__get_nthkey(rcuinfo_t info, int n, char *key, struct rcuinfo__limits limits);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__get_nkeys(rcuinfo_t info, int *nkeys, struct rcuinfo__limits limits);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__dup(rcuinfo_t info, rcuinfo_t *newinfo, struct rcuinfo__limits limits);

/* As rcuinfo_update, but that it is not counted as a set: for what no program has asked for. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n);

/* As rcuinfo_free, but that the handle stays with the caller. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__free(rcuinfo_t info, struct rcuinfo__limits limits);

/*
 * Narrow handles. A layer's handle holds 20 bits of slot index and the low `generation_bits` bits of the generation
 * above them.
 * rcuinfo__handle_narrow: the payload of 20 + generation_bits bits, never 0; of a handle that is not RCUINFO_NULL.
 * rcuinfo__handle_widen: the native handle of the live object that the payload names, RCUINFO_NULL when there is none.
 * Both wait-free.
 */
static inline uint32_t rcuinfo__handle_narrow(rcuinfo_t info, unsigned generation_bits)
{
    return (uint32_t)(info & ((UINT64_C(1) << (RCUINFO__INDEX_BITS + generation_bits)) - 1));
}

RCUINFO_API rcuinfo_t rcuinfo__handle_widen(uint32_t payload, unsigned generation_bits);

/* Counters that the layers feed; nothing happens while counting is off. Relaxed atomic additions. */
enum rcuinfo__counter {
    RCUINFO__COUNT_GETS,
    RCUINFO__COUNT_SETS,
    RCUINFO__COUNT_DUPS,
    RCUINFO__COUNT_CONVERSIONS,
    RCUINFO__COUNT_LEFT_OUT,
    RCUINFO__COUNTERS
};
RCUINFO_API void rcuinfo__stats_add(enum rcuinfo__counter counter, uint64_t n);

/* How often the memory of the version that the object has now was taken out of use; NULL: no live object. For tests,
 * which watch it inside a read section of their own: there it never changes. */
RCUINFO_API const _Atomic uint32_t *rcuinfo__read_age(rcuinfo_t info);

/* Makes an object read-only, under a new handle; on ERR_NO_MEM the object is gone and the handle RCUINFO_NULL. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__freeze(rcuinfo_t *info);

/* Frees an object, also a read-only one. */
RCUINFO_API void rcuinfo__discard(rcuinfo_t info);

/* rcuinfo_create_env with a flavour's limits. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__env_create(int argc, char *argv[], struct rcuinfo__limits limits,
                                                     rcuinfo_t *info);

/*
 * The same for a process that was started so, with arguments that are known to be valid. `sources`: NULL, or where to
 * put another object, of the same keys in the same order, whose values name the source of each. For tests, which start
 * many processes, and for tools.
 */
struct rcuinfo__start;
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__env_describe(const struct rcuinfo__start *start, int argc, char *argv[],
                                                       struct rcuinfo__limits limits, rcuinfo_t *info,
                                                       rcuinfo_t *sources);

/* Pairs in the order of their keys; they stay to the end of the process. */
struct rcuinfo__env_more {
    size_t count;
    const rcuinfo_change_t *pairs;
};

/*
 * The read-only objects that are behind one MPI_INFO_ENV: one for each thread level that may have been asked for, since
 * what is read-only does not change. Static storage, zeroed.
 */
#define RCUINFO__ENV_SHARED 9
struct rcuinfo__env_shared {
    /* [P9] field: made by whoever comes first, never freed; carries the object's content */
    _Atomic rcuinfo_t made[RCUINFO__ENV_SHARED];
    /* Pairs whose keys, where we have none of them, come behind ours once the World Model has asked for its level;
     * NULL: none. Set before that. */
    _Atomic(const struct rcuinfo__env_more *) more;
};

/* The one of the thread level that counts now, which is made first, if need be: threads that come at once make one each
 * and keep one. Without memory for it the one that counted before; RCUINFO_NULL when there is none either. */
RCUINFO_API rcuinfo_t rcuinfo__env_shared(struct rcuinfo__env_shared *shared, struct rcuinfo__limits limits);

/* The same, of those that are made. Wait-free. */
RCUINFO_API rcuinfo_t rcuinfo__env_made(const struct rcuinfo__env_shared *shared);

/* Notes that a thread level, by its name, was asked for: by the World Model, or by a session. Any other name is
 * ignored. The shared object of that level is made before, so that no read has to make it. */
RCUINFO_API void rcuinfo__env_ask(struct rcuinfo__env_shared *shared, struct rcuinfo__limits limits, bool by_world,
                                  const char *level);

#endif
