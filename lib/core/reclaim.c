/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reclaim: see reclaim.h for the interface. This is how a block comes to its end, and a slot with it.
 *
 * A writer that has no room left in its block copies the pairs to another one and publishes that by an exchange of the
 * root. It drops its reference on the old block. If other objects (by dup) or snapshots have references, nothing else
 * happens. Otherwise the block is retired, and so is the slot of a freed object with its last block:
 *
 *     in use --retire--> fresh --flip--> waiting --scan--> free
 *                                                  `-----> held --another scan--> free
 *
 * All this happens in an arena. When its fresh list has STEP bytes and no thread is awake that may be reading, what is
 * in it is free at once. Otherwise, when it has BATCH bytes, it becomes the waiting list, for the next scan by any
 * thread; and when the list is full again, the arena needs the result of that scan, and scans if nobody else has. So
 * one scan serves all arenas that were waiting for it.
 *
 * A scan, under the scan lock:
 *
 *  1. helps each section that has said a slot, but no version yet (core/reader.h);
 *  2. executes the fence;
 *  3. collects what all records say.
 *
 * What was retired before step 2 and is not in that collection is read by nobody:
 *
 *  - a block, unless a section has said a version in it, or is still at a slot that leads to it (`mark`);
 *  - a slot, unless a section is still at it. A section that has said its version does not look at the slot any more.
 *
 * What is found to be in use is held, and looked at again with the next list. So a reader that is preempted, or stopped
 * for good, keeps the one block that it reads, and the process goes on.
 *
 * A retired block has one reference, that of the object or snapshot that left it last. If a reader has added another
 * one before the scan, the block is in use again, and its reference is dropped like any other. It may then become the
 * last one once more, with a mark: an object has left the block since, so its readers may have it, and it is retired
 * again. Hence a block is free only if it has one reference and no mark when its scan is over.
 *
 *     step                             references   mark
 *     publish (a copy or a build)      1            none
 *     dup, open a snapshot, help       +1
 *     an object leaves, not the last   -1           its slot, or MANY
 *     a snapshot is closed, not last   -1
 *     the last one leaves: retire      remains 1    moves to block->mark
 *
 * Why dup may simply increment the count: inside its section, either the object still has its reference, or the block
 * was retired since and has one that cannot be dropped before the section has ended.
 *
 * Limits. A thread that finds the bytes in its arena's lists at its part of the hard limit scans at once, by itself if
 * another thread has the scan lock, and if that does not help, waits for readers. Held bytes do not count: they are at
 * most one block for each open section. Only readers that have not said their version and cannot be helped can make a
 * writer wait: hidden sections, and those at the same slot where membarrier is missing.
 */
#include "core/reclaim.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "core/alloc.h"
#include "core/arena.h"
#include "core/debug.h"
#include "core/rcu.h"

/* What sections may be reading: bits by slot, and by page of memory. */
#define BITS 4096U
#define PAGE 12U

struct found {
    uint64_t number; /* of the scan */
    bool hidden;     /* everything */
    bool any_slot;
    uint64_t slots[BITS / 64];
    uint64_t pages[BITS / 64];
};

static rcuinfo__lock_t scan_lock;
static struct found latest;    /* by the last scan; written under the scan lock */
static _Atomic uint64_t scans; /* [P13] field: number of scans begun */
static _Atomic size_t peak;

static void add_bit(uint64_t *bits, uint64_t value)
{
    bits[value % BITS / 64] |= UINT64_C(1) << value % 64;
}

static bool has_bit(const uint64_t *bits, uint64_t value)
{
    return bits[value % BITS / 64] >> value % 64 & 1;
}

static uint32_t said_slot(uint64_t said)
{
    return (uint32_t)(said >> 1) & (RCUINFO__SLOTS - 1);
}

/* Adds what a section says. */
static void collect(struct found *found, uint64_t said)
{
    if (said == RCUINFO__READER_HIDDEN) {
        found->hidden = true;
    } else if (rcuinfo__reader_is_slot(said)) {
        found->any_slot = true;
        add_bit(found->slots, said_slot(said));
    } else if (said) {
        add_bit(found->pages, said >> PAGE);
    }
}

/* Whether a section has said a version in the block. Looks at the records again: their bits are of whole pages. */
static bool is_said(const struct rcuinfo__block *block)
{
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one)) {
        for (uint32_t at = 0; at < RCUINFO__READER_ROOM; at++) {
            uint64_t said = atomic_load_explicit(&one->says[at], RCUINFO__SAID); /* [P5] acquire */
            if (!(said & 1) && said - (uintptr_t)block < block->bytes)
                return true;
        }
    }
    return false;
}

static bool may_be_read(const struct found *found, const struct rcuinfo__block *block)
{
    uint64_t last = ((uintptr_t)block + block->bytes) >> PAGE;
    for (uint64_t page = (uintptr_t)block >> PAGE; page <= last; page++) {
        if (has_bit(found->pages, page))
            return is_said(block);
    }
    return false;
}

/* Whether sections may be at a slot from which they load a root in a block with that mark. */
static bool may_come(const struct found *found, uint32_t mark)
{
    if (found->hidden || (found->any_slot && mark == RCUINFO__BLOCK_MANY))
        return true;
    return mark != RCUINFO__BLOCK_UNMARKED && has_bit(found->slots, mark);
}

static void push_block(struct rcuinfo__retired *list, struct rcuinfo__block *block)
{
    block->next = list->blocks;
    RCUINFO__ARENA_LINK(list->blocks, block);
}

static void push_slot(struct rcuinfo__retired *list, struct rcuinfo__slot *slot)
{
    slot->next = list->slots;
    RCUINFO__ARENA_LINK(list->slots, slot);
}

/* Retires a slot, or a block, or both, in an arena whose lock is held. */
static void add_fresh(struct rcuinfo__arena *arena, struct rcuinfo__slot *slot, struct rcuinfo__block *block)
{
    struct rcuinfo__retired *list = &arena->retired[arena->fresh];
    size_t bytes = 0;
    if (slot) {
        bytes = sizeof *slot;
        push_slot(list, slot);
    }
    if (block) {
        bytes += rcuinfo__block_bytes(block);
        push_block(list, block);
    }
    rcuinfo__arena_count_bytes(&arena->fresh_bytes, bytes);
}

/* Help. */

/* Takes back the help for a section that has ended. Otherwise it may not have looked for it yet. */
static void withdraw_help(struct rcuinfo__arena *arena, struct rcuinfo__reader *reader)
{
    uint64_t helped = atomic_load_explicit(&reader->helped, RCUINFO__COUNT);
    const struct rcuinfo__entry *help = atomic_load_explicit(&reader->help, RCUINFO__COUNT);
    uint64_t said = atomic_load_explicit(&reader->says[reader->help_at], RCUINFO__SAID); /* [P5] acquire */
    bool another = rcuinfo__reader_is_slot(said) && said >> 21 != helped;
    if (!reader->promised || (said && !another))
        return;

    reader->promised = false;
    if (help && rcuinfo__block_drop(rcuinfo__block_of(help), RCUINFO__BLOCK_UNMARKED))
        add_fresh(arena, NULL, rcuinfo__block_of(help));
}

/* Chooses the version for a section that has said this. */
static void help(struct rcuinfo__reader *reader, uint32_t at, uint64_t said)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(said_slot(said));
    const struct rcuinfo__entry *version = NULL;
    struct rcuinfo__section section;
    bool taken = true;

    (void)rcuinfo__reader_begin(&section, said_slot(said));
    uint64_t generation = atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD); /* [P2] acquire */
    if (generation & RCUINFO__HANDLE_LIVE) {
        version = rcuinfo__handle_load(slot);
        taken = rcuinfo__block_take(rcuinfo__block_of(version));
    }
    rcuinfo__reader_end(&section);
    if (!taken)
        return;

    atomic_store_explicit(&reader->help, version, RCUINFO__COUNT);
    atomic_store_explicit(&reader->help_generation, generation, RCUINFO__COUNT);
    reader->help_at = at;
    reader->promised = true;
    /* [P11] publish: the version, and the generation that the slot had */
    atomic_store_explicit(&reader->helped, said >> 21, RCUINFO__HELP_PUBLISH);
    RCUINFO__SYNC_POINT(HELPED);
}

/* Step 1 for a record. */
static void prepare(struct rcuinfo__arena *arena, struct rcuinfo__reader *reader)
{
    rcuinfo__reader_tire(reader);
    withdraw_help(arena, reader);
    for (uint32_t at = 0; at < RCUINFO__READER_ROOM && !reader->promised; at++) {
        uint64_t said = atomic_load_explicit(&reader->says[at], RCUINFO__SAID); /* [P5] acquire */
        if (rcuinfo__reader_is_slot(said) && rcuinfo__reader_can_help())
            help(reader, at, said);
    }
}

/* Step 3 for a record. `help`: those who were helped before the fence need nothing else. */
static void collect_from(struct found *found, const struct rcuinfo__reader *reader, bool help)
{
    found->hidden |= rcuinfo__reader_crowd();
    for (uint32_t at = 0; at <= RCUINFO__READER_ROOM; at++) {
        uint64_t said = atomic_load_explicit(&reader->says[at], RCUINFO__SAID); /* [P5] acquire */
        if (help && reader->promised && rcuinfo__reader_is_slot(said) &&
            said >> 21 == atomic_load_explicit(&reader->helped, RCUINFO__COUNT))
            continue;
        collect(found, said);
    }
}

static void scan(struct rcuinfo__arena *arena)
{
    struct rcuinfo__reader *self = rcuinfo__reader_self;

    memset(&latest, 0, sizeof latest);
    uint64_t number = atomic_fetch_add_explicit(&scans, 1, RCUINFO__SCANS) + 1; /* [P13] publish */
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one)) {
        if (one != self)
            prepare(arena, one);
    }

    RCUINFO__SYNC_POINT(DETACHED);
    rcuinfo__reader_fence();
    RCUINFO__SYNC_POINT(PASSED);

    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one)) {
        collect_from(&latest, one, true);
        if (one != self)
            rcuinfo__reader_rest(one);
    }
    latest.number = number;
}

/* Gets the result of a scan with at least that number. If another thread is scanning, which may be preempted: looks at
 * the records without helping anybody, or returns false unless `now`. */
static bool look(struct rcuinfo__arena *arena, uint64_t wants, bool now, struct found *found)
{
    if (rcuinfo__lock_try(&scan_lock)) {
        if (latest.number < wants)
            scan(arena);
        *found = latest;
        rcuinfo__lock_give(&scan_lock);
        return true;
    }
    if (!now)
        return false;

    memset(found, 0, sizeof *found);
    rcuinfo__reader_fence();
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one))
        collect_from(found, one, false);
    return true;
}

/* Same when no other thread is awake. */
static void look_at_own(struct found *found)
{
    memset(found, 0, sizeof *found);
    collect_from(found, rcuinfo__reader_self, false);
}

/* What looking at a list gives. */
struct result {
    struct rcuinfo__free_block *surplus; /* free blocks that their arenas do not keep */
    size_t stuck;                        /* bytes in use by readers that have not said which block */
    size_t held;                         /* bytes in use by readers that have */
};

/* Drops the reference of an object or of a retired block, which no section at a slot can load any more. */
static void drop(struct rcuinfo__arena *arena, const struct found *found, struct rcuinfo__block *block,
                 struct rcuinfo__slot *slot, struct rcuinfo__retired *to, struct result *result)
{
    if (block == &rcuinfo__empty.block)
        return;

    /* Twice: a section that says a version in it may add a reference, and end before we look at what it says. */
    bool sole = rcuinfo__block_is_sole(block);
    bool read = sole && may_be_read(found, block);
    if (!sole || !rcuinfo__block_is_sole(block)) {
        /* The last reference again: for another look, since readers may have come since this one. */
        if (rcuinfo__block_drop(block, slot ? slot->index : RCUINFO__BLOCK_UNMARKED)) {
            push_block(to, block);
            result->stuck += rcuinfo__block_bytes(block);
        }
    } else if (read) {
        block->mark = RCUINFO__BLOCK_UNMARKED;
        push_block(to, block);
        result->held += rcuinfo__block_bytes(block);
    } else {
        rcuinfo__block_end(block);
        bool near = slot && slot->index < RCUINFO__NEAR;
        if (near && !slot->spare && rcuinfo__block_bytes(block) <= RCUINFO__ARENA_SPARE)
            slot->spare = block;
        else
            rcuinfo__arena_give(arena, block, &result->surplus);
    }
}

/* Looks at all slots and blocks of a list, and moves those that are in use to another. */
static void sift(struct rcuinfo__arena *arena, const struct found *found, struct rcuinfo__retired *from,
                 struct rcuinfo__retired *to, struct result *result)
{
    struct rcuinfo__slot *slot;
    struct rcuinfo__block *block;

    while ((slot = from->slots)) {
        RCUINFO__ARENA_LINK(from->slots, slot->next);
        if (may_come(found, slot->index)) {
            push_slot(to, slot);
            result->stuck += sizeof *slot;
        } else {
            drop(arena, found, rcuinfo__block_of(rcuinfo__handle_clear(slot)), slot, to, result);
            rcuinfo__arena_give_slot(arena, slot);
        }
    }

    while ((block = from->blocks)) {
        RCUINFO__ARENA_LINK(from->blocks, block->next);
        if (may_come(found, block->mark)) {
            push_block(to, block);
            result->stuck += rcuinfo__block_bytes(block);
        } else {
            drop(arena, found, block, NULL, to, result);
        }
    }
}

static size_t load_bytes(const _Atomic size_t *counter)
{
    return atomic_load_explicit(counter, RCUINFO__COUNT);
}

static void store_bytes(_Atomic size_t *counter, size_t bytes)
{
    atomic_store_explicit(counter, bytes, RCUINFO__COUNT);
}

/* Looks at a list of the arena, and at what the last scan found to be in use. */
static void sift_arena(struct rcuinfo__arena *arena, const struct found *found, uint32_t list,
                       struct rcuinfo__free_block **surplus)
{
    struct result result = {.surplus = *surplus};
    struct rcuinfo__retired *before = &arena->retired[2 + arena->held];
    arena->held = 1 - arena->held;
    sift(arena, found, before, &arena->retired[2 + arena->held], &result);
    sift(arena, found, &arena->retired[list], &arena->retired[2 + arena->held], &result);

    store_bytes(&arena->stuck_bytes, result.stuck);
    store_bytes(&arena->held_bytes, result.held);
    *surplus = result.surplus;
}

/* Bytes that count towards the limit. */
static size_t waiting_in(const struct rcuinfo__arena *arena)
{
    return load_bytes(&arena->fresh_bytes) + load_bytes(&arena->wait_bytes) + load_bytes(&arena->stuck_bytes);
}

static bool is_full(const struct rcuinfo__arena *arena)
{
    return waiting_in(arena) >= RCUINFO__RECLAIM_HARD_LIMIT / rcuinfo__arena_count;
}

/* Reclaims what it can. `full`: needs a scan now, for however few bytes. Call with the arena's
 * lock held. */
static void reclaim_in(struct rcuinfo__arena *arena, bool full, struct rcuinfo__free_block **surplus)
{
    struct found found;
    uint32_t waiting = 1 - arena->fresh;
    size_t fresh = load_bytes(&arena->fresh_bytes);

    if (!rcuinfo__reader_others_awake()) {
        look_at_own(&found);
        sift_arena(arena, &found, waiting, surplus);
        store_bytes(&arena->wait_bytes, 0);
        store_bytes(&arena->fresh_bytes, 0);
        sift_arena(arena, &found, arena->fresh, surplus);
        arena->step = RCUINFO__RECLAIM_STEP;
        return;
    }

    arena->step = fresh + RCUINFO__RECLAIM_STEP;
    if (!full && fresh < RCUINFO__RECLAIM_BATCH)
        return;
    if (load_bytes(&arena->wait_bytes)) {
        if (!look(arena, arena->wants, full, &found))
            return;
        sift_arena(arena, &found, waiting, surplus);
        store_bytes(&arena->wait_bytes, 0);
    }

    /* Readers that load a root from now on find the new one. A scan whose number this load misses counts after it in
     * the order of all sequentially consistent operations, and so fences readers after it, too. [P13] acquire */
    arena->wants = atomic_load_explicit(&scans, RCUINFO__SCANS_LOAD) + 1;
    fresh = load_bytes(&arena->fresh_bytes);
    arena->fresh = waiting;
    store_bytes(&arena->wait_bytes, fresh);
    store_bytes(&arena->fresh_bytes, 0);
    arena->step = RCUINFO__RECLAIM_STEP;
}

static void note_peak(void)
{
    size_t bytes = rcuinfo__reclaim_waiting();
    size_t most = atomic_load_explicit(&peak, RCUINFO__COUNT);
    while (bytes > most && !atomic_compare_exchange_weak_explicit(&peak, &most, bytes, RCUINFO__COUNT, RCUINFO__COUNT))
        ;
}

static void pause_a_moment(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int saved_errno = errno;
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    nanosleep(&pause, NULL);
    pthread_setcancelstate(state, NULL);
    errno = saved_errno;
}

static bool may_wait(void)
{
    return !rcuinfo__reader_reading() && !rcuinfo__rcu_reading();
}

/* An arena is full: scans at once, and waits while readers that have not said their version keep it full. */
static void reclaim_full(struct rcuinfo__arena *arena)
{
    bool full;
    for (;;) {
        struct rcuinfo__free_block *surplus = NULL;
        rcuinfo__arena_lock(arena);
        for (int list = 0; list < 2 && is_full(arena); list++) /* the waiting one, and then the fresh one */
            reclaim_in(arena, true, &surplus);
        full = is_full(arena);
        rcuinfo__arena_leave(arena);
        rcuinfo__arena_free_all(surplus);

        if (!full || !may_wait())
            return;
        pause_a_moment();
    }
}

static void retire(struct rcuinfo__slot *slot, struct rcuinfo__block *block, size_t more)
{
    struct rcuinfo__free_block *surplus = NULL;
    struct rcuinfo__arena *arena = rcuinfo__arena_enter(true);
    bool full = false;

    add_fresh(arena, slot, block);
    rcuinfo__arena_count_bytes(&arena->fresh_bytes, more);
    size_t fresh = load_bytes(&arena->fresh_bytes);
    if (__builtin_expect(fresh >= RCUINFO__RECLAIM_STEP && fresh >= arena->step, 0)) {
        note_peak();
        reclaim_in(arena, false, &surplus);
        full = is_full(arena);
    }
    rcuinfo__arena_leave(arena);

    rcuinfo__arena_free_all(surplus);
    if (__builtin_expect(full, 0))
        reclaim_full(arena);
}

void rcuinfo__reclaim_block(struct rcuinfo__block *block)
{
    retire(NULL, block, 0);
}

void rcuinfo__reclaim_slot(struct rcuinfo__slot *slot)
{
    const struct rcuinfo__block *block = rcuinfo__block_of(atomic_load_explicit(&slot->root, RCUINFO__COUNT));
    bool sole = block != &rcuinfo__empty.block && atomic_load_explicit(&block->refcount, RCUINFO__COUNT) == 1;
    retire(slot, NULL, sole ? rcuinfo__block_bytes(block) : 0);
}

static void move_all(struct rcuinfo__retired *from, struct rcuinfo__retired *to)
{
    for (struct rcuinfo__slot *slot; (slot = from->slots);) {
        from->slots = slot->next;
        push_slot(to, slot);
    }
    for (struct rcuinfo__block *block; (block = from->blocks);) {
        from->blocks = block->next;
        push_block(to, block);
    }
}

/* What a flush still has to look at, by arena. */
struct flush {
    struct rcuinfo__retired lists[RCUINFO__ARENAS];
    struct rcuinfo__free_block *surplus;
    bool left; /* something is in the lists */
};

static void move_to_flush(struct rcuinfo__arena *arena, struct rcuinfo__retired *list)
{
    rcuinfo__arena_lock(arena);
    for (uint32_t i = 0; i < 4; i++)
        move_all(&arena->retired[i], list);
    store_bytes(&arena->fresh_bytes, 0);
    store_bytes(&arena->wait_bytes, 0);
    store_bytes(&arena->stuck_bytes, 0);
    store_bytes(&arena->held_bytes, 0);
    rcuinfo__arena_leave(arena);
}

static void sift_flush(struct flush *flush, uint32_t i, const struct found *found)
{
    struct rcuinfo__arena *arena = &rcuinfo__arenas[i];
    struct rcuinfo__retired from = flush->lists[i];
    struct result result = {.surplus = flush->surplus};

    flush->lists[i] = (struct rcuinfo__retired){NULL, NULL};
    rcuinfo__arena_lock(arena);
    sift(arena, found, &from, &flush->lists[i], &result);
    rcuinfo__arena_leave(arena);

    flush->surplus = result.surplus;
    flush->left |= result.stuck || result.held;
}

static void flush_all(bool wait)
{
    struct flush flush = {.surplus = NULL, .left = true};
    struct found found;
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++)
        move_to_flush(&rcuinfo__arenas[i], &flush.lists[i]);

    /* One scan serves all arenas. */
    for (int looks = 1; flush.left; looks++) {
        if (rcuinfo__reader_others_awake()) {
            uint64_t wants = atomic_load_explicit(&scans, RCUINFO__SCANS_LOAD) + 1; /* [P13] acquire */
            struct rcuinfo__arena *arena = rcuinfo__arena_enter(true);
            (void)look(arena, wants, true, &found);
            rcuinfo__arena_leave(arena);
        } else {
            look_at_own(&found);
        }

        flush.left = false;
        for (uint32_t i = 0; i < rcuinfo__arena_count; i++)
            sift_flush(&flush, i, &found);
        if (!wait && looks == 2) /* a block may need two looks */
            break;
        if (flush.left && looks > 1)
            pause_a_moment();
    }
    rcuinfo__arena_free_all(flush.surplus);

    /* What is in use by the caller itself, who may not wait. */
    for (uint32_t i = 0; flush.left && i < rcuinfo__arena_count; i++) {
        struct rcuinfo__arena *arena = rcuinfo__arena_lock(&rcuinfo__arenas[i]);
        for (struct rcuinfo__block *block = flush.lists[i].blocks; block; block = block->next)
            rcuinfo__arena_count_bytes(&arena->held_bytes, rcuinfo__block_bytes(block));
        for (struct rcuinfo__slot *slot = flush.lists[i].slots; slot; slot = slot->next)
            rcuinfo__arena_count_bytes(&arena->held_bytes, sizeof *slot);
        move_all(&flush.lists[i], &arena->retired[2 + arena->held]);
        rcuinfo__arena_leave(arena);
    }
}

/* Layers: their readers are read sections of liburcu-bp, which say nothing. */

#define LAYERS_MOST ((size_t)512 << 10) /* bytes that may wait before a thread waits for a grace period */

static ck_stack_t layers = CK_STACK_INITIALIZER; /* [P4] field: pushed by writers, popped with the lock held */
static _Atomic size_t layer_bytes;
static rcuinfo__lock_t layers_lock;
static _Atomic uint64_t grace_periods;

void rcuinfo__reclaim_layer(struct rcuinfo__layer *layer)
{
    atomic_fetch_add_explicit(&layer_bytes, layer->bytes, RCUINFO__COUNT);
    ck_stack_push_upmc(&layers, &layer->link); /* [P4] publish */
}

/* Waits for a grace period, and frees what was retired before it. Signals are blocked: a signal handler that forks
 * would wait for the lock of its own thread. liburcu may sleep in poll, which is a cancellation point. */
static void flush_layers(size_t least, bool wait)
{
    int saved_errno = errno;
    int state;
    sigset_t mask;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    rcuinfo__lock_hold_signals(&mask);
    bool locked = rcuinfo__lock_try(&layers_lock);
    if (!locked && wait) {
        (void)rcuinfo__lock_take(&layers_lock);
        locked = true;
    }

    /* Another thread may have done so while we waited. liburcu aborts the process where membarrier fails. */
    if (locked && load_bytes(&layer_bytes) >= least && rcuinfo__reader_try_membarrier()) {
        ck_stack_entry_t *link = ck_stack_batch_pop_upmc(&layers); /* [P4] acquire */
        RCUINFO__SYNC_POINT(DETACHED);
        rcuinfo__rcu_synchronize();
        atomic_fetch_add_explicit(&grace_periods, 1, RCUINFO__COUNT);
        RCUINFO__SYNC_POINT(PASSED);
        while (link) {
            struct rcuinfo__layer *layer = RCUINFO__BLOCK_CAST(struct rcuinfo__layer, link); /* its first field */
            link = link->next;
            atomic_fetch_sub_explicit(&layer_bytes, layer->bytes, RCUINFO__COUNT);
            if (rcuinfo__block_drop(layer->drop, RCUINFO__BLOCK_UNMARKED))
                rcuinfo__reclaim_block(layer->drop);
            rcuinfo__alloc_free(layer);
        }
    }

    if (locked)
        rcuinfo__lock_give(&layers_lock);
    rcuinfo__lock_release_signals(&mask);
    pthread_setcancelstate(state, NULL);
    errno = saved_errno;
}

void rcuinfo__reclaim_balance(void)
{
    size_t bytes = load_bytes(&layer_bytes);
    if (bytes >= LAYERS_MOST && rcuinfo__rcu_may_wait())
        flush_layers(LAYERS_MOST, bytes >= RCUINFO__RECLAIM_HARD_LIMIT);
}

bool rcuinfo__reclaim_flush(void)
{
    bool wait = may_wait();
    note_peak();
    if (wait && rcuinfo__rcu_may_wait() && load_bytes(&layer_bytes) > 0)
        flush_layers(1, true);
    flush_all(wait);
    return wait;
}

void rcuinfo__reclaim_trim(void)
{
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++)
        rcuinfo__arena_trim(&rcuinfo__arenas[i]);
}

size_t rcuinfo__reclaim_waiting(void)
{
    size_t bytes = load_bytes(&layer_bytes);
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++)
        bytes += waiting_in(&rcuinfo__arenas[i]) + load_bytes(&rcuinfo__arenas[i].held_bytes);
    return bytes;
}

size_t rcuinfo__reclaim_peak(void)
{
    note_peak();
    return load_bytes(&peak);
}

uint64_t rcuinfo__reclaim_scans(void)
{
    return atomic_load_explicit(&scans, RCUINFO__COUNT) + atomic_load_explicit(&grace_periods, RCUINFO__COUNT);
}

uint64_t rcuinfo__reclaim_reused(void)
{
    uint64_t slots = 0;
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++)
        slots += atomic_load_explicit(&rcuinfo__arenas[i].reused, RCUINFO__COUNT);
    return slots;
}

/* Fork. What another thread was doing with the layers is lost, and the result of its scan is not used. */

void rcuinfo__reclaim_before_fork(void)
{
    (void)rcuinfo__lock_take(&layers_lock);
}

void rcuinfo__reclaim_after_fork_parent(void)
{
    rcuinfo__lock_give(&layers_lock);
}

void rcuinfo__reclaim_after_fork_child(void)
{
    uint32_t free = atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__COUNT);
    atomic_store_explicit(&layers_lock.word, free, RCUINFO__COUNT);
    atomic_store_explicit(&scan_lock.word, free, RCUINFO__COUNT);
    latest.number = 0;

    size_t bytes = 0;
    for (const ck_stack_entry_t *link = layers.head; link; link = link->next)
        bytes += RCUINFO__BLOCK_CAST(const struct rcuinfo__layer, link)->bytes;
    store_bytes(&layer_bytes, bytes);
    rcuinfo__reader_after_fork();
    rcuinfo__arena_after_fork();
}
