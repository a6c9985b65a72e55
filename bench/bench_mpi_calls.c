/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_mpi_calls: the program that bench_mpi measures, written for plain MPI and compiled once with each MPI's mpi.h.
 * bench_scale uses it too. Latencies are of every set, in a separate run, as they include reading the clock between two
 * sets.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "info_calls.h"

LOOP get_miss(const struct load *load, size_t from, size_t to)
{
    char value[VALUE_BYTES + 1];
    for (size_t i = from; i < to; i++) {
        const char *key = load->texts.absent[calls_key(load, i)];
        int flag = 1;
        MPI_Info_get(load->info, key, VALUE_BYTES, value, &flag);
        if (__builtin_expect(flag, 0))
            calls_failed("MPI_Info_get", key);
    }
}

LOOP lend(const struct load *load, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        void *memory;
        MPI_Alloc_mem(VALUE_BYTES, load->info, &memory);
        MPI_Free_mem(memory);
    }
}

/* The objects that infos are set on and read from. */
static struct {
    MPI_Comm comm;
    MPI_Win win;
    MPI_File file;
} taker;

LOOP_CALL(comm_set, MPI_Comm_set_info(taker.comm, load->info))
LOOP_CALL(win_set, MPI_Win_set_info(taker.win, load->info))
LOOP_ASK(comm_get, MPI_Comm_get_info(taker.comm, &info))
LOOP_ASK(file_get, MPI_File_get_info(taker.file, &info))

static void takers_make(MPI_Info info)
{
    char path[] = P_tmpdir "/bench_mpi.XXXXXX";
    void *memory;
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        bench_die("cannot make a file in %s", P_tmpdir);
    close(descriptor);
    MPI_Comm_dup(MPI_COMM_SELF, &taker.comm);
    MPI_Comm_set_info(taker.comm, info);
    MPI_Win_allocate(VALUE_BYTES, 1, MPI_INFO_NULL, taker.comm, &memory, &taker.win);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL); /* as for all other calls */
    MPI_File_open(taker.comm, path, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &taker.file);
}

static void takers_unmake(void)
{
    MPI_File_close(&taker.file);
    MPI_Win_free(&taker.win);
    MPI_Comm_free(&taker.comm);
}

static info_loop *const LOOPS[MPI_WORK_CALLS] = {
    INFO_LOOPS,
    [MPI_WORK_GET_MISS] = get_miss,
    [MPI_WORK_LEND] = lend,
    [MPI_WORK_COMM_SET] = comm_set,
    [MPI_WORK_WIN_SET] = win_set,
    [MPI_WORK_COMM_GET] = comm_get,
    [MPI_WORK_FILE_GET] = file_get,
};

/* Checks that a dup has all keys, that an info from MPI is not empty, and that a get returns the value set last. */
static void check(const struct load *load, unsigned work, size_t calls)
{
    char value[VALUE_BYTES + 1];
    unsigned last = calls_key(load, calls - 1);
    MPI_Info info = load->info;
    int keys;

    if (work == MPI_WORK_COMM_GET || work == MPI_WORK_FILE_GET) {
        (void)(work == MPI_WORK_COMM_GET ? MPI_Comm_get_info(taker.comm, &info) : MPI_File_get_info(taker.file, &info));
        MPI_Info_get_nkeys(info, &keys);
        MPI_Info_free(&info);
        if (keys == 0)
            calls_failed("an info from MPI", "");
        return;
    }

    if (work == MPI_WORK_DUP)
        MPI_Info_dup(load->info, &info);
    MPI_Info_get_nkeys(info, &keys);
    calls_get(load, info, last, value);
    if (keys != (int)load->texts.keys ||
        (work == MPI_WORK_SET && strcmp(value, workload_value(&load->texts, last, (unsigned)(calls - 1))) != 0))
        calls_failed("a get after the last call", load->texts.key[last]);
    if (work == MPI_WORK_DUP)
        MPI_Info_free(&info);
}

static double time_calls(const struct load *load, unsigned work, size_t calls)
{
    uint64_t start = bench_now();
    LOOPS[work](load, 0, calls);
    return (double)(bench_now() - start);
}

/* Measures as many calls as fit into the time, estimated by a warm-up that takes an eighth of it. */
static struct mpi_result measure(const struct load *load, const struct mpi_order *order)
{
    double ns = (double)order->nanoseconds, elapsed;
    size_t calls = 1;
    while ((elapsed = time_calls(load, order->work, calls)) < ns / 8)
        calls *= 2;
    calls = (size_t)((double)calls * ns / (elapsed + 1)) + 1;
    elapsed = time_calls(load, order->work, calls);
    check(load, order->work, calls);
    return (struct mpi_result){{elapsed / (double)calls}};
}

static struct mpi_result perform(const struct mpi_order *order)
{
    struct load load = load_make(order->keys);
    bool takes = order->work >= MPI_WORK_COMM_SET && order->work <= MPI_WORK_FILE_GET;
    if (takes)
        takers_make(load.info);
    struct mpi_result result = order->work < MPI_WORK_CALLS ? measure(&load, order) : calls_shared(&load, order, LOOPS);
    if (takes)
        takers_unmake();
    load_unmake(&load);
    return result;
}

int main(int argc, char **argv)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int provided, length;
    int socket = serve_socket(argc, argv);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        bench_die("this MPI does not support MPI_THREAD_MULTIPLE");
    MPI_Get_library_version(version, &length);
    serve(socket, dlsym(RTLD_DEFAULT, "rcuinfo_create") != NULL, version, perform);
    MPI_Finalize();
    return 0;
}
