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

/* A symbol that the code uses: the definition of a function after ours, or a variable of the MPI library. A program may
 * have a copy of the variable, which the library then uses, too. */
struct rcuinfo__next_symbol {
    const char *name;
    bool is_variable;
    _Atomic uintptr_t found; /* its address; 0: not yet looked up */
};
enum { RCUINFO__NEXT_ABSENT = 1 }; /* in place of an address: the MPI library is loaded, and lacks it */

/* Looks a symbol up; 0: there is none. Any thread, also during a fork. */
RCUINFO_API uintptr_t rcuinfo__next_find(struct rcuinfo__next_symbol *symbol);

static inline uintptr_t rcuinfo__next(struct rcuinfo__next_symbol *symbol)
{
    uintptr_t found = atomic_load_explicit(&symbol->found, memory_order_relaxed);
    return __builtin_expect(found > RCUINFO__NEXT_ABSENT, 1) ? found : rcuinfo__next_find(symbol);
}

/* The address of a symbol. Those of a flavour are all looked up when it is loaded (flavour.c): a look-up waits for
 * threads that are in dlopen, and a constructor there may wait for a thread that calls MPI. */
#define RCUINFO__NEXT_SYMBOL(name_, is_variable_)                                                                      \
    __extension__({                                                                                                    \
        static struct rcuinfo__next_symbol here_ = {.name = (name_), .is_variable = (is_variable_)};                   \
        static struct rcuinfo__next_symbol *const at_ __attribute__((section("rcuinfo_symbols"), used)) = &here_;      \
        rcuinfo__next(&here_);                                                                                         \
    })

/* An object that the dynamic linker has loaded: the program, whose name is "", or a library. */
struct rcuinfo__module {
    char name[PATH_MAX];
    uintptr_t base;       /* the difference between its addresses in memory and in the file */
    uintptr_t first, end; /* the range in memory */
};

/* Finds the module that an address is in. Any thread. */
RCUINFO_API bool rcuinfo__module_of(const void *address, struct rcuinfo__module *module);

/* Whether a module defines one of these symbols itself. `names` ends with NULL. Waits for no thread that is in dlopen
 * (hide.c). Any thread. */
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
