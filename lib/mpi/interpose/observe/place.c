/* SPDX-License-Identifier: BSD-3-Clause */
/* place: see place.h. An offset is relative to the load address of its file. */
#include "mpi/interpose/observe/place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/memory/alloc.h"
#include "mpi/interpose/interpose.h"
#include "report/lines.h"

enum { FRAMES = 64 };

static bool is_mpi4py(const struct rcuinfo__module *module)
{
    static const char *const start[] = {"PyInit_MPI", NULL};
    return rcuinfo__module_defines(module, start);
}

/* Whether this is one of the libraries through which Fortran and C++ programs call the C functions: it defines one of
 * their procedures. A program that was linked with them statically is still the place of its calls. */
static bool is_procedures(const struct rcuinfo__module *module)
{
    static const char *const procedures[] = {"mpi_init_", "mpi_init_f08_", "_ZN3MPI4InitEv", NULL};
    return *module->name && rcuinfo__module_defines(module, procedures);
}

bool rcuinfo__place_is_binding(const struct rcuinfo__module *module)
{
    return is_procedures(module) || is_mpi4py(module);
}

/* The frames from that of an address on, the first of *n; *n is 0 if it is in none of them. */
static void **frames_from(const void *address, void *frames[FRAMES], int *n)
{
    int first = 0, count = backtrace(frames, FRAMES);
    while (first < count && frames[first] != address)
        first++;
    *n = count - first;
    return frames + first;
}

/* If the caller is in a binding, finds the frame that called the binding. */
static const void *skip_bindings(const void *caller)
{
    void *frames[FRAMES];
    struct rcuinfo__module module;
    if (!rcuinfo__module_of(caller, &module) || !is_procedures(&module))
        return caller;

    int n = 0, count;
    void **from = frames_from(caller, frames, &count);
    while (n < count && rcuinfo__module_of(from[n], &module) && is_procedures(&module))
        n++;
    return n < count ? from[n] : caller;
}

/* The frame of the program in which a library was called that calls MPI here; NULL: not found. */
static const char *find_program(const char *address)
{
    void *frames[FRAMES];
    struct rcuinfo__module module;
    int n = 0, count;
    void **from = frames_from(address, frames, &count);
    while (n < count && !(rcuinfo__module_of(from[n], &module) && !*module.name))
        n++;
    return n < count ? from[n] : NULL;
}

/* As "FILE+0xOFFSET". - 1: the return address follows the call, and may be on another line. */
static char *describe(const char *address, const struct rcuinfo__module *module)
{
    char program[sizeof module->name] = "";
    if (!*module->name) /* the program itself; /proc/self is that of the first thread, see env/start.c */
        (void)!readlink("/proc/thread-self/exe", program, sizeof program - 1);
    return rcuinfo__report_format("%s%s+0x%" PRIxPTR, module->name, program, (uintptr_t)address - 1 - module->base);
}

static void *(*state_of_thread)(void);
static void (*dump)(int descriptor, void *state); /* with the former; NULL: not this Python */

void rcuinfo__place_begin(void)
{
    void *first, *found_state = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    void *found_dump = found_state ? dlsym(RTLD_DEFAULT, "_Py_DumpTraceback") : NULL;
    memcpy(&state_of_thread, &found_state, sizeof found_state);
    memcpy(&dump, &found_dump, sizeof found_dump);
    (void)dlerror(); /* this error is none of the program's */
    (void)backtrace(&first, 1);
}

/* The line of the Python script that this thread runs, to be freed: the innermost one that is in no installed package;
 * NULL: none. The fault handler of Python writes these lines, without a lock and without memory, so the thread need not
 * hold the lock of the interpreter: mpi4py has released it. Python 3.11 and 3.12 export that function, 3.13 does not.
 */
static char *find_script(void)
{
    enum { LINE = 2048 };
    void *state = dump ? state_of_thread() : NULL;
    int descriptor = state ? memfd_create("rcuinfo", MFD_CLOEXEC) : -1;
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
    char line[LINE], path[LINE], *script = NULL;
    int number;
    if (!file && descriptor >= 0)
        (void)close(descriptor);
    if (!file)
        return NULL;

    dump(descriptor, state);
    rewind(file);
    while (!script && fgets(line, sizeof line, file)) {
        if (sscanf(line, " File \"%2047[^\"]\", line %d", path, &number) != 2)
            continue;
        bool is_ours = *path != '<' || strcmp(path, "<string>") == 0; /* not Python's own modules */
        if (is_ours && !strstr(path, "-packages/"))
            script = rcuinfo__report_format("%s:%d", path, number);
    }
    (void)fclose(file);
    return script;
}

char *rcuinfo__place_of(const void *caller)
{
    const char *address = skip_bindings(caller), *above = NULL;
    struct rcuinfo__module module, program;
    if (!rcuinfo__module_of(address, &module))
        return NULL;

    char *place = describe(address, &module), *from = find_script();
    if (from && is_mpi4py(&module)) {
        rcuinfo__alloc_free(place);
        return from;
    }
    if (!from && *module.name && (above = find_program(address)) && rcuinfo__module_of(above, &program))
        from = describe(above, &program);
    char *both = place && from ? rcuinfo__report_format("%s\n%s", place, from) : NULL;
    rcuinfo__alloc_free(from);
    if (!both)
        return place;
    rcuinfo__alloc_free(place);
    return both;
}
