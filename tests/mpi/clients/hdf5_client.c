/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that uses parallel HDF5: passes hints, writes a dataset from all processes, reads it back, and prints the
 * infos that HDF5 and the MPI library return.
 *
 * usage: hdf5_client FILE (created here, common to all processes)
 */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 256, COLUMNS = 64 };

static void require(int good, const char *what)
{
    if (good)
        return;
    printf("failed: %s\n", what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Prints the pairs of an info and frees it. */
static void show(const char *when, const char *whose, MPI_Info *info)
{
    int count = 0;
    MPI_Info_get_nkeys(*info, &count);
    for (int n = 0; n < count; n++) {
        char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1] = "";
        int found = 0;
        MPI_Info_get_nthkey(*info, n, key);
        MPI_Info_get(*info, key, MPI_MAX_INFO_VAL, value, &found);
        printf("%s, %s: %s=%s%s\n", when, whose, key, value, found ? "" : " is not there");
    }
    MPI_Info_free(info);
}

static hid_t access_by_mpi(void)
{
    static const char *const hints[][2] = {
        {"cb_buffer_size", "1048576"}, {"cb_nodes", "1"}, {"romio_ds_write", "disable"}, {"of nobody", "x"}};
    MPI_Info info;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    MPI_Info_create(&info);
    for (size_t n = 0; n < sizeof hints / sizeof hints[0]; n++)
        MPI_Info_set(info, hints[n][0], hints[n][1]);
    require(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, info) >= 0, "H5Pset_fapl_mpio");
    MPI_Info_free(&info); /* HDF5 has a copy */
    return access;
}

/* Prints the hints of the access list and of the open file. */
static void show_hints(const char *when, hid_t list, hid_t file)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Info info = MPI_INFO_NULL;
    void *handle = NULL;
    require(H5Pget_fapl_mpio(list, &comm, &info) >= 0, "H5Pget_fapl_mpio");
    MPI_Comm_free(&comm);
    show(when, "access list", &info);
    require(H5Fget_vfd_handle(file, list, &handle) >= 0, "H5Fget_vfd_handle");
    require(MPI_File_get_info(*(MPI_File *)handle, &info) == MPI_SUCCESS, "MPI_File_get_info");
    show(when, "MPI's file", &info);
}

/* Creates the file and writes the rows of this process, or opens it and reads them. */
static void use_file(const char *name, int rank, size_t rows, int *data, int is_new)
{
    hsize_t all[2] = {ROWS, COLUMNS}, start[2] = {(hsize_t)rank * rows, 0}, count[2] = {rows, COLUMNS};
    hid_t memory = H5Screate_simple(2, count, NULL), space = H5Screate_simple(2, all, NULL);
    hid_t transfer = H5Pcreate(H5P_DATASET_XFER), list = access_by_mpi();
    hid_t of_file = H5Pcreate(H5P_FILE_CREATE), creation = H5Pcreate(H5P_DATASET_CREATE);
    require(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0, "H5Sselect_hyperslab");
    require(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) >= 0, "H5Pset_dxpl_mpio");
    /* The same bytes in each run: in the dataset and, since HDF5 2, in the file's first group. */
    require(H5Pset_obj_track_times(of_file, 0) >= 0 && H5Pset_obj_track_times(creation, 0) >= 0,
            "H5Pset_obj_track_times");

    hid_t file = is_new ? H5Fcreate(name, H5F_ACC_TRUNC, of_file, list) : H5Fopen(name, H5F_ACC_RDONLY, list);
    require(file >= 0, "H5Fcreate or H5Fopen");
    hid_t set = is_new ? H5Dcreate2(file, "numbers", H5T_STD_I32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT)
                       : H5Dopen2(file, "numbers", H5P_DEFAULT);
    require((is_new ? H5Dwrite(set, H5T_NATIVE_INT, memory, space, transfer, data)
                    : H5Dread(set, H5T_NATIVE_INT, memory, space, transfer, data)) >= 0,
            "H5Dwrite or H5Dread");
    show_hints(is_new ? "made" : "opened", list, file);
    show_hints("kept", H5Fget_access_plist(file), file); /* the hints that the file keeps */
    require(H5close() >= 0, "H5close");                  /* closes open objects, too */
}

int main(int argc, char *argv[])
{
    int rank, processes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    require(argc == 2 && ROWS % processes == 0, "one file, and processes that divide the rows");

    static int data[ROWS * COLUMNS], back[ROWS * COLUMNS];
    size_t rows = (size_t)(ROWS / processes), numbers = rows * COLUMNS;
    for (size_t n = 0; n < numbers; n++)
        data[n] = (int)n * (rank + 1);
    use_file(argv[1], rank, rows, data, 1);
    use_file(argv[1], rank, rows, back, 0);
    require(memcmp(data, back, sizeof data) == 0, "the data comes back");
    printf("read back: %zu numbers, last %d\n", numbers, back[numbers - 1]);
    MPI_Finalize();
    return 0;
}
