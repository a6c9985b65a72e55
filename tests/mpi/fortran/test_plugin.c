/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that loads a Fortran library with RTLD_LOCAL while MPI is initialized, as an interpreter loads its
 * modules. The real MPI's Fortran library is then not among the libraries that come after the interposer.
 *
 * usage: test_plugin LIBRARY
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char *argv[])
{
    int (*run)(void);
    int begun = argc == 2 && MPI_Init(NULL, NULL) == MPI_SUCCESS;
    void *library = begun ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *found = library ? dlsym(library, "plugin_run") : NULL;
    if (!found)
        return 2;
    memcpy(&run, &found, sizeof run);
    int wrong = run();
    MPI_Finalize();
    if (!wrong)
        puts("good");
    return wrong;
}
