/* SPDX-License-Identifier: BSD-3-Clause */
/* host: knows nothing of MPI, and runs the plugin that its argument names, as a Python or Julia does. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(void);
    if (!plugin || !(*(void **)&run = dlsym(plugin, "plugin_run"))) {
        fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: host PLUGIN");
        return 1;
    }
    return run();
}
