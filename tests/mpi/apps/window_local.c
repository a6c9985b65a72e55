/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window_local: the window of window.h, asked what real windows are asked (window_expect.h); or, with "threads", used
 * by the ranks of a group while one more thread changes the hints of all of them.
 *
 * usage: window_local [threads]
 */
#include "window.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "support/native_mpi.h"
#include "window_expect.h"

enum { RANKS = 3, ROUNDS = 200, BYTES = 10000 };

static struct window_group *alone; /* of one rank, which is this thread */

static void *make_window(MPI_Info info)
{
    struct window *window;
    MUST(window_create(alone, 0, 1, info, &window));
    return window;
}

static void set_info(void *window, MPI_Info info)
{
    MUST(window_set_info(window, info));
}

static MPI_Info get_info(void *window)
{
    rcuinfo_t info;
    MUST(window_get_info(window, &info));
    return info;
}

static void end_window(void *window)
{
    struct window *mine = window;
    window_free(&mine);
}

static void questions_to_one(void)
{
    CHECK((alone = window_group_create(1)) != NULL);
    expect_window(stdout);
    window_group_free(alone);
}

static struct window *windows[RANKS];
static struct window_group *all;
static atomic_uint made, working = RANKS, tuned;

static int in_use(void *window, const char *key, const char *wanted)
{
    char value[EXPECT_VALUE];
    return get(window, key, value) && strcmp(value, wanted) == 0;
}

/* What the window refuses, and what it takes: by itself, whatever the other ranks do. */
static void refusals(struct window *window, unsigned rank)
{
    char value[EXPECT_VALUE];
    CHECKF(window_lock(window, rank) == 0, "no lock without no_locks");
    set(window, PAIRS({"no_locks", "true"}, {"accumulate_ops", "same_op"}));
    CHECKF(in_use(window, "no_locks", "false"), "no_locks was accepted with a lock held");
    CHECKF(in_use(window, "accumulate_ops", "same_op"), "accumulate_ops was not accepted");
    window_unlock(window, rank);
    set(window, PAIRS({"no_locks", "true"}));
    CHECKF(in_use(window, "no_locks", "true"), "no_locks was refused");
    CHECKF(window_lock(window, rank) == -1, "a lock in spite of no_locks");
    set(window, PAIRS({"no_locks", "false"}, {"window_copy_size", "0"}, {"window_ranks", "1"}));
    CHECKF(in_use(window, "window_copy_size", rank ? "4096" : "1"), "a copy size of 0");
    CHECKF(in_use(window, "window_ranks", "3"), "window_ranks was changed by the user");
    CHECKF(in_use(window, "alloc_shared_noncontig", "false"), "parts that are not contiguous");
    CHECKF(!get(window, "mpi_minimum_memory_alignment", value) == (rank == 1), "an alignment");
}

static void *rank_main(void *argument)
{
    static const char *const alignments[RANKS] = {"32", "128", "1"};
    static _Thread_local char sent[BYTES], got[BYTES];
    unsigned rank = *(unsigned *)argument, right = (rank + 1) % RANKS;
    rcuinfo_t info =
        info_of(PAIRS({"alloc_shared_noncontig", "true"}, {"mpi_minimum_memory_alignment", alignments[rank]},
                      {rank ? "unknown" : "window_copy_size", "1"}));
    MUST(window_create(all, rank, BYTES, info, &windows[rank]));
    drop(info);
    refusals(windows[rank], rank);
    atomic_fetch_add(&made, 1);
    for (int round = 0; round < ROUNDS; round++) {
        memset(sent, 'a' + round % 26, BYTES);
        CHECKF(window_lock(windows[rank], right) == 0, "no lock");
        window_put(windows[rank], right, 0, sent, BYTES);
        window_get(windows[rank], right, 0, got, BYTES);
        window_unlock(windows[rank], right);
        CHECKF(memcmp(sent, got, BYTES) == 0, "what was put is not there");
    }
    atomic_fetch_sub(&working, 1);
    while (!atomic_load(&tuned))
        sched_yield();
    window_free(&windows[rank]);
    return NULL;
}

/* Changes two hints of every window together, as long as ranks are at work, and sees them change together. */
static void tune(void)
{
    static const char *const sizes[] = {"100", "1000", "3000"}, *const granularities[] = {"1", "8", "4"};
    while (atomic_load(&made) < RANKS)
        sched_yield();
    for (unsigned turn = 0; atomic_load(&working) || turn < RANKS; turn++) {
        struct window *window = windows[turn % RANKS];
        unsigned which = turn % 3;
        char size[EXPECT_VALUE], granularity[EXPECT_VALUE];
        set(window, PAIRS({"window_copy_size", sizes[which]}, {"mpi_accumulate_granularity", granularities[which]}));
        CHECKF(get(window, "window_copy_size", size) && strcmp(size, sizes[which]) == 0, "the copy size");
        CHECKF(get(window, "mpi_accumulate_granularity", granularity) && strcmp(granularity, granularities[which]) == 0,
               "the granularity");
    }
}

static void print_used(struct window *window)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t info = get_info(window);
    rcuinfo_pair_t pair;
    MUST(rcuinfo_snapshot_open(info, &snapshot));
    for (size_t i = 0; rcuinfo_snapshot_nth(snapshot, i, &pair) == RCUINFO_SUCCESS; i++)
        printf("%s %s\n", pair.key, pair.value);
    rcuinfo_snapshot_close(snapshot);
    drop(info);
}

static void threads(void)
{
    pthread_t ranks[RANKS];
    unsigned numbers[RANKS];
    CHECKF((all = window_group_create(RANKS)) != NULL, "window_group_create");
    for (unsigned rank = 0; rank < RANKS; rank++) {
        numbers[rank] = rank;
        CHECKF(pthread_create(&ranks[rank], NULL, rank_main, &numbers[rank]) == 0, "pthread_create");
    }
    tune();
    print_used(windows[0]);
    atomic_store(&tuned, 1);
    for (unsigned rank = 0; rank < RANKS; rank++)
        CHECKF(pthread_join(ranks[rank], NULL) == 0, "pthread_join");
    window_group_free(all);
}

int main(int argc, char *argv[])
{
    if (argc > 1 && strcmp(argv[1], "threads") == 0)
        threads();
    else
        questions_to_one();
    CHECKF(rcuinfo_store_drain() == 0, "something is left");
    return 0;
}
