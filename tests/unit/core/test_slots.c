/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two moments when a slot changes hands. What others may read of it is final before its generation is published;
 * and nobody looks at it again who has put it into the queue of free ones. Linked with the copy of the library that has
 * sync points, but for core/handle.c, which is compiled here: a slot that comes into the queue is taken out and used
 * again, as another thread might, before whoever put it there goes on.
 *
 * With the argument `full`, a million objects: nobody is told that there are no handles left because other threads
 * reclaim some just then.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/handle.h"
#include "core/rcu.h"
#include "env/env.h"
#include "support/check.h"
#include "support/left.h"
#include "support/objects.h"

static unsigned queued;

static bool enqueue_and_use(ck_ring_t *ring, ck_ring_buffer_t *places, struct rcuinfo__slot *slot)
{
    bool done = ck_ring_enqueue_spmc(ring, places, slot);
    slot->record.link.next = NULL;
    slot->record.drop = NULL;
    queued++;
    return done;
}

#define ck_ring_enqueue_spmc enqueue_and_use
#include "core/handle.c" /* NOLINT(bugprone-suspicious-include) */

static enum rcuinfo__sync_point met_at; /* where another thread reclaims */
static void (*other_thread)(void);      /* what it does; NULL: nothing */
static unsigned acted;                  /* how often */

static uint32_t opened; /* index of the slot that the next object is to have; 0: none is watched */
static bool read_only;

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (other_thread && point == met_at) {
        void (*act)(void) = other_thread;
        other_thread = NULL; /* its own calls get here, too */
        act();
        other_thread = act;
        acted++;
    }
    if (point != RCUINFO__SYNC_OPENING || !opened)
        return;
    const struct rcuinfo__slot *slot = rcuinfo__handle_slot(opened);
    CHECK(slot && slot->index == opened && slot->read_only == read_only);
    CHECK(!slot->appends && slot->sets == 0 && slot->root);
    CHECK(!rcuinfo__handle_lives(slot));
    opened = 0;
}

static void fields_are_final_when_the_object_is_seen(void)
{
    rcuinfo_t info = object_empty();
    CHECK_OK(rcuinfo_set(info, "key", "value")); /* the first slot that is used again, below, has seen a set */
    opened = 1 + ((uint32_t)info & (RCUINFO__SLOTS - 1));
    read_only = false;
    CHECK_OK(rcuinfo_free(&info));
    CHECK_OK(rcuinfo_create(&info));
    CHECK(!opened);
    CHECK_OK(rcuinfo_free(&info));
    opened = RCUINFO__ENV_NATIVE;
    read_only = true;
    CHECK(rcuinfo_env() != RCUINFO_NULL && !opened);
}

/* The objects are freed together, and all reclaimed at once. The next one has a slot that was used, and nothing of it.
 */
static void nobody_looks_at_a_queued_slot(void)
{
    enum { OBJECTS = RCUINFO__HANDLE_KEEP + 1000 };
    static rcuinfo_t infos[OBJECTS];
    CHECK(rcuinfo_store_drain() == 0);
    for (int i = 0; i < OBJECTS; i++) {
        CHECK_OK(rcuinfo_create(&infos[i]));
        CHECK_OK(rcuinfo_set(infos[i], "key", "value"));
    }
    queued = 0;
    rcuinfo__rcu_read_lock(); /* one batch: nobody reclaims in a read section */
    for (int i = 0; i < OBJECTS; i++)
        CHECK_OK(rcuinfo_free(&infos[i]));
    rcuinfo__rcu_read_unlock();
    CHECK(rcuinfo_store_drain() == 0);
    CHECKF(queued == OBJECTS, "%u slots of %d objects are free", queued, OBJECTS);
    rcuinfo_stats_t stats = left_stats();
    CHECK(stats.live == 0);

    rcuinfo_t info = object_empty();
    const struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    CHECK(info >> RCUINFO__INDEX_BITS == 2 && slot->sets == 0 && !slot->appends);
    CHECK_OK(rcuinfo_free(&info));
}

static rcuinfo_t *all; /* as many objects as there are handles */
static size_t n_all;

static void reclaim_all(void)
{
    CHECK(rcuinfo_store_drain() == 0);
}

/* The queue is as long as it can be, and each turn enqueues more slots than there are places left. */
static void come_and_go(void)
{
    rcuinfo_t few[2 * RCUINFO__HANDLE_RESERVED];
    for (size_t i = 0; i < 2 * RCUINFO__HANDLE_RESERVED; i++)
        CHECK_OK(rcuinfo_create(&few[i]));
    for (size_t i = 0; i < 2 * RCUINFO__HANDLE_RESERVED; i++)
        CHECK_OK(rcuinfo_free(&few[i]));
    reclaim_all();
}

/* Creates an object while another thread acts at this point. */
static void create_while(enum rcuinfo__sync_point point, void (*act)(void))
{
    rcuinfo_t info;
    met_at = point;
    other_thread = act;
    acted = 0;
    CHECK_OK(rcuinfo_create(&info));
    CHECK(acted > 0);
    other_thread = NULL;
    CHECK_OK(rcuinfo_free(&info));
}

static void others_reclaim_meanwhile(void)
{
    all = malloc(RCUINFO__SLOTS * sizeof *all);
    CHECK(all != NULL);
    while (n_all < RCUINFO__SLOTS && rcuinfo_create(&all[n_all]) == RCUINFO_SUCCESS)
        n_all++;
    CHECKF(n_all > RCUINFO__SLOTS / 2, "%zu objects", n_all);

    rcuinfo__rcu_read_lock(); /* nobody reclaims yet */
    for (size_t i = 0; i <= RCUINFO__HANDLE_KEEP; i++)
        CHECK_OK(rcuinfo_free(&all[i]));
    rcuinfo__rcu_read_unlock();
    create_while(RCUINFO__SYNC_FULL, reclaim_all);

    for (size_t i = RCUINFO__HANDLE_KEEP + 1; i < n_all; i++)
        CHECK_OK(rcuinfo_free(&all[i]));
    reclaim_all();
    create_while(RCUINFO__SYNC_LENGTH, come_and_go);
    free(all);
}

int main(int argc, char *argv[])
{
    if (argc == 2 && strcmp(argv[1], "full") == 0) {
        others_reclaim_meanwhile();
        return 0;
    }
    fields_are_final_when_the_object_is_seen();
    nobody_looks_at_a_queued_slot();
    return 0;
}
