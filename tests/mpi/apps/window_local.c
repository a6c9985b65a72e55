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
#include <stdlib.h>

#include "window_expect.h"

enum { RANKS = 3, ROUNDS = 200, BYTES = 10000 };

static void must(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "window_local: %s\n", what);
    exit(1);
}

static void must_succeed(rcuinfo_status_t status, const char *what)
{
    if (status != RCUINFO_SUCCESS)
        fprintf(stderr, "%s\n", rcuinfo_status_string(status));
    must(status == RCUINFO_SUCCESS, what);
}

static rcuinfo_t info_of(const struct pair *pairs)
{
    rcuinfo_t info;
    if (!pairs)
        return RCUINFO_NULL;
    must_succeed(rcuinfo_create(&info), "create");
    for (; pairs->key; pairs++)
        must_succeed(rcuinfo_set(info, pairs->key, pairs->value), "set");
    return info;
}

static void drop(rcuinfo_t info)
{
    if (info != RCUINFO_NULL)
        must_succeed(rcuinfo_free(&info), "free");
}

static void set(void *window, const struct pair *pairs)
{
    rcuinfo_t info = info_of(pairs);
    must_succeed(window_set_info(window, info), "window_set_info");
    drop(info);
}

static rcuinfo_t info_used(const void *window)
{
    rcuinfo_t info;
    must_succeed(window_get_info(window, &info), "window_get_info");
    return info;
}

static int get(void *window, const char *key, char *value)
{
    rcuinfo_t info = info_used(window);
    int flag = 0;
    must_succeed(rcuinfo_get(info, key, EXPECT_VALUE - 1, value, &flag), "get");
    drop(info);
    return flag;
}

static int count_keys(rcuinfo_t info)
{
    int nkeys = -1;
    must_succeed(rcuinfo_get_nkeys(info, &nkeys), "get_nkeys");
    return nkeys;
}

static int count(void *window)
{
    rcuinfo_t info = info_used(window);
    int nkeys = count_keys(info);
    drop(info);
    return nkeys;
}

static int spoil(void *window)
{
    rcuinfo_t info = info_used(window);
    int nkeys = count_keys(info);
    char key[RCUINFO_MAX_KEY];
    for (int n = 0; n < nkeys; n++) {
        must_succeed(rcuinfo_get_nthkey(info, 0, key), "get_nthkey");
        must_succeed(rcuinfo_delete(info, key), "delete");
    }
    must_succeed(rcuinfo_set(info, "rcuinfo_unknown", "1"), "set");
    drop(info);
    return nkeys;
}

/* Of a group of one rank, which is this thread. */
static struct window_group *alone;

static void *create(const struct pair *pairs)
{
    struct window *window;
    rcuinfo_t info = info_of(pairs);
    must_succeed(window_create(alone, 0, 1, info, &window), "window_create");
    drop(info);
    return window;
}

static void end(void *window)
{
    struct window *mine = window;
    window_free(&mine);
}

static void questions_to_one(void)
{
    static const struct window_kind local = {create, set, get, count, spoil, end};
    must((alone = window_group_create(1)) != NULL, "window_group_create");
    expect_window(&local, stdout);
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
    must(window_lock(window, rank) == 0, "no lock without no_locks");
    set(window, PAIRS({"no_locks", "true"}, {"accumulate_ops", "same_op"}));
    must(in_use(window, "no_locks", "false"), "no_locks was accepted with a lock held");
    must(in_use(window, "accumulate_ops", "same_op"), "accumulate_ops was not accepted");
    window_unlock(window, rank);
    set(window, PAIRS({"no_locks", "true"}));
    must(in_use(window, "no_locks", "true"), "no_locks was refused");
    must(window_lock(window, rank) == -1, "a lock in spite of no_locks");
    set(window, PAIRS({"no_locks", "false"}, {"window_copy_size", "0"}, {"window_ranks", "1"}));
    must(in_use(window, "window_copy_size", rank ? "4096" : "1"), "a copy size of 0");
    must(in_use(window, "window_ranks", "3"), "window_ranks was changed by the user");
    must(in_use(window, "alloc_shared_noncontig", "false"), "parts that are not contiguous");
    must(!get(window, "mpi_minimum_memory_alignment", value) == (rank == 1), "an alignment");
}

static void *rank_main(void *argument)
{
    static const char *const alignments[RANKS] = {"32", "128", "1"};
    static _Thread_local char sent[BYTES], got[BYTES];
    unsigned rank = *(unsigned *)argument, right = (rank + 1) % RANKS;
    rcuinfo_t info =
        info_of(PAIRS({"alloc_shared_noncontig", "true"}, {"mpi_minimum_memory_alignment", alignments[rank]},
                      {rank ? "unknown" : "window_copy_size", "1"}));
    must_succeed(window_create(all, rank, BYTES, info, &windows[rank]), "window_create");
    drop(info);
    refusals(windows[rank], rank);
    atomic_fetch_add(&made, 1);
    for (int round = 0; round < ROUNDS; round++) {
        memset(sent, 'a' + round % 26, BYTES);
        must(window_lock(windows[rank], right) == 0, "no lock");
        window_put(windows[rank], right, 0, sent, BYTES);
        window_get(windows[rank], right, 0, got, BYTES);
        window_unlock(windows[rank], right);
        must(memcmp(sent, got, BYTES) == 0, "what was put is not there");
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
        must(get(window, "window_copy_size", size) && strcmp(size, sizes[which]) == 0, "the copy size");
        must(get(window, "mpi_accumulate_granularity", granularity) && strcmp(granularity, granularities[which]) == 0,
             "the granularity");
    }
}

static void print_used(const struct window *window)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t info = info_used(window);
    rcuinfo_pair_t pair;
    must_succeed(rcuinfo_snapshot_open(info, &snapshot), "snapshot_open");
    for (size_t i = 0; rcuinfo_snapshot_nth(snapshot, i, &pair) == RCUINFO_SUCCESS; i++)
        printf("%s %s\n", pair.key, pair.value);
    rcuinfo_snapshot_close(snapshot);
    drop(info);
}

static void threads(void)
{
    pthread_t ranks[RANKS];
    unsigned numbers[RANKS];
    must((all = window_group_create(RANKS)) != NULL, "window_group_create");
    for (unsigned rank = 0; rank < RANKS; rank++) {
        numbers[rank] = rank;
        must(pthread_create(&ranks[rank], NULL, rank_main, &numbers[rank]) == 0, "pthread_create");
    }
    tune();
    print_used(windows[0]);
    atomic_store(&tuned, 1);
    for (unsigned rank = 0; rank < RANKS; rank++)
        must(pthread_join(ranks[rank], NULL) == 0, "pthread_join");
    window_group_free(all);
}

int main(int argc, char *argv[])
{
    if (argc > 1 && strcmp(argv[1], "threads") == 0)
        threads();
    else
        questions_to_one();
    must(rcuinfo_store_drain() == 0, "something is left");
    return 0;
}
