/* SPDX-License-Identifier: BSD-3-Clause */
/* warn: warns at load if a process has both the standard ABI's library without an MPI, and an MPI library. */
#include <dlfcn.h>
#include <stdbool.h>

#include "core/quiet.h"

/* Whether the process calls the functions of this library, and not those of an interposer in front of it. */
static bool is_bound(void)
{
    static const char here;
    Dl_info bound;
    Dl_info ours;
    void *found = dlsym(RTLD_DEFAULT, "MPI_Info_create");
    return found && dladdr(found, &bound) && dladdr(&here, &ours) && bound.dli_fbase == ours.dli_fbase;
}

/* Weak, so non-NULL if there is an MPI library. A failing dlsym would leave an error for dlerror in the program. */
extern int PMPI_Init(int *argc, char ***argv) __attribute__((weak));

__attribute__((constructor)) static void warn(void)
{
    if (PMPI_Init && is_bound())
        rcuinfo__quiet_say(
            "%s",
            "rcuinfo: this process has loaded an MPI library as well as librcuinfo_mpi.so, whose infos that library "
            "cannot use: start the program with 'rcuinfo run'\n");
}
