/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window_info: what a program may expect of the hints of a window (window_expect.h), asked of real windows over all
 * processes, of which rank 0 prints its answers.
 * An ordinary MPI program: nothing in it knows of rcuinfo.
 */
#include <mpi.h>
#include <stdlib.h>

#include "window_expect.h"

static void must(int code, const char *what)
{
    if (code == MPI_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, code);
    MPI_Abort(MPI_COMM_WORLD, 2);
    abort();
}

static MPI_Info info_of(const struct pair *pairs)
{
    MPI_Info info = MPI_INFO_NULL;
    if (!pairs)
        return info;
    must(MPI_Info_create(&info), "MPI_Info_create");
    for (; pairs->key; pairs++)
        must(MPI_Info_set(info, pairs->key, pairs->value), "MPI_Info_set");
    return info;
}

static void drop(MPI_Info *info)
{
    if (*info != MPI_INFO_NULL)
        must(MPI_Info_free(info), "MPI_Info_free");
}

static void *create(const struct pair *pairs)
{
    MPI_Win *window = malloc(sizeof *window);
    static int memory;
    MPI_Info info = info_of(pairs);
    if (!window)
        must(MPI_ERR_NO_MEM, "malloc");
    must(MPI_Win_create(&memory, sizeof memory, 1, info, MPI_COMM_WORLD, window), "MPI_Win_create");
    drop(&info);
    return window;
}

static void set(void *window, const struct pair *pairs)
{
    MPI_Info info = info_of(pairs);
    must(MPI_Win_set_info(*(MPI_Win *)window, info), "MPI_Win_set_info");
    drop(&info);
}

static MPI_Info info_used(void *window)
{
    MPI_Info info = MPI_INFO_NULL;
    must(MPI_Win_get_info(*(MPI_Win *)window, &info), "MPI_Win_get_info");
    return info;
}

static int get(void *window, const char *key, char *value)
{
    MPI_Info info = info_used(window);
    int flag = 0;
    must(MPI_Info_get(info, key, EXPECT_VALUE - 1, value, &flag), "MPI_Info_get");
    drop(&info);
    return flag;
}

static int count_keys(MPI_Info info)
{
    int nkeys = -1;
    must(MPI_Info_get_nkeys(info, &nkeys), "MPI_Info_get_nkeys");
    return nkeys;
}

static int count(void *window)
{
    MPI_Info info = info_used(window);
    int nkeys = count_keys(info);
    drop(&info);
    return nkeys;
}

static int spoil(void *window)
{
    MPI_Info info = info_used(window);
    int nkeys = count_keys(info);
    char key[MPI_MAX_INFO_KEY + 1];
    for (int n = 0; n < nkeys; n++) {
        must(MPI_Info_get_nthkey(info, 0, key), "MPI_Info_get_nthkey");
        must(MPI_Info_delete(info, key), "MPI_Info_delete");
    }
    must(MPI_Info_set(info, "rcuinfo_unknown", "1"), "MPI_Info_set");
    drop(&info);
    return nkeys;
}

static void end(void *window)
{
    must(MPI_Win_free(window), "MPI_Win_free");
    free(window);
}

int main(int argc, char *argv[])
{
    static const struct window_kind real = {create, set, get, count, spoil, end};
    int rank;
    must(MPI_Init(&argc, &argv), "MPI_Init");
    must(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    expect_window(&real, rank == 0 ? stdout : NULL);
    must(MPI_Finalize(), "MPI_Finalize");
    return 0;
}
