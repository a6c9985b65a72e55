/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bounds: how much memory may wait, and how much the process may grow, as promised by G6 of lib/DESIGN.md and by
 * rcuinfo(7), LIMITS. In bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* What the program does, at most at a time. */
struct bounds_needs {
    size_t block;      /* the largest block of an object, by bounds_block */
    unsigned threads;  /* that write */
    unsigned sections; /* views and reading calls */
    unsigned live;     /* objects, open snapshots and versions of hint sets */
    bool hints;        /* hint sets change */
    bool drains;       /* a thread drains while others write */
};

#define BOUNDS_MIB           ((size_t)1 << 20)
#define BOUNDS_HARD_LIMIT    (16 * BOUNDS_MIB)       /* G6: bytes that wait for a scan */
#define BOUNDS_HINTS         (16 * BOUNDS_MIB)       /* rcuinfo(7): as much of the old versions of hint sets */
#define BOUNDS_ARENA_WAITING ((size_t)32 << 10)      /* G6: for each arena */
#define BOUNDS_FREE          (16 * BOUNDS_MIB)       /* G6: free blocks that the arenas keep */
#define BOUNDS_SPARE         (32 * BOUNDS_MIB)       /* G6: those that near slots keep */
#define BOUNDS_ARENA_STOCK   ((size_t)32 << 10)      /* G6: a block that a stock of references keeps, for each arena */
#define BOUNDS_SLOTS         (BOUNDS_HARD_LIMIT / 2) /* slots stay; one that waits counts as twice its size */
#define BOUNDS_THREAD        ((size_t)512 << 10)     /* its stack, its record, and buffers of the test */
#define BOUNDS_HEAP          8                       /* malloc's own: a part of all others */

/* lib/DESIGN.md, *An arena is not a thread's*: four for each processor, and at most 64. */
static inline size_t bounds_arenas(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 4 : processors < 16 ? 4 * (size_t)processors : 64;
}

/* The block of an object of so many pairs: entry, key, value and place in the finder of each, and as much room for
 * further sets, but for at least eight, and in all 4 KiB (lib/DESIGN.md, *Copying*). */
static inline size_t bounds_block(size_t pairs, size_t value)
{
    return (pairs + (pairs < 8 ? 8 : pairs)) * (24 + 16 + value + 1 + 8) + 4096;
}

/* In rcuinfo_stats_t: retired. A section that was helped may keep a second block. */
static inline size_t bounds_waiting(const struct bounds_needs *needs)
{
    return BOUNDS_HARD_LIMIT + (needs->hints ? BOUNDS_HINTS : 0) + bounds_arenas() * BOUNDS_ARENA_WAITING +
           (needs->threads + 2 * needs->sections) * needs->block;
}

/* Resident bytes beyond those at the beginning. What a drain waits for is not counted by G6: as much as may wait. */
static inline size_t bounds_growth(const struct bounds_needs *needs)
{
    size_t bytes = bounds_waiting(needs) * (needs->drains ? 2 : 1) + BOUNDS_FREE + BOUNDS_SPARE + BOUNDS_SLOTS +
                   bounds_arenas() * BOUNDS_ARENA_STOCK + needs->live * needs->block + needs->threads * BOUNDS_THREAD;
    return bytes + bytes / BOUNDS_HEAP;
}
