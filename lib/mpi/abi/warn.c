/* SPDX-License-Identifier: BSD-3-Clause */
/* warn: a word of warning where the standard ABI's library without an MPI is in a process that has one. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

/* Whether what the process binds to is ours: not behind the interposer of the standard ABI. */
static bool is_bound(void)
{
    static const char here;
    Dl_info bound;
    Dl_info ours;
    void *found = dlsym(RTLD_DEFAULT, "MPI_Info_create");
    return found && dladdr(found, &bound) && dladdr(&here, &ours) && bound.dli_fbase == ours.dli_fbase;
}

/* Of an MPI library, if there is one. A dlsym that fails would leave its error for the program to find. */
extern int PMPI_Init(int *argc, char ***argv) __attribute__((weak));

__attribute__((constructor)) static void warn(void)
{
    if (PMPI_Init && is_bound())
        fputs("rcuinfo: librcuinfo_mpi.so serves info calls only, and this process has an MPI library, which must be "
              "handed none of these infos: start the program by 'rcuinfo run'\n",
              stderr);
}
