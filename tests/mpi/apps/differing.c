/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * differing: two processes that give hints to the same objects, each in its own way: differing.py says which of them
 * differ. An ordinary MPI program that knows nothing of rcuinfo.
 *
 * usage: differing all|one FOLDER [killed]    all: every object below; one: a window that only process 0 gives a hint
 * to killed: each process ends by SIGKILL
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#define HINTS 4
#define MANY  60

static int rank;

/* The hints end with NULL. */
static MPI_Info make(const char *const hints[])
{
    MPI_Info info;
    MPI_Info_create(&info);
    for (; hints[0]; hints += 2)
        MPI_Info_set(info, hints[0], hints[1]);
    return info;
}

/* One file, by two paths; values that mean the same, and values that do not. */
static void open_file(const char *folder)
{
    static const char *const hints[2][2 * HINTS + 1] = {
        {"cb_nodes", "1", "cb_buffer_size", "1048576", "romio_ds_write", "enable", "ind_wr_buffer_size", "65536"},
        {"cb_nodes", "1", "cb_buffer_size", "01048576", "romio_ds_write", "disable", "ind_wr_buffer_size", "65537"},
    };
    char path[4096];
    MPI_File file;
    MPI_Info info = make(hints[rank]);
    snprintf(path, sizeof path, "%s/%sone.data", folder, rank ? "../" : "inner/./../../");
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    MPI_File_close(&file);
    MPI_Info_free(&info);
}

static MPI_Win create_at_one_place(MPI_Comm comm, MPI_Info info, const char *name)
{
    void *base;
    MPI_Win window;
    MPI_Win_allocate(64, 1, info, comm, &base, &window);
    if (name)
        MPI_Win_set_name(window, name);
    return window;
}

/* The compiler makes no copies of it. */
static MPI_Win (*volatile create_window)(MPI_Comm, MPI_Info, const char *) = create_at_one_place;

/* #1: each process has another name for it, or none, and the hint is the same. */
static void name_window(void)
{
    static const char *const hints[] = {"same_size", "true", NULL};
    MPI_Info info = make(hints);
    MPI_Win window = create_window(MPI_COMM_WORLD, MPI_INFO_NULL, rank ? NULL : "halo");
    MPI_Win_set_info(window, info);
    MPI_Win_free(&window);
    MPI_Info_free(&info);
}

/* #2 and #3: the same hint at the same place, each from one process. */
static void swap_windows(void)
{
    static const char *const hints[] = {"same_disp_unit", "true", NULL};
    MPI_Info info = make(hints);
    for (int n = 0; n < 2; n++) {
        MPI_Win window = create_window(MPI_COMM_WORLD, n == rank ? info : MPI_INFO_NULL, NULL);
        MPI_Win_free(&window);
    }
    MPI_Info_free(&info);
}

/* #4: the same hint, at two places. */
static void branch(void)
{
    static const char *const hints[] = {"no_locks", "false", NULL};
    MPI_Info info = make(hints);
    MPI_Win window;
    if (rank == 0)
        window = create_window(MPI_COMM_WORLD, info, NULL);
    else
        window = create_window(MPI_COMM_WORLD, info, NULL);
    MPI_Win_free(&window);
    MPI_Info_free(&info);
}

/* More calls than are looked at, some of them on a group of process 0 alone; more windows at a time than a small table
 * holds; and a difference after all that. */
static void repeat(void)
{
    static const char *const hints[] = {"same_size", "true", NULL};
    static const char *const others[2][3] = {{"mpi_accumulate_granularity", "8"}, {"mpi_accumulate_granularity", "16"}};
    MPI_Info info = make(hints), other = make(others[rank]);
    MPI_Win windows[MANY], window;
    for (int n = 0; n < MANY / 4 && rank == 0; n++) {
        window = create_window(MPI_COMM_SELF, info, NULL);
        MPI_Win_free(&window);
    }
    for (int n = 0; n < MANY; n++) {
        window = create_window(MPI_COMM_WORLD, info, NULL);
        MPI_Win_free(&window);
    }
    for (int n = 0; n < MANY; n++)
        windows[n] = create_window(MPI_COMM_WORLD, MPI_INFO_NULL, NULL);
    for (int n = 0; n < MANY; n++)
        MPI_Win_set_info(windows[n], info);
    for (int n = 0; n < MANY; n++)
        MPI_Win_free(&windows[n]);
    window = create_window(MPI_COMM_WORLD, other, NULL);
    MPI_Win_free(&window);
    MPI_Info_free(&info);
    MPI_Info_free(&other);
}

int main(int argc, char *argv[])
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2 && strcmp(argv[1], "all") == 0) {
        open_file(argv[2]);
        name_window();
        swap_windows();
        branch();
        repeat();
    } else {
        static const char *const hints[] = {"same_size", "true", NULL};
        MPI_Info info = make(hints);
        MPI_Win window = create_window(MPI_COMM_WORLD, rank == 0 ? info : MPI_INFO_NULL, NULL);
        MPI_Win_free(&window);
        MPI_Info_free(&info);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 3)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
