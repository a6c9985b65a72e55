/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * next: the MPI library that the program has loaded. No interposer names one: the program may bring any, under any
 * name, and a host such as Python loads one late, or never.
 */
#pragma once

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A symbol of the MPI library; NULL: it has none of that name, or is not loaded yet. Any thread. `cache`: NULL at
 * first, and one for each name. `from`: RTLD_NEXT; for a variable RTLD_DEFAULT, as the program may have the copy that
 * all use. */
void *rcuinfo__interpose_symbol(_Atomic(void *) *cache, void *from, const char *name);

/* An object that the dynamic linker has loaded: the program, whose name is "", or a library. */
struct rcuinfo__module {
    char name[PATH_MAX];
    uintptr_t base;       /* the difference between its addresses in memory and in the file */
    uintptr_t first, end; /* the range in memory */
};

/* Finds the module that an address is in. Any thread. */
bool rcuinfo__interpose_module_of(const void *address, struct rcuinfo__module *module);

/* Whether a module defines one of these symbols itself. `names` ends with NULL. Any thread. */
bool rcuinfo__interpose_module_defines(const struct rcuinfo__module *module, const char *const *names);
