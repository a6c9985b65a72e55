/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * next: see next.h. The MPI library is the first loaded one that defines PMPI_Init and, with `rcuinfo run --mpi`, is of
 * that family. Its flavour is a library of ours beside this one, which is loaded when the first name is bound.
 *
 * Caches need no memory order: all threads that find a symbol find the same address, in a library that is never
 * unloaded. A symbol that is not found is looked up again until an MPI library is loaded.
 */
#include "mpi/next.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rcuinfo/version.h>

#include "core/memory/lock.h"
#include "core/order.h"
#include "core/quiet.h"
#include "env/start.h"
#include "mpi/interpose/names.h"

enum family { MPICH, OPENMPI, ABI, NONE };
static const char *const families[] = {"mpich", "openmpi", "abi"};

/* The handle of the MPI library for dlsym, and the range of its addresses. */
static _Atomic(void *) library;
static _Atomic uintptr_t code, code_end;
static _Atomic int library_family; /* written before `library` */

/* Ends the process: with a flavour that is not the library's, it would crash. */
static _Noreturn void die(const char *what, const char *of, const char *why)
{
    fprintf(stderr, "rcuinfo: %s%s%s\n", what, of, why);
    _exit(2);
}

static _Noreturn void die_of_two(const char *first, const char *second)
{
    fprintf(stderr, "rcuinfo: MPI libraries of two kinds are loaded, %s and %s: choose with --mpi\n", first, second);
    _exit(2);
}

/* Looks for a module: the one that an address is in, or, for address 0, the one of that number. */
struct search {
    uintptr_t address;
    size_t number;
    size_t at;               /* number of the next module to see */
    unsigned long long subs; /* how many were unloaded */
    struct rcuinfo__module *module;
};

/* dl_iterate_phdr takes a lock that glibc does not free in the child of a fork: none of our threads may hold it then.
 * Signals are blocked meanwhile: a handler that forks would wait for its own thread. */
static pthread_mutex_t iterating = PTHREAD_MUTEX_INITIALIZER;
static sigset_t signals_before; /* of the thread that has the lock */

static void lock_iterating(void)
{
    sigset_t before;
    rcuinfo__lock_hold_signals(&before);
    pthread_mutex_lock(&iterating);
    signals_before = before;
}

static void unlock_iterating(void)
{
    sigset_t before = signals_before;
    pthread_mutex_unlock(&iterating);
    rcuinfo__lock_release_signals(&before);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(lock_iterating, unlock_iterating, unlock_iterating);
}

int rcuinfo__next_iterate(int (*see)(struct dl_phdr_info *, size_t, void *), void *argument)
{
    lock_iterating();
    int result = dl_iterate_phdr(see, argument);
    unlock_iterating();
    return result;
}

/* A callback of dl_iterate_phdr, which must not call dlopen: copies what is known about the module. */
static int see_module(struct dl_phdr_info *object, size_t size, void *argument)
{
    struct search *search = argument;
    uintptr_t first = UINTPTR_MAX, end = 0;
    (void)size;
    search->subs = object->dlpi_subs;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD) {
            first = start < first ? start : first;
            end = start + segment->p_memsz > end ? start + segment->p_memsz : end;
        }
    }
    if (search->address ? search->address < first || search->address >= end : search->at++ < search->number)
        return 0;

    (void)snprintf(search->module->name, sizeof search->module->name, "%s", object->dlpi_name);
    search->module->base = object->dlpi_addr;
    search->module->first = first;
    search->module->end = end;
    return 1;
}

bool rcuinfo__module_of(const void *address, struct rcuinfo__module *module)
{
    struct search search = {.address = (uintptr_t)address, .module = module};
    return rcuinfo__next_iterate(see_module, &search);
}

/* The module's handle for dlsym, if it defines one of these symbols itself; NULL: it does not. */
static void *open_if_defines(const struct rcuinfo__module *module, const char *const *names)
{
    void *handle = dlopen(*module->name ? module->name : NULL, RTLD_LAZY | RTLD_NOLOAD);
    for (; handle && *names; names++) {
        uintptr_t found = (uintptr_t)dlsym(handle, *names);
        if (found >= module->first && found < module->end)
            return handle;
    }
    if (handle)
        (void)dlclose(handle);
    (void)dlerror(); /* this error is none of the program's */
    return NULL;
}

/* The family of an MPI library. MPIR_Dup_fn, the function of MPI_DUP_FN, is in MPICH and all that is made from it. The
 * standard ABI is recognized by the name of the library. */
static enum family family_of(void *handle, const struct rcuinfo__module *module)
{
    static const char abi[] = "libmpi_abi.so";
    const char *slash = strrchr(module->name, '/');
    enum family family = NONE;
    if (strncmp(slash ? slash + 1 : module->name, abi, sizeof abi - 1) == 0)
        family = ABI;
    else if (dlsym(handle, "MPIR_Dup_fn"))
        family = MPICH;
    else if (dlsym(handle, "ompi_mpi_comm_world"))
        family = OPENMPI;
    (void)dlerror();
    return family;
}

/* The family that --mpi names, or NONE. */
static enum family wanted_family(void)
{
    const char *name = rcuinfo__start_variable("RCUINFO_MPI");
    enum family family = MPICH;
    while (name && family < NONE && strcmp(families[family], name) != 0)
        family++;
    return name ? family : NONE;
}

/* What a search of the modules has found. */
struct candidates {
    void *handle; /* of the first library that can be used; NULL: none */
    struct rcuinfo__module module;
    enum family family;
    bool is_ambiguous; /* libraries of two families can be used */
    bool has_unusable; /* there is one that cannot be used */
};

/* Adds an MPI library, and takes over its handle. `unusable`: as for find_library. */
static void add_candidate(struct candidates *found, void *handle, const struct rcuinfo__module *module,
                          struct rcuinfo__module *unusable)
{
    static _Atomic bool told;
    enum family family = family_of(handle, module), wanted = wanted_family();

    if (family == NONE || (wanted != NONE && family != wanted)) {
        found->has_unusable = true;
        if (unusable)
            *unusable = *module;
    } else if (!found->handle) {
        found->handle = handle;
        found->module = *module;
        found->family = family;
        return;
    } else if (family != found->family) {
        found->is_ambiguous = true;
        if (unusable)
            die_of_two(found->module.name, module->name);
    } else if (!atomic_exchange_explicit(&told, true, RCUINFO__RELAXED)) {
        rcuinfo__quiet_say("rcuinfo: two MPI libraries are loaded, %s and %s; infos are passed to the first\n",
                           found->module.name, module->name);
    }
    (void)dlclose(handle);
}

/*
 * Finds the MPI library; NULL: none can be used. The program counts, too: it may export a static one.
 * `unusable` NULL: skips the modules that had none the last time, and returns NULL if there are two families. Else:
 * looks at all modules, ends the process if there are two families, and copies one that cannot be used to *unusable.
 */
static void *find_library(struct rcuinfo__module *unusable)
{
    static _Atomic size_t without; /* so many modules, of which `subs` had been unloaded, have no MPI library */
    static _Atomic unsigned long long subs;
    static _Thread_local bool is_searching; /* the dlsym below may be ours (dlsym.c), which calls rcuinfo__next_hide */
    static const char *const names[] = {"PMPI_Init", NULL};
    struct rcuinfo__module module, here;
    struct search search = {.module = &module};
    struct candidates found = {.handle = atomic_load_explicit(&library, memory_order_acquire)};
    if (found.handle || is_searching || !rcuinfo__module_of(&library, &here))
        return found.handle;
    is_searching = true;

    if (!unusable && rcuinfo__next_iterate(see_module, &search) &&
        search.subs == atomic_load_explicit(&subs, RCUINFO__RELAXED))
        search.number = atomic_load_explicit(&without, RCUINFO__RELAXED);
    /* see_module counts in search.at up to search.number. */
    for (search.at = 0; rcuinfo__next_iterate(see_module, &search); search.at = 0, search.number++) {
        void *handle = module.first == here.first ? NULL : open_if_defines(&module, names);
        if (handle)
            add_candidate(&found, handle, &module, unusable);
    }
    is_searching = false;

    if (!found.handle && !found.has_unusable) {
        atomic_store_explicit(&subs, search.subs, RCUINFO__RELAXED);
        atomic_store_explicit(&without, search.number, RCUINFO__RELAXED);
    }
    if (found.handle && found.is_ambiguous) {
        (void)dlclose(found.handle);
        return NULL;
    }
    if (found.handle) {
        atomic_store_explicit(&library_family, (int)found.family, RCUINFO__RELAXED);
        atomic_store_explicit(&code, found.module.first, RCUINFO__RELAXED);
        atomic_store_explicit(&code_end, found.module.end, RCUINFO__RELAXED);
        atomic_store_explicit(&library, found.handle, memory_order_release); /* with its family and its code */
    }
    return found.handle;
}

/* The definition after ours, else that of an MPI library which was loaded without RTLD_GLOBAL. */
static void *find(void *from, const char *name)
{
    void *found = dlsym(from, name);
    void *handle = found ? NULL : find_library(NULL);
    if (handle)
        found = dlsym(handle, name);
    if (!found)
        (void)dlerror();
    return found;
}

uintptr_t rcuinfo__next_find(struct rcuinfo__next_symbol *place)
{
    if (atomic_load_explicit(&place->found, RCUINFO__RELAXED) == RCUINFO__NEXT_ABSENT)
        return 0;

    uintptr_t found = (uintptr_t)find(place->is_variable ? RTLD_DEFAULT : RTLD_NEXT, place->name);
    if (found || atomic_load_explicit(&library, RCUINFO__RELAXED))
        atomic_store_explicit(&place->found, found ? found : RCUINFO__NEXT_ABSENT, RCUINFO__RELAXED);
    return found;
}

bool rcuinfo__next_is_library(const void *address)
{
    uintptr_t from = atomic_load_explicit(&code, RCUINFO__RELAXED);
    uintptr_t to = atomic_load_explicit(&code_end, RCUINFO__RELAXED);
    if (__builtin_expect(!from || !to, 0)) {
        if (!find_library(NULL))
            return false;
        from = atomic_load_explicit(&code, RCUINFO__RELAXED);
        to = atomic_load_explicit(&code_end, RCUINFO__RELAXED);
    }
    return (uintptr_t)address >= from && (uintptr_t)address < to;
}

bool rcuinfo__next_is_loaded(void)
{
    return find_library(NULL) != NULL;
}

static rcuinfo__function_t next_function(const char *name)
{
    void *found = find(RTLD_NEXT, name);
    rcuinfo__function_t function;
    memcpy(&function, &found, sizeof function);
    return function;
}

/* The functions of the flavour, by number of the name. Any thread: dlopen gives all of them the same library. */
static const rcuinfo__function_t *load_flavour(void)
{
    static _Atomic(const rcuinfo__function_t *) cache;
    const rcuinfo__function_t *functions = atomic_load_explicit(&cache, memory_order_acquire);
    struct rcuinfo__module here;
    char path[PATH_MAX + 64] = "";
    if (functions)
        return functions;

    /* By its path: a sanitizer that calls dlopen for us has no run path. */
    char *slash = rcuinfo__module_of(&library, &here) ? strrchr(here.name, '/') : NULL;
    if (slash)
        (void)snprintf(path, sizeof path, "%.*s/librcuinfo_%s_flavour.so.%d", (int)(slash - here.name), here.name,
                       families[atomic_load_explicit(&library_family, RCUINFO__RELAXED)], RCUINFO_VERSION_MAJOR);
    void *flavour = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    functions = flavour ? dlsym(flavour, "rcuinfo__flavour_functions") : NULL;
    if (!functions)
        die("a library of rcuinfo cannot be loaded: ", dlerror(), "");
    /* This looks all names up, and keeps what it finds. Now: see RCUINFO__NEXT_SYMBOL. */
    (void)rcuinfo__next_lacks("");
    for (size_t n = 0; n < rcuinfo__names_count; n++) {
        rcuinfo__function_t function = functions[n] ? NULL : next_function(rcuinfo__names[n]);
        if (function)
            atomic_store_explicit(&rcuinfo__names_bound[n], function, memory_order_release);
    }
    atomic_store_explicit(&cache, functions, memory_order_release);
    return functions;
}

/* When the program calls MPI, but has loaded no MPI library that we can use. */
static void load_library(const char *name, struct rcuinfo__module *unusable)
{
    static const char see[] = ": see --mpi in rcuinfo(1)";
    const char *wanted = rcuinfo__start_variable("RCUINFO_MPI");
    const char *path = rcuinfo__start_variable("RCUINFO_MPI_LIBRARY");
    if (*unusable->name && wanted)
        die("the program has loaded ", unusable->name, ", which is not of the MPI that --mpi names");
    if (*unusable->name)
        die(unusable->name, " is none of MPICH, Open MPI, and the standard ABI", see);
    if (!path)
        die("the program calls ", name, ", but no MPI library is loaded (one with PMPI_Init): see --mpi in rcuinfo(1)");
    if (!dlopen(path, RTLD_LAZY | RTLD_GLOBAL) || !find_library(unusable))
        die("the program calls MPI without a library, and that of --mpi cannot be used: ", path, "");
}

rcuinfo__function_t rcuinfo__names_bind(size_t number)
{
    const char *name = rcuinfo__names[number];
    struct rcuinfo__module unusable = {.name = ""};
    rcuinfo__function_t function = NULL;
    if (!find_library(&unusable)) {
        /* Without an MPI library the program may have librcuinfo_mpi.so, to which the name is not bound for ever. */
        void *found = *unusable.name ? NULL : dlsym(RTLD_NEXT, name);
        memcpy(&function, &found, sizeof function);
        if (function)
            return function;
        load_library(name, &unusable);
    }

    if (rcuinfo__next_lacks(name))
        die("the program calls ", name, ", which its MPI library does not have");
    function = load_flavour()[number];
    if (!function)
        function = next_function(name);
    atomic_store_explicit(&rcuinfo__names_bound[number], function, memory_order_release);
    return function;
}
