/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window: see window.h.
 *
 * The schema is made once for the group: the standard's rows, then the window's own. Each window has a hint set of it,
 * which is all that there is to hints: no copy of a value is kept beside it, and what is read in put is its parsed
 * value, which costs a few nanoseconds.
 */
#include "window.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct window {
    struct window_group *group;
    unsigned rank;
    void *part;
    rcuinfo_hints_t *hints;
    atomic_uint locks; /* that this rank has */
};

struct window_group {
    unsigned ranks;
    rcuinfo_schema_t *schema;
    size_t no_locks, noncontiguous, alignment, copy_size; /* numbers of rows */
    pthread_barrier_t barrier;
    struct window windows[WINDOW_RANKS_MAX];
    pthread_mutex_t locks[WINDOW_RANKS_MAX]; /* one for each part */
};

static const rcuinfo_hint_t own_rows[] = {
    /* In the standard's table it cannot change after creation; nothing here depends on it. */
    {.key = "same_disp_unit", .type = RCUINFO_HINT_BOOL, .initial = "false"},
    /* How many bytes put and get copy at a time. */
    {.key = "window_copy_size", .type = RCUINFO_HINT_INT, .least = 1, .most = 65536, .initial = "4096"},
};

static int find_rows(struct window_group *group)
{
    const rcuinfo_schema_t *schema = group->schema;
    return rcuinfo_schema_find(schema, "no_locks", &group->no_locks) == RCUINFO_SUCCESS &&
           rcuinfo_schema_find(schema, "alloc_shared_noncontig", &group->noncontiguous) == RCUINFO_SUCCESS &&
           rcuinfo_schema_find(schema, "mpi_minimum_memory_alignment", &group->alignment) == RCUINFO_SUCCESS &&
           rcuinfo_schema_find(schema, "window_copy_size", &group->copy_size) == RCUINFO_SUCCESS;
}

struct window_group *window_group_create(unsigned ranks)
{
    size_t n = 0;
    const rcuinfo_hint_t *standard = rcuinfo_hint_standard(RCUINFO_HINT_WINDOW, &n);
    rcuinfo_schema_t *base = NULL;
    struct window_group *group = calloc(1, sizeof *group);
    if (!group)
        return NULL;
    group->ranks = ranks;
    if (rcuinfo_schema_create(NULL, standard, n, &base, NULL) != RCUINFO_SUCCESS ||
        rcuinfo_schema_create(base, own_rows, sizeof own_rows / sizeof *own_rows, &group->schema, NULL) !=
            RCUINFO_SUCCESS ||
        !find_rows(group)) {
        rcuinfo_schema_free(&base);
        rcuinfo_schema_free(&group->schema);
        free(group);
        return NULL;
    }
    rcuinfo_schema_free(&base);
    pthread_barrier_init(&group->barrier, NULL, ranks);
    for (unsigned rank = 0; rank < ranks; rank++)
        pthread_mutex_init(&group->locks[rank], NULL);
    return group;
}

void window_group_free(struct window_group *group)
{
    for (unsigned rank = 0; rank < group->ranks; rank++)
        pthread_mutex_destroy(&group->locks[rank]);
    pthread_barrier_destroy(&group->barrier);
    rcuinfo_schema_free(&group->schema);
    free(group);
}

/* The window's word on a hint that would change. Nobody else changes this window's hints meanwhile. */
static int accept(void *context, size_t row, const char *value, int64_t number, int creating)
{
    struct window *window = context;
    const struct window_group *group = window->group;
    (void)value;
    (void)creating;
    if (row == group->noncontiguous)
        return !number;
    if (row == group->alignment)
        return number <= WINDOW_ALIGNMENT && WINDOW_ALIGNMENT % number == 0;
    if (row == group->no_locks)
        return !number || atomic_load(&window->locks) == 0;
    return 1;
}

/* This rank's part alone. */
static rcuinfo_status_t make(struct window *window, size_t bytes, rcuinfo_t info)
{
    char ranks[16];
    size_t whole = (bytes / WINDOW_ALIGNMENT + 1) * WINDOW_ALIGNMENT;
    rcuinfo_status_t status = rcuinfo_hints_create(window->group->schema, info, accept, window, &window->hints);
    if (status != RCUINFO_SUCCESS)
        return status;
    (void)snprintf(ranks, sizeof ranks, "%u", window->group->ranks);
    status = rcuinfo_hints_impose(window->hints, "window_ranks", ranks);
    window->part = status == RCUINFO_SUCCESS ? aligned_alloc(WINDOW_ALIGNMENT, whole) : NULL;
    if (window->part) {
        memset(window->part, 0, whole);
        return RCUINFO_SUCCESS;
    }
    rcuinfo_hints_free(&window->hints);
    return RCUINFO_ERR_NO_MEM;
}

rcuinfo_status_t window_create(struct window_group *group, unsigned rank, size_t bytes, rcuinfo_t info,
                               struct window **window)
{
    struct window *mine = &group->windows[rank];
    *mine = (struct window){.group = group, .rank = rank};
    rcuinfo_status_t status = make(mine, bytes, info);
    *window = status == RCUINFO_SUCCESS ? mine : NULL;
    pthread_barrier_wait(&group->barrier); /* from here on others may reach it */
    return status;
}

void window_free(struct window **window)
{
    struct window *mine = *window;
    pthread_barrier_wait(&mine->group->barrier); /* from here on nobody does */
    rcuinfo_hints_free(&mine->hints);
    free(mine->part);
    *window = NULL;
}

rcuinfo_status_t window_set_info(struct window *window, rcuinfo_t info)
{
    return rcuinfo_hints_set(window->hints, info);
}

rcuinfo_status_t window_get_info(const struct window *window, rcuinfo_t *info)
{
    return rcuinfo_hints_get(window->hints, info);
}

/* The number of a hint that has a default. */
static size_t hint(const struct window *window, size_t row)
{
    int64_t number = 0;
    if (rcuinfo_hints_read(window->hints, row, &number) != RCUINFO_SUCCESS)
        abort();
    return (size_t)number;
}

int window_lock(struct window *window, unsigned target)
{
    /* First, so that whoever sets no_locks from now on is refused. (Who sets it at this very moment breaks the promise
     * that it is.) */
    atomic_fetch_add(&window->locks, 1);
    if (hint(window, window->group->no_locks)) {
        atomic_fetch_sub(&window->locks, 1);
        return -1;
    }
    pthread_mutex_lock(&window->group->locks[target]);
    return 0;
}

void window_unlock(struct window *window, unsigned target)
{
    pthread_mutex_unlock(&window->group->locks[target]);
    atomic_fetch_sub(&window->locks, 1);
}

/* In steps of the hint, which may be another one each time. */
static void copy(const struct window *window, char *to, const char *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        size_t step = hint(window, window->group->copy_size);
        step = step < bytes - done ? step : bytes - done;
        memcpy(to + done, from + done, step);
        done += step;
    }
}

void window_put(struct window *window, unsigned target, size_t at, const void *from, size_t bytes)
{
    copy(window, (char *)window->group->windows[target].part + at, from, bytes);
}

void window_get(struct window *window, unsigned target, size_t at, void *to, size_t bytes)
{
    copy(window, to, (const char *)window->group->windows[target].part + at, bytes);
}
