/* SPDX-License-Identifier: BSD-3-Clause */
/* scan: see scan.h for what it does. */
#include "core/memory/scan.h"

#include <string.h>

#include "core/debug.h"

#define LOOKS 1000 /* about as many nanoseconds; a section takes some ten or hundred from its slot to its version */

static rcuinfo__lock_t scan_lock;
static struct rcuinfo__found latest;      /* by the last scan; written under the scan lock, as is this: */
static struct rcuinfo__block *taken_back; /* blocks that readers had been helped with: last references */
static _Atomic uint64_t scans;            /* [P13] field: number of scans begun */

static void add_bit(uint64_t *bits, uint64_t value)
{
    bits[value % RCUINFO__FOUND_BITS / 64] |= UINT64_C(1) << value % 64;
}

static uint32_t said_slot(uint64_t said)
{
    return (uint32_t)(said >> 1) & (RCUINFO__SLOTS - 1);
}

/* The number of the section that has said this; 0: it is no slot, or another section has begun in its place. */
static uint64_t section_of(const struct rcuinfo__reader *reader, uint32_t at, uint64_t said)
{
    /* `said` has its lower bits. The load of that, [P5] acquire, makes the number visible. */
    uint64_t number = atomic_load_explicit(&reader->sections[at], RCUINFO__RELAXED);
    bool is_its = rcuinfo__reader_is_slot(said) && rcuinfo__reader_slot(number, said_slot(said)) == said;
    return is_its ? number : 0;
}

/* Adds what a section says. */
static void collect(struct rcuinfo__found *found, uint64_t said)
{
    if (said == RCUINFO__READER_HIDDEN) {
        found->hidden = true;
    } else if (rcuinfo__reader_is_slot(said)) {
        found->any_slot = true;
        add_bit(found->slots, said_slot(said));
    } else if (said > RCUINFO__READER_ENDED) {
        add_bit(found->pages, said >> RCUINFO__FOUND_PAGE);
    }
}

bool rcuinfo__scan_is_said(const struct rcuinfo__block *block)
{
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one)) {
        for (uint32_t at = 0; at < RCUINFO__READER_ROOM; at++) {
            uint64_t said = atomic_load_explicit(&one->says[at], RCUINFO__SAID); /* [P5] acquire */
            if (!(said & 1) && said - (uintptr_t)block < block->extent)
                return true;
        }
    }
    return false;
}

/* Drops the reference of the help for a section, once that has ended. Until then it may look for the help, or read it.
 */
static void withdraw_help(struct rcuinfo__reader *reader)
{
    const struct rcuinfo__entry *help = atomic_load_explicit(&reader->help, RCUINFO__RELAXED);
    uint64_t helped = atomic_load_explicit(&reader->helped, RCUINFO__RELAXED);
    uint64_t said = atomic_load_explicit(&reader->says[reader->help_at], RCUINFO__SAID); /* [P5] acquire */
    uint64_t number = section_of(reader, reader->help_at, said);
    bool another = number && number != helped;
    if (!reader->promised || (said && said != RCUINFO__READER_ENDED && !another))
        return;

    reader->promised = false;
    if (help && rcuinfo__block_drop(rcuinfo__block_of(help), RCUINFO__BLOCK_UNMARKED))
        rcuinfo__arena_push_block(&taken_back, rcuinfo__block_of(help));
}

/* Chooses the version for a section that has said this slot. */
static void help(struct rcuinfo__reader *reader, uint32_t at, uint32_t index, uint64_t number)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(index);
    const struct rcuinfo__entry *version = NULL;
    struct rcuinfo__section section;
    bool taken = true;

    (void)rcuinfo__reader_begin(&section, index);
    uint64_t generation = rcuinfo__handle_enter(slot, section.reader);
    if (generation & RCUINFO__HANDLE_LIVE) {
        version = rcuinfo__handle_load(slot);
        taken = rcuinfo__block_take(rcuinfo__block_of(version), 1);
    }
    rcuinfo__reader_end(&section);
    if (!taken)
        return;

    atomic_store_explicit(&reader->help, version, RCUINFO__RELAXED);
    atomic_store_explicit(&reader->help_generation, generation, RCUINFO__RELAXED);
    reader->help_at = at;
    RCUINFO__READER_KEEP_ORDER(); /* a child of fork drops the reference of what is promised */
    reader->promised = true;
    /* [P11] publish: the version, and the generation that the slot had */
    atomic_store_explicit(&reader->helped, number, RCUINFO__HELP_PUBLISH);
    RCUINFO__SYNC_POINT(HELPED);
}

/* Step 1 for a record. */
static void prepare(struct rcuinfo__reader *reader)
{
    withdraw_help(reader);
    for (uint32_t at = 0; at < RCUINFO__READER_ROOM && !reader->promised; at++) {
        uint64_t said = atomic_load_explicit(&reader->says[at], RCUINFO__SAID); /* [P5] acquire */
        uint64_t number = section_of(reader, at, said);
        if (number)
            help(reader, at, said_slot(said), number);
    }
}

/* What a section that has said this slot says next, or a later one in its place: a version; 0: it has ended. The slot,
 * if it is preempted there. Without this, the many threads of a large machine that are always about to load some root
 * would keep what these have retired. */
static uint64_t said_next(const struct rcuinfo__reader *reader, uint32_t at, uint64_t said)
{
    uint64_t next = said;
    for (int looks = 0; looks < LOOKS && next == said; looks++) {
        RCUINFO__SYNC_POINT(SEEN);
        next = atomic_load_explicit(&reader->says[at], RCUINFO__SAID); /* [P5] acquire */
    }

    /* Another section that says a slot has begun since our first look, and so after the fence: it finds new roots. */
    return next == said || !rcuinfo__reader_is_slot(next) ? next : 0;
}

/* Step 3 for a record. `locked`: by the thread with the scan lock, which has helped; who was helped needs nothing else.
 */
static void collect_from(struct rcuinfo__found *found, const struct rcuinfo__reader *reader, bool locked)
{
    for (uint32_t at = 0; at <= RCUINFO__READER_ROOM; at++) {
        uint64_t said = atomic_load_explicit(&reader->says[at], RCUINFO__SAID); /* [P5] acquire */
        bool is_helped = locked && reader->promised && at == reader->help_at &&
                         section_of(reader, at, said) == atomic_load_explicit(&reader->helped, RCUINFO__RELAXED);
        if (!is_helped)
            collect(found, rcuinfo__reader_is_slot(said) ? said_next(reader, at, said) : said);
    }
}

/* `locked`: with the scan lock held; helps the readers that need it. */
static void scan(struct rcuinfo__found *found, bool locked)
{
    const struct rcuinfo__reader *self = rcuinfo__reader_self;
    memset(found, 0, sizeof *found);
    uint64_t number = atomic_fetch_add_explicit(&scans, 1, RCUINFO__SCANS) + 1; /* [P13] publish */
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one && locked; one = rcuinfo__reader_next(one)) {
        if (one != self)
            prepare(one);
    }

    RCUINFO__SYNC_POINT(DETACHED);
    rcuinfo__reader_fence();
    RCUINFO__SYNC_POINT(PASSED);

    found->hidden = rcuinfo__reader_crowd();
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one))
        collect_from(found, one, locked);
    found->number = number;
}

bool rcuinfo__scan_look(uint64_t wants, bool now, struct rcuinfo__found *found, struct rcuinfo__block **left)
{
    bool locked = rcuinfo__lock_try(&scan_lock);
    *left = NULL;
    if (locked) {
        if (latest.number < wants)
            scan(&latest, true);
        *found = latest;
        *left = taken_back;
        taken_back = NULL;
        rcuinfo__lock_give(&scan_lock);
    } else if (now) {
        scan(found, false);
    }
    return locked || now;
}

uint64_t rcuinfo__scan_next(void)
{
    /* All operations on `scans` are in one order. A scan that this load does not count comes after it, and so does that
     * scan's fence. [P13] acquire */
    return atomic_load_explicit(&scans, RCUINFO__SCANS_LOAD) + 1;
}

void rcuinfo__scan_after_fork(void)
{
    /* The result of another thread's scan is not used. */
    atomic_store_explicit(&scan_lock.word, atomic_load_explicit(&rcuinfo__lock_free, RCUINFO__RELAXED),
                          RCUINFO__RELAXED);
    latest.number = 0;
}
