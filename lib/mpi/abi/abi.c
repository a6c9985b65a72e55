/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * abi: what only the standard ABI's library without an MPI has: handles as integers, the second name of every function,
 * and a word of warning.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "mpi/mpi_alias.h"
#include "mpi/mpi_integer.h"

RCUINFO_API int MPI_Info_toint(MPI_Info info)
{
    return rcuinfo__mpi_toint(info);
}

RCUINFO_API MPI_Info MPI_Info_fromint(int info)
{
    return rcuinfo__mpi_fromint(info);
}

RCUINFO__MPI_ALIAS(Info_toint);
RCUINFO__MPI_ALIAS(Info_fromint);

/* Whether what the process binds to is ours: not where we are hidden in librcuinfo_mpi_fortran, nor behind the
 * interposer of the standard ABI. */
static bool is_bound(void)
{
    static const char here;
    Dl_info bound;
    Dl_info ours;
    void *found = dlsym(RTLD_DEFAULT, "MPI_Info_create");
    return found && dladdr(found, &bound) && dladdr(&here, &ours) && bound.dli_fbase == ours.dli_fbase;
}

__attribute__((constructor)) static void warn(void)
{
    if (is_bound() && dlsym(RTLD_DEFAULT, "PMPI_Init"))
        fputs("rcuinfo: librcuinfo_mpi.so serves info calls only, and this process has an MPI library, which must be "
              "handed none of these infos: start the program by 'rcuinfo run'\n",
              stderr);
}
