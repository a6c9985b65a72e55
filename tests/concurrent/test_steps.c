/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Actions of other threads between two steps of a call. One thread plays both parts, at the sync points of the store.
 * AddressSanitizer also detects leaked blocks.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/memory/handle.h"
#include "core/memory/reclaim.h"
#include "support/inside.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/sync.h"

static rcuinfo_t info;

/* Appends after the version in its block. */
static void append(void)
{
    CHECK_OK(rcuinfo_set(info, "key", "later"));
    CHECK_OK(rcuinfo_set(info, "other", "later"));
}

/* Sets until the pairs are in another block. */
static void change_block(void)
{
    const struct rcuinfo__block *before = block_of(info);
    while (block_of(info) == before)
        append();
}

static void free_it(void)
{
    rcuinfo_t handle = info;
    CHECK_OK(rcuinfo_free(&handle));
}

/*
 * Actions of other threads before a change has the object's lock, or while the change allocates a block without it:
 * they free the object, or its version then needs a larger block, or has room for the change again.
 */
enum { FEW = 7, MANY = 40 }; /* pairs: too much text for a block of 4 KiB, and too many entries */

static rcuinfo_t sharing; /* a dup of info, or RCUINFO_NULL */
static unsigned growth;   /* pairs that grow adds */

/* From now on the change may append, and needs no block. */
static void make_room(void)
{
    CHECK_OK(rcuinfo_set(info, "other0", "in the way"));
}

/* The change may not append: a dup shares the block. */
static void grow(void)
{
    object_fill(info, "other", growth, object_long);
    sharing = object_dup(info);
}

static rcuinfo_status_t set(void)
{
    return rcuinfo_set(info, "key", "after");
}

static rcuinfo_status_t update(void)
{
    const rcuinfo_change_t changes[] = {{"new", "1"}, {"key", "after"}, {"new", NULL}};
    return rcuinfo_update(info, changes, 3, NULL);
}

static rcuinfo_status_t compare_and_set(void)
{
    int swapped = 0;
    rcuinfo_status_t status = rcuinfo_compare_and_set(info, "key", "before", "after", &swapped);
    CHECK(swapped == (status == RCUINFO_SUCCESS));
    return status;
}

static const struct {
    unsigned steps; /* 1: before the first lock, 2: once a block was allocated */
    void (*interfere)(void);
    int nkeys; /* 0: the object was freed */
} cases[] = {
    {1, free_it, 0},   {1, make_room, 2},  {1, grow, 1 + FEW},  {2, free_it, 0},
    {2, make_room, 2}, {2, grow, 1 + FEW}, {2, grow, 1 + MANY},
};

static void change_disturbed(rcuinfo_status_t (*change)(void), size_t which)
{
    rcuinfo_t original = OBJECT("key", "before");

    /* Before the lock, with an object that may append. Otherwise with one that copies because it does not own its
     * block, and with empty pools. */
    info = cases[which].steps == 1 ? OBJECT("key", "before") : object_dup(original);
    CHECK(rcuinfo_store_drain() == 0);
    growth = (unsigned)cases[which].nkeys - 1;
    sync_at(RCUINFO__SYNC_TO_LOCK, cases[which].steps, cases[which].interfere);
    CHECK_STATUS(change(), cases[which].nkeys ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO);
    CHECK_EQUAL(sync_now.visits, 0);

    if (cases[which].nkeys) {
        CHECK_VALUE(info, "key", "after");
        CHECK_EQUAL(object_count(info), cases[which].nkeys);
        object_free(info);
    }
    if (sharing != RCUINFO_NULL) {
        CHECK_VALUE(sharing, "key", "before");
        CHECK_OK(rcuinfo_free(&sharing));
    }
    CHECK_VALUE(original, "key", "before");
    object_free(original);
    left_nothing();
}

/* A thread that is preempted in the fence of a scan must hold no arena. */
static void check_arena(enum rcuinfo__sync_point point)
{
    CHECK(point != RCUINFO__SYNC_PASSED || !rcuinfo__arena_inside);
}

/* A scan finds a section at its slot that has begun too late to be helped. While the scan looks, the section goes on to
 * its version, or ends, and the next section of the thread is at its slot. Neither keeps what the object has retired.
 */
static enum rcuinfo__sync_point goes_to;
static atomic_bool begins, at_slot, goes_on, has_gone, done, has_read;

static void let_go_on(void)
{
    atomic_store(&goes_on, true);
    team_wait(&has_gone);
}

static void let_begin(void)
{
    sync_at(RCUINFO__SYNC_SEEN, 1, let_go_on);
    atomic_store(&begins, true);
    team_wait(&at_slot);
}

static void stand_there(void)
{
    atomic_store(&has_gone, true);
    team_wait(&done);
}

static void stand_at_slot(void)
{
    sync_at(goes_to, 1, stand_there);
    atomic_store(&at_slot, true);
    team_wait(&goes_on);
}

static void begin_late(unsigned index, void *unused)
{
    (void)unused;
    sync_now.each = check_arena;
    if (index == 1) {
        int before = object_count(info);
        /* After many sections: it says only the lower 43 bits of the number. */
        atomic_fetch_add(&rcuinfo__reader_self->sections[0], UINT64_C(1) << 56);
        atomic_store(&has_read, true);
        team_wait(&begins);
        sync_at(RCUINFO__SYNC_MATCHED, 1, stand_at_slot);
        CHECK_EQUAL(object_count(info), before + 1);
        CHECK_EQUAL(object_count(info), before + 1);
        CHECK_EQUAL(sync_now.visits, 0);
        return;
    }
    team_wait(&has_read);
    change_block();
    uint64_t scans = rcuinfo__reclaim_scans();
    sync_at(RCUINFO__SYNC_DETACHED, 1, let_begin);
    CHECK(rcuinfo__reclaim_flush() && sync_now.visits == 0);
    CHECK_EQUAL(rcuinfo__reclaim_waiting(), 0);
    CHECK_EQUAL(rcuinfo__reclaim_scans(), scans + 1);
    atomic_store(&done, true);
}

static void run_late(enum rcuinfo__sync_point to)
{
    goes_to = to;
    begins = at_slot = goes_on = has_gone = done = has_read = false;
    info = OBJECT("key", "first");
    team_run(2, begin_late, NULL);
    object_free(info);
}

/*
 * A dup loads a version, and gets its reference only when the block waits already, as the object has another one. A
 * view that began before goes on, so the block is not free, though the dup is its only object then, and leaves it, and
 * the dup's owner may keep what its objects leave.
 */
static atomic_bool views, has_dup, has_drained, has_left;

static void revive(unsigned index, void *unused)
{
    (void)unused;
    if (index == 1) {
        team_wait(&views);
        sync_at(RCUINFO__SYNC_HOLD, 1, sync_stop);
        rcuinfo_t copy = object_dup(info);
        CHECK_VALUE(copy, "key", "viewed");
        atomic_store(&has_dup, true);
        team_wait(&has_drained);
        const struct rcuinfo__block *viewed = block_of(copy);
        CHECK_OK(rcuinfo_set(copy, "key", "beyond"));
        CHECK(block_of(copy) != viewed && rcuinfo__handle_slot(copy)->spare != viewed);
        atomic_store(&has_left, true);
        object_free(copy);
        return;
    }
    rcuinfo_view_t view;
    rcuinfo_pair_t pair;
    CHECK_OK(rcuinfo_view_begin(info, &view));
    atomic_store(&views, true);
    team_wait(&sync_stands);
    change_block();
    atomic_store(&sync_goes_on, true);
    team_wait(&has_dup);
    (void)rcuinfo_store_drain(); /* in a view, so it waits for nobody */
    atomic_store(&has_drained, true);
    team_wait(&has_left);
    CHECK_OK(rcuinfo_snapshot_find(view.snapshot, "key", &pair));
    CHECK_TEXT(pair.value, "viewed");
    rcuinfo_view_end(&view);
}

static void run_revived(void)
{
    sync_reset();
    views = has_dup = has_drained = has_left = false;
    info = OBJECT("key", "viewed");
    team_run(2, revive, NULL);
    object_free(info);
}

int main(void)
{
    rcuinfo_status_t (*const changes[])(void) = {set, update, compare_and_set};
    sync_now.each = check_arena;

    for (size_t i = 0; i < 3; i++) {
        for (size_t which = 0; which < sizeof cases / sizeof *cases; which++)
            change_disturbed(changes[i], which);
    }
    run_late(RCUINFO__SYNC_READ);
    run_late(RCUINFO__SYNC_MATCHED);
    run_revived();
    left_nothing();
    return 0;
}
