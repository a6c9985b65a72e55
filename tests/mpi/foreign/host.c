/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: runs the plugin that its argument names, loaded with RTLD_LOCAL as a Python or Julia does. It knows nothing of
 * MPI or, with WITH_MPI, initializes it before. The plugin's libraries are not among those that come after the
 * interposer.
 */
#include <dlfcn.h>
#include <stdio.h>

#if defined(WITH_MPI)
#include <mpi.h>
#else
#define MPI_Init(argc, argv)
#define MPI_Finalize()
#endif

int main(int argc, char *argv[])
{
    MPI_Init(&argc, &argv);
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(void);
    if (!plugin || !(*(void **)&run = dlsym(plugin, "plugin_run"))) {
        fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: host PLUGIN");
        return 1;
    }
    int status = run();
    MPI_Finalize();
    return status;
}
