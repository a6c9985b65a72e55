/* SPDX-License-Identifier: BSD-3-Clause */
/* place: see place.h. An offset is relative to the load address of its file. */
#include "tuning/observe/place.h"

#include <execinfo.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "core/alloc.h"
#include "mpi/interpose/interpose.h"
#include "tuning/lines.h"

enum { FRAMES = 16 };

/* Whether this is one of the libraries through which Fortran and C++ programs call the C functions: it defines one of
 * their procedures. A program that was linked with them statically is still the place of its calls. */
static bool is_binding(const struct rcuinfo__module *module)
{
    static const char *const procedures[] = {"mpi_init_", "mpi_init_f08_", "_ZN3MPI4InitEv", NULL};
    return *module->name && rcuinfo__module_defines(module, procedures);
}

/* If the caller is in a binding, finds the frame that called the binding. */
static const void *skip_bindings(const void *caller)
{
    void *frames[FRAMES];
    struct rcuinfo__module module;
    if (!rcuinfo__module_of(caller, &module) || !is_binding(&module))
        return caller;

    /* Find the frame of the caller, then the first one after it that is in no binding. */
    int n = 0, count = backtrace(frames, FRAMES);
    while (n < count && frames[n] != caller)
        n++;
    while (n < count && rcuinfo__module_of(frames[n], &module) && is_binding(&module))
        n++;
    return n < count ? frames[n] : caller;
}

char *rcuinfo__observe_place(const void *caller)
{
    const char *address = skip_bindings(caller);
    struct rcuinfo__module module;
    if (!rcuinfo__module_of(address, &module))
        return NULL;

    char *name = module.name;
    if (!*name) { /* the program itself; /proc/self is that of the first thread, see env/start.c */
        ssize_t length = readlink("/proc/thread-self/exe", name, sizeof module.name - 1);
        name[length > 0 ? length : 0] = '\0';
    }

    /* - 1: the return address follows the call, and may be on another line. */
    return rcuinfo__report_format("%s+0x%" PRIxPTR, name, (uintptr_t)address - 1 - module.base);
}
