/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reader: the records in which threads say what they read, so that memory is reused as soon as nobody reads it.
 *
 * A thread that begins a read section of an object first says the slot in its record, then loads the root, and says the
 * version that it found, all by plain stores:
 *
 *     says[at]:   0 -> slot 7, section 42 -> version -> 0
 *
 * Reclaim retires memory first and then makes all processors execute a fence (rcuinfo__reader_fence). A section that
 * had said its slot by then is visible to it; one that had not loads the root later, and finds the new one. So no
 * reader validates what it loaded, and none loops. A section that is open after the fence may be reading:
 *
 *  - the version that it has said, and no other memory;
 *  - if it has said a slot only, and stays there, what the object in that slot has retired, unless it was helped;
 *  - if it found no room in its record (HIDDEN), everything.
 *
 * Help: a reader that is preempted between its two stores would keep all that its object retires. So reclaim chooses
 * the version for it: it takes a reference on the current one, writes it to `help`, with the number of the section to
 * `helped`, and then executes the fence. The reader looks at `helped` after it has said a version, and if the number is
 * that of its section, it says and reads the version in `help` instead. If reclaim finds the section still at its slot
 * after the fence, the reader is yet to look, and will find the help.
 *
 * Where the kernel has no membarrier, or a filter denies it, each section executes a fence of its own after each of its
 * two stores, and reclaim one before it looks.
 *
 * A thread gets a record at its first section, and its exit gives it back for another thread. Records are never freed.
 * Sections of a thread for which there is no memory are counted, and hidden like those without room.
 * In the child of a fork, only the record of its thread stays in use. A section has no cancellation point.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/memory/block.h"
#include "core/ck.h"
#include "core/debug.h"
#include "core/order.h"

#define RCUINFO__READER_ROOM   3U /* open sections that a record has room for */
#define RCUINFO__READER_HIDDEN 1U /* said for the sections beyond that: not the number of any slot */
#define RCUINFO__READER_ENDED  2U /* said for a section that ended before one above it: not a version */

/*
 * A set stores its root by a release, which may reach memory after later loads of its thread. So the thread notes that
 * it is unsettled, and executes a fence before its next load on which a result depends. A load under the lock of the
 * writers needs none: the lock orders it with their stores.
 */
extern _Thread_local bool rcuinfo__reader_unsettled;
static inline void rcuinfo__reader_settle(void)
{
    if (__builtin_expect(!!rcuinfo__reader_unsettled, 0)) {
        RCUINFO__FENCE();
        rcuinfo__reader_unsettled = false;
    }
}

/* Compilers must not move a section's stores and loads past this. Processors may, unless they are fenced. */
#define RCUINFO__READER_KEEP_ORDER() __asm__ volatile("" ::: "memory")

struct rcuinfo__slot;

struct rcuinfo__reader {
    /* The first cache line is written by the thread that has the record, except `helped`. */
    /* [P5] field: the last but one for HIDDEN; the last is what hidden sections write, and nobody reads */
    _Alignas(64) _Atomic uint64_t says[RCUINFO__READER_ROOM + 2];
    _Atomic uint64_t helped; /* [P11] field: the number of the section that `help` is for */
    uint32_t depth;          /* number of places of `says` in use */
    uint32_t number;         /* 1, 2, ... in the order in which the records were made */
    uint32_t ended_length;

    /* So is the second. The number of the last section in each place: a section may be interrupted, while it begins,
     * by a signal handler that begins others, in other places. */
    _Alignas(64) _Atomic uint64_t sections[RCUINFO__READER_ROOM + 2];
    uint32_t hidden;    /* number of sections open without room */
    _Atomic bool taken; /* [P14] field: a thread has the record */

    /* Free slots that the thread has at hand, and those of objects that it has freed (core/memory/arena.h). */
    bool lists_in_use; /* the thread is changing one: a signal handler must not */
    struct rcuinfo__slot *at_hand;
    struct rcuinfo__slot *ended;

    /* The third one is reclaim's, under the scan lock. A helped reader loads `help`: a version with a reference while
     * `promised`; NULL: a stale handle. */
    _Alignas(64) _Atomic(const struct rcuinfo__entry *) help;
    _Atomic uint64_t help_generation; /* of the slot, when its root was loaded */
    uint32_t help_at;                 /* the place in `says` of the section that was helped */
    bool promised;                    /* that section may still look at `helped` */
    ck_stack_entry_t link;
};

/* Between the numbers of sections in one place. Those in different places differ by less. */
#define RCUINFO__READER_STEP 8U
_Static_assert(RCUINFO__READER_ROOM + 2 <= RCUINFO__READER_STEP, "sections of two places may have one number");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a signal handler may wait for a lock that its thread holds");

/* This thread's record; without one, a record that has no room, in which nothing is looked at. */
extern struct rcuinfo__reader rcuinfo__reader_none;
extern _Thread_local struct rcuinfo__reader *rcuinfo__reader_self;

/* All records. [P3] field: pushed once, never freed. */
extern ck_stack_t rcuinfo__reader_list;

/* Membarrier does not work, so sections fence themselves. */
extern _Atomic bool rcuinfo__reader_fenced;

static inline struct rcuinfo__reader *rcuinfo__reader_of(ck_stack_entry_t *link)
{
    return RCUINFO__BLOCK_CAST(struct rcuinfo__reader, (char *)link - offsetof(struct rcuinfo__reader, link));
}

/* The first and the next record. [P3] acquire */
static inline struct rcuinfo__reader *rcuinfo__reader_first(void)
{
    ck_stack_entry_t *link = rcuinfo__ck_stack_first(&rcuinfo__reader_list);
    return link ? rcuinfo__reader_of(link) : NULL;
}

static inline struct rcuinfo__reader *rcuinfo__reader_next(const struct rcuinfo__reader *reader)
{
    return reader->link.next ? rcuinfo__reader_of(reader->link.next) : NULL;
}

/* A section: which place it has in which record. */
struct rcuinfo__section {
    struct rcuinfo__reader *reader;
    uint32_t at;
};

/* The value that says a slot, with the lower 43 bits of the section's number. */
static inline uint64_t rcuinfo__reader_slot(uint64_t section, uint32_t slot)
{
    return section << 21 | (uint64_t)slot << 1 | 1;
}

static inline bool rcuinfo__reader_is_slot(uint64_t said)
{
    return said & 1 && said != RCUINFO__READER_HIDDEN;
}

/* The rest of rcuinfo__reader_begin for a thread without a record or room. Here and below, sections are values, so that
 * compilers keep them in registers. */
struct rcuinfo__section rcuinfo__reader_begin_slowly(void);

/* Between what a section has said and what it loads next, where membarrier does not supply that fence. */
static inline void rcuinfo__reader_fence_self(void)
{
    if (__builtin_expect(atomic_load_explicit(&rcuinfo__reader_fenced, RCUINFO__RELAXED), 0))
        RCUINFO__FENCE();
}

static inline void rcuinfo__reader_say(const struct rcuinfo__section *section, uint64_t what)
{
    if (RCUINFO__DEFECT(UNSAID) && what)
        return;
    /* [P5] publish: what an earlier section said in this place is no longer read */
    atomic_store_explicit(&section->reader->says[section->at], what, RCUINFO__SAY);
    RCUINFO__READER_KEEP_ORDER();
}

/* Begins a section, and says its slot. Returns the number of the section. */
static inline uint64_t rcuinfo__reader_begin(struct rcuinfo__section *section, uint32_t slot)
{
    struct rcuinfo__reader *self = rcuinfo__reader_self;
    section->reader = self;
    section->at = self->depth;
    if (__builtin_expect(section->at < RCUINFO__READER_ROOM, 1)) {
        self->depth = section->at + 1; /* first: a signal handler may also begin a section */
    } else {
        *section = rcuinfo__reader_begin_slowly();
        self = section->reader;
    }
    RCUINFO__READER_KEEP_ORDER();
    rcuinfo__reader_settle();

    _Atomic uint64_t *last = &self->sections[section->at];
    uint64_t number = atomic_load_explicit(last, RCUINFO__RELAXED) + RCUINFO__READER_STEP;
    atomic_store_explicit(last, number, RCUINFO__RELAXED);
    rcuinfo__reader_say(section, rcuinfo__reader_slot(number, slot));
    rcuinfo__reader_fence_self();
    RCUINFO__READER_KEEP_ORDER();
    return number;
}

/* The number of the section that was helped last. It is that of this section if this thread was preempted before it
 * said its version, and reclaim has chosen one. */
static inline uint64_t rcuinfo__reader_helped(const struct rcuinfo__section *section)
{
    rcuinfo__reader_fence_self();
    return atomic_load_explicit(&section->reader->helped, RCUINFO__HELP_LOAD); /* [P11] acquire */
}

/* The number of places in use once the section in place `at`, the last one, has ended: also gives up those below it
 * whose sections ended before. */
uint32_t rcuinfo__reader_give_up(struct rcuinfo__reader *self, uint32_t at);

/* Ends a section. Sections of a thread end in any order. `depth` changes by one store at the end, so a signal handler
 * never finds a last place that has ended, and leaves `depth` as it was. */
void rcuinfo__reader_end_slowly(struct rcuinfo__section section);
static inline void rcuinfo__reader_end(const struct rcuinfo__section *section)
{
    struct rcuinfo__reader *self = section->reader;
    uint32_t at = section->at;
    if (__builtin_expect(self->depth == at + 1, 1)) {
        rcuinfo__reader_say(section, 0);
        if (__builtin_expect(
                at > 0 && atomic_load_explicit(&self->says[at - 1], RCUINFO__RELAXED) == RCUINFO__READER_ENDED, 0))
            at = rcuinfo__reader_give_up(self, at);
        self->depth = at;
    } else {
        rcuinfo__reader_end_slowly(*section);
    }
}

/* The number of this thread's record, which it gets if it has none. Records, and so numbers, are used again. */
uint32_t rcuinfo__reader_number(void);

/* Takes a record that no thread has: true if it had none. Give it back by rcuinfo__reader_give. */
bool rcuinfo__reader_take(struct rcuinfo__reader *reader);
void rcuinfo__reader_give(struct rcuinfo__reader *reader);

/* Whether the calling thread is in a section. */
bool rcuinfo__reader_reading(void);

/* Whether a thread without a record is in one. */
bool rcuinfo__reader_crowd(void);

/* Makes what all threads said before the call visible to the caller, or what the caller did before it visible to the
 * loads of those that speak later. */
void rcuinfo__reader_fence(void);

/* Sleeps for less than a second. Leaves errno and the cancellation state alone. */
void rcuinfo__reader_pause(long nanoseconds);

/* Whether liburcu can wait for a grace period. It aborts the process if membarrier worked at load and fails now. */
bool rcuinfo__reader_try_membarrier(void);

/* Call in the child of a fork, while it has one thread. */
void rcuinfo__reader_after_fork(void);
