/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reclaim: see reclaim.h for the interface. The life cycle of a block, and of the slot that goes with it:
 *
 * A writer that has no room left in its block copies the pairs to another one and publishes that by one store of the
 * root. It drops its reference on the old block. If other objects (by dup) or snapshots have references, nothing else
 * happens. Otherwise the block is retired. So are the block of a freed object, in the same way, and its slot:
 *
 *     in use --retire--> fresh --flip--> waiting --scan--> free
 *                                                  `-----> held --another scan--> free
 *
 * What only its owner has used (core/memory/handle.h) is free at once. All else is retired in an arena, by
 * `begin_to_wait`, which is the only function that makes the lists longer: this file alone knows them, and the compiler
 * does not let a caller ignore that a look at the limits is due. When the fresh list there has a batch of bytes, it
 * becomes the waiting list, for the next scan by any thread; and when the list is full again, the arena needs the
 * result of that scan, and scans if nobody else has. So one scan serves all arenas that were waiting for it. A thread
 * scans without the arena's lock. It may find another waiting list when it has the lock again, so the arena knows the
 * number of the scan that its lists need.
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
 * Limits. An arena is full when half of the hard limit waits in all arenas together, and the arena's equal share of the
 * other half waits in it. A thread whose arena is full scans at once; if another thread has the scan lock, it looks at
 * the records itself. If that does not help, it waits for readers that have not said a version. What is held for them
 * counts towards the limit. What is held for readers that have said one does not: it is one block for each section.
 */
#include "core/memory/reclaim.h"

#include "core/debug.h"
#include "core/memory/arena.h"
#include "core/memory/scan.h"
#include "core/memory/stock.h"
#include "core/rcu.h"

/* Retired slots and blocks, in any order. */
struct retired {
    struct rcuinfo__slot *slots;
    struct rcuinfo__block *blocks;
};

/* What waits in an arena; written with the arena's lock held. Any thread reads the counters. */
struct waiting {
    _Alignas(128) struct retired retired[2]; /* [fresh]: what is retired now; the other: what waits for a scan */
    struct retired held[2];                  /* [latest]: what the last scan found in use; the other: empty */
    uint32_t fresh;
    uint32_t latest;
    size_t most;    /* the most bytes that a look has found waiting here */
    size_t step;    /* bytes in the fresh list at which to look whether it can be reclaimed */
    size_t counted; /* bytes that wait here, as added to the total */

    _Atomic size_t fresh_bytes; /* in the fresh list */
    _Atomic size_t wait_bytes;  /* in the waiting list */
    _Atomic size_t stuck_bytes; /* held for readers that have not said a version: these count towards the limit */
    _Atomic size_t said_bytes;  /* held for readers that have, and what a drain has left */
    _Atomic uint64_t wants;     /* number of the scan that the waiting list needs, and the list of what is in use */
};

static struct waiting waiting[RCUINFO__ARENAS];

static struct waiting *waiting_of(const struct rcuinfo__arena *arena)
{
    return &waiting[arena - rcuinfo__arenas];
}

static _Atomic size_t peak;
_Atomic size_t rcuinfo__reclaim_deferred;

/* The only function that lengthens the lists: retires a slot, or a block, or both. Returns whether the limits must be
 * looked at: `look`. Call with the arena's lock held. */
RCUINFO__LAST static inline bool begin_to_wait(struct waiting *in, struct rcuinfo__slot *slot,
                                               struct rcuinfo__block *block)
{
    struct retired *list = &in->retired[in->fresh];
    size_t bytes = rcuinfo__arena_load(&in->fresh_bytes);
    if (slot) {
        bytes += RCUINFO__HANDLE_WAITING;
        rcuinfo__arena_push_slot(&list->slots, slot);
    }
    if (block) {
        bytes += rcuinfo__block_bytes(block);
        rcuinfo__arena_push_block(&list->blocks, block);
    }
    rcuinfo__arena_store(&in->fresh_bytes, bytes);
    return bytes >= RCUINFO__RECLAIM_STEP && bytes >= in->step && !RCUINFO__DEFECT(NO_LIMIT);
}

/* What was found to be in use: bytes. */
struct sifted {
    size_t stuck; /* by readers that have not said a version */
    size_t said;  /* by readers that have */
};

/* Drops the reference of a retired block, which no section at a slot can load any more. */
static void drop(struct rcuinfo__arena *arena, const struct rcuinfo__found *found, struct rcuinfo__block *block,
                 struct retired *to, struct sifted *result)
{
    /* Twice: a section that says a version in it may add a reference, and end before we look at what it says. */
    bool sole = rcuinfo__block_is_sole(block);
    bool read = sole && rcuinfo__scan_may_be_read(found, block);
    if (!sole || !rcuinfo__block_is_sole(block)) {
        /* In use again: whoever drops the last reference must not free it at once, as what it was read by is not known
         * any more. The last one already: for another look, since readers may have come since this one. */
        if (rcuinfo__block_drop(block, RCUINFO__BLOCK_MANY)) {
            rcuinfo__arena_push_block(&to->blocks, block);
            result->stuck += rcuinfo__block_bytes(block);
        }
    } else if (read) {
        block->mark = RCUINFO__BLOCK_UNMARKED;
        rcuinfo__arena_push_block(&to->blocks, block);
        result->said += rcuinfo__block_bytes(block);
    } else {
        rcuinfo__arena_give(arena, block);
    }
}

/* Looks at all slots and blocks of a list: gives those that are free to the arena, and moves the others to another
 * list. Adds to *result. Call with the arena's lock held; give it by rcuinfo__arena_leave_and_free. */
static void sift(struct rcuinfo__arena *arena, const struct rcuinfo__found *found, struct retired *from,
                 struct retired *to, struct sifted *result)
{
    struct rcuinfo__slot *slot;
    struct rcuinfo__block *block;

    while ((slot = rcuinfo__arena_pop_slot(&from->slots))) {
        if (rcuinfo__scan_may_come(found, slot->index)) {
            rcuinfo__arena_push_slot(&to->slots, slot);
            result->stuck += RCUINFO__HANDLE_WAITING;
        } else {
            (void)rcuinfo__handle_clear(slot);
            rcuinfo__arena_give_slot(arena, slot);
        }
    }

    while ((block = rcuinfo__arena_pop_block(&from->blocks))) {
        if (rcuinfo__scan_may_come(found, block->mark)) {
            rcuinfo__arena_push_block(&to->blocks, block);
            result->stuck += rcuinfo__block_bytes(block);
        } else {
            drop(arena, found, block, to, result);
        }
    }
    rcuinfo__arena_count_freed(arena);
}

/* Looks at a list of the arena, and at what the last scan found to be in use. */
static void sift_arena(struct rcuinfo__arena *arena, const struct rcuinfo__found *found, uint32_t list)
{
    struct waiting *in = waiting_of(arena);
    struct sifted result = {0};
    struct retired *before = &in->held[in->latest];
    in->latest = 1 - in->latest;
    sift(arena, found, before, &in->held[in->latest], &result);
    sift(arena, found, &in->retired[list], &in->held[in->latest], &result);

    rcuinfo__arena_store(&in->stuck_bytes, result.stuck);
    rcuinfo__arena_store(&in->said_bytes, result.said);
}

size_t rcuinfo__reclaim_waiting_in(const struct rcuinfo__arena *arena)
{
    const struct waiting *in = waiting_of(arena);
    return rcuinfo__arena_load(&in->fresh_bytes) + rcuinfo__arena_load(&in->wait_bytes) +
           rcuinfo__arena_load(&in->stuck_bytes);
}

/* Bytes that wait in all arenas, as counted at their last steps. A signal handler's fork may make it negative. */
static _Atomic ptrdiff_t total;

static ptrdiff_t waiting_in_all(void)
{
    return atomic_load_explicit(&total, RCUINFO__RELAXED);
}

/* Counts the bytes that wait in the arena. Call with its lock held. */
static void update_total(const struct rcuinfo__arena *arena)
{
    struct waiting *in = waiting_of(arena);
    size_t bytes = rcuinfo__reclaim_waiting_in(arena);
    if (bytes != in->counted)
        atomic_fetch_add_explicit(&total, (ptrdiff_t)(bytes - in->counted), RCUINFO__RELAXED);
    in->counted = bytes;
}

/* One half of the hard limit is for all arenas together, the other one for those that have less than their part. */
static bool is_full(const struct rcuinfo__arena *arena)
{
    return rcuinfo__reclaim_waiting_in(arena) >= RCUINFO__RECLAIM_HARD_LIMIT / 2 / rcuinfo__arena_count &&
           waiting_in_all() >= (ptrdiff_t)RCUINFO__RECLAIM_HARD_LIMIT / 2;
}

/* Bytes for which an arena wants a scan: as many as leave room for others' lists, but at least its part. */
static size_t batch(void)
{
    ptrdiff_t left = (ptrdiff_t)RCUINFO__RECLAIM_MUCH - waiting_in_all();
    size_t room = left > 0 ? (size_t)left / 2 : 0;
    size_t part = RCUINFO__RECLAIM_MUCH / 2 / rcuinfo__arena_count; /* each arena has two lists */
    size_t most = room < RCUINFO__RECLAIM_BATCH ? room : RCUINFO__RECLAIM_BATCH;
    return most > part ? most : part;
}

static uint64_t wanted(const struct rcuinfo__arena *arena)
{
    return atomic_load_explicit(&waiting_of(arena)->wants, RCUINFO__RELAXED);
}

/* From here on the arena wants a later scan. */
static void want_next(const struct rcuinfo__arena *arena)
{
    atomic_store_explicit(&waiting_of(arena)->wants, rcuinfo__scan_next(), RCUINFO__RELAXED);
}

static void move_all(struct retired *from, struct retired *to)
{
    for (struct rcuinfo__slot *slot; (slot = rcuinfo__arena_pop_slot(&from->slots));)
        rcuinfo__arena_push_slot(&to->slots, slot);
    for (struct rcuinfo__block *block; (block = rcuinfo__arena_pop_block(&from->blocks));)
        rcuinfo__arena_push_block(&to->blocks, block);
}

/* Reclaims what it can. `full`: for however few bytes. Returns true if it needs the result of a scan, i.e. `found` with
 * the number that the arena wants; NULL: none yet. Call with the arena's lock held; with `found`, give it by
 * rcuinfo__arena_leave_and_free. */
static bool reclaim_in(struct rcuinfo__arena *arena, bool full, const struct rcuinfo__found *found)
{
    struct waiting *in = waiting_of(arena);
    uint32_t second = 1 - in->fresh;
    size_t fresh = rcuinfo__arena_load(&in->fresh_bytes);

    in->step = fresh + RCUINFO__RECLAIM_STEP;
    if (!full && fresh < batch())
        return false;
    if (rcuinfo__arena_load(&in->wait_bytes) || rcuinfo__arena_load(&in->stuck_bytes)) {
        if (!found || found->number < wanted(arena))
            return true;
        sift_arena(arena, found, second);
    }

    /* Readers that load a root from now on find the new one. */
    want_next(arena);
    in->fresh = second;
    rcuinfo__arena_store(&in->wait_bytes, fresh);
    rcuinfo__arena_store(&in->fresh_bytes, 0);
    in->step = RCUINFO__RECLAIM_STEP;
    return false;
}

static void note_peak(void)
{
    size_t bytes = rcuinfo__reclaim_waiting();
    size_t most = atomic_load_explicit(&peak, RCUINFO__RELAXED);
    while (bytes > most &&
           !atomic_compare_exchange_weak_explicit(&peak, &most, bytes, RCUINFO__RELAXED, RCUINFO__RELAXED))
        ;
}

/* Between two looks at readers that keep an arena full, or a drain waiting: nothing signals when their sections end,
 * since that would cost each read. */
#define PAUSE 1000000 /* ns */

bool rcuinfo__reclaim_may_wait(void)
{
    return !rcuinfo__reader_reading() && !rcuinfo__rcu_reading();
}

/* Scans, and reclaims by the result. `wants`: what the arena wanted a moment ago. Adds blocks to be retired to *left.
 */
static void reclaim_by_scan(struct rcuinfo__arena *arena, bool full, uint64_t wants, struct rcuinfo__block **left)
{
    struct rcuinfo__found found;
    struct rcuinfo__block *more;
    bool looked = rcuinfo__scan_look(wants, full, &found, &more);
    for (struct rcuinfo__block *block; (block = rcuinfo__arena_pop_block(&more));)
        rcuinfo__arena_push_block(left, block);

    /* A thread that has the lock meanwhile also comes here. */
    if (looked && rcuinfo__arena_try(arena)) {
        (void)reclaim_in(arena, full, &found);
        update_total(arena);
        rcuinfo__arena_leave_and_free(arena);
    }
}

/* An arena is full: scans at once, and waits while readers that have not said their version keep it full; but not for
 * its lock, as nothing more is retired there while another thread has that. */
static void reclaim_full(struct rcuinfo__arena *arena, struct rcuinfo__block **left)
{
    for (bool full = true; full;) {
        for (int list = 0; list < 2 && full; list++) { /* the waiting one, and then the fresh one */
            if (!rcuinfo__arena_try(arena))
                return;
            bool scan = is_full(arena) && reclaim_in(arena, true, NULL);
            uint64_t wants = wanted(arena);
            update_total(arena);
            rcuinfo__arena_leave(arena);
            if (scan)
                reclaim_by_scan(arena, true, wants, left);
            full = is_full(arena);
        }
        if (!full || !rcuinfo__reclaim_may_wait())
            return;
        rcuinfo__reader_pause(PAUSE);
    }
}

/* Looks at the limits, and reclaims if it is time. Adds blocks to be retired to *left. Call with the lock held; returns
 * without it. */
static __attribute__((noinline)) void look(struct rcuinfo__arena *arena, struct rcuinfo__block **left)
{
    struct waiting *in = waiting_of(arena);
    if (rcuinfo__reclaim_waiting_in(arena) > in->most) { /* seldom: this reads what other processors write */
        in->most = rcuinfo__reclaim_waiting_in(arena);
        note_peak();
    }

    struct rcuinfo__block *unused = arena->used ? NULL : rcuinfo__stock_return(arena);
    if (unused)
        rcuinfo__arena_push_block(left, unused);
    arena->used = false;
    bool scan = reclaim_in(arena, false, NULL);
    uint64_t wants = wanted(arena);
    update_total(arena);
    bool full = is_full(arena);
    rcuinfo__arena_leave(arena);

    if (scan)
        reclaim_by_scan(arena, false, wants, left);
    if (full && is_full(arena))
        reclaim_full(arena, left);
}

static void retire(struct rcuinfo__slot *slot, struct rcuinfo__block *block)
{
    struct rcuinfo__block *left = NULL; /* blocks that lost their last reference in a look, and begin to wait in turn */
    do {
        struct rcuinfo__arena *arena = rcuinfo__arena_enter(true);
        if (__builtin_expect(begin_to_wait(waiting_of(arena), slot, block), 0))
            look(arena, &left);
        else
            rcuinfo__arena_leave(arena);
        slot = NULL;
        block = rcuinfo__arena_pop_block(&left);
    } while (__builtin_expect(block != NULL, 0));
}

void rcuinfo__reclaim_retire(struct rcuinfo__block *block)
{
    retire(NULL, block);
}

/* Of an object that only its owner has used. The block may still be read through other objects. */
static void end_slot(struct rcuinfo__slot *slot)
{
    struct rcuinfo__block *block = rcuinfo__block_of(rcuinfo__handle_clear(slot)), *left = NULL;
    if (!rcuinfo__block_is_sole(block))
        left = block == &rcuinfo__empty.block ? NULL : rcuinfo__stock_drop(block);
    else if (!rcuinfo__arena_keep_spare(slot, block))
        rcuinfo__arena_end_block(block);
    rcuinfo__arena_end_slot(slot);
    if (left)
        retire(NULL, left);
}

void rcuinfo__reclaim_freed(struct rcuinfo__slot *slot, bool owned)
{
    if (owned) {
        end_slot(slot);
        return;
    }

    /* The object leaves its block as at a copy. The root stays until the slot is free. */
    struct rcuinfo__block *block = rcuinfo__block_of(atomic_load_explicit(&slot->root, RCUINFO__RELAXED));
    retire(slot, rcuinfo__block_drop(block, slot->index) ? block : NULL);
}

static void move_to_flush(struct rcuinfo__arena *arena, struct retired *list)
{
    struct waiting *in = waiting_of(arena);
    rcuinfo__arena_lock(arena);
    struct rcuinfo__block *block = rcuinfo__stock_return(arena);
    if (block)
        rcuinfo__arena_push_block(&list->blocks, block);
    for (uint32_t i = 0; i < 2; i++) {
        move_all(&in->retired[i], list);
        move_all(&in->held[i], list);
    }
    rcuinfo__arena_store(&in->fresh_bytes, 0);
    rcuinfo__arena_store(&in->wait_bytes, 0);
    rcuinfo__arena_store(&in->stuck_bytes, 0);
    rcuinfo__arena_store(&in->said_bytes, 0);
    update_total(arena);
    rcuinfo__arena_leave(arena);
}

/* Returns whether something stays in the list. */
static bool sift_flush(struct rcuinfo__arena *arena, struct retired *list, const struct rcuinfo__found *found)
{
    struct retired from = *list;
    struct sifted result = {0};
    *list = (struct retired){NULL, NULL};
    rcuinfo__arena_lock(arena);
    sift(arena, found, &from, list, &result);
    rcuinfo__arena_leave_and_free(arena);
    return result.stuck || result.said;
}

/* wait: until nothing stays, or with `slots` until no slot does. */
static void flush_all(bool wait, bool slots)
{
    rcuinfo__arena_give_records();
    struct retired lists[RCUINFO__ARENAS] = {{NULL, NULL}}; /* what there is still to look at, by arena */
    struct rcuinfo__found found;
    struct rcuinfo__block *more;
    bool left = true, waits = true;
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++)
        move_to_flush(&rcuinfo__arenas[i], &lists[i]);

    /* One scan serves all arenas, and the blocks that it lets go of. */
    for (int looks = 1; waits; looks++) {
        (void)rcuinfo__scan_look(rcuinfo__scan_next(), true, &found, &more);
        move_all(&(struct retired){NULL, more}, &lists[0]);
        left = waits = false;
        for (uint32_t i = 0; i < rcuinfo__arena_count; i++) {
            left |= sift_flush(&rcuinfo__arenas[i], &lists[i], &found);
            waits |= slots ? lists[i].slots != NULL : left;
        }
        if (!wait && looks == 2) /* a block may need two looks */
            break;
        if (waits && looks > 1)
            rcuinfo__reader_pause(PAUSE);
    }

    /* What is in use by the caller itself, who may not wait, or by views. */
    for (uint32_t i = 0; left && i < rcuinfo__arena_count; i++) {
        struct rcuinfo__arena *arena = rcuinfo__arena_lock(&rcuinfo__arenas[i]);
        struct waiting *in = waiting_of(arena);
        for (struct rcuinfo__block *block = lists[i].blocks; block; block = block->next)
            rcuinfo__arena_count_bytes(&in->said_bytes, rcuinfo__block_bytes(block));
        for (struct rcuinfo__slot *slot = lists[i].slots; slot; slot = slot->next)
            rcuinfo__arena_count_bytes(&in->said_bytes, RCUINFO__HANDLE_WAITING);
        move_all(&lists[i], &in->held[in->latest]);
        want_next(arena);
        rcuinfo__arena_leave(arena);
    }
}

bool rcuinfo__reclaim_flush(void)
{
    bool wait = rcuinfo__reclaim_may_wait();
    note_peak();
    flush_all(wait, false);
    return wait;
}

void rcuinfo__reclaim_flush_slots(void)
{
    flush_all(rcuinfo__reclaim_may_wait(), true);
}

void rcuinfo__reclaim_trim(void)
{
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++)
        rcuinfo__arena_trim(&rcuinfo__arenas[i]);
}

size_t rcuinfo__reclaim_waiting(void)
{
    size_t bytes = rcuinfo__arena_load(&rcuinfo__reclaim_deferred);
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++)
        bytes += rcuinfo__reclaim_waiting_in(&rcuinfo__arenas[i]) + rcuinfo__arena_load(&waiting[i].said_bytes);
    return bytes;
}

size_t rcuinfo__reclaim_peak(void)
{
    note_peak();
    return rcuinfo__arena_load(&peak);
}

uint64_t rcuinfo__reclaim_scans(void)
{
    return rcuinfo__scan_next() - 1;
}

void rcuinfo__reclaim_after_fork(void)
{
    rcuinfo__scan_after_fork();
    rcuinfo__reader_after_fork();
    rcuinfo__arena_after_fork();
    atomic_store_explicit(&total, 0, RCUINFO__RELAXED); /* arenas say it anew */
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++)
        waiting[i].counted = 0;
}
