/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * info_calls: the measured calls, written to MPI_Info_*. A program includes this header once, after mpi.h, or after
 * macros that map these calls to others. It does not depend on the store. A call that fails ends the program by MPI's
 * default error handler.
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

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

/* Makes the calls numbered from `from` to `to` - 1. The number determines the key and the value. */
typedef void info_loop(const struct load *load, size_t from, size_t to);

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

static MPI_Info info_make(const struct load *load)
{
    MPI_Info info;
    MPI_Info_create(&info);
    for (unsigned key = 0; key < load->texts.keys; key++)
        calls_set(load, info, key, 0);
    return info;
}

static struct load load_make(unsigned keys)
{
    struct load load = {.texts = workload_make(keys, VALUE_BYTES), .tail = bench_memory(keys * sizeof *load.tail)};
    load.order = workload_schedule(&load.texts, (struct workload_mix){.objects = 1}, keys, &load.mask);
    for (unsigned key = 0; key < keys; key++)
        load.tail[key] = (uint32_t)strlen(load.texts.key[key]) - 7;
    load.info = info_make(&load);
    return load;
}

static void load_unmake(struct load *load)
{
    MPI_Info_free(&load->info);
    workload_unmake(&load->texts);
    free(load->tail);
    free(load->order);
}

/* Aligned, so that their alignment is the same in every program. */
#define LOOP static __attribute__((noinline, aligned(64))) void

LOOP get_hit(const struct load *load, size_t from, size_t to)
{
    char value[VALUE_BYTES + 1];
    for (size_t i = from; i < to; i++)
        calls_get(load, load->info, calls_key(load, i), value);
}

LOOP get_nthkey(const struct load *load, size_t from, size_t to)
{
    char text[MPI_MAX_INFO_KEY + 1];
    for (size_t i = from; i < to; i++) {
        unsigned n = calls_key(load, i);
        const char *key = load->texts.key[n];
        text[0] = '\0';
        MPI_Info_get_nthkey(load->info, (int)n, text);
        /* Check both ends, as with values. */
        if (__builtin_expect(memcmp(text, key, 8) || memcmp(text + load->tail[n], key + load->tail[n], 8), 0))
            calls_failed("MPI_Info_get_nthkey", key);
    }
}

LOOP get_nkeys(const struct load *load, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        int keys = -1;
        MPI_Info_get_nkeys(load->info, &keys);
        if (__builtin_expect(keys != (int)load->texts.keys, 0))
            calls_failed("MPI_Info_get_nkeys", "");
    }
}

/* Creates infos, sets all keys, gets each so often, and frees them. */
static inline void create_and_free(const struct load *load, size_t from, size_t to, unsigned gets)
{
    char value[VALUE_BYTES + 1];
    for (size_t i = from; i < to; i++) {
        MPI_Info info;
        MPI_Info_create(&info);
        for (unsigned key = 0; key < load->texts.keys; key++)
            calls_set(load, info, key, i);
        for (unsigned get = 0; get < gets * load->texts.keys; get++)
            calls_get(load, info, get % load->texts.keys, value);
        MPI_Info_free(&info);
    }
}

LOOP create_free(const struct load *load, size_t from, size_t to)
{
    create_and_free(load, from, to, 0);
}

LOOP create_read_free(const struct load *load, size_t from, size_t to)
{
    create_and_free(load, from, to, 1);
}

/* Loops of a call that takes the info, and of one that returns an info, which is freed. */
#define LOOP_CALL(NAME, CALL)                                                                                          \
    LOOP NAME(const struct load *load, size_t from, size_t to)                                                         \
    {                                                                                                                  \
        (void)load;                                                                                                    \
        for (size_t i = from; i < to; i++)                                                                             \
            CALL;                                                                                                      \
    }
#define LOOP_ASK(NAME, CALL)                                                                                           \
    LOOP_CALL(NAME, {                                                                                                  \
        MPI_Info info;                                                                                                 \
        CALL;                                                                                                          \
        MPI_Info_free(&info);                                                                                          \
    })
LOOP_CALL(set, calls_set(load, load->info, calls_key(load, i), i))
LOOP_ASK(empty_free, MPI_Info_create(&info))
LOOP_ASK(dup_free, MPI_Info_dup(load->info, &info))

/* clang-format off */
#define INFO_LOOPS                                                                                                     \
    [MPI_WORK_GET] = get_hit, [MPI_WORK_NTHKEY] = get_nthkey, [MPI_WORK_NKEYS] = get_nkeys, [MPI_WORK_SET] = set,      \
    [MPI_WORK_DUP] = dup_free, [MPI_WORK_CREATE] = create_free, [MPI_WORK_EMPTY] = empty_free,                         \
    [MPI_WORK_READ] = create_read_free
/* clang-format on */

/* Threads on one info, or each on its own. Readers make `call`, writers set. */
struct shared {
    struct crowd crowd;
    const struct load *load;
    info_loop *call;
    unsigned writers;
    unsigned place;
    struct histogram latency; /* of each set, with MPI_WORK_LATENCY and one writer */
    struct {
        _Alignas(BENCH_APART) uint64_t ns; /* the longest time of BATCH sets */
    } longest[BENCH_THREAD_MAX];
};

static void body(void *context, unsigned index)
{
    struct shared *shared = context;
    struct load mine = *shared->load;
    size_t at = (size_t)index * 1031; /* so threads do not use the same keys at the same time */
    unsigned writers = shared->writers, threads = shared->crowd.threads;
    bool reader = index * writers / threads == (index + 1) * writers / threads; /* writers are spread among them */
    bool timed = shared->place == MPI_WORK_LATENCY && !reader;
    size_t batch = timed ? 1 : BATCH;
    info_loop *call = reader ? shared->call : set;
    uint64_t calls = 0, before = bench_now();

    if (shared->place == MPI_WORK_OWN)
        mine.info = info_make(&mine);
    for (; crowd_phase(&shared->crowd) != CROWD_STOP; at += batch) {
        call(&mine, at, at + batch);
        crowd_count(&shared->crowd, index, reader ? CROWD_GETS : CROWD_SETS, calls += batch);
        if (reader)
            continue;
        uint64_t now = bench_now();
        bool counts = crowd_phase(&shared->crowd) != CROWD_WARM_UP;
        if (counts && timed)
            histogram_add(&shared->latency, now - before);
        else if (counts && now - before > shared->longest[index].ns)
            shared->longest[index].ns = now - before;
        before = now;
    }
    if (shared->place == MPI_WORK_OWN)
        MPI_Info_free(&mine.info);
}

static struct mpi_result calls_shared(const struct load *load, const struct mpi_order *order, info_loop *const *loops)
{
    static const double quantiles[MPI_WORK_VALUES] = {0.5, 0.99, 0.999, 0.9999, 1};
    struct mpi_result result = {{0}};
    struct shared *shared = bench_memory(sizeof *shared);
    const double *per_us = shared->crowd.per_us;
    uint64_t longest = 0;

    shared->crowd.threads = order->readers + order->writers;
    shared->crowd.nanoseconds = order->nanoseconds;
    shared->load = load;
    shared->call = loops[order->work % MPI_WORK_SHARED];
    shared->writers = order->writers;
    shared->place = order->work / MPI_WORK_SHARED * MPI_WORK_SHARED;
    crowd_run(&shared->crowd, body);

    for (unsigned i = 0; i < shared->crowd.threads; i++)
        longest = shared->longest[i].ns > longest ? shared->longest[i].ns : longest;
    result.value[MPI_WORK_GETS] = per_us[CROWD_GETS];
    result.value[MPI_WORK_SETS] = per_us[CROWD_SETS];
    result.value[MPI_WORK_BOTH] = per_us[CROWD_GETS] + per_us[CROWD_SETS];
    result.value[MPI_WORK_LONGEST] = (double)longest / 1000;
    for (unsigned i = 0; shared->place == MPI_WORK_LATENCY && i < MPI_WORK_VALUES; i++)
        result.value[i] = (double)histogram_percentile(&shared->latency, quantiles[i]) / 1000;
    free(shared);
    return result;
}

/* The socket that the arguments name. */
static int serve_socket(int argc, char **argv)
{
    if (argc != 2)
        bench_usage("this program is started by bench_mpi or bench_scale");
    int socket = (int)bench_number("socket", argv[1], 0, 1 << 20);
    fcntl(socket, F_SETFD, FD_CLOEXEC); /* so processes that MPI starts do not keep it open */
    return socket;
}

static void tell(int socket, const void *message, size_t size)
{
    if (send(socket, message, size, MSG_NOSIGNAL) != (ssize_t)size)
        bench_die("cannot send to the program that gives the orders");
}

/* Says hello, and performs orders until the other side closes the socket. */
static void serve(int socket, bool interposed, const char *version,
                  struct mpi_result (*perform)(const struct mpi_order *))
{
    struct mpi_hello hello = {.interposed = interposed};
    struct mpi_order order;
    ssize_t got;
    char *tab;
    snprintf(hello.version, sizeof hello.version, "%.*s", (int)strcspn(version, ",\n"), version);
    if ((tab = strchr(hello.version, '\t')))
        *tab = ' ';
    tell(socket, &hello, sizeof hello);
    while ((got = recv(socket, &order, sizeof order, 0)) == (ssize_t)sizeof order) {
        struct mpi_result result = perform(&order);
        tell(socket, &result, sizeof result);
    }
    if (got != 0)
        bench_die("cannot receive an order");
}
