/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arena: free slots and free blocks, kept where they will be used again.
 *
 * There are a few arenas, about four for each processor. A thread uses the arena that it used last; when it finds its
 * lock taken, it goes on to the next and stays there. What its threads retire waits for a scan (core/memory/reclaim.h)
 * and then becomes free in the arena, so that a thread gets back what it has used a moment ago, and no memory is
 * written by all processors. No thread owns an arena, so the exit of a thread leaves nothing to be done.
 *
 *  - Free blocks: a list for each size, last in, first out.
 *  - Free slots: two queues, for near and for far slots (core/memory/handle.h). A slot may leave its queue when KEEP
 *    others have become free after it, in any arena, so the more threads there are, the fewer slots each needs. A near
 *    slot may keep a free block for its next object.
 *  - Ready slots: never used, or those that have left the queue of near ones; last in, first out. Another arena that
 *    has none may take some, if this one has many.
 *  - Stock: references on one block (core/memory/stock.h).
 *
 * Each thread has some ready slots at hand, in its record (core/memory/reader.h), and those of objects that it has
 * freed while they had an owner (core/memory/handle.h). It takes and gives these in batches, so that most objects are
 * created and freed without the lock of an arena.
 *
 * A fork may happen between any two stores to an arena, even by a signal handler inside its lock. So lists are changed
 * by one store each, in the order of the code (RCUINFO__ARENA_LINK); the child then loses an item, or the blocks for
 * malloc, at most.
 * A signal handler that finds the lock of its own thread takes another arena.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/memory/block.h"
#include "core/memory/handle.h"
#include "core/memory/lock.h"

#define RCUINFO__ARENAS        64 /* at most */
#define RCUINFO__ARENA_SIZES   56 /* sizes of blocks that are kept; as a size: none, since the block is too large */
#define RCUINFO__ARENA_KEPT    ((size_t)16 << 20) /* bytes of free blocks that all arenas together may keep */
#define RCUINFO__ARENA_SPARE   1024U              /* largest block that stays with its slot */
#define RCUINFO__ARENA_STOCKED 32768U             /* largest block that a stock of references may keep in use */

/* Free slots, in the order in which they became free. */
struct rcuinfo__queue {
    struct rcuinfo__slot *oldest; /* NULL: it is empty */
    struct rcuinfo__slot *newest;
    uint32_t given; /* slots added that rcuinfo__arena_count_freed has not counted yet */
    uint64_t freed; /* slots that it has counted in all arenas, when this one looked last */
};

struct rcuinfo__arena {
    _Alignas(128) rcuinfo__lock_t lock; /* [P7] field: protects all but the counters */
    struct rcuinfo__arena *outer;       /* whose lock the thread has as well: this one is its signal handler's */

    struct rcuinfo__queue queues[2]; /* near slots, and far ones */
    struct rcuinfo__slot *ready;
    uint32_t ready_length;
    struct rcuinfo__block *unkept; /* free blocks for malloc, until the lock is given */
    struct rcuinfo__block *blocks[RCUINFO__ARENA_SIZES];

    uint32_t stock;                     /* references that the arena has */
    struct rcuinfo__block *stock_block; /* if any: on this block */
    bool used;                          /* since reclaim came last */

    /* Hints, without the lock: the block that was taken last, and how many times in a row without the stock. */
    _Atomic(struct rcuinfo__block *) wanted;
    _Atomic uint32_t times;

    _Atomic size_t kept; /* bytes of free blocks; written with the lock held, read by any thread */
};

extern struct rcuinfo__arena rcuinfo__arenas[RCUINFO__ARENAS];
extern uint32_t rcuinfo__arena_count;

/* The arena that this thread used last, and the one whose lock it holds, or NULL. */
extern _Thread_local struct rcuinfo__arena *rcuinfo__arena_mine;
extern _Thread_local struct rcuinfo__arena *rcuinfo__arena_inside;

/* The first of these; threads that run at the same time begin with different arenas, if there are enough. */
struct rcuinfo__arena *rcuinfo__arena_of_thread(void);

/* Notes that this thread has the lock. */
static inline struct rcuinfo__arena *rcuinfo__arena_entered(struct rcuinfo__arena *arena)
{
    arena->outer = rcuinfo__arena_inside;
    RCUINFO__READER_KEEP_ORDER(); /* for a signal handler, which may follow the list */
    rcuinfo__arena_inside = arena;
    return arena;
}

/* Takes the lock of an arena if it is free; else returns NULL. */
static inline struct rcuinfo__arena *rcuinfo__arena_try(struct rcuinfo__arena *arena)
{
    return rcuinfo__lock_try(&arena->lock) ? rcuinfo__arena_entered(arena) : NULL;
}

/* Takes the lock of an arena: of one that is free if there is one. `wait`: else waits for one; without it returns NULL
 * then. */
struct rcuinfo__arena *rcuinfo__arena_enter_other(bool wait);
static inline struct rcuinfo__arena *rcuinfo__arena_enter(bool wait)
{
    struct rcuinfo__arena *mine = rcuinfo__arena_mine;
    return __builtin_expect(mine && rcuinfo__arena_try(mine), 1) ? mine : rcuinfo__arena_enter_other(wait);
}

static inline void rcuinfo__arena_leave(struct rcuinfo__arena *arena)
{
    rcuinfo__arena_inside = arena->outer;
    rcuinfo__lock_give(&arena->lock);
}

/* Same, and gives the blocks that the arena does not keep back to malloc. */
void rcuinfo__arena_leave_and_free(struct rcuinfo__arena *arena);

/* Takes the lock of an arena, and waits for it. */
struct rcuinfo__arena *rcuinfo__arena_lock(struct rcuinfo__arena *arena);

/* A slot for rcuinfo__handle_open; NULL when none is free and the table cannot grow, or may not. */
struct rcuinfo__slot *rcuinfo__arena_slot(bool grow);

/* Puts a slot that no reader can be reading, with its root cleared, among the free ones. After one or more of them,
 * _count_freed counts them, and makes the near ones ready that may be used again. Call both with the lock held. */
void rcuinfo__arena_give_slot(struct rcuinfo__arena *arena, struct rcuinfo__slot *slot);
void rcuinfo__arena_count_freed(struct rcuinfo__arena *arena);

/* Frees at once what only its owner has used (core/memory/handle.h): the slot of a freed object, whose root is cleared,
 * and a block to which only that led. Call both without the lock of an arena. */
void rcuinfo__arena_end_slot(struct rcuinfo__slot *slot);
void rcuinfo__arena_end_block(struct rcuinfo__block *block);

/* Allocates a block of that shape or larger, with one reference; NULL without memory, or if no block can be so large.
 * _reuse takes a free one, or returns NULL, and waits for nothing. */
struct rcuinfo__block *rcuinfo__arena_alloc(const struct rcuinfo__shape *shape);
struct rcuinfo__block *rcuinfo__arena_reuse(const struct rcuinfo__shape *shape);

/* Same out of the spare block of a slot, whose lock is held, or whose object no other thread knows. */
struct rcuinfo__block *rcuinfo__arena_spare(struct rcuinfo__slot *slot, const struct rcuinfo__shape *shape);

/* Keeps a block that nobody reads as the spare one of a slot, if it is small and the slot has none. Its lock is held,
 * or no other thread uses it. */
bool rcuinfo__arena_keep_spare(struct rcuinfo__slot *slot, struct rcuinfo__block *block);

/* Makes a block a free one. Call with the lock held; give it by rcuinfo__arena_leave_and_free. */
void rcuinfo__arena_give(struct rcuinfo__arena *arena, struct rcuinfo__block *block);

/* Gives a block back to malloc; _trim: all free blocks of an arena. Call without any lock. */
void rcuinfo__arena_free(struct rcuinfo__block *block);
void rcuinfo__arena_trim(struct rcuinfo__arena *arena);

/* Gives the slots to the arenas that the calling thread has in its record, and those in records that no thread has. */
void rcuinfo__arena_give_records(void);

/* Makes all arenas usable in the child of a fork. */
void rcuinfo__arena_after_fork(void);

/* A store to a list, which a fork may separate from the next one. */
#define RCUINFO__ARENA_LINK(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)

/* Loads and stores a counter. */
static inline size_t rcuinfo__arena_load(const _Atomic size_t *counter)
{
    return atomic_load_explicit(counter, RCUINFO__RELAXED);
}

static inline void rcuinfo__arena_store(_Atomic size_t *counter, size_t bytes)
{
    atomic_store_explicit(counter, bytes, RCUINFO__RELAXED);
}

/* Adds to a counter that only the holder of the lock writes. */
static inline void rcuinfo__arena_count_bytes(_Atomic size_t *counter, size_t bytes)
{
    rcuinfo__arena_store(counter, rcuinfo__arena_load(counter) + bytes);
}

/* Add to a list, and take the first of one, or NULL. */
static inline void rcuinfo__arena_push_block(struct rcuinfo__block **list, struct rcuinfo__block *block)
{
    block->next = *list;
    RCUINFO__ARENA_LINK(*list, block);
}

static inline struct rcuinfo__block *rcuinfo__arena_pop_block(struct rcuinfo__block **list)
{
    struct rcuinfo__block *block = *list;
    if (block)
        RCUINFO__ARENA_LINK(*list, block->next);
    return block;
}

static inline void rcuinfo__arena_push_slot(struct rcuinfo__slot **list, struct rcuinfo__slot *slot)
{
    slot->next = *list;
    RCUINFO__ARENA_LINK(*list, slot);
}

static inline struct rcuinfo__slot *rcuinfo__arena_pop_slot(struct rcuinfo__slot **list)
{
    struct rcuinfo__slot *slot = *list;
    if (slot)
        RCUINFO__ARENA_LINK(*list, slot->next);
    return slot;
}
