/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues of free slots after a fork. Linked with the copy of the library that has sync points.
 *
 * With the argument `full`, a million objects: running out of handles is an error and not a crash, live objects keep
 * working, new ones can be created once some were freed, and no call fails because other threads are just reclaiming.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/memory/arena.h"
#include "core/memory/handle.h"
#include "core/memory/reclaim.h"
#include "support/check.h"
#include "support/hints.h"
#include "support/inside.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/sync.h"
#include "support/test.h"

static rcuinfo_t *all; /* an object for each handle */
static size_t n_all;

/* Creates objects until no handle is left. */
static void fill(void)
{
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    for (n_all = 0; n_all < RCUINFO__SLOTS; n_all++) {
        all[n_all] = 0x1234567;
        status = rcuinfo_create(&all[n_all]);
        if (status != RCUINFO_SUCCESS)
            break;
    }
    CHECK_STATUS(status, RCUINFO_ERR_NO_MEM);
    CHECK(all[n_all] == RCUINFO_NULL);
    size_t least = RCUINFO__SLOTS - RCUINFO__HANDLE_RESERVED - RCUINFO__HANDLE_KEEP_NEAR - RCUINFO__HANDLE_KEEP_FAR;
    CHECKF(n_all >= least, "%zu objects", n_all);
}

static void free_from_to(size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        object_free(all[i]);
}

/* A hint set is not an object, and has its own versions. */
static void hints_need_no_handle(rcuinfo_t info)
{
    int64_t number = 0;
    hints_begin();
    CHECK_OK(rcuinfo_hint_set_merge(hints, info));
    CHECK_OK(rcuinfo_hint_set_impose(hints, "number", "2"));
    CHECK_OK(rcuinfo_hint_set_read(hints, 0, &number));
    CHECK(number == 2);
    hints_end();
}

/* No handle is left. */
static void a_full_table_keeps_live_objects(void)
{
    rcuinfo_t copy = 0x1234567;
    CHECK_STATUS(rcuinfo_dup(all[0], &copy), RCUINFO_ERR_NO_MEM);
    CHECK(copy == RCUINFO_NULL);
    CHECK_STATUS(rcuinfo_env_create(0, NULL, &copy), RCUINFO_ERR_NO_MEM);
    CHECK(copy == RCUINFO_NULL);
    for (size_t i = 0; i < n_all; i += 997) {
        CHECK_OK(rcuinfo_set(all[i], "number", "1"));
        CHECK_EQUAL(object_count(all[i]), 1);
    }
    hints_need_no_handle(all[0]);
    CHECK_EQUAL(left_live(), n_all);
}

/* Freed objects wait for a scan, which create makes when no handle is left. A view of another object does not keep
 * them, nor does that of one of them keep the others. */
static void a_full_table_scans(void)
{
    rcuinfo_view_t view, other;
    CHECK_OK(rcuinfo_view_begin(all[0], &view));
    CHECK_OK(rcuinfo_view_begin(all[n_all - 1], &other));
    free_from_to(0, RCUINFO__HANDLE_KEEP_NEAR + 1000);
    object_free(object_empty());
    rcuinfo_view_end(&other);
    rcuinfo_view_end(&view);
    object_free(object_empty());
}

static void use_few_often(unsigned index, void *argument)
{
    enum { FEW = 2 * RCUINFO__HANDLE_RESERVED };
    rcuinfo_t few[FEW];
    (void)index, (void)argument;
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < FEW; i++)
            few[i] = object_empty();
        for (size_t i = 0; i < FEW; i++)
            object_free(few[i]);
    }
}

static void reclaim_all(void)
{
    CHECK(rcuinfo_store_drain() == 0);
}

static unsigned reclaims;

static void reclaim_when_full(enum rcuinfo__sync_point point)
{
    if (point != RCUINFO__SYNC_FULL)
        return;
    reclaim_all();
    reclaims++;
}

static void others_reclaim_meanwhile(void)
{
    free_from_to(0, RCUINFO__HANDLE_KEEP_NEAR + 1);
    sync_now.each = reclaim_when_full;
    object_free(object_empty());
    CHECK(reclaims > 0);
    sync_now.each = NULL;
    free_from_to(RCUINFO__HANDLE_KEEP_NEAR + 1, n_all);
    reclaim_all();
}

/* Frees near slots in the arena of another thread: a few more than have to stay there. */
enum { FREED = RCUINFO__HANDLE_KEEP_NEAR + 50 };

static void free_near(unsigned index, void *unused)
{
    (void)unused;
    while (index == 1 && rcuinfo__arena_mine == &rcuinfo__arenas[0])
        rcuinfo__arena_leave(rcuinfo__arena_enter_other(true)); /* this thread's turn comes to have another one */
    unsigned freed = 0;
    for (size_t i = 0; index == 1 && i < n_all && freed < FREED; i++) {
        if ((all[i] & (RCUINFO__SLOTS - 1)) < RCUINFO__NEAR) {
            object_free(all[i]);
            all[i] = RCUINFO_NULL;
            freed++;
        }
    }
}

/* Slots that are free in another arena are found before the table is full. */
static void others_have_some(void)
{
    team_run(2, free_near, NULL);
    reclaim_all();
    size_t made = 0;
    for (size_t i = 0; i < n_all; i++) {
        if (all[i] == RCUINFO_NULL && rcuinfo_create(&all[i]) == RCUINFO_SUCCESS)
            made++;
    }
    CHECKF(made >= FREED - RCUINFO__HANDLE_KEEP_NEAR, "%zu of %d slots were found", made, FREED);
    for (size_t i = n_all; i-- > 0;) {
        if (all[i] == RCUINFO_NULL)
            all[i] = all[--n_all];
    }
}

/* The queue has its minimum length: as many objects can be created as are freed, however few. */
static void a_few_more(void)
{
    enum { MORE = 100 };
    free_from_to(0, MORE);
    for (size_t i = 0; i < MORE; i++)
        all[i] = object_empty();
}

/* A create that finds the table full does not wait for a view, which reads a block that another one has taken the place
 * of. The first objects have been freed. */
static atomic_bool is_viewed, is_created;
static bool was_full;

static void note_full(void)
{
    was_full = true;
}

static void create_beside_a_view(unsigned index, void *unused)
{
    rcuinfo_t *last = &all[n_all - 1];
    rcuinfo_view_t view;
    (void)unused;
    if (index == 1) {
        CHECK_OK(rcuinfo_view_begin(*last, &view));
        atomic_store(&is_viewed, true);
        team_wait(&is_created);
        rcuinfo_view_end(&view);
        return;
    }

    team_wait(&is_viewed);
    size_t made = 0;
    while (rcuinfo_create(&all[made]) == RCUINFO_SUCCESS)
        made++;
    CHECK(made > RCUINFO__HANDLE_KEEP_NEAR);
    const struct rcuinfo__block *before = block_of(*last);
    while (block_of(*last) == before)
        CHECK_OK(rcuinfo_set(*last, "number", "2"));
    for (size_t i = 0; i <= RCUINFO__HANDLE_KEEP_NEAR; i++)
        object_free(share(all[i])); /* so that their slots wait */
    sync_at(RCUINFO__SYNC_FULL, 1, note_full);
    object_free(object_empty());
    CHECK(was_full);
    atomic_store(&is_created, true);
}

static void handles_run_out(void)
{
    int nkeys = 77;
    all = malloc(RCUINFO__SLOTS * sizeof *all);
    CHECK(all != NULL);
    fill();
    a_full_table_keeps_live_objects();
    rcuinfo_t stale = all[n_all - 1];
    others_reclaim_meanwhile();
    for (uint32_t i = RCUINFO__NEAR; i < RCUINFO__SLOTS; i++)
        CHECK(!rcuinfo__handle_slot(i)->spare); /* far slots, of which there may be a million, keep no block */
    team_run(8, use_few_often, NULL);           /* no call may fail for lack of a slot: nearly all are free */
    fill();
    CHECK_STATUS(rcuinfo_get_nkeys(stale, &nkeys), RCUINFO_ERR_INFO);
    for (size_t i = 0; i < n_all; i += 991)
        CHECK_EQUAL(object_count(all[i]), 0);
    a_few_more();
    others_have_some();
    a_full_table_scans();
    CHECK_OK(rcuinfo_set(all[n_all - 1], "number", "1"));
    team_run(2, create_beside_a_view, NULL);
    free(all);
}

/* The child of a fork finds the end of a queue again, and the number of ready slots, which another thread was about to
 * change. */
TEST(a_queue_is_repaired_after_a_fork)
{
    rcuinfo_t infos[3] = {object_empty(), object_empty(), object_empty()};
    for (int i = 0; i < 3; i++)
        object_free(infos[i]);
    CHECK(rcuinfo__reclaim_flush());
    struct rcuinfo__arena *arena = rcuinfo__arena_mine;
    struct rcuinfo__queue *queue = &arena->queues[false], before = *queue;
    uint32_t ready = arena->ready_length;
    CHECK(slots_in(queue->oldest) > 1 && ready > 0);
    queue->newest = queue->oldest;
    arena->ready_length++;
    rcuinfo__arena_after_fork();
    CHECK(queue->oldest == before.oldest && queue->newest == before.newest);
    CHECK_EQUAL(arena->ready_length, ready);
}

int main(int argc, char *argv[])
{
    if (argc == 2 && strcmp(argv[1], "full") == 0)
        handles_run_out();
    else
        test_run(NULL);
    return 0;
}
