/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lookups: see lookups.h.
 *
 * What a thread has seen is its own. A table of hashes, which is only added to, says what was reported already: if two
 * threads see the same at the same time, both report it.
 */
#include "mpi/interpose/observe/lookups.h"

#include <string.h>

#include "core/memory/alloc.h"
#include "core/text.h"
#include "mpi/interpose/real.h"
#include "mpi/interpose/observe/place.h"

enum { REPORTED = 1024 };

static void (*report_seen)(const char *key, const char *library); /* written at load; NULL: nobody watches */
/* Hashes; 0: free. Of keys and callers, of keys and the modules that know them from elsewhere, and of those that set
 * them; of pairs of the program, and of those that the library was the first to have. */
static _Atomic uint64_t reported[REPORTED], noted[REPORTED], familiar[REPORTED], was_set[REPORTED];
static _Atomic uint64_t given[REPORTED], answered[REPORTED];

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

/* Whether a table has a hash; if_full: what a full one answers about others. */
static bool has(_Atomic uint64_t table[REPORTED], uint64_t hash, bool if_full)
{
    for (size_t n = 0, at = hash % REPORTED; n < REPORTED; n++, at = (at + 1) % REPORTED) {
        uint64_t found = atomic_load_explicit(&table[at], RCUINFO__RELAXED);
        if (found == 0 || found == hash)
            return found == hash;
    }
    return if_full;
}

/* Adds a hash to a table. Returns whether it is new there. */
static bool is_first(_Atomic uint64_t table[REPORTED], uint64_t hash)
{
    for (size_t n = 0, at = hash % REPORTED; n < REPORTED; n++, at = (at + 1) % REPORTED) {
        uint64_t found = atomic_load_explicit(&table[at], RCUINFO__RELAXED);
        if (found == 0 &&
            atomic_compare_exchange_strong_explicit(&table[at], &found, hash, RCUINFO__RELAXED, RCUINFO__RELAXED))
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
static void note_own_known(const char *key, const void *caller, bool is_nth)
{
    struct rcuinfo__module module;
    uint64_t hash = key ? hash_of(key) : 0;
    if (is_nth)
        enumerated = hash;
    if (!key || !is_first(noted, hash ^ (uintptr_t)caller) || !rcuinfo__module_of(caller, &module))
        return;
    (void)is_first(familiar, hash ^ module.first);
    if (!is_nth)
        (void)is_first(was_set, hash ^ module.first);
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

void rcuinfo__lookups_answer(const char *key, const char *value)
{
    uint64_t hash = hash_of_pair(key, value);
    if (!has(given, hash, true))
        (void)is_first(answered, hash);
}

bool rcuinfo__lookups_was_answer(const char *key, const char *value)
{
    uint64_t hash = hash_of_pair(key, value);
    bool was_answer = has(answered, hash, false);
    if (!was_answer)
        (void)is_first(given, hash);
    return was_answer;
}

/* Notes a look-up in an info of ours. */
static void note_own(const char *key, const void *caller)
{
    struct rcuinfo__module module;
    uint64_t hash = key ? hash_of(key) : 0;

    if (!key || was_enumerated(hash) || strlen(key) >= MPI_MAX_INFO_KEY ||
        !is_first(reported, hash ^ (uintptr_t)caller) || !is_above(caller, &module))
        return;

    /* The program itself, whose module has no name, may look up what it has set, unless it was linked with PnetCDF,
     * which also sets the keys that it takes from its environment. */
    const char *slash = strrchr(module.name, '/'), *name = slash ? slash + 1 : module.name;
    bool is_of_pnetcdf =
        (!*name || strstr(name, "pnetcdf")) && rcuinfo__keys_find(RCUINFO__PNETCDF, RCUINFO_OBJECT_FILE, key);
    if (*name && (is_of_pnetcdf || !has(familiar, hash ^ module.first, true)))
        report_seen(key, name);
    else if (!*name && is_of_pnetcdf)
        report_seen(key, "PnetCDF in the program");
}

void rcuinfo__lookups_watch(void (*seen)(const char *key, const char *library))
{
    static const struct rcuinfo__mpi_watch watch = {note_own, note_own_known, note_read, note_enumerated, note_set};
    report_seen = seen;
    atomic_store_explicit(&rcuinfo__mpi_watch, &watch, RCUINFO__RELAXED);
}
