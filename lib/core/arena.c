/* SPDX-License-Identifier: BSD-3-Clause */
/* arena: see arena.h. */
#include "core/arena.h"

#include <unistd.h>

#include "core/alloc.h"
#include "core/debug.h"

#define PER_PROCESSOR 4 /* arenas: some of their locks may be held by threads that are preempted */

/* Slots that become ready together: the processor prefetches the slots after those in use, so that small pieces of the
 * table would be shared falsely by two arenas. Also the length of a queue beyond which slots that may be used again
 * become idle: all slots of a queue are used in turn, and should stay in the first-level cache. */
#define AT_ONCE 128

/* Ended slots that join the queues together, as this writes to a line that all processors share. */
#define ENDED 32

struct rcuinfo__arena rcuinfo__arenas[RCUINFO__ARENAS];
uint32_t rcuinfo__arena_count = PER_PROCESSOR;

/* Slots that have become free, near ones and far ones. All processors write these, so each has lines of its own. */
static struct {
    _Alignas(128) _Atomic uint64_t slots;
} freed[2];

static const uint64_t others[2] = {RCUINFO__HANDLE_KEEP_NEAR, RCUINFO__HANDLE_KEEP_FAR};

__attribute__((constructor(101))) static void start(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long most = RCUINFO__ARENAS / PER_PROCESSOR;
    rcuinfo__arena_count = PER_PROCESSOR * (uint32_t)(processors < 1 ? 1 : processors < most ? processors : most);
}

_Thread_local struct rcuinfo__arena *rcuinfo__arena_mine;
_Thread_local struct rcuinfo__arena *rcuinfo__arena_inside;

static struct rcuinfo__arena *next_of(struct rcuinfo__arena *arena)
{
    return arena + 1 < rcuinfo__arenas + rcuinfo__arena_count ? arena + 1 : rcuinfo__arenas;
}

struct rcuinfo__arena *rcuinfo__arena_of_thread(void)
{
    if (__builtin_expect(!rcuinfo__arena_mine, 0))
        rcuinfo__arena_mine = rcuinfo__arenas + (rcuinfo__reader_number() - 1) % rcuinfo__arena_count;
    return rcuinfo__arena_mine;
}

/* Whether this thread has the lock of an arena, for which a signal handler must not wait then. */
static bool is_inside(const struct rcuinfo__arena *arena)
{
    const struct rcuinfo__arena *inside = rcuinfo__arena_inside;
    while (inside && inside != arena)
        inside = inside->outer;
    return inside != NULL;
}

struct rcuinfo__arena *rcuinfo__arena_enter_other(bool wait)
{
    struct rcuinfo__arena *mine = rcuinfo__arena_of_thread();
    for (uint32_t tries = 0; tries < rcuinfo__arena_count; tries++, mine = next_of(mine)) {
        if (rcuinfo__arena_try(mine)) {
            rcuinfo__arena_mine = mine;
            return mine;
        }
    }
    if (!wait)
        return NULL;

    while (is_inside(mine))
        mine = next_of(mine);
    rcuinfo__arena_mine = mine;
    return rcuinfo__arena_lock(mine);
}

struct rcuinfo__arena *rcuinfo__arena_lock(struct rcuinfo__arena *arena)
{
    (void)rcuinfo__lock_take(&arena->lock);
    return rcuinfo__arena_entered(arena);
}

void rcuinfo__arena_leave_and_free(struct rcuinfo__arena *arena)
{
    struct rcuinfo__block *list = arena->unkept;
    if (list)
        RCUINFO__ARENA_LINK(arena->unkept, NULL);
    rcuinfo__arena_leave(arena);
    for (struct rcuinfo__block *block; (block = rcuinfo__arena_pop_block(&list));)
        rcuinfo__arena_free(block);
}

/* Takes the oldest slot out of a queue; NULL if there is none, or too few others have become free since it did. */
static struct rcuinfo__slot *take_oldest(struct rcuinfo__arena *arena, unsigned far)
{
    struct rcuinfo__queue *queue = &arena->queues[far];
    struct rcuinfo__slot *slot = queue->oldest;
    if (!slot)
        return NULL;

    uint64_t least = slot->freed + others[far];
    if (queue->freed < least) /* seldom: this reads what other processors write */
        queue->freed = atomic_load_explicit(&freed[far].slots, RCUINFO__RELAXED);
    if (queue->freed < least)
        return NULL;
    RCUINFO__ARENA_LINK(queue->oldest, slot->next);
    queue->length--;
    return slot;
}

/* Takes some of the slots that an arena can spare: a list. */
static struct rcuinfo__slot *take_surplus(struct rcuinfo__arena *arena)
{
    struct rcuinfo__slot *first = arena->surplus;
    struct rcuinfo__slot *last = first;
    if (!first)
        return NULL;
    for (int n = 1; n < AT_ONCE && last->next; n++)
        last = last->next;
    RCUINFO__ARENA_LINK(arena->surplus, last->next);
    last->next = NULL;
    return first;
}

/* Same of another arena, as when one thread creates objects and another frees them. */
static struct rcuinfo__slot *take_from_others(const struct rcuinfo__arena *self)
{
    struct rcuinfo__slot *list = NULL;
    for (uint32_t i = 0; i < rcuinfo__arena_count && !list; i++) {
        struct rcuinfo__arena *other = &rcuinfo__arenas[i];
        bool has_surplus = __atomic_load_n(&other->surplus, __ATOMIC_RELAXED);
        if (other == self || !has_surplus || !rcuinfo__arena_try(other))
            continue;
        list = take_surplus(other);
        rcuinfo__arena_leave(other);
    }
    return list;
}

/* Takes a slot of the arena, whose lock is held; NULL if it has none that may be used. */
static struct rcuinfo__slot *take_slot(struct rcuinfo__arena *arena)
{
    struct rcuinfo__slot *slot = take_oldest(arena, false);
    if (!slot)
        slot = rcuinfo__arena_pop_slot(&arena->ready);
    if (!slot)
        slot = take_oldest(arena, true);
    if (!slot)
        slot = rcuinfo__arena_pop_slot(&arena->idle);
    if (!slot)
        slot = rcuinfo__arena_pop_slot(&arena->surplus);
    return slot;
}

/* Takes a slot of any arena, when the table is full, and waits for their locks, so that none is overlooked. */
static struct rcuinfo__slot *take_from_any(void)
{
    struct rcuinfo__slot *slot = NULL;
    for (uint32_t i = 0; i < rcuinfo__arena_count && !slot; i++) {
        if (is_inside(&rcuinfo__arenas[i]))
            continue;
        struct rcuinfo__arena *arena = rcuinfo__arena_lock(&rcuinfo__arenas[i]);
        slot = take_slot(arena);
        rcuinfo__arena_leave(arena);
    }
    return slot;
}

struct rcuinfo__slot *rcuinfo__arena_slot(bool grow)
{
    struct rcuinfo__arena *arena = rcuinfo__arena_enter(true);
    struct rcuinfo__slot *slot = take_slot(arena);

    if (__builtin_expect(!slot, 0)) {
        RCUINFO__ARENA_LINK(arena->ready, take_from_others(arena));
        slot = rcuinfo__arena_pop_slot(&arena->ready);
    }
    if (__builtin_expect(!slot && grow, 0)) {
        rcuinfo__arena_leave(arena); /* as the next call may allocate */
        struct rcuinfo__slot *list = rcuinfo__handle_fresh(AT_ONCE);
        arena = rcuinfo__arena_enter(true);
        struct rcuinfo__slot **end = &list;
        while (*end)
            end = &(*end)->next;
        *end = arena->ready;
        RCUINFO__ARENA_LINK(arena->ready, list);
        slot = rcuinfo__arena_pop_slot(&arena->ready);
    }
    if (slot && atomic_load_explicit(&slot->generation, RCUINFO__RELAXED)) /* it had an object before */
        atomic_store_explicit(&arena->reused, atomic_load_explicit(&arena->reused, RCUINFO__RELAXED) + 1,
                              RCUINFO__RELAXED);
    rcuinfo__arena_leave(arena);
    return slot ? slot : take_from_any();
}

void rcuinfo__arena_give_slot(struct rcuinfo__arena *arena, struct rcuinfo__slot *slot)
{
    unsigned far = slot->index >= RCUINFO__NEAR;
    struct rcuinfo__queue *queue = &arena->queues[far];

    queue->given++;
    queue->length++;
    slot->freed = atomic_load_explicit(&freed[far].slots, RCUINFO__RELAXED) + queue->given;
    slot->next = NULL;
    RCUINFO__ARENA_LINK(*(queue->oldest ? &queue->newest->next : &queue->oldest), slot);
    queue->newest = slot;
}

void rcuinfo__arena_settle(struct rcuinfo__arena *arena)
{
    for (struct rcuinfo__slot *slot; (slot = rcuinfo__arena_pop_slot(&arena->ended));)
        rcuinfo__arena_give_slot(arena, slot);
    arena->ended_length = 0;

    /* What has been idle since slots became free last time. Before that, the arena may need it itself, and two arenas
     * that took each other's would be at each other's locks all the time. The child of a fork may lose it. */
    struct rcuinfo__slot *idle = arena->surplus ? NULL : arena->idle;
    if (idle) {
        RCUINFO__ARENA_LINK(arena->idle, NULL);
        RCUINFO__ARENA_LINK(arena->surplus, idle);
    }
    for (unsigned far = 0; far < 2; far++) {
        struct rcuinfo__queue *queue = &arena->queues[far];
        struct rcuinfo__slot *slot;
        if (queue->given)
            queue->freed = queue->given + atomic_fetch_add_explicit(&freed[far].slots, queue->given, RCUINFO__RELAXED);
        queue->given = 0;
        while (queue->length > AT_ONCE && (slot = take_oldest(arena, far)))
            rcuinfo__arena_push_slot(&arena->idle, slot);
    }
}

struct rcuinfo__block *rcuinfo__arena_end_slot(struct rcuinfo__slot *slot)
{
    struct rcuinfo__block *block = rcuinfo__block_of(rcuinfo__handle_clear(slot));
    bool private = rcuinfo__block_is_private(block);
    struct rcuinfo__arena *arena = rcuinfo__arena_enter(true);
    if (private && !rcuinfo__arena_keep_spare(slot, block))
        rcuinfo__arena_give(arena, block);
    bool last = !private && !rcuinfo__arena_keep(arena, block) && rcuinfo__block_drop(block, RCUINFO__BLOCK_UNMARKED);

    rcuinfo__arena_push_slot(&arena->ended, slot);
    if (++arena->ended_length >= ENDED)
        rcuinfo__arena_settle(arena);
    rcuinfo__arena_leave_and_free(arena);
    return last ? block : NULL;
}

void rcuinfo__arena_end_block(struct rcuinfo__block *block)
{
    struct rcuinfo__arena *arena = rcuinfo__arena_enter(true);
    rcuinfo__arena_give(arena, block);
    rcuinfo__arena_leave_and_free(arena);
}

/* Blocks. */

/*
 * Sizes of blocks, with the 8 bytes that malloc adds: 64, 128, ... 1024 in steps of 64 for sizes 0 to 15, then eight
 * steps to each doubling, i.e. 1152, 1280, ... 2048 for sizes 16 to 23, 2304, ... 4096 for sizes 24 to 31, up to 32768
 * for 55.
 */
#define FINE       1024
#define STEP       64
#define LARGEST    32768
#define MALLOC_OWN 8

/* The size of a block of *bytes bytes, which it rounds up to all bytes of that size. */
static uint32_t size_of(uint64_t *bytes)
{
    uint64_t whole = *bytes + MALLOC_OWN;

    if (whole > LARGEST)
        return RCUINFO__ARENA_SIZES;
    if (whole <= FINE) {
        uint32_t steps = (uint32_t)((whole + STEP - 1) / STEP);
        *bytes = steps * STEP - MALLOC_OWN;
        return steps - 1;
    }

    /* E.g. whole = 1300: doubling 10, step 128, steps 3, so 1408 bytes, size 18. */
    uint32_t doubling = 63 - (uint32_t)__builtin_clzll(whole - 1); /* 2^doubling < whole <= 2^(doubling + 1) */
    uint64_t step = UINT64_C(1) << (doubling - 3);
    uint64_t steps = (whole - 1 - (UINT64_C(1) << doubling)) / step + 1; /* 1 to 8 */
    *bytes = (UINT64_C(1) << doubling) + steps * step - MALLOC_OWN;
    return FINE / STEP - 1 + (doubling - 10) * 8 + (uint32_t)steps;
}

/* Makes a free block one of that shape, for which it is large enough. */
static struct rcuinfo__block *reshape(struct rcuinfo__block *block, const struct rcuinfo__shape *shape)
{
    return rcuinfo__block_init(rcuinfo__block_memory(block), (uint32_t)rcuinfo__block_bytes(block), shape);
}

static struct rcuinfo__block *take_block(uint32_t size, uint64_t bytes, const struct rcuinfo__shape *shape)
{
    struct rcuinfo__arena *arena = size < RCUINFO__ARENA_SIZES ? rcuinfo__arena_enter(false) : NULL;
    if (!arena)
        return NULL;

    struct rcuinfo__block *block = rcuinfo__arena_pop_block(&arena->blocks[size]);
    if (block)
        rcuinfo__arena_count_bytes(&arena->kept, -(size_t)bytes);
    rcuinfo__arena_leave(arena);
    return block ? reshape(block, shape) : NULL;
}

struct rcuinfo__block *rcuinfo__arena_reuse(const struct rcuinfo__shape *shape)
{
    uint64_t bytes = rcuinfo__block_size(shape);
    uint32_t size = size_of(&bytes);

    /* A thread's first use of an arena may allocate a record, and the caller may have an object's lock. */
    return rcuinfo__arena_mine ? take_block(size, bytes, shape) : NULL;
}

struct rcuinfo__block *rcuinfo__arena_alloc(const struct rcuinfo__shape *shape)
{
    uint64_t bytes = rcuinfo__block_size(shape);
    uint32_t size = size_of(&bytes);
    if (bytes > UINT32_MAX) /* offsets have 32 bits */
        return NULL;

    struct rcuinfo__block *block = take_block(size, bytes, shape);
    if (block)
        return block;
    void *memory = rcuinfo__alloc((size_t)bytes);
    return memory ? rcuinfo__block_init(memory, (uint32_t)bytes, shape) : NULL;
}

struct rcuinfo__block *rcuinfo__arena_spare(struct rcuinfo__slot *slot, const struct rcuinfo__shape *shape)
{
    struct rcuinfo__block *block = slot->spare;
    if (!block || rcuinfo__block_bytes(block) < rcuinfo__block_size(shape))
        return NULL;
    slot->spare = NULL;
    return reshape(block, shape);
}

bool rcuinfo__arena_keep_spare(struct rcuinfo__slot *slot, struct rcuinfo__block *block)
{
    bool keep = slot->index < RCUINFO__NEAR && !slot->spare && rcuinfo__block_bytes(block) <= RCUINFO__ARENA_SPARE;
    if (keep)
        slot->spare = block;
    return keep;
}

void rcuinfo__arena_give(struct rcuinfo__arena *arena, struct rcuinfo__block *block)
{
    uint64_t bytes = rcuinfo__block_bytes(block);
    uint32_t size = size_of(&bytes);
    size_t kept = atomic_load_explicit(&arena->kept, RCUINFO__RELAXED);
    bool keep = size < RCUINFO__ARENA_SIZES && kept + bytes <= RCUINFO__ARENA_KEPT / rcuinfo__arena_count;
    RCUINFO__CHECK(bytes == rcuinfo__block_bytes(block) || size == RCUINFO__ARENA_SIZES);

    rcuinfo__arena_push_block(keep ? &arena->blocks[size] : &arena->unkept, block);
    if (keep)
        rcuinfo__arena_count_bytes(&arena->kept, (size_t)bytes);
}

void rcuinfo__arena_free(struct rcuinfo__block *block)
{
    rcuinfo__alloc_free(rcuinfo__block_memory(block));
}

static void trim_slots(struct rcuinfo__arena *arena, struct rcuinfo__slot *list)
{
    for (struct rcuinfo__slot *slot = list; slot; slot = slot->next) {
        struct rcuinfo__block *block = slot->spare;
        if (block) {
            slot->spare = NULL;
            rcuinfo__arena_push_block(&arena->unkept, block);
        }
    }
}

void rcuinfo__arena_trim(struct rcuinfo__arena *arena)
{
    rcuinfo__arena_lock(arena);
    for (uint32_t size = 0; size < RCUINFO__ARENA_SIZES; size++) {
        for (struct rcuinfo__block *block; (block = rcuinfo__arena_pop_block(&arena->blocks[size]));)
            rcuinfo__arena_push_block(&arena->unkept, block);
    }
    trim_slots(arena, arena->queues[false].oldest);
    trim_slots(arena, arena->ready);
    trim_slots(arena, arena->idle);
    trim_slots(arena, arena->surplus);
    rcuinfo__arena_store(&arena->kept, 0);
    rcuinfo__arena_leave_and_free(arena);
}

/* Makes the end and the length of a queue agree with its links. */
static void repair(struct rcuinfo__queue *queue)
{
    queue->length = 0;
    for (struct rcuinfo__slot *slot = queue->oldest; slot; slot = slot->next, queue->length++)
        queue->newest = slot;
}

void rcuinfo__arena_after_fork(void)
{
    uint32_t free = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__RELAXED);
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++) {
        /* One inside of which a signal handler forks stays locked, and as it is, until the handler returns. */
        struct rcuinfo__arena *arena = &rcuinfo__arenas[i];
        bool held = is_inside(arena);
        atomic_store_explicit(&arena->lock.word, held ? free | RCUINFO__LOCK_HELD : free, RCUINFO__RELAXED);
        for (unsigned far = 0; far < 2 && !held; far++)
            repair(&arena->queues[far]);
    }
}
