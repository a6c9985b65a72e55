/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlsym: a library of its own, which `rcuinfo run` preloads after the interposer. Python's ctypes, Julia and others
 * look functions up on the handle of the MPI library, where nothing that was preloaded is found. This dlsym answers
 * with the interposer's function instead, if what was found is the function that the interposer would call next: not if
 * a tool or a wrapper library comes between, which may be looking for it, nor for another MPI library. The interposer
 * itself gets what it looks for.
 *
 * It does not find functions that the interposer defines and the MPI library lacks (hide.c). A look-up of any other
 * name on a handle, as of a plugin, is an occasion to hide these from what was loaded before it.
 *
 * dlvsym is left alone: the functions of MPI libraries have no versions. We find the C library's dlsym with it.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
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

/* A function of the interposer; NULL: it is not preloaded. */
#define INTERPOSER(type, name)                                                                                         \
    __extension__({                                                                                                    \
        void *found_ = find_real()(RTLD_DEFAULT, #name);                                                               \
        type *function_;                                                                                               \
        memcpy(&function_, &found_, sizeof function_);                                                                 \
        function_;                                                                                                     \
    })
typedef bool is_library_t(const void *address);
typedef bool is_absent_t(const char *name);
typedef void hide_t(void);

static void hide(void)
{
    static _Atomic(hide_t *) cache;
    hide_t *function = atomic_load_explicit(&cache, memory_order_relaxed);
    if (!function) {
        function = INTERPOSER(hide_t, rcuinfo__next_hide);
        (void)dlerror();
        atomic_store_explicit(&cache, function, memory_order_relaxed);
    }
    if (function)
        function();
}

/* The base address of the object that an address is in. */
static const void *base_of(const void *address)
{
    Dl_info object;
    return dladdr(address, &object) ? object.dli_fbase : NULL;
}

/* The function to answer with instead of what was found. */
static void *replace(void *handle, const char *name, void *found, const void *caller)
{
    is_library_t *is_library = INTERPOSER(is_library_t, rcuinfo__next_is_library);
    is_absent_t *is_absent = INTERPOSER(is_absent_t, rcuinfo__next_lacks);
    void *interposer;
    memcpy(&interposer, &is_library, sizeof interposer);
    if (!interposer || base_of(caller) == base_of(interposer)) {
        (void)dlerror();
        return found;
    }

    bool is_hidden = base_of(found) == base_of(interposer) && is_absent(name);
    void *first = find_real()(RTLD_DEFAULT, name), *after = find_real()(RTLD_NEXT, name);
    if (is_hidden)
        return after; /* NULL, and dlerror says so */
    bool replaces = handle != RTLD_DEFAULT && first && base_of(first) == base_of(interposer) &&
                    (!after || after == found) && is_library(found);
    (void)dlerror(); /* the caller's lookup has succeeded */
    return replaces ? first : found;
}

/* Whether this is the name of a function of MPI. No strncmp: a sanitizer looks up its own with this dlsym. */
static bool is_of_mpi(const char *name)
{
    static const char prefix[] = "MPI";
    name += name[0] == 'P';
    for (size_t n = 0; n < sizeof prefix - 1; n++) {
        if (name[n] != prefix[n])
            return false;
    }
    return name[3] == '_' || (name[3] == 'X' && name[4] == '_');
}

/* All other lookups are tail calls: RTLD_NEXT is relative to the caller, whose return address must remain, and
 * RTLD_DEFAULT includes what the caller's object depends on. */
void *dlsym(void *handle, const char *name)
{
    dlsym_t *real = find_real();
    if (handle == RTLD_NEXT || !is_of_mpi(name)) {
        if (handle != RTLD_NEXT && handle != RTLD_DEFAULT)
            hide();
        return real(handle, name);
    }

    void *found = real(handle, name);
    if (!found && handle == RTLD_DEFAULT)
        return real(handle, name);
    return found ? replace(handle, name, found, __builtin_return_address(0)) : NULL;
}
