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
 */
static pthread_mutex_t iterating = PTHREAD_MUTEX_INITIALIZER;

static void lock_iterating(void)
{
    pthread_mutex_lock(&iterating);
}

static void unlock_iterating(void)
{
    pthread_mutex_unlock(&iterating);
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

bool rcuinfo__module_defines(const struct rcuinfo__module *module, const char *const *names)
{
    void *handle = open_if_defines(module, names);
    return handle && dlclose(handle) == 0;
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

/* Finds the MPI library; NULL: none is loaded. `other`: for one that cannot be used; name "": there is none; NULL: not
 * needed, so that only modules are looked at that were loaded since the last time, and libraries of two kinds are none.
 * The program may also define it: it may export a static MPI library. */
static void *find_library(struct rcuinfo__module *other)
{
    static _Atomic bool told;
    static _Atomic size_t without; /* so many modules, of which `subs` had been unloaded, have no MPI library */
    static _Atomic unsigned long long subs;
    static _Thread_local bool is_searching; /* the dlsym below may be ours (dlsym.c), which calls rcuinfo__next_hide */
    static const char *const names[] = {"PMPI_Init", NULL};
    enum family wanted = wanted_family(), family_found = NONE;
    struct rcuinfo__module module, chosen = {.base = 0}, here;
    struct search search = {.module = &module};
    bool is_two = false, is_unfit = false;
    void *found = atomic_load_explicit(&library, memory_order_acquire);
    if (found || is_searching || !rcuinfo__module_of(&library, &here))
        return found;
    is_searching = true;

    if (!other && rcuinfo__next_iterate(see_module, &search) &&
        search.subs == atomic_load_explicit(&subs, RCUINFO__RELAXED))
        search.number = atomic_load_explicit(&without, RCUINFO__RELAXED);
    for (; search.at = 0, rcuinfo__next_iterate(see_module, &search); search.number++) {
        void *handle = module.first == here.first ? NULL : open_if_defines(&module, names);
        if (!handle)
            continue;
        enum family family = family_of(handle, &module);
        if (family == NONE || (wanted != NONE && family != wanted)) {
            is_unfit = true;
            if (other)
                *other = module;
        } else if (found && family != family_found) {
            is_two = true;
            if (other)
                die_of_two(chosen.name, module.name);
        } else if (!found) {
            found = handle;
            chosen = module;
            family_found = family;
            continue;
        } else if (!atomic_exchange_explicit(&told, true, RCUINFO__RELAXED)) {
            rcuinfo__quiet_say("rcuinfo: two MPI libraries are loaded, %s and %s; infos are passed to the first\n",
                               chosen.name, module.name);
        }
        (void)dlclose(handle);
    }
    is_searching = false;
    if (!found && !is_unfit) {
        atomic_store_explicit(&subs, search.subs, RCUINFO__RELAXED);
        atomic_store_explicit(&without, search.number, RCUINFO__RELAXED);
    }
    if (found && is_two) {
        (void)dlclose(found);
        return NULL;
    }
    if (found) {
        atomic_store_explicit(&library_family, (int)family_found, RCUINFO__RELAXED);
        atomic_store_explicit(&code, chosen.first, RCUINFO__RELAXED);
        atomic_store_explicit(&code_end, chosen.end, RCUINFO__RELAXED);
        atomic_store_explicit(&library, found, memory_order_release); /* with its family and the range of its code */
    }
    return found;
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

uintptr_t rcuinfo__next_find(struct rcuinfo__next_place *place)
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
    (void)rcuinfo__next_lacks(""); /* which looks up all names: see RCUINFO__NEXT_PLACE */
    atomic_store_explicit(&cache, functions, memory_order_release);
    return functions;
}

/* When the program calls MPI, but has loaded no MPI library that we can use. */
static void load_library(const char *name, struct rcuinfo__module *other)
{
    static const char see[] = ": see --mpi in rcuinfo(1)";
    const char *wanted = rcuinfo__start_variable("RCUINFO_MPI");
    const char *path = rcuinfo__start_variable("RCUINFO_MPI_LIBRARY");
    if (*other->name && wanted)
        die("the program has loaded ", other->name, ", which is not of the MPI that --mpi names");
    if (*other->name)
        die(other->name, " is none of MPICH, Open MPI, and the standard ABI", see);
    if (!path)
        die("the program calls ", name, ", but no MPI library is loaded (one with PMPI_Init): see --mpi in rcuinfo(1)");
    if (!dlopen(path, RTLD_LAZY | RTLD_GLOBAL) || !find_library(other))
        die("the program calls MPI without a library, and that of --mpi cannot be used: ", path, "");
}

rcuinfo__function_t rcuinfo__names_bind(size_t number)
{
    const char *name = rcuinfo__names[number];
    struct rcuinfo__module other = {.name = ""};
    rcuinfo__function_t function = NULL;
    if (!find_library(&other)) {
        /* Without an MPI library the program may have librcuinfo_mpi.so, to which the name is not bound for ever. */
        void *found = *other.name ? NULL : dlsym(RTLD_NEXT, name);
        memcpy(&function, &found, sizeof function);
        if (function)
            return function;
        load_library(name, &other);
    }

    if (rcuinfo__next_lacks(name))
        die("the program calls ", name, ", which its MPI library does not have");
    function = load_flavour()[number];
    if (!function) {
        void *found = find(RTLD_NEXT, name);
        memcpy(&function, &found, sizeof function);
    }
    atomic_store_explicit(&rcuinfo__names_bound[number], function, memory_order_release);
    return function;
}
