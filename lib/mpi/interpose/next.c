/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * next: see next.h. The MPI library is the first loaded one that defines PMPI_Init. If the program calls MPI without
 * one, it was linked with the interposer alone: linkers drop a library (--as-needed) whose functions are all defined by
 * another. Then the one that `rcuinfo run --mpi` names is loaded, or that of the build.
 *
 * Caches need no memory order: all threads that find a symbol find the same address, in a library that is never
 * unloaded. A symbol that is not found is looked up again until a library is loaded.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/order.h"
#include "env/start.h"
#include "mpi/interpose/interpose.h"

/* The handle of the MPI library for dlsym, and the range of its addresses. */
static _Atomic(void *) library;
static _Atomic uintptr_t code, code_end;

/* Looks for a module: the one that an address is in, or, for address 0, the one of that number. */
struct search {
    uintptr_t address;
    size_t number;
    size_t at; /* number of the next module to see */
    struct rcuinfo__module *module;
};

/* A callback of dl_iterate_phdr, which must not call dlopen: copies what is known about the module. */
static int see_module(struct dl_phdr_info *object, size_t size, void *argument)
{
    struct search *search = argument;
    uintptr_t first = UINTPTR_MAX, end = 0;
    (void)size;
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

bool rcuinfo__interpose_module_of(const void *address, struct rcuinfo__module *module)
{
    struct search search = {.address = (uintptr_t)address, .module = module};
    return dl_iterate_phdr(see_module, &search);
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

bool rcuinfo__interpose_module_defines(const struct rcuinfo__module *module, const char *const *names)
{
    void *handle = open_if_defines(module, names);
    return handle && dlclose(handle) == 0;
}

/* Whether an MPI library has the handles of this interposer: see flavour_of in tools/rcuinfo/run.c. */
static bool is_ours(void *mpi)
{
#if defined(RCUINFO__FLAVOUR_MPICH)
    bool is_other = !dlsym(mpi, "MPIR_Dup_fn");
#elif defined(RCUINFO__FLAVOUR_OPENMPI)
    bool is_other = dlsym(mpi, "MPIR_Dup_fn");
#else
    bool is_other = !mpi;
#endif
    (void)dlerror();
    return !is_other;
}

/* Finds the first MPI library with our handles. The program may also define it: it may export a static MPI library.
 * `other`: for one whose handles are not ours, if there is one; NULL: not needed. */
static void *find_library(struct rcuinfo__module *other)
{
    static _Atomic bool told;
    static const char *const names[] = {"PMPI_Init", NULL};
    struct rcuinfo__module module, chosen = {.base = 0};
    struct search search = {.module = &module};
    void *found = atomic_load_explicit(&library, memory_order_acquire);
    if (found)
        return found;

    for (; search.at = 0, dl_iterate_phdr(see_module, &search); search.number++) {
        void *handle = open_if_defines(&module, names);
        if (!handle)
            continue;
        if (!is_ours(handle)) {
            if (other)
                *other = module;
        } else if (!found) {
            found = handle;
            chosen = module;
            continue;
        } else if (!atomic_exchange_explicit(&told, true, RCUINFO__RELAXED)) {
            fprintf(stderr, "rcuinfo: two MPI libraries are loaded, %s and %s; infos are passed to the first\n",
                    chosen.name, module.name);
        }
        (void)dlclose(handle);
    }
    if (found) {
        atomic_store_explicit(&code, chosen.first, RCUINFO__RELAXED);
        atomic_store_explicit(&code_end, chosen.end, RCUINFO__RELAXED);
        atomic_store_explicit(&library, found, memory_order_release); /* with the range of its code */
    }
    return found;
}

/* When the program calls a function that only an MPI library can perform. */
static void load_library(void)
{
    const char *name = rcuinfo__start_variable("RCUINFO_MPI_LIBRARY");
    name = name ? name : RCUINFO__MPI_LIBRARY;
    if (!find_library(NULL) && !dlopen(name, RTLD_LAZY | RTLD_GLOBAL))
        fprintf(stderr, "rcuinfo: the program calls MPI, but has loaded no MPI library: %s\n", dlerror());
}

/* A definition in the search order, from its start or after ours, else that of an MPI library which was loaded without
 * RTLD_GLOBAL. */
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

void *rcuinfo__interpose_symbol(_Atomic(void *) *cache, void *from, const char *name)
{
    static char absent;
    void *found = atomic_load_explicit(cache, RCUINFO__RELAXED);
    if (__builtin_expect(found != NULL, 1))
        return found == &absent ? NULL : found;

    found = find(from, name);
    if (found || find_library(NULL))
        atomic_store_explicit(cache, found ? found : &absent, RCUINFO__RELAXED);
    return found;
}

/* Called instead of a function that is not there, with its arguments. */
static int do_nothing(void)
{
    return MPI_ERR_INTERN;
}

rcuinfo__interpose_function_t rcuinfo__interpose_function(_Atomic(void *) *cache, const char *name)
{
    rcuinfo__interpose_function_t function = (rcuinfo__interpose_function_t)(void (*)(void))do_nothing;
    void *found = rcuinfo__interpose_symbol(cache, RTLD_NEXT, name);
    if (found)
        memcpy(&function, &found, sizeof function);
    return function;
}

rcuinfo__interpose_function_t rcuinfo__interpose_next(_Atomic(rcuinfo__interpose_function_t) *cache, const char *name)
{
    rcuinfo__interpose_function_t next = atomic_load_explicit(cache, RCUINFO__RELAXED);
    if (__builtin_expect(next != NULL, 1))
        return next;

    void *found = find(RTLD_NEXT, name);
    if (!found) {
        load_library();
        found = find(RTLD_NEXT, name);
    }
    struct rcuinfo__module other = {.end = 0};
    if (!find_library(&other) && other.end) { /* it would crash with the infos that it gets from us */
        fprintf(stderr,
                "rcuinfo: the program has loaded %s, but this is the interposer for " RCUINFO__MPI_LIBRARY
                ": see --mpi in rcuinfo(1)\n",
                other.name);
        _exit(2);
    }
    memcpy(&next, &found, sizeof next);
    atomic_store_explicit(cache, next, RCUINFO__RELAXED);
    return next;
}

bool rcuinfo__interpose_is_real_code(const void *address)
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

bool rcuinfo__interpose_is_of_library(const void *address)
{
    if (rcuinfo__interpose_is_real_code(address))
        return true;

    struct rcuinfo__module module;
    const char *slash = rcuinfo__interpose_module_of(address, &module) ? strrchr(module.name, '/') : NULL;
    return slash && strncmp(slash, "/mca_", sizeof "/mca_" - 1) == 0;
}
