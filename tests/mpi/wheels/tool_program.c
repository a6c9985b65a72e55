/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tool_program: gives infos to MPI, asks for those of its objects, and prints what it gets. An ordinary MPI program
 * that knows nothing of rcuinfo, nor of tool.c, which wraps the functions that it calls.
 */
#include <stdio.h>

#include <mpi.h>

/* Prints the pairs of an info that MPI has returned, and frees it. */
static void print(const char *what, int code, MPI_Info info)
{
    char key[MPI_MAX_INFO_KEY + 1], value[256];
    int keys = 0, flag;
    MPI_Info_get_nkeys(info, &keys);
    printf("%s: %d, %d keys\n", what, code, keys);
    for (int n = 0; n < keys; n++) {
        value[0] = '\0';
        MPI_Info_get_nthkey(info, n, key);
        MPI_Info_get(info, key, 255, value, &flag);
        printf("    %s=%s\n", key, value);
    }
    code = MPI_Info_free(&info);
    printf("    %d %d\n", code, info == MPI_INFO_NULL);
}

int main(int argc, char *argv[])
{
    MPI_Info info, returned = MPI_INFO_NULL;
    MPI_File file;
    MPI_Win window;
    MPI_Comm comm;
    void *base;

    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Info_set(info, "cb_buffer_size", "1048576");

    printf("open: %d\n", MPI_File_open(MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    int code = MPI_File_get_info(file, &returned);
    print("file", code, returned);
    MPI_File_close(&file);

    printf("allocate: %d\n", MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &window));
    code = MPI_Win_get_info(window, &returned);
    print("window", code, returned);
    MPI_Win_free(&window);

    printf("dup: %d\n", MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    code = MPI_Comm_get_info(comm, &returned);
    print("communicator", code, returned);
    MPI_Comm_free(&comm);

    print("own", 0, info);
    MPI_Finalize();
    return 0;
}
