/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of C that loads a library of Fortran for itself alone when MPI runs, as an interpreter loads its modules:
 * then the real MPI's Fortran library is not among those that come after the interposer.
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
