/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Owners of objects (core/memory/handle.h). What only its owner has used is free at once; else it waits for a scan:
 * when another thread has read the object, or frees it; when the block has had other references; in a read section of
 * the owner. An object goes to the next thread with the record of its owner, and the owners of more records than fit in
 * a handle own nothing. White box: looks into slots, and at what waits.
 */
#include "core/memory/arena.h"
#include "core/memory/reclaim.h"
#include "support/inside.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/test.h"
#include "support/threads.h"

static rcuinfo_t info;

static uint32_t owner_of(rcuinfo_t object)
{
    return rcuinfo__handle_owner(atomic_load(&rcuinfo__handle_slot(object)->generation));
}

static void make(void)
{
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    info = OBJECT("key", "value");
    CHECK_EQUAL(owner_of(info), rcuinfo__reader_self->number);
}

/* Frees the object; its slot and its block wait, besides so many bytes. */
static void free_waits(size_t bytes)
{
    bytes += rcuinfo__block_bytes(block_of(info)) + RCUINFO__HANDLE_WAITING;
    CHECK_OK(rcuinfo_free(&info));
    CHECK_EQUAL(retired(), bytes);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
}

static void free_at_once(void)
{
    CHECK_OK(rcuinfo_free(&info));
    CHECK_EQUAL(retired(), 0);
}

TEST(an_owned_object_is_freed_at_once)
{
    make();
    const struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    const struct rcuinfo__block *block = block_of(info);
    size_t bytes = replace_block(info, "key");
    CHECK(slot->spare == block && bytes <= RCUINFO__ARENA_SPARE); /* a small block stays with its slot */

    while (rcuinfo__block_bytes(block_of(info)) <= RCUINFO__ARENA_SPARE)
        CHECK_OK(
            rcuinfo_set(info, "key", "a value that makes the block too large for its slot to keep after some sets"));
    size_t kept = kept_bytes();
    bytes = replace_block(info, "key");
    CHECK(kept_bytes() >= kept + bytes); /* the arena has a larger one */
    CHECK_EQUAL(retired(), 0);
    free_at_once();

    make();
    block = block_of(info);
    free_at_once();
    CHECK(is_free(block));
    object_free(object_empty());
    CHECK_EQUAL(retired(), 0);
}

/* Slots come round: those of a few objects are used again and again. */
TEST(slots_are_used_again)
{
    enum { OBJECTS = RCUINFO__HANDLE_KEEP_NEAR + 1000 };
    uint64_t reused = left_stats().reused_slots;
    for (int i = 0; i < OBJECTS; i++)
        object_free(object_empty());
    CHECK(left_stats().reused_slots > reused + 500);
}

/* The slot of an object that has its block together with another one is free at once, and its reference is dropped. */
TEST(a_dup_leaves_its_block)
{
    make();
    struct rcuinfo__block *block = block_of(info);
    rcuinfo_t copy = object_dup(info);
    CHECK_EQUAL((uint32_t)atomic_load(&block->refcount), 2);
    CHECK_OK(rcuinfo_free(&copy));
    CHECK_EQUAL((uint32_t)atomic_load(&block->refcount), 1);
    CHECK_EQUAL(retired(), 0);

    CHECK_OK(rcuinfo_free(&info));
    CHECK_EQUAL(retired(), 0);
    CHECK(is_free(block));
}

/* A block that others had references on is free at once if they have left no reader: snapshots do not, but objects that
 * other threads may have read do. */
TEST(a_block_that_others_have_left)
{
    make();
    struct rcuinfo__block *block = block_of(info);
    rcuinfo_snapshot_close(object_open(info));
    (void)replace_block(info, "key");
    CHECK_EQUAL(retired(), 0);
    CHECK(is_free(block));
    CHECK_OK(rcuinfo_free(&info));

    make();
    block = block_of(info);
    const rcuinfo_snapshot_t *first = object_open(info), *second = object_open(info);
    rcuinfo_snapshot_close(first);
    CHECK_OK(rcuinfo_free(&info));
    CHECK(!is_free(block));
    rcuinfo_snapshot_close(second);
    CHECK_EQUAL(retired(), rcuinfo__block_bytes(block)); /* who closes a snapshot does not know the readers */
    CHECK_EQUAL(rcuinfo_store_drain(), 0);

    make();
    object_free(share(object_dup(info)));
    CHECK_EQUAL(retired(), RCUINFO__HANDLE_WAITING);
    size_t bytes = rcuinfo__block_bytes(block_of(info));
    CHECK_OK(rcuinfo_free(&info));
    CHECK_EQUAL(retired(), RCUINFO__HANDLE_WAITING + bytes);
}

/* The owner may be reading what it replaces or frees. */
TEST(a_viewed_version_is_not_freed_at_once)
{
    rcuinfo_view_t view;
    make();
    CHECK_OK(rcuinfo_view_begin(info, &view));
    size_t bytes = replace_block(info, "key");
    CHECK_EQUAL(retired(), bytes);
    bytes += rcuinfo__block_bytes(block_of(info)) + RCUINFO__HANDLE_WAITING;
    CHECK_OK(rcuinfo_free(&info));
    CHECK_EQUAL(retired(), bytes);
    rcuinfo_view_end(&view);
}

static void read_it(unsigned index, void *unused)
{
    (void)index, (void)unused;
    CHECK_EQUAL(object_count(info), 1);
}

TEST(read_by_another_thread)
{
    make();
    team_run(1, read_it, NULL);
    CHECK_EQUAL(owner_of(info), 0);
    size_t bytes = replace_block(info, "key");
    CHECK_EQUAL(retired(), bytes);
    free_waits(bytes);
}

/* A set by another thread loads no root without the object's lock. */
static void set_it(unsigned index, void *unused)
{
    (void)index, (void)unused;
    CHECK_OK(rcuinfo_set(info, "key", "other"));
}

TEST(set_by_another_thread)
{
    make();
    team_run(1, set_it, NULL);
    CHECK_EQUAL(owner_of(info), rcuinfo__reader_self->number);
    free_at_once();
}

static void free_it(unsigned index, void *unused)
{
    (void)index, (void)unused;
    object_free(object_empty()); /* so that this thread has a record, too */
    free_waits(0);
}

TEST(freed_by_another_thread)
{
    make();
    team_run(1, free_it, NULL);
}

/* A thread, and then the thread that gets its record. */
static void make_it(unsigned index, void *number)
{
    (void)index;
    make();
    *(uint32_t *)number = rcuinfo__reader_self->number;
}

static void find_and_free_it(unsigned index, void *number)
{
    (void)index;
    object_free(object_empty()); /* so that this thread has a record */
    CHECK_EQUAL(rcuinfo__reader_self->number, *(uint32_t *)number);
    CHECK_EQUAL(object_count(info), 1);
    free_at_once();
}

TEST(a_record_is_handed_on)
{
    uint32_t number = 0;
    team_run(1, make_it, &number);
    CHECK(number != rcuinfo__reader_self->number);
    team_run(1, find_and_free_it, &number);
}

TEST(large_numbers_own_nothing)
{
    uint32_t number = rcuinfo__reader_self->number;
    rcuinfo__reader_self->number = RCUINFO__HANDLE_OWNED_BY - 1;
    make();
    free_at_once();
    rcuinfo__reader_self->number = RCUINFO__HANDLE_OWNED_BY;
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    info = OBJECT("key", "value");
    CHECK_EQUAL(owner_of(info), 0);
    free_waits(0);
    rcuinfo__reader_self->number = number;
}

TEST_MAIN(left_nothing())
