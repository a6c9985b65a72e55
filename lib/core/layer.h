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

/*
 * A new object made of pairs: _begin, any number of _set, then _object, or _drop to give it up. `pairs` and `text`
 * (bytes of all keys and values with their NULs): what is to be expected, so that it need not grow on the way; 0: not
 * known. _set: as rcuinfo__set; a key that comes again gets the new value in its first place. It is not counted as a
 * set. _count: pairs so far. _object: SUCCESS; ERR_NO_MEM: *info is RCUINFO_NULL; the build is over in both cases.
 * Threads: a build is one thread's, and no lock is held between the calls.
 */
struct rcuinfo__build {
    struct rcuinfo__block *block; /* NULL: none yet */
    struct rcuinfo__entry *last;  /* NULL: no pair yet */
    uint32_t text_end;
    uint32_t live_text;
    size_t pairs;
    size_t text;
};
RCUINFO_API void rcuinfo__build_begin(struct rcuinfo__build *build, size_t pairs, size_t text);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__build_set(struct rcuinfo__build *build, const char *key, const char *value,
                                                    struct rcuinfo__limits limits);
RCUINFO_API size_t rcuinfo__build_count(const struct rcuinfo__build *build);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__build_object(struct rcuinfo__build *build, rcuinfo_t *info);
RCUINFO_API void rcuinfo__build_drop(struct rcuinfo__build *build);

struct rcuinfo_snapshot;
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__snapshot_open(rcuinfo_t info, const struct rcuinfo_snapshot **snapshot,
                                                        struct rcuinfo__limits limits);

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
RCUINFO_API void rcuinfo__store_add(enum rcuinfo__counter counter, uint64_t n);

/* How often the memory of the block that the object has now was taken out of use; NULL: no live object. For tests,
 * which watch it inside a read section of their own: there it never changes. */
RCUINFO_API const _Atomic uint32_t *rcuinfo__read_age(rcuinfo_t info);

#endif
