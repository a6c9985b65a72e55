/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program: an ordinary MPI program. It uses infos before MPI_Init, passes one to a window, and prints what it got, and
 * the file of each MPI library in the process. With -DPLUGIN it is the plugin of host.c.
 */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

/* Prints the files in memory whose name begins with libmpi: those of Open MPI's other libraries do not count. */
static void print_libraries(void)
{
    char line[4096], last[4096] = "";
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        char *file = strchr(line, '/'), *name = file ? strrchr(file, '/') : NULL;
        if (name && strncmp(name, "/libmpi", 7) == 0 && !strstr(name, "fort") && strcmp(file, last) != 0)
            printf("MPI %s", strcpy(last, file));
    }
    if (maps)
        fclose(maps);
}

static int use_mpi(void)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0, size = 0;
    void *memory = NULL;
    MPI_Info info, env;
    MPI_Win win;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &memory, &win);
    MPI_Info_free(&info);
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "no_locks", MPI_MAX_INFO_VAL, value, &flag);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    MPI_Info_dup(MPI_INFO_ENV, &env);
    MPI_Info_free(&env);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_Info_set(MPI_INFO_NULL, "key", "value"), class_ = 0;
    MPI_Error_class(code, &class_);
    printf("no_locks=%s, %d process, %s, %s\n", flag ? value : "?", size, info == MPI_INFO_NULL ? "null" : "not null",
           class_ == MPI_ERR_INFO ? "MPI_ERR_INFO" : "another error");
    print_libraries();
    MPI_Finalize();
    return size != 1;
}

#ifdef PLUGIN
__attribute__((visibility("default"))) int plugin_run(void);
int plugin_run(void)
{
    return use_mpi();
}
#else
int main(void)
{
    return use_mpi();
}
#endif
