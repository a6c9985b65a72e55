/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * next: the MPI library that the program has loaded, and the definitions after ours, which may be a tool's. No library
 * of ours names an MPI library: the program may bring any, under any name, and a host such as Python loads one late, or
 * never.
 *
 * These are in librcuinfo_interpose.so, which comes first in the search order; the flavours call them.
 */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rcuinfo/info.h>

typedef void (*rcuinfo__function_t)(void);

/* The next definition of a function after ours; NULL: there is none. `cache`: NULL at first, and one for each name. Any
 * thread, also during a fork. */
RCUINFO_API rcuinfo__function_t rcuinfo__next(_Atomic(rcuinfo__function_t) *cache, const char *name);

/* The same for a variable of the MPI library, of which the program may have the copy that all use. */
RCUINFO_API void *rcuinfo__next_variable(_Atomic(void *) *cache, const char *name);

/* An object that the dynamic linker has loaded: the program, whose name is "", or a library. */
struct rcuinfo__module {
    char name[PATH_MAX];
    uintptr_t base;       /* the difference between its addresses in memory and in the file */
    uintptr_t first, end; /* the range in memory */
};

/* Finds the module that an address is in. Any thread. */
RCUINFO_API bool rcuinfo__module_of(const void *address, struct rcuinfo__module *module);

/* Whether a module defines one of these symbols itself. `names` ends with NULL. Any thread. */
RCUINFO_API bool rcuinfo__module_defines(const struct rcuinfo__module *module, const char *const *names);

/* Whether an address is in the MPI library. Any thread. */
RCUINFO_API bool rcuinfo__next_is_library(const void *address);

/* dl_iterate_phdr, except that no thread is in it during a fork. */
struct dl_phdr_info;
RCUINFO_API int rcuinfo__next_iterate(int (*see)(struct dl_phdr_info *, size_t, void *), void *argument);

/* Whether an MPI library is loaded. Any thread. */
RCUINFO_API bool rcuinfo__next_is_loaded(void);

/* Whether a name is one of ours, of a function that the MPI library lacks (hide.c). Any thread. */
RCUINFO_API bool rcuinfo__next_lacks(const char *name);

/* Hides the functions that the MPI library lacks from what was loaded since the last call. Any thread. */
RCUINFO_API void rcuinfo__next_hide(void);
