/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives each of the hints in a file to an object of its kind, one hint at a time, so that none affects another.
 *
 * usage: hints_truth FILE      lines "OBJECT KEY VALUE", e.g. "file cb_nodes 1"; a view is of a file without hints
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 256 };

static void give(const char *object, MPI_Info info, int number)
{
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    int is_view = strcmp(object, "view") == 0;
    if (is_view || strcmp(object, "file") == 0) {
        char name[TEXT];
        MPI_File file;
        (void)snprintf(name, sizeof name, "hints_truth.%d.data", number);
        if (MPI_File_open(MPI_COMM_WORLD, name, mode, is_view ? MPI_INFO_NULL : info, &file) == MPI_SUCCESS) {
            if (is_view)
                (void)MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", info);
            (void)MPI_File_close(&file);
        }
    } else if (strcmp(object, "window") == 0) {
        MPI_Win window;
        void *base;
        if (MPI_Win_allocate(sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &base, &window) == MPI_SUCCESS)
            (void)MPI_Win_free(&window);
    } else if (strcmp(object, "communicator") == 0) {
        MPI_Comm comm;
        if (MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm) == MPI_SUCCESS)
            (void)MPI_Comm_free(&comm);
    } else {
        void *memory;
        if (MPI_Alloc_mem(sizeof(int), info, &memory) == MPI_SUCCESS)
            (void)MPI_Free_mem(memory);
    }
}

int main(int argc, char **argv)
{
    char object[TEXT], key[TEXT], value[TEXT];
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file)
        return 2;

    (void)MPI_Init(&argc, &argv);
    (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int number = 0; fscanf(file, "%255s %255s %255s", object, key, value) == 3; number++) {
        MPI_Info info;
        (void)MPI_Info_create(&info);
        if (MPI_Info_set(info, key, value) == MPI_SUCCESS) /* Open MPI 4 has shorter keys */
            give(object, info, number);
        (void)MPI_Info_free(&info);
    }
    (void)fclose(file);
    (void)MPI_Finalize();
    return 0;
}
