/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * surface: prints which of the functions in names.h, which surface.py makes, a program sees: by a weak reference (w),
 * by dlsym in the whole process (d), and by dlsym on the handle of the MPI library (h). It calls none of them.
 *
 * Compiled as a program that links the MPI; with PLUGIN, as a shared library that links it; with HOST, as a program
 * that knows no MPI: it loads the library for itself, as Python does, and then that plugin.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *load(const char *name, int how)
{
    void *handle = dlopen(name, how);
    if (handle == NULL) {
        printf("%s\n", dlerror());
        exit(1);
    }
    return handle;
}

#ifndef HOST

#include "names.h"

#define DECLARE(name) extern void name(void) __attribute__((weak));
NAMES(DECLARE)

void surface(void *handle);

void surface(void *handle)
{
#define LOOK(name)                                                                                                     \
    printf("%s %s%s%s\n", #name, name != NULL ? "w" : "", dlsym(RTLD_DEFAULT, #name) != NULL ? "d" : "",               \
           dlsym(handle, #name) != NULL ? "h" : "");
    NAMES(LOOK)
}

#endif

#ifndef PLUGIN

int main(int argc, char *argv[])
{
    if (argc < 2)
        return 2;
#ifdef HOST
    void *library = load(argv[1], RTLD_LAZY | RTLD_LOCAL),
         *found = dlsym(load(argv[2], RTLD_LAZY | RTLD_LOCAL), "surface");
    if (found == NULL)
        return 1;
    ((void (*)(void *))found)(library);
#else
    surface(load(argv[1], RTLD_LAZY | RTLD_NOLOAD));
#endif
    return 0;
}

#endif
