/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlsym: a library of its own, which `rcuinfo run` preloads after the interposer. Python's ctypes, Julia and others
 * look functions up on the handle of the MPI library, where nothing that was preloaded is found. This dlsym answers
 * with the interposer's function instead, if what was found is the function that the interposer would call next: not if
 * a tool or a wrapper library comes between, which may be looking for it, nor for another MPI library. The interposer
 * itself gets what it looks for.
 *
 * dlvsym is left alone: the functions of MPI libraries have no versions. We find the C library's dlsym with it.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

typedef void *dlsym_t(void *handle, const char *name);

__attribute__((visibility("default"))) dlsym_t dlsym;

/* Any thread, from when the process starts. */
static dlsym_t *find_real(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.2",
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

/* The function to answer with instead of what was found on a handle. */
static void *replace(dlsym_t *real, const char *name, void *found, const void *caller)
{
    bool (*is_real_code)(const void *address);
    void *first = real(RTLD_DEFAULT, name), *after = real(RTLD_NEXT, name);
    void *interposer = real(RTLD_DEFAULT, "rcuinfo__interpose_is_real_code");
    Dl_info ours, of_first, of_caller;
    memcpy(&is_real_code, &interposer, sizeof is_real_code);
    bool replaces = interposer && first && dladdr(interposer, &ours) && dladdr(first, &of_first) &&
                    of_first.dli_fbase == ours.dli_fbase && (!after || after == found) && is_real_code(found) &&
                    !(dladdr(caller, &of_caller) && of_caller.dli_fbase == ours.dli_fbase);
    (void)dlerror(); /* the caller's lookup has succeeded */
    return replaces ? first : found;
}

/* Whether this is the name of a function of MPI. No strncmp: a sanitizer looks up its own with this dlsym. */
static bool is_of_mpi(const char *name)
{
    static const char prefix[] = "MPI";
    for (size_t n = 0; n < sizeof prefix - 1; n++) {
        if (name[n] != prefix[n])
            return false;
    }
    return name[3] == '_' || (name[3] == 'X' && name[4] == '_');
}

/* All other lookups are tail calls: RTLD_NEXT is relative to the caller, whose return address must remain. */
void *dlsym(void *handle, const char *name)
{
    dlsym_t *real = find_real();
    if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || !is_of_mpi(name))
        return real(handle, name);

    void *found = real(handle, name);
    return found ? replace(real, name, found, __builtin_return_address(0)) : NULL;
}
