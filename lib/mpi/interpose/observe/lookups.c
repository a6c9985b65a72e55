/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lookups: see lookups.h.
 *
 * What a thread has seen is its own. What the process has seen is in sets of hashes, to which is only added: if two
 * threads add the same at the same time, one of them is told that it was there.
 */
#include "mpi/interpose/observe/lookups.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "core/memory/alloc.h"
#include "core/text.h"
#include "mpi/interpose/real.h"
#include "mpi/interpose/observe/place.h"

enum { PLACES = 1024 }; /* of a set */

static void (*report_seen)(const char *key, const char *library); /* written at load; NULL: nobody watches */

/* Sets of hashes; 0: a free place. */
static _Atomic uint64_t looked_up[PLACES]; /* key ^ caller: this look-up has been dealt with */
static _Atomic uint64_t noted[PLACES];     /* key ^ caller: seen to set or enumerate the key */
static _Atomic uint64_t familiar[PLACES];  /* key ^ module: knows the key otherwise than by looking it up */
static _Atomic uint64_t was_set[PLACES];   /* key ^ module: has set the key */
static _Atomic uint64_t given[PLACES];     /* pairs that the program gave first */
static _Atomic uint64_t answered[PLACES];  /* pairs that the library returned first */

static _Thread_local struct rcuinfo__lookups *current;
static _Thread_local uint64_t enumerated; /* hash of the last key of MPI_Info_get_nthkey */

static uint64_t hash_of(const char *key)
{
    return rcuinfo__text_hash(key, strlen(key), 0) | UINT64_C(1) << 32; /* never 0 */
}

void rcuinfo__lookups_begin(struct rcuinfo__lookups *lookups)
{
    *lookups = (struct rcuinfo__lookups){.outer = current};
    current = lookups;
}

void rcuinfo__lookups_end(struct rcuinfo__lookups *lookups)
{
    current = lookups->outer;
}

void rcuinfo__lookups_free(struct rcuinfo__lookups *lookups)
{
    while (lookups->first) {
        struct rcuinfo__lookup *next = lookups->first->next;
        rcuinfo__alloc_free(lookups->first);
        lookups->first = next;
    }
}

struct rcuinfo__lookup *rcuinfo__lookups_find(const struct rcuinfo__lookups *lookups, const char *key)
{
    struct rcuinfo__lookup *lookup = lookups->first;
    while (lookup && strcmp(lookup->key, key) != 0)
        lookup = lookup->next;
    return lookup;
}

/* Adds what the library does with a key. What it has set last, after it looked the key up, comes first. Without memory
 * it was not seen. */
static void add(const char *key, const char *set)
{
    size_t length = strlen(key) + 1;
    struct rcuinfo__lookup *known = rcuinfo__lookups_find(current, key);
    current->reads += !set;
    if (known && !set) {
        known->was_read = true;
        known->set = NULL; /* a default, which it may not keep */
        return;
    }

    struct rcuinfo__lookup *made = rcuinfo__alloc(sizeof *made + length + (set ? strlen(set) + 1 : 0));
    if (!made)
        return;
    *made = (struct rcuinfo__lookup){.next = current->first, .was_read = !set || (known && known->was_read)};
    memcpy(made->key, key, length);
    if (set)
        made->set = strcpy(made->key + length, set);
    current->first = made;
}

/* Whether this key was enumerated just before: a look-up of another one comes between. */
static bool was_enumerated(uint64_t hash)
{
    if (hash != enumerated)
        enumerated = 0;
    return enumerated != 0;
}

/* What the MPI library does with an info that it was lent; ROMIO calls the functions of MPI for that. */
static void note_read(const char *key)
{
    if (current && key && !was_enumerated(hash_of(key)))
        add(key, NULL);
}

static void note_set(const char *key, const char *value)
{
    if (current && key && value)
        add(key, value);
}

static void note_enumerated(const char *key)
{
    if (current)
        enumerated = hash_of(key);
}

/* Whether a set has a hash; if_full: what a full one answers about others. */
static bool has(_Atomic uint64_t set[PLACES], uint64_t hash, bool if_full)
{
    for (size_t n = 0, at = hash % PLACES; n < PLACES; n++, at = (at + 1) % PLACES) {
        uint64_t found = atomic_load_explicit(&set[at], RCUINFO__RELAXED);
        if (found == 0 || found == hash)
            return found == hash;
    }
    return if_full;
}

/* Adds a hash. Returns whether it was not there; false if the set is full. */
static bool insert(_Atomic uint64_t set[PLACES], uint64_t hash)
{
    for (size_t n = 0, at = hash % PLACES; n < PLACES; n++, at = (at + 1) % PLACES) {
        uint64_t found = atomic_load_explicit(&set[at], RCUINFO__RELAXED);
        if (found == 0 &&
            atomic_compare_exchange_strong_explicit(&set[at], &found, hash, RCUINFO__RELAXED, RCUINFO__RELAXED))
            return true;
        if (found == hash)
            return false;
    }
    return false;
}

/* Whether a caller is above MPI: neither the MPI library nor this one, whose Fortran procedures call the C functions.
 * Finds its module. */
static bool is_above(const void *caller, struct rcuinfo__module *module)
{
    uintptr_t here = (uintptr_t)&report_seen;
    return rcuinfo__module_of(caller, module) && (here < module->first || here >= module->end) &&
           !rcuinfo__real_has(caller);
}

/* Notes that a module knows a key of an info of ours: its later look-ups do not tell that it uses the key. E.g. a
 * binding prints the infos that the program has filled through it. */
static void note_ours_known(const char *key, const void *caller, bool is_nth)
{
    struct rcuinfo__module module;
    uint64_t hash = key ? hash_of(key) : 0;
    if (is_nth)
        enumerated = hash;
    if (!key || !insert(noted, hash ^ (uintptr_t)caller) || !rcuinfo__module_of(caller, &module))
        return;
    (void)insert(familiar, hash ^ module.first);
    if (!is_nth)
        (void)insert(was_set, hash ^ module.first);
}

const char *rcuinfo__lookups_setter(const char *key, const void *caller, struct rcuinfo__module *module)
{
    if (!rcuinfo__module_of(caller, module) || !has(was_set, hash_of(key) ^ module->first, false))
        return NULL;
    const char *slash = strrchr(module->name, '/');
    bool is_library = slash && strncmp(slash + 1, "lib", 3) == 0 && !rcuinfo__place_is_binding(module);
    return is_library ? slash + 1 : NULL;
}

static uint64_t hash_of_pair(const char *key, const char *value)
{
    return hash_of(key) ^ (uint64_t)rcuinfo__text_hash(value, strlen(value), 1) << 33; /* never 0 */
}

void rcuinfo__lookups_note_answer(const char *key, const char *value)
{
    uint64_t hash = hash_of_pair(key, value);
    if (!has(given, hash, true))
        (void)insert(answered, hash);
}

bool rcuinfo__lookups_note_given(const char *key, const char *value)
{
    uint64_t hash = hash_of_pair(key, value);
    bool was_answer = has(answered, hash, false);
    if (!was_answer)
        (void)insert(given, hash);
    return was_answer;
}

/* Reports a look-up of a key by a module above MPI. Bindings look keys up for the program. */
static void report_reader(const char *key, uint64_t hash, const struct rcuinfo__module *module)
{
    /* The program itself, whose module has no name, may look up what it has set, unless it was linked with PnetCDF,
     * which also sets the keys that it takes from its environment. */
    const char *slash = strrchr(module->name, '/'), *name = slash ? slash + 1 : module->name;
    bool is_of_pnetcdf =
        (!*name || strstr(name, "pnetcdf")) && rcuinfo__keys_find(RCUINFO__PNETCDF, RCUINFO_OBJECT_FILE, key);
    bool is_known = has(familiar, hash ^ module->first, true) || rcuinfo__place_is_binding(module);
    if (*name && (is_of_pnetcdf || !is_known))
        report_seen(key, name);
    else if (!*name && is_of_pnetcdf)
        report_seen(key, "PnetCDF in the program");
}

/* Notes a look-up in an info of ours. */
static void note_ours(const char *key, const void *caller)
{
    struct rcuinfo__module module;
    uint64_t hash = key ? hash_of(key) : 0;
    if (!key || was_enumerated(hash) || strlen(key) >= MPI_MAX_INFO_KEY ||
        !insert(looked_up, hash ^ (uintptr_t)caller) || !is_above(caller, &module))
        return;

    /* The program has called MPI_Info_get, which is no cancellation point, and leaves errno alone. */
    int left_errno = errno, cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    report_reader(key, hash, &module);
    pthread_setcancelstate(cancel_state, NULL);
    errno = left_errno;
}

void rcuinfo__lookups_watch(void (*seen)(const char *key, const char *library))
{
    static const struct rcuinfo__mpi_watch watch = {.ours_looked_up = note_ours,
                                                    .ours_known = note_ours_known,
                                                    .looked_up = note_read,
                                                    .enumerated = note_enumerated,
                                                    .set = note_set};
    report_seen = seen;
    atomic_store_explicit(&rcuinfo__mpi_watch, &watch, RCUINFO__RELAXED);
}
