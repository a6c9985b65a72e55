/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlsym: a library of its own, which `rcuinfo run` preloads besides the interposer. Python's ctypes, Julia and others
 * look functions up on the handle of the MPI library, where nothing that was preloaded is found. This dlsym answers
 * with the interposer's function instead, if the one found is the MPI library's own, and the caller does not define it
 * too: a tool, or a wrapper library, which does, wants the next one. The interposer is among those.
 *
 * dlvsym is left alone: the functions of MPI libraries have no versions. It also finds the dlsym of the C library.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef void *dlsym_t(void *handle, const char *name);

__attribute__((visibility("default"))) dlsym_t dlsym;

/* Any thread, from when the process starts. */
static dlsym_t *find_real(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17",
                                           "GLIBC_2.27", "GLIBC_2.36",  "GLIBC_2.0"};
    static _Atomic(dlsym_t *) cache;
    dlsym_t *real = atomic_load_explicit(&cache, memory_order_relaxed); /* always the same code */
    for (size_t n = 0; !real && n < sizeof versions / sizeof *versions; n++) {
        void *found = dlvsym(RTLD_NEXT, "dlsym", versions[n]);
        memcpy(&real, &found, sizeof real);
    }
    atomic_store_explicit(&cache, real, memory_order_relaxed);
    return real;
}

/* The address of the module that an address is in; NULL: in none. */
static const void *module_of(const void *address, const char **name)
{
    Dl_info info;
    if (!address || dladdr(address, &info) == 0)
        return NULL;
    *name = info.dli_fname;
    return info.dli_fbase;
}

/* Whether the module of an address defines a function itself. */
static bool defines(dlsym_t *real, const void *address, const char *name)
{
    const char *file, *ignored;
    const void *module = module_of(address, &file);
    void *handle = module ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    bool is_there = handle && module_of(real(handle, name), &ignored) == module;
    if (handle)
        (void)dlclose(handle);
    return is_there;
}

/* The function to answer with instead of what was found on a handle. */
static void *replace(dlsym_t *real, void *handle, const char *name, void *found, const void *caller)
{
    const char *file;
    void *first = real(RTLD_DEFAULT, name);
    const void *interposer = module_of(real(RTLD_DEFAULT, "rcuinfo_to_mpi"), &file);
    bool is_ours = interposer && module_of(first, &file) == interposer;
    bool is_real = is_ours && module_of(real(handle, "PMPI_Init"), &file) == module_of(found, &file);
    bool replaces = is_real && !defines(real, caller, name);
    (void)dlerror(); /* the caller's lookup has succeeded */
    return replaces ? first : found;
}

/* All other lookups are tail calls: RTLD_NEXT is relative to the caller, whose return address must remain. */
void *dlsym(void *handle, const char *name)
{
    dlsym_t *real = find_real();
    if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || strncmp(name, "MPI_", 4) != 0)
        return real(handle, name);

    void *found = real(handle, name);
    return found ? replace(real, handle, name, found, __builtin_return_address(0)) : NULL;
}
