/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What readers say, and what reclaim makes of it, step by step. Records go to other threads when theirs end; every page
 * of a large block protects it; what was in use is free once it is not; a stock that is in use stays. Sections that
 * hide what they read make writers wait at the limit, but not their own thread. White box: looks into records and
 * arenas.
 */
#include "core/memory/arena.h"
#include "core/memory/reclaim.h"
#include "support/inside.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/threads.h"

static rcuinfo_t info;

static void read_once(unsigned index, void *unused)
{
    (void)index, (void)unused;
    CHECK_EQUAL(object_count(info), 1);
}

/* Many threads, few at a time: they use the same records. */
static void records_are_given_back(void)
{
    enum { WAVES = 100, WIDTH = 4 };
    CHECK_EQUAL(object_count(info), 1);
    for (int i = 0; i < WAVES; i++)
        team_run(WIDTH, read_once, NULL);
    CHECK_EQUAL(records(true), 1);
    CHECK_RANGE(records(false), 1, 1 + 2 * WIDTH); /* a thread may end after it was joined */
}

/* A destructor of the thread's own data, which is called after the library's, ends a view. */
static pthread_key_t late;

static void end_late(void *argument)
{
    rcuinfo_view_t *view = argument;
    rcuinfo_pair_t pair;
    CHECK(rcuinfo__reader_reading());
    CHECK_OK(rcuinfo_snapshot_find(view->snapshot, "key", &pair));
    rcuinfo_view_end(view);
    CHECK(!rcuinfo__reader_reading());
    free(view);
}

static void begin_for_late(unsigned index, void *ends)
{
    (void)index;
    rcuinfo_view_t *view = malloc(sizeof *view);
    CHECK(view);
    CHECK_OK(rcuinfo_view_begin(info, view));
    if (ends)
        CHECK(pthread_setspecific(late, view) == 0);
    else
        free(view); /* nobody ends it: the thread does */
}

static void views_end_in_destructors(void)
{
    CHECK(pthread_key_create(&late, end_late) == 0);
    for (int i = 0; i < 8; i++)
        team_run(2, begin_for_late, i % 2 ? &late : NULL);
    CHECK_OK(rcuinfo_set(info, "key", "value"));
    CHECK(rcuinfo_store_drain() == 0);
    CHECK_EQUAL(records(true), 1);
    CHECK(pthread_key_delete(late) == 0);
}

/* Sections beyond the room are hidden until the last of them ends. */
static void sections_beyond_the_room_are_hidden(void)
{
    struct rcuinfo__section sections[RCUINFO__READER_ROOM + 2];
    for (unsigned i = 0; i < RCUINFO__READER_ROOM + 2; i++) {
        CHECK_EQUAL(said(RCUINFO__READER_ROOM), i > RCUINFO__READER_ROOM ? RCUINFO__READER_HIDDEN : 0);
        (void)rcuinfo__reader_begin(&sections[i], 9);
    }
    CHECK_EQUAL(said(RCUINFO__READER_ROOM), RCUINFO__READER_HIDDEN);
    rcuinfo__reader_end(&sections[RCUINFO__READER_ROOM]);
    CHECK_EQUAL(said(RCUINFO__READER_ROOM), RCUINFO__READER_HIDDEN);
    rcuinfo__reader_end(&sections[RCUINFO__READER_ROOM + 1]);
    CHECK_EQUAL(said(RCUINFO__READER_ROOM), 0);
    for (unsigned i = RCUINFO__READER_ROOM; i-- > 0;) {
        CHECK(rcuinfo__reader_is_slot(said(i)));
        rcuinfo__reader_end(&sections[i]);
    }
    CHECK(!rcuinfo__reader_reading());
}

/* Sections that end in any order: none that is open loses its place, and all places are used again. */
static void sections_end_in_any_order(void)
{
    static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (unsigned order = 0; order < sizeof orders / sizeof *orders; order++) {
        struct rcuinfo__section sections[3], more;
        for (unsigned i = 0; i < 3; i++) {
            (void)rcuinfo__reader_begin(&sections[i], 9);
            CHECK_EQUAL(sections[i].at, i);
        }
        for (unsigned i = 0; i < 3; i++) {
            rcuinfo__reader_end(&sections[orders[order][i]]);
            CHECK_EQUAL(rcuinfo__reader_reading(), i < 2);
            (void)rcuinfo__reader_begin(&more, 9);
            for (unsigned open = i + 1; open < 3; open++)
                CHECK(more.at != sections[orders[order][open]].at);
            rcuinfo__reader_end(&more);
        }
    }
    CHECK_EQUAL(rcuinfo__reader_self->depth, 0);
    for (unsigned i = 0; i <= RCUINFO__READER_ROOM; i++)
        CHECK_EQUAL(said(i), 0);
}

static atomic_uint step;    /* the two threads of a test take turns */
static atomic_bool is_done; /* the first has come to its end */

static void wait_for(unsigned n)
{
    TEAM_UNTIL(atomic_load(&step) >= n);
}

static void next(void)
{
    atomic_fetch_add(&step, 1);
}

static void take_part(unsigned index, void *parts)
{
    if (index == 0)
        wait_for(1);
    ((void (**)(void))parts)[index]();
    if (index == 0)
        atomic_store(&is_done, true);
}

/* Runs `body` in one thread, after the first step of `aside` in another. */
static void run(void (*aside)(void), void (*body)(void))
{
    atomic_store(&step, 0);
    atomic_store(&is_done, false);
    team_run(2, take_part, (void (*[])(void)){body, aside});
    CHECK(rcuinfo_store_drain() == 0);
}

/* Aside: a view up to the second step. */
static void keep_view(void)
{
    rcuinfo_view_t view;
    CHECK_OK(rcuinfo_view_begin(info, &view));
    size_t count = rcuinfo_snapshot_count(view.snapshot);
    next();
    wait_for(2);
    CHECK_EQUAL(rcuinfo_snapshot_count(view.snapshot), count);
    rcuinfo_view_end(&view);
    next();
}

/* A large block, whose version is somewhere in it: a view of another thread keeps it, and nothing else. */
static void stay_in_large(void)
{
    char key[16];
    struct rcuinfo__block *block = block_of(info);
    size_t bytes = rcuinfo__block_bytes(block);
    CHECK(bytes > 3 * 4096 && bytes <= RCUINFO__ARENA_STOCKED); /* an arena would keep it */
    CHECK((uintptr_t)root_of(info) - (uintptr_t)block > 4096);
    rcuinfo_t copy = object_dup(info);
    CHECK_OK(rcuinfo_free(&info));
    CHECK_OK(rcuinfo_free(&copy)); /* the block has no object any more */
    (void)snprintf(key, sizeof key, "%p", (void *)&key);
    for (size_t i = 0; i < 4 * RCUINFO__RECLAIM_BATCH / sizeof(struct rcuinfo__slot); i++)
        object_free(share(OBJECT("key", key)));
    CHECK(!is_free(block));
    CHECK(retired() >= bytes);
    next();
    wait_for(3);
    CHECK(rcuinfo_store_drain() == 0);
}

/* While another thread reads, scans have fences. They leave a stock that is in use where it is, so hardly any dup needs
 * a section. */
static void dup_from_stock(void)
{
    object_free(object_dup(info)); /* so that the thread has a record */
    uint64_t scans = rcuinfo__reclaim_scans();
    uint64_t sections = atomic_load(&rcuinfo__reader_self->sections[0]);
    uint64_t dups = 0;
    for (; rcuinfo__reclaim_scans() < scans + SCALED(200); dups++)
        object_free(share(object_dup(info)));
    CHECK(atomic_load(&rcuinfo__reader_self->sections[0]) < sections + dups / 100 * RCUINFO__READER_STEP);
    next();
}

/* Bytes that may wait in an arena however many wait in the others. */
static size_t part(void)
{
    return RCUINFO__RECLAIM_HARD_LIMIT / 2 / rcuinfo__arena_count;
}

static void begin_hidden(struct rcuinfo__section *section)
{
    (void)rcuinfo__reader_begin(section, 1);
    rcuinfo__reader_say(section, RCUINFO__READER_HIDDEN);
}

/* Aside: a hidden section, which keeps everything, up to the second step; then reads. */
static void hide(void)
{
    struct rcuinfo__section section;
    begin_hidden(&section);
    next();
    wait_for(2);
    rcuinfo__reader_end(&section);
    TEAM_UNTIL((read_once(1, NULL), atomic_load(&is_done)));
}

/* Nobody waits while all arenas together are not full, though a hidden section keeps all that one has retired. */
static void one_arena_alone(void)
{
    while (rcuinfo__reclaim_waiting() < 4 * part())
        CHECK_OK(rcuinfo_set(info, "key", object_long));
    next();
}

/* Aside: a hidden section whose thread fills its share and does not wait at the limit. */
static void fill_and_hide(void)
{
    struct rcuinfo__section section;
    begin_hidden(&section);
    while (rcuinfo__reclaim_waiting() < RCUINFO__RECLAIM_HARD_LIMIT / 2)
        CHECK_OK(rcuinfo_set(info, "key", object_long));
    next();
    /* Until the other's arena is full, and it waits, for which it scans again and again. */
    TEAM_UNTIL(rcuinfo__reclaim_peak() >= RCUINFO__RECLAIM_HARD_LIMIT / 2 + part());
    uint64_t scans = rcuinfo__reclaim_scans();
    TEAM_UNTIL(rcuinfo__reclaim_scans() > scans + 3);
    rcuinfo__reader_end(&section);
    TEAM_UNTIL((read_once(1, NULL), atomic_load(&is_done)));
}

/* Hidden sections keep everything. A writer in one does not wait at the limit; another thread does, until the section
 * has ended, even if nothing more is retired, and other threads go on reading. */
static void wait_at_the_limit(void)
{
    rcuinfo_t other = share(OBJECT("key", "value"));
    for (int i = 0; i < 40000; i++) /* of which about a third would exceed the limit */
        CHECK_OK(rcuinfo_set(other, "key", object_long));
    size_t beyond = 4 * sizeof object_long * 32 + RCUINFO__RECLAIM_STEP;
    CHECK(rcuinfo__reclaim_peak() <= RCUINFO__RECLAIM_HARD_LIMIT / 2 + part() + 2 * beyond);
    object_free(other);
}

int main(void)
{
    info = OBJECT("key", "value");
    records_are_given_back();
    views_end_in_destructors();
    sections_beyond_the_room_are_hidden();
    sections_end_in_any_order();
    run(keep_view, dup_from_stock);
    run(hide, one_arena_alone);
    run(fill_and_hide, wait_at_the_limit);
    object_free(info);
    info = object_empty();
    object_fill(info, "key", 400, "value");
    run(keep_view, stay_in_large);
    left_nothing();
    rcuinfo__arena_count = RCUINFO__ARENAS; /* as with 16 processors: each call stays within the arenas */
    object_free(share(OBJECT("key", "value")));
    left_nothing();
    return 0;
}
