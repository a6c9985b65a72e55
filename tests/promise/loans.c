/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loans: an ordinary MPI program of one process, run by `rcuinfo run`: loops of random calls on infos, and of calls
 * that take or return one. The process does not grow by more than the store may keep (G6 of lib/DESIGN.md, rcuinfo(7)).
 *
 * usage: loans [seed | dup | loan]
 * dup, loan: one plain loop. Each has a process of its own, as what one leaves free hides what the next one needs.
 */
#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "support/check.h"
#include "stress/random.h"
#include "support/resident.h"

enum { ROUNDS = 300000, SEQUENCES = 60, FULL = 10, STEPS = 6, MOST_VALUE = 250, KEYS = 8, SELDOM = 2000 };

/* A plain loop makes few objects. And what G6 allows in all: 16 MiB that wait, 48 MiB that are free, slots, and what
 * each arena may have. */
#define MOST_PLAIN  ((size_t)40 << 20)
#define MOST_RANDOM ((size_t)80 << 20)

static MPI_Info info;
static MPI_Comm comm;
static MPI_Win window;
static struct random r;
static char value[MOST_VALUE + 1], key[16];
static unsigned length, keys;
static bool exact;
static unsigned long rounds;
static unsigned failed;

#define CHECK_MPI(call) CHECK_EQUAL(call, MPI_SUCCESS)

static void take_set(void)
{
    unsigned n = exact ? length : 1 + random_below(&r, length);
    (void)snprintf(key, sizeof key, "key%u", random_below(&r, keys));
    memset(value, 'v', n);
    value[n] = '\0';
    CHECK_MPI(MPI_Info_set(info, key, value));
}

static void take_get(void)
{
    char got[MOST_VALUE + 1], name[MPI_MAX_INFO_KEY];
    int found, n;
    CHECK_MPI(MPI_Info_get(info, "key0", MOST_VALUE, got, &found));
    CHECK_MPI(MPI_Info_get_nkeys(info, &n));
    if (n > 0)
        CHECK_MPI(MPI_Info_get_nthkey(info, n - 1, name));
}

static void take_renew(void)
{
    CHECK_MPI(MPI_Info_free(&info));
    CHECK_MPI(MPI_Info_create(&info));
    take_set();
}

static void take_dup(void)
{
    MPI_Info copy;
    CHECK_MPI(MPI_Info_dup(info, &copy));
    CHECK_MPI(MPI_Info_free(&copy));
}

static void take_dup_and_set(void)
{
    MPI_Info copy;
    CHECK_MPI(MPI_Info_dup(info, &copy));
    CHECK_MPI(MPI_Info_set(copy, "key0", value));
    CHECK_MPI(MPI_Info_free(&copy));
}

static void take_comm_set_info(void)
{
    CHECK_MPI(MPI_Comm_set_info(comm, info));
}

static void take_comm_get_info(void)
{
    MPI_Info used;
    CHECK_MPI(MPI_Comm_get_info(comm, &used));
    CHECK_MPI(MPI_Info_free(&used));
}

static void take_comm_dup(void)
{
    MPI_Comm copy;
    CHECK_MPI(MPI_Comm_dup_with_info(comm, info, &copy));
    CHECK_MPI(MPI_Comm_free(&copy));
}

static void take_win_set_info(void)
{
    CHECK_MPI(MPI_Win_set_info(window, info));
}

static void take_alloc_mem(void)
{
    void *memory;
    CHECK_MPI(MPI_Alloc_mem(64, info, &memory));
    CHECK_MPI(MPI_Free_mem(memory));
}

static void take_file_open(void)
{
    MPI_File file;
    if (rounds % SELDOM)
        return;
    CHECK_MPI(MPI_File_open(comm, "/dev/null", MPI_MODE_RDONLY, info, &file));
    CHECK_MPI(MPI_File_close(&file));
}

static const struct {
    const char *name;
    void (*take)(void);
    unsigned cost; /* of a set */
} calls[] = {
    {"set", take_set, 1},
    {"set", take_set, 1},
    {"get", take_get, 1},
    {"renew", take_renew, 1},
    {"dup and free", take_dup, 1},
    {"dup, set and free", take_dup_and_set, 2},
    {"comm_set_info", take_comm_set_info, 10},
    {"comm_get_info", take_comm_get_info, 20},
    {"comm_dup_with_info", take_comm_dup, 50},
    {"win_set_info", take_win_set_info, 10},
    {"alloc_mem", take_alloc_mem, 10},
    {"file_open", take_file_open, 1},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* Numbers of steps in `calls`. Returns the growth. */
static size_t run(const unsigned *steps, unsigned count, unsigned long most)
{
    CHECK_MPI(MPI_Info_create(&info));
    take_set();
    for (unsigned n = 0; n < count; n++)
        calls[steps[n]].take(); /* what MPI allocates at the first such call is not the store's */
    size_t before = resident_bytes();
    for (rounds = 1; rounds <= most; rounds++) {
        for (unsigned n = 0; n < count; n++)
            calls[steps[n]].take();
    }
    size_t after = resident_bytes();
    CHECK_MPI(MPI_Info_free(&info));
    return after > before ? after - before : 0;
}

static void run_plain(void (*take)(void))
{
    unsigned steps[] = {0, 0};
    while (calls[steps[1]].take != take)
        steps[1]++;
    length = MOST_VALUE;
    keys = 1;
    exact = true;
    size_t growth = run(steps, 2, ROUNDS);
    printf("set, %s: the process grew by %zu KiB\n", calls[steps[1]].name, growth >> 10);
    failed += growth > MOST_PLAIN;
}

static size_t run_random(uint64_t seed)
{
    unsigned steps[STEPS], count, cost = 0;
    r.state = seed;
    count = 1 + random_below(&r, STEPS);
    length = 1 + random_below(&r, MOST_VALUE);
    keys = 1 + random_below(&r, KEYS);
    exact = random_below(&r, 2);
    for (unsigned n = 0; n < count; n++)
        cost += calls[steps[n] = random_below(&r, CALLS)].cost;
    size_t growth = run(steps, count, 2 * ROUNDS / (1 + cost));
    if (growth > MOST_RANDOM) {
        failed++;
        printf("seed %llu: the process grew by %zu KiB: %u bytes%s, %u keys:", (unsigned long long)seed, growth >> 10,
               length, exact ? "" : " at most", keys);
        for (unsigned n = 0; n < count; n++)
            printf(" %s;", calls[steps[n]].name);
        printf("\n");
    }
    return growth;
}

static void run_sequences(uint64_t first, uint64_t end)
{
    size_t most = 0;
    for (uint64_t seed = first; seed < end; seed++) {
        size_t growth = run_random(seed);
        most = growth > most ? growth : most;
    }
    printf("%llu sequences: the process grew by at most %zu KiB\n", (unsigned long long)(end - first), most >> 10);
}

int main(int argc, char **argv)
{
    void *memory;
    CHECK_MPI(MPI_Init(&argc, &argv));
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_MPI(MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &memory, &window));
    if (argc == 1)
        run_sequences(0, SEQUENCES * (getenv("TEST_FULL") ? FULL : 1));
    else if (strcmp(argv[1], "dup") == 0 || strcmp(argv[1], "loan") == 0)
        run_plain(argv[1][0] == 'd' ? take_dup : take_comm_set_info);
    else
        run_sequences(strtoull(argv[1], NULL, 10), strtoull(argv[1], NULL, 10) + 1);
    CHECK_MPI(MPI_Win_free(&window));
    CHECK_MPI(MPI_Comm_free(&comm));
    CHECK_MPI(MPI_Finalize());
    return failed > 0;
}
