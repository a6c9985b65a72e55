/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_mpi_calls: the program that bench_mpi measures, written for plain MPI and compiled once with each MPI's mpi.h.
 * It does not depend on the store. A call that fails ends the program by MPI's default error handler. Latencies are of
 * every set, in a separate run, as they include reading the clock between two sets.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "histogram.h"
#include "mpi_work.h"
#include "workload.h"

#define VALUE_BYTES 24
#define BATCH       16 /* calls between checks of the stop flag */

struct load {
    struct workload texts;
    uint32_t *tail;  /* the offset of the last eight bytes of each key, including the NUL */
    uint32_t *order; /* random key numbers */
    size_t mask;     /* the number of these, a power of two, minus 1 */
    MPI_Info info;   /* has the keys in their order */
};

/* Ends the program with status 1. */
static _Noreturn void calls_failed(const char *call, const char *key)
{
    bench_die("%s of \"%s\" gave a wrong value", call, key);
}

/* The number of the key for call `at`. */
static inline unsigned calls_key(const struct load *load, size_t at)
{
    return load->order[at & load->mask];
}

/* One get of an existing key; `value` has VALUE_BYTES + 1 bytes. */
static inline void calls_get(const struct load *load, MPI_Info info, unsigned key, char *value)
{
    int flag = 0;
    value[0] = '\0'; /* so the result of the last get cannot pass for that of this one */
    MPI_Info_get(info, load->texts.key[key], VALUE_BYTES, value, &flag);
    if (__builtin_expect(!flag || !workload_whole(&load->texts, value, load->texts.mask[key]), 0))
        calls_failed("MPI_Info_get", load->texts.key[key]);
}

static inline void calls_set(const struct load *load, MPI_Info info, unsigned key, size_t turn)
{
    MPI_Info_set(info, load->texts.key[key], workload_value(&load->texts, key, (unsigned)turn));
}

static struct load load_make(unsigned keys)
{
    struct load load = {.texts = workload_make(keys, VALUE_BYTES), .tail = bench_memory(keys * sizeof *load.tail)};
    load.order = workload_schedule(&load.texts, (struct workload_mix){.objects = 1}, keys, &load.mask);
    MPI_Info_create(&load.info);
    for (unsigned key = 0; key < keys; key++) {
        load.tail[key] = (uint32_t)strlen(load.texts.key[key]) - 7;
        calls_set(&load, load.info, key, 0);
    }
    return load;
}

static void load_unmake(struct load *load)
{
    MPI_Info_free(&load->info);
    workload_unmake(&load->texts);
    free(load->tail);
    free(load->order);
}

/* Each of these functions makes `calls` calls. Aligned, so that their alignment is the same in every program. */
#define LOOP static __attribute__((noinline, aligned(64))) void

LOOP get_hit(const struct load *load, size_t calls)
{
    char value[VALUE_BYTES + 1];
    for (size_t i = 0; i < calls; i++)
        calls_get(load, load->info, calls_key(load, i), value);
}

LOOP get_miss(const struct load *load, size_t calls)
{
    char value[VALUE_BYTES + 1];
    for (size_t i = 0; i < calls; i++) {
        const char *key = load->texts.absent[calls_key(load, i)];
        int flag = 1;
        MPI_Info_get(load->info, key, VALUE_BYTES, value, &flag);
        if (__builtin_expect(flag, 0))
            calls_failed("MPI_Info_get", key);
    }
}

LOOP get_nthkey(const struct load *load, size_t calls)
{
    char text[MPI_MAX_INFO_KEY + 1];
    for (size_t i = 0; i < calls; i++) {
        unsigned n = calls_key(load, i);
        const char *key = load->texts.key[n];
        text[0] = '\0';
        MPI_Info_get_nthkey(load->info, (int)n, text);
        /* Check both ends, as with values. */
        if (__builtin_expect(memcmp(text, key, 8) || memcmp(text + load->tail[n], key + load->tail[n], 8), 0))
            calls_failed("MPI_Info_get_nthkey", key);
    }
}

LOOP get_nkeys(const struct load *load, size_t calls)
{
    for (size_t i = 0; i < calls; i++) {
        int keys = -1;
        MPI_Info_get_nkeys(load->info, &keys);
        if (__builtin_expect(keys != (int)load->texts.keys, 0))
            calls_failed("MPI_Info_get_nkeys", "");
    }
}

LOOP create_free(const struct load *load, size_t calls)
{
    for (size_t i = 0; i < calls; i++) {
        MPI_Info info;
        MPI_Info_create(&info);
        for (unsigned key = 0; key < load->texts.keys; key++)
            calls_set(load, info, key, i);
        MPI_Info_free(&info);
    }
}

LOOP lend(const struct load *load, size_t calls)
{
    for (size_t i = 0; i < calls; i++) {
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

/* Loops of a call that takes the info, and of one that returns an info, which is freed. */
#define LOOP_CALL(NAME, CALL)                                                                                          \
    LOOP NAME(const struct load *load, size_t calls)                                                                   \
    {                                                                                                                  \
        (void)load;                                                                                                    \
        for (size_t i = 0; i < calls; i++)                                                                             \
            CALL;                                                                                                      \
    }
#define LOOP_ASK(NAME, CALL)                                                                                           \
    LOOP_CALL(NAME, {                                                                                                  \
        MPI_Info info;                                                                                                 \
        CALL;                                                                                                          \
        MPI_Info_free(&info);                                                                                          \
    })
LOOP_CALL(set, calls_set(load, load->info, calls_key(load, i), i))
LOOP_CALL(comm_set, MPI_Comm_set_info(taker.comm, load->info))
LOOP_CALL(win_set, MPI_Win_set_info(taker.win, load->info))
LOOP_ASK(dup_free, MPI_Info_dup(load->info, &info))
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

static void (*const LOOPS[MPI_WORK_CALLS])(const struct load *load, size_t calls) = {
    [MPI_WORK_GET] = get_hit,        [MPI_WORK_GET_MISS] = get_miss, [MPI_WORK_NTHKEY] = get_nthkey,
    [MPI_WORK_NKEYS] = get_nkeys,    [MPI_WORK_SET] = set,           [MPI_WORK_DUP] = dup_free,
    [MPI_WORK_CREATE] = create_free, [MPI_WORK_LEND] = lend,         [MPI_WORK_COMM_SET] = comm_set,
    [MPI_WORK_WIN_SET] = win_set,    [MPI_WORK_COMM_GET] = comm_get, [MPI_WORK_FILE_GET] = file_get,
};

/* Checks that a dup has all keys, that an info from MPI is not empty, and that a get returns the value set last. */
static void check(const struct load *load, enum mpi_work work, size_t calls)
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

static double time_calls(const struct load *load, enum mpi_work work, size_t calls)
{
    uint64_t start = bench_now();
    LOOPS[work](load, calls);
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

/* Threads on one object, the readers first. */
struct shared {
    struct crowd crowd;
    const struct load *load;
    unsigned readers;
    bool timed;
    struct histogram latency; /* of the first writer, if timed */
};

static void body(void *context, unsigned index)
{
    _Alignas(BENCH_APART) char value[BENCH_APART];
    struct shared *shared = context;
    const struct load *load = shared->load;
    size_t at = (size_t)index * 1031; /* so threads do not use the same keys at the same time */
    bool reader = index < shared->readers, timed = shared->timed && index == shared->readers;
    uint64_t calls = 0, before = bench_now();

    while (crowd_phase(&shared->crowd) != CROWD_STOP) {
        for (size_t end = at + BATCH; at < end; at++) {
            if (reader)
                calls_get(load, load->info, calls_key(load, at), value);
            else
                calls_set(load, load->info, calls_key(load, at), at);
            if (timed) {
                uint64_t now = bench_now();
                histogram_add(&shared->latency, now - before);
                before = now;
            }
        }
        calls += BATCH;
        crowd_count(&shared->crowd, index, reader ? CROWD_GETS : CROWD_SETS, calls);
    }
}

static struct mpi_result calls_shared(const struct load *load, const struct mpi_order *order)
{
    static const double quantiles[MPI_WORK_VALUES] = {0.5, 0.99, 0.999, 0.9999, 1};
    struct mpi_result result = {{0}};
    struct shared *shared = bench_memory(sizeof *shared);
    const double *per_us = shared->crowd.per_us;

    shared->crowd.threads = order->readers + order->writers;
    shared->crowd.nanoseconds = order->nanoseconds;
    shared->load = load;
    shared->readers = order->readers;
    shared->timed = order->work == MPI_WORK_LATENCY;
    crowd_run(&shared->crowd, body);

    result.value[MPI_WORK_GETS] = per_us[CROWD_GETS];
    result.value[MPI_WORK_SETS] = per_us[CROWD_SETS];
    result.value[MPI_WORK_BOTH] = per_us[CROWD_GETS] + per_us[CROWD_SETS];
    for (unsigned i = 0; shared->timed && i < MPI_WORK_VALUES; i++)
        result.value[i] = (double)histogram_percentile(&shared->latency, quantiles[i]) / 1000;
    free(shared);
    return result;
}

/* Receives an order. Returns false when bench_mpi has closed the socket. */
static bool receive(int socket, struct mpi_order *order)
{
    ssize_t got = recv(socket, order, sizeof *order, 0);
    if (got != 0 && got != (ssize_t)sizeof *order)
        bench_die("cannot receive an order");
    return got != 0;
}

static void tell(int socket, const void *message, size_t size)
{
    if (send(socket, message, size, MSG_NOSIGNAL) != (ssize_t)size)
        bench_die("cannot send to bench_mpi");
}

static void say_hello(int socket)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    struct mpi_hello hello = {.interposed = dlsym(RTLD_DEFAULT, "rcuinfo_create") != NULL};
    int length;
    char *tab;
    MPI_Get_library_version(version, &length);
    snprintf(hello.version, sizeof hello.version, "%.*s", (int)strcspn(version, ",\n"), version);
    if ((tab = strchr(hello.version, '\t')))
        *tab = ' ';
    tell(socket, &hello, sizeof hello);
}

int main(int argc, char **argv)
{
    int provided;
    struct mpi_order order;
    if (argc != 2)
        bench_usage("this program is started by bench_mpi");

    int socket = (int)bench_number("socket", argv[1], 0, 1 << 20);
    fcntl(socket, F_SETFD, FD_CLOEXEC); /* so processes that MPI starts do not keep it open */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        bench_die("this MPI does not support MPI_THREAD_MULTIPLE");

    say_hello(socket);
    while (receive(socket, &order)) {
        struct load load = load_make(order.keys);
        bool takes = order.work >= MPI_WORK_COMM_SET && order.work < MPI_WORK_CALLS;
        if (takes)
            takers_make(load.info);
        struct mpi_result result = order.work < MPI_WORK_CALLS ? measure(&load, &order) : calls_shared(&load, &order);
        if (takes)
            takers_unmake();
        load_unmake(&load);
        tell(socket, &result, sizeof result);
    }
    MPI_Finalize();
    return 0;
}
