/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window: a small window in one process, as an example of how an implementation of MPI, or a layered library, keeps the
 * hints of its objects in hint sets. The ranks of a group are threads; each has a window of its own, with its own part
 * of the memory and its own hints, as processes have.
 *
 * It knows the standard's hints of windows, one of which it lets a user change when the standard's row does not, and
 * has one more, "window_copy_size". It tells of itself by another, "window_ranks". What it cannot do it refuses:
 *  - no_locks=true while this rank has a lock;
 *  - alloc_shared_noncontig=true, since its parts are contiguous;
 *  - an alignment above WINDOW_ALIGNMENT, or one that does not divide it.
 */
#ifndef TESTS_APPS_WINDOW_H
#define TESTS_APPS_WINDOW_H

#include <stddef.h>
#include <rcuinfo/rcuinfo.h>

#define WINDOW_ALIGNMENT 64 /* bytes */
#define WINDOW_RANKS_MAX 64

struct window_group;
struct window;

/* A group of 1 to WINDOW_RANKS_MAX ranks; NULL: no memory. */
struct window_group *window_group_create(unsigned ranks);
void window_group_free(struct window_group *group);

/* MPI_Win_allocate. Called by one thread for each rank of the group, and waits for all of them. The statuses are those
 * of rcuinfo_hints_create; ERR_NO_MEM also where there is no memory for the rank's part. */
rcuinfo_status_t window_create(struct window_group *group, unsigned rank, size_t bytes, rcuinfo_t info,
                               struct window **window);

/* MPI_Win_free; collective too. */
void window_free(struct window **window);

/* MPI_Win_set_info, MPI_Win_get_info. Any thread of the rank, at any time. */
rcuinfo_status_t window_set_info(struct window *window, rcuinfo_t info);
rcuinfo_status_t window_get_info(const struct window *window, rcuinfo_t *info);

/* MPI_Win_lock, of the part of a rank; -1: the user has promised not to, by no_locks. */
int window_lock(struct window *window, unsigned target);
void window_unlock(struct window *window, unsigned target);

/* MPI_Put, MPI_Get, of bytes within the part of a rank; who may at that time is up to the callers, as in MPI. */
void window_put(struct window *window, unsigned target, size_t at, const void *from, size_t bytes);
void window_get(struct window *window, unsigned target, size_t at, void *to, size_t bytes);

#endif
