/* SPDX-License-Identifier: BSD-3-Clause */
/* arena: see arena.h. */
#include "core/memory/arena.h"

#include <unistd.h>

#include "core/memory/alloc.h"
#include "core/debug.h"

#define PER_PROCESSOR 4 /* arenas: some of their locks may be held by threads that are preempted */

/* Slots that become ready together: the processor prefetches the slots after those in use, so that small pieces of the
 * table would be shared falsely by two arenas. Other arenas take so many from one that keeps as many. */
#define AT_ONCE 128

/* Free slots that a thread takes into its record together, and ended ones that it gives together. */
#define AT_HAND 16
#define ENDED   32

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
    return slot;
}

static void make_ready(struct rcuinfo__arena *arena, struct rcuinfo__slot *slot)
{
    rcuinfo__arena_push_slot(&arena->ready, slot);
    __atomic_store_n(&arena->ready_length, arena->ready_length + 1, __ATOMIC_RELAXED);
}

static struct rcuinfo__slot *take_ready(struct rcuinfo__arena *arena)
{
    struct rcuinfo__slot *slot = rcuinfo__arena_pop_slot(&arena->ready);
    if (slot)
        __atomic_store_n(&arena->ready_length, arena->ready_length - 1, __ATOMIC_RELAXED);
    return slot;
}

/* Takes slots that another arena can spare: a list. As when one thread creates objects and another frees them. */
static struct rcuinfo__slot *take_from_others(const struct rcuinfo__arena *self)
{
    struct rcuinfo__slot *list = NULL;
    for (uint32_t i = 0; i < rcuinfo__arena_count && !list; i++) {
        struct rcuinfo__arena *other = &rcuinfo__arenas[i];
        if (other == self || __atomic_load_n(&other->ready_length, __ATOMIC_RELAXED) < 2 * AT_ONCE ||
            !rcuinfo__arena_try(other))
            continue;
        for (int n = 0; n < AT_ONCE && other->ready; n++)
            rcuinfo__arena_push_slot(&list, take_ready(other));
        rcuinfo__arena_leave(other);
    }
    return list;
}

/* Takes a slot of the arena, whose lock is held; NULL if it has none that may be used. */
static struct rcuinfo__slot *take_slot(struct rcuinfo__arena *arena)
{
    struct rcuinfo__slot *slot = take_ready(arena);
    if (!slot)
        slot = take_oldest(arena, false);
    if (!slot)
        slot = take_oldest(arena, true);
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

/* Begins to change the lists of a thread's record; false: the thread has none, or a signal handler interrupts such a
 * change. */
static inline bool begin_lists(struct rcuinfo__reader *self)
{
    if (self->lists_in_use || self == &rcuinfo__reader_none)
        return false;
    self->lists_in_use = true;
    RCUINFO__READER_KEEP_ORDER();
    return true;
}

static inline void end_lists(struct rcuinfo__reader *self)
{
    RCUINFO__READER_KEEP_ORDER();
    self->lists_in_use = false;
}

/* Takes a slot of the arena, whose lock is held, and more of them to have at hand. */
static struct rcuinfo__slot *take_slots(struct rcuinfo__arena *arena, struct rcuinfo__reader *self)
{
    struct rcuinfo__slot *slot = take_slot(arena);
    if (!slot || !begin_lists(self))
        return slot;

    /* In this order, so that a thread that is alone uses them in the order in which they became free. */
    struct rcuinfo__slot **end = &self->at_hand;
    while (*end)
        end = &(*end)->next;
    struct rcuinfo__slot *next;
    for (int n = 1; n < AT_HAND && (next = take_slot(arena)); n++) {
        next->next = NULL; /* first: a child of fork must not find the rest of the arena's list behind it */
        RCUINFO__ARENA_LINK(*end, next);
        end = &next->next;
    }
    end_lists(self);
    return slot;
}

/* The rest of rcuinfo__arena_slot: none is at hand. */
static __attribute__((noinline)) struct rcuinfo__slot *slot_of_arena(bool grow)
{
    struct rcuinfo__arena *arena = rcuinfo__arena_enter(true);
    struct rcuinfo__reader *self = rcuinfo__reader_self;
    struct rcuinfo__slot *slot = take_slots(arena, self);

    if (__builtin_expect(!slot, 0)) {
        struct rcuinfo__slot *list = take_from_others(arena);
        rcuinfo__arena_leave(arena); /* as the next call may allocate */
        if (!list && grow)
            list = rcuinfo__handle_fresh(AT_ONCE);
        arena = rcuinfo__arena_enter(true);
        for (struct rcuinfo__slot *one; (one = rcuinfo__arena_pop_slot(&list));)
            make_ready(arena, one);
        slot = take_slots(arena, self);
    }
    rcuinfo__arena_leave(arena);
    return slot ? slot : take_from_any();
}

struct rcuinfo__slot *rcuinfo__arena_slot(bool grow)
{
    struct rcuinfo__reader *self = rcuinfo__reader_self;
    struct rcuinfo__slot *slot = NULL;
    if (__builtin_expect(self->at_hand && begin_lists(self), 1)) {
        slot = rcuinfo__arena_pop_slot(&self->at_hand);
        end_lists(self);
    }
    return __builtin_expect(slot != NULL, 1) ? slot : slot_of_arena(grow);
}

void rcuinfo__arena_give_slot(struct rcuinfo__arena *arena, struct rcuinfo__slot *slot)
{
    unsigned far = slot->index >= RCUINFO__NEAR;
    struct rcuinfo__queue *queue = &arena->queues[far];

    queue->given++;
    slot->freed = atomic_load_explicit(&freed[far].slots, RCUINFO__RELAXED) + queue->given;
    slot->next = NULL;
    RCUINFO__ARENA_LINK(*(queue->oldest ? &queue->newest->next : &queue->oldest), slot);
    queue->newest = slot;
}

void rcuinfo__arena_count_freed(struct rcuinfo__arena *arena)
{
    for (unsigned far = 0; far < 2; far++) {
        struct rcuinfo__queue *queue = &arena->queues[far];
        if (queue->given)
            queue->freed = queue->given + atomic_fetch_add_explicit(&freed[far].slots, queue->given, RCUINFO__RELAXED);
        queue->given = 0;
    }
    for (struct rcuinfo__slot *slot; (slot = take_oldest(arena, false));)
        make_ready(arena, slot);
}

/* Gives lists of slots that no reader can be reading: `ready`, of slots that may be used at once. */
static void give_slots(struct rcuinfo__slot *ended, struct rcuinfo__slot *ready)
{
    struct rcuinfo__arena *arena = rcuinfo__arena_enter(true);
    for (struct rcuinfo__slot *slot; (slot = rcuinfo__arena_pop_slot(&ended));)
        rcuinfo__arena_give_slot(arena, slot);
    for (struct rcuinfo__slot *slot; (slot = rcuinfo__arena_pop_slot(&ready));)
        make_ready(arena, slot);
    rcuinfo__arena_count_freed(arena);
    rcuinfo__arena_leave(arena);
}

void rcuinfo__arena_end_slot(struct rcuinfo__slot *slot)
{
    struct rcuinfo__reader *self = rcuinfo__reader_self;
    struct rcuinfo__slot *list = slot;
    if (__builtin_expect(begin_lists(self), 1)) {
        rcuinfo__arena_push_slot(&self->ended, slot);
        list = NULL;
        if (__builtin_expect(++self->ended_length >= ENDED, 0)) {
            list = self->ended;
            RCUINFO__ARENA_LINK(self->ended, NULL);
            self->ended_length = 0;
        }
        end_lists(self);
    } else {
        list->next = NULL;
    }
    if (__builtin_expect(list != NULL, 0))
        give_slots(list, NULL);
}

static void give_lists(struct rcuinfo__reader *reader)
{
    struct rcuinfo__slot *ended = reader->ended, *ready = reader->at_hand;
    RCUINFO__ARENA_LINK(reader->ended, NULL);
    RCUINFO__ARENA_LINK(reader->at_hand, NULL);
    reader->ended_length = 0;
    if (ended || ready)
        give_slots(ended, ready);
}

void rcuinfo__arena_give_records(void)
{
    struct rcuinfo__reader *self = rcuinfo__reader_self;
    if (begin_lists(self)) {
        give_lists(self);
        end_lists(self);
    }
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one)) {
        if (rcuinfo__reader_take(one)) {
            give_lists(one);
            rcuinfo__reader_give(one);
        }
    }
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
    rcuinfo__arena_store(&arena->kept, 0);
    rcuinfo__arena_leave_and_free(arena);
}

/* Makes the ends of the queues, and the number of ready slots, agree with the links. */
static void repair(struct rcuinfo__arena *arena)
{
    for (unsigned far = 0; far < 2; far++) {
        for (struct rcuinfo__slot *slot = arena->queues[far].oldest; slot; slot = slot->next)
            arena->queues[far].newest = slot;
    }
    arena->ready_length = 0;
    for (const struct rcuinfo__slot *slot = arena->ready; slot; slot = slot->next)
        arena->ready_length++;
}

void rcuinfo__arena_after_fork(void)
{
    uint32_t free = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__RELAXED);
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++) {
        /* One inside of which a signal handler forks stays locked, and as it is, until the handler returns. */
        struct rcuinfo__arena *arena = &rcuinfo__arenas[i];
        bool held = is_inside(arena);
        atomic_store_explicit(&arena->lock.word, held ? free | RCUINFO__LOCK_HELD : free, RCUINFO__RELAXED);
        if (!held)
            repair(arena);
    }
}
