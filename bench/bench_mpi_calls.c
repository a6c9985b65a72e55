/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_mpi_calls: see bench_mpi_calls.h. Here: the texts, calls of one thread, and the orders. */
#include "bench_mpi_calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define ORDER_MIN 4096 /* so long that a branch predictor does not know it by heart */

/* Lengths and common prefixes of keys as programs have them; none is shorter than seven bytes. */
static const char *const HINTS[] = {
    "access_style", "collective_buffering", "cb_block_size", "cb_buffer_size", "cb_nodes",     "chunked",
    "chunked_item", "chunked_size",         "filename",      "file_perm",      "io_node_list", "nb_proc",
    "num_io_nodes", "striping_factor",      "striping_unit", "romio_cb_read",
};
#define HINT_COUNT (sizeof HINTS / sizeof HINTS[0])

void calls_failed(const char *call, const char *key)
{
    bench_die("%s of \"%s\" gave a wrong value", call, key);
}

/* splitmix64's finalizer: a word that looks random, the same one for the same number. */
static uint64_t word_of(uint64_t number)
{
    uint64_t x = (number + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* Bytes from 0x40 to 0x7f stay such when xored with bytes below 0x40: no value has a NUL inside. */
static void make_key(struct key *key, unsigned number)
{
    const uint64_t letters = 0x4040404040404040, low = 0x3f3f3f3f3f3f3f3f;
    const char *hint = HINTS[number % HINT_COUNT];
    if (number < HINT_COUNT)
        snprintf(key->text, sizeof key->text, "%s", hint);
    else
        snprintf(key->text, sizeof key->text, "%s_%u", hint, number);
    key->tail = (uint32_t)strlen(key->text) - 7;
    key->mask = word_of(number) & low;
    for (unsigned variant = 0; variant < VARIANTS; variant++) {
        char *value = key->value[variant];
        uint64_t first = letters | (word_of((uint64_t)number * VARIANTS + variant) & low), last = first ^ key->mask;
        memset(value, '.', VALUE_BYTES);
        memcpy(value, &first, sizeof first);
        memcpy(value + VALUE_BYTES - sizeof last, &last, sizeof last);
        value[VALUE_BYTES] = '\0';
    }
}

static struct load load_make(unsigned keys)
{
    struct load load = {.keys = keys, .mask = ORDER_MIN - 1};
    while (load.mask < 4 * (size_t)keys)
        load.mask = 2 * load.mask + 1;
    load.key = bench_memory(2 * (size_t)keys * sizeof *load.key);
    load.order = bench_memory((load.mask + 1) * sizeof *load.order);
    for (unsigned i = 0; i < 2 * keys; i++)
        make_key(&load.key[i], i);
    for (size_t i = 0; i <= load.mask; i++)
        load.order[i] = (uint32_t)(word_of(i) % keys);
    MPI_Info_create(&load.info);
    for (unsigned i = 0; i < keys; i++)
        MPI_Info_set(load.info, load.key[i].text, load.key[i].value[0]);
    return load;
}

static void load_unmake(struct load *load)
{
    MPI_Info_free(&load->info);
    free(load->key);
    free(load->order);
}

/* Each of these makes that many calls. Aligned, so that the loops lie alike in every program. */
#define LOOP static __attribute__((noinline, aligned(64))) void

LOOP get_hit(const struct load *load, size_t calls)
{
    char value[VALUE_BYTES + 1];
    for (size_t i = 0; i < calls; i++)
        calls_get(load->info, &load->key[load->order[i & load->mask]], value);
}

LOOP get_miss(const struct load *load, size_t calls)
{
    char value[VALUE_BYTES + 1];
    for (size_t i = 0; i < calls; i++) {
        const struct key *key = &load->key[load->keys + load->order[i & load->mask]];
        int flag = 1;
        MPI_Info_get(load->info, key->text, VALUE_BYTES, value, &flag);
        if (__builtin_expect(flag, 0))
            calls_failed("MPI_Info_get", key->text);
    }
}

LOOP get_nthkey(const struct load *load, size_t calls)
{
    char text[MPI_MAX_INFO_KEY + 1];
    for (size_t i = 0; i < calls; i++) {
        unsigned n = load->order[i & load->mask];
        text[0] = '\0';
        MPI_Info_get_nthkey(load->info, (int)n, text);
        const struct key *key = &load->key[n];
        /* Both ends, as of a value. */
        if (__builtin_expect(memcmp(text, key->text, 8) != 0 || memcmp(text + key->tail, key->text + key->tail, 8) != 0,
                             0))
            calls_failed("MPI_Info_get_nthkey", key->text);
    }
}

LOOP get_nkeys(const struct load *load, size_t calls)
{
    for (size_t i = 0; i < calls; i++) {
        int keys = -1;
        MPI_Info_get_nkeys(load->info, &keys);
        if (__builtin_expect(keys != (int)load->keys, 0))
            calls_failed("MPI_Info_get_nkeys", "");
    }
}

LOOP set(const struct load *load, size_t calls)
{
    for (size_t i = 0; i < calls; i++) {
        const struct key *key = &load->key[load->order[i & load->mask]];
        MPI_Info_set(load->info, key->text, key->value[i % VARIANTS]);
    }
}

LOOP dup_free(const struct load *load, size_t calls)
{
    for (size_t i = 0; i < calls; i++) {
        MPI_Info copy;
        MPI_Info_dup(load->info, &copy);
        MPI_Info_free(&copy);
    }
}

LOOP create_free(const struct load *load, size_t calls)
{
    for (size_t i = 0; i < calls; i++) {
        MPI_Info info;
        MPI_Info_create(&info);
        for (unsigned k = 0; k < load->keys; k++)
            MPI_Info_set(info, load->key[k].text, load->key[k].value[i % VARIANTS]);
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

/* What infos are given to, and asked of. */
static struct {
    MPI_Comm comm;
    MPI_Win win;
    MPI_File file;
} taker;

LOOP comm_set(const struct load *load, size_t calls)
{
    for (size_t i = 0; i < calls; i++)
        MPI_Comm_set_info(taker.comm, load->info);
}

LOOP win_set(const struct load *load, size_t calls)
{
    for (size_t i = 0; i < calls; i++)
        MPI_Win_set_info(taker.win, load->info);
}

LOOP comm_get(const struct load *load, size_t calls)
{
    (void)load;
    for (size_t i = 0; i < calls; i++) {
        MPI_Info info;
        MPI_Comm_get_info(taker.comm, &info);
        MPI_Info_free(&info);
    }
}

LOOP file_get(const struct load *load, size_t calls)
{
    (void)load;
    for (size_t i = 0; i < calls; i++) {
        MPI_Info info;
        MPI_File_get_info(taker.file, &info);
        MPI_Info_free(&info);
    }
}

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
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL); /* as of all the rest */
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

/* That a dup is whole, and what MPI gives not empty; and that the last of so many sets is what a get finds. */
static void check(const struct load *load, enum mpi_work work, size_t calls)
{
    char value[VALUE_BYTES + 1];
    const struct key *last = &load->key[load->order[(calls - 1) & load->mask]];
    MPI_Info info = load->info;
    int keys;
    if (work == MPI_WORK_COMM_GET || work == MPI_WORK_FILE_GET) {
        if (work == MPI_WORK_COMM_GET)
            MPI_Comm_get_info(taker.comm, &info);
        else
            MPI_File_get_info(taker.file, &info);
        MPI_Info_get_nkeys(info, &keys);
        MPI_Info_free(&info);
        if (keys == 0)
            calls_failed("what MPI gives", "");
        return;
    }
    if (work == MPI_WORK_DUP)
        MPI_Info_dup(load->info, &info);
    MPI_Info_get_nkeys(info, &keys);
    calls_get(info, last, value);
    if (keys != (int)load->keys || (work == MPI_WORK_SET && strcmp(value, last->value[(calls - 1) % VARIANTS]) != 0))
        calls_failed("what was done last", last->text);
    if (work == MPI_WORK_DUP)
        MPI_Info_free(&info);
}

/* As many calls as fit into the time, by a warm-up that takes an eighth of it. */
static struct mpi_result measure(const struct load *load, const struct mpi_order *order)
{
    size_t calls = 1;
    uint64_t start, elapsed;
    for (;; calls *= 2) {
        start = bench_now();
        LOOPS[order->work](load, calls);
        elapsed = bench_now() - start;
        if (elapsed >= order->nanoseconds / 8)
            break;
    }
    calls = (size_t)((double)calls * (double)order->nanoseconds / (double)(elapsed + 1)) + 1;
    start = bench_now();
    LOOPS[order->work](load, calls);
    elapsed = bench_now() - start;
    check(load, order->work, calls);
    return (struct mpi_result){{(double)elapsed / (double)calls}};
}

/* Whether there is one more order. */
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
        bench_die("cannot tell bench_mpi");
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
        bench_usage("bench_mpi starts this program");
    int socket = (int)bench_number("socket", argv[1], 0, 1 << 20);
    fcntl(socket, F_SETFD, FD_CLOEXEC); /* MPI may start helpers, which must not hold it */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        bench_die("this MPI has no MPI_THREAD_MULTIPLE");
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
