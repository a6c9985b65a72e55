/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of versions: blocks have the room that was asked for, and no more than their memory; what is too large is
 * refused; the pools serve every size, are bounded as a whole, and emptied by the drain; and what waits for a grace
 * period is counted to the byte, once, by who let go of it last. White box: looks into blocks and pools.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rcuinfo/rcuinfo.h>

#include "core/alloc.h"
#include "core/handle.h"
#include "core/log.h"
#include "core/recycle.h"
#include "support/scale.h"

enum { LARGEST_POOLED = 32768 - 8 };

/* What is used of a block: entries, from the header on, and text from behind them to the end. */
static void check_block(const struct rcuinfo__block *block, const struct rcuinfo__shape *shape)
{
    const char *memory = rcuinfo__block_memory((struct rcuinfo__block *)(uintptr_t)block);
    uint32_t finder = rcuinfo__block_finder_of(block);
    assert_int_equal(atomic_load(&block->refcount), RCUINFO__BLOCK_REF);
    assert_int_equal((uintptr_t)memory % 16, 0);
    assert_int_equal((uintptr_t)block % _Alignof(struct rcuinfo__block), 0);
    assert_true(block->capacity >= shape->entries);
    assert_true(block->bytes >= rcuinfo__block_text(block) + shape->text +
                                    (block->capacity - shape->entries) * (uint64_t)shape->average);
    assert_true(rcuinfo__block_fits(block, shape));
    assert_false(
        rcuinfo__block_fits(block, &(struct rcuinfo__shape){.entries = (uint64_t)block->capacity + 1, .text = 0}));
    assert_false(rcuinfo__block_fits(
        block, &(struct rcuinfo__shape){.entries = 1, .text = block->bytes - rcuinfo__block_text(block) + 1}));

    assert_int_equal(block->mask == 0, block->capacity <= RCUINFO__BLOCK_SCANNED);
    if (block->mask) {
        assert_int_equal(block->mask & (block->mask + 1), 0);
        assert_true(block->capacity <= (block->mask + 1) / 4 * 3); /* so a search is short, and ends */
    } else {
        assert_true(finder >= block->capacity);
    }
    for (uint32_t i = 0; i < finder; i++)
        assert_int_equal(memory[i], 0);
    assert_true(rcuinfo__block_bytes(block) >= rcuinfo__block_size(shape));
}

static struct rcuinfo__block *make_block(const struct rcuinfo__shape *shape)
{
    struct rcuinfo__block *block = rcuinfo__recycle_alloc(shape);
    assert_non_null(block);
    check_block(block, shape);
    return block;
}

/* Fills it, but for the header, and puts it into its pool. */
static void use_and_put(struct rcuinfo__block *block)
{
    size_t pooled = rcuinfo__recycle_kept();
    uint64_t owners;
    char *memory = rcuinfo__block_memory(block);
    uint32_t finder = rcuinfo__block_finder_of(block);
    memset(memory, 0xa5, finder);
    memset(block + 1, 0xa5, block->bytes - sizeof *block);
    assert_true(rcuinfo__block_drop(block, true, &owners));
    rcuinfo__recycle_put(block, &pooled);
    assert_int_equal(rcuinfo__recycle_kept(), pooled);
}

/* Of every capacity, and with room for text that is nothing, or more than any pair has; new, and used before. */
static void blocks_have_the_room_asked_for(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (uint32_t entries = 1; entries < 5000; entries += 1 + entries / 100) {
            for (uint32_t average = 0; average < 2000; average = 3 * average + 1) {
                use_and_put(make_block(&(struct rcuinfo__shape){entries, entries * (uint64_t)average, average}));
                use_and_put(make_block(&(struct rcuinfo__shape){entries, 0, average}));
            }
        }
    }
    rcuinfo__recycle_trim();
    assert_int_equal(rcuinfo__recycle_kept(), 0);
}

/* What was put into a pool comes out of it for every size that made it, and for no other; the sizes are few. */
static void pools_serve_every_size(void **state)
{
    size_t last = 0;
    unsigned sizes = 0;
    (void)state;
    rcuinfo__recycle_trim();
    for (uint64_t text = 1; text < 40000; text += 1 + text / 64) {
        struct rcuinfo__shape shape = {1, text, 40000}; /* no memory left over is enough for one more entry */
        assert_null(rcuinfo__recycle_reuse(&shape));
        struct rcuinfo__block *block = make_block(&shape);
        const void *memory = rcuinfo__block_memory(block);
        size_t bytes = rcuinfo__block_bytes(block);
        assert_true(bytes >= last && bytes < rcuinfo__block_size(&shape) * 5 / 4 + 64);
        sizes += bytes != last && bytes <= LARGEST_POOLED;
        last = bytes;
        use_and_put(block);
        assert_int_equal(rcuinfo__recycle_kept(), bytes <= LARGEST_POOLED ? bytes : 0);
        block = rcuinfo__recycle_reuse(&shape);
        assert_true(bytes <= LARGEST_POOLED ? block && rcuinfo__block_memory(block) == memory : !block);
        if (block) {
            check_block(block, &shape);
            assert_int_equal(rcuinfo__block_bytes(block), bytes);
            rcuinfo__recycle_free(block);
        }
        assert_int_equal(rcuinfo__recycle_kept(), 0);
    }
    assert_int_equal(sizes, RCUINFO__RECYCLE_POOLS - 1); /* no block is as small as the first one's */
}

static void refused(uint64_t entries, uint64_t text)
{
    int before = rcuinfo__alloc_faults();
    rcuinfo__alloc_fail_at(1);
    assert_null(rcuinfo__recycle_reuse(&(struct rcuinfo__shape){entries, text, 1}));
    assert_null(rcuinfo__recycle_alloc(&(struct rcuinfo__shape){entries, text, 1}));
    rcuinfo__alloc_fail_at(0);
    assert_int_equal(rcuinfo__alloc_faults(), before); /* without asking for any memory */
}

static void too_large_a_block_is_refused(void **state)
{
    struct rcuinfo__shape least = {1, 0, 1};
    (void)state;
    refused(1, UINT64_MAX / 2);
    refused(1, UINT32_MAX);
    refused(1, UINT32_MAX - rcuinfo__block_size(&least) + 1);
    refused(UINT32_MAX, 0);
    refused(UINT32_MAX / sizeof(struct rcuinfo__entry), 0);
    refused(UINT32_MAX / (sizeof(struct rcuinfo__entry) + 2 * sizeof(uint32_t)), 0); /* the finder counts too */
}

/* An update that would make one: it is refused, and nothing has happened. */
static void too_large_an_object_is_refused(void **state)
{
    enum { SETS = 4300000 };
    rcuinfo_change_t *changes;
    char value[RCUINFO_MAX_VALUE], is[8] = "";
    uint64_t version;
    size_t failed = 77;
    rcuinfo_t info;
    int flag;
    (void)state;
    if (TEST_SCALE > 1) /* two hundred megabytes of changes */
        skip();
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    changes = malloc(SETS * sizeof *changes);
    assert_non_null(changes);
    for (size_t i = 0; i < SETS; i++)
        changes[i] = (rcuinfo_change_t){"a", value};
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(info, "a", "before"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_update(info, changes, SETS, &failed), RCUINFO_ERR_NO_MEM);
    assert_int_equal(failed, 77);
    assert_int_equal(rcuinfo_version(info, &version), RCUINFO_SUCCESS);
    assert_int_equal(version, 1);
    assert_int_equal(rcuinfo_get(info, "a", 7, is, &flag), RCUINFO_SUCCESS);
    assert_string_equal(is, "before");
    assert_int_equal(rcuinfo_set(info, "a", "after"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    free(changes);
}

static void pools_are_bounded_as_a_whole(void **state)
{
    enum { BLOCKS = 1024 };
    static const struct rcuinfo__shape shape = {1, 30000, 40000};
    static struct rcuinfo__block *blocks[BLOCKS];
    size_t pooled = rcuinfo__recycle_kept();
    uint64_t owners;
    (void)state;
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = make_block(&shape);
    for (int i = 0; i < BLOCKS; i++) {
        assert_true(rcuinfo__block_drop(blocks[i], true, &owners));
        rcuinfo__recycle_put(blocks[i], &pooled);
    }
    assert_true(rcuinfo__recycle_kept() > RCUINFO__RECYCLE_MOST - 32768);
    assert_true(rcuinfo__recycle_kept() <= RCUINFO__RECYCLE_MOST + 32768);
    rcuinfo__recycle_trim();
    assert_int_equal(rcuinfo__recycle_kept(), 0);
}

static void the_drain_empties_the_pools(void **state)
{
    rcuinfo_t info;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int i = 0; i < 100; i++)
        assert_int_equal(rcuinfo_set(info, "key", i % 2 ? "odd" : "even"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_store_drain(), 0);
    assert_int_equal(rcuinfo__recycle_kept(), 0);
}

/* The version of all new objects: of no pairs, and nobody counts who holds it. */
static void the_empty_version(void **state)
{
    struct rcuinfo__block *block = &rcuinfo__empty.block;
    struct rcuinfo__record record = {0};
    uint64_t owners = 0;
    rcuinfo_t info;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    const struct rcuinfo__entry *empty = rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS);
    assert_ptr_equal(empty, RCUINFO__EMPTY);
    assert_ptr_equal(rcuinfo__block_of(empty), block);
    assert_ptr_equal(rcuinfo__block_memory(block), &rcuinfo__empty);
    assert_int_equal(rcuinfo__block_bytes(block), sizeof rcuinfo__empty);
    assert_int_equal(empty->pairs, 0);
    assert_int_equal(rcuinfo__log_version(empty), 0);
    assert_true(rcuinfo__log_valid(empty));
    for (uint32_t fingerprint = 0; fingerprint < 256; fingerprint++)
        assert_null(rcuinfo__log_find(empty, "key", 3, fingerprint << 24));
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_true(rcuinfo__block_take(block));
    assert_int_equal(rcuinfo__block_announce(block, &record), 0);
    assert_false(record.owner);
    assert_false(rcuinfo__block_drop(block, true, &owners));
    assert_false(rcuinfo__block_drop(block, false, &owners));
    assert_true(owners > 0);
    assert_int_equal(atomic_load(&block->refcount), RCUINFO__BLOCK_REF);
}

static size_t retired(void)
{
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    return (size_t)stats.retired;
}

static const struct rcuinfo__block *block_of(rcuinfo_t info)
{
    return rcuinfo__block_of(rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS)); /* one thread, so it stays */
}

static rcuinfo_t make_object(void)
{
    rcuinfo_t info;
    assert_int_equal(rcuinfo_store_drain(), 0);
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(info, "key", "first"), RCUINFO_SUCCESS);
    assert_int_equal(retired(), 0); /* what it was before is nobody's memory */
    return info;
}

/* Sets until the pairs are in another block; returns the bytes of the one that they were in. */
static size_t replace_block(rcuinfo_t info)
{
    const struct rcuinfo__block *block = block_of(info);
    size_t bytes = rcuinfo__block_bytes(block), before = retired();
    while (block_of(info) == block) {
        assert_int_equal(retired(), before); /* a set that appends lets go of nothing */
        assert_int_equal(rcuinfo_set(info, "key", "value"), RCUINFO_SUCCESS);
    }
    return bytes;
}

#define RECORD (sizeof(struct rcuinfo__record))
#define SLOT   (sizeof(struct rcuinfo__slot))

static void a_set_that_copies_counts_its_block(void **state)
{
    rcuinfo_t info = make_object();
    size_t bytes = replace_block(info);
    (void)state;
    assert_int_equal(retired(), bytes + RECORD);
    bytes += replace_block(info);
    assert_int_equal(retired(), bytes + 2 * RECORD);
    bytes += rcuinfo__block_bytes(block_of(info));
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(retired(), bytes + 2 * RECORD + SLOT);
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(retired(), bytes + 2 * RECORD + 2 * SLOT);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

/* Two objects have a block: it waits from when the second lets go of it, in whichever order. */
static void a_shared_block_counts_once(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        rcuinfo_t info = make_object(), copy;
        size_t bytes = rcuinfo__block_bytes(block_of(info));
        assert_int_equal(rcuinfo_dup(info, &copy), RCUINFO_SUCCESS);
        assert_ptr_equal(block_of(copy), block_of(info));
        (void)replace_block(order ? info : copy);
        assert_int_equal(retired(), RECORD);
        assert_int_equal(rcuinfo_free(order ? &copy : &info), RCUINFO_SUCCESS);
        assert_int_equal(retired(), bytes + RECORD + SLOT);
        bytes += rcuinfo__block_bytes(block_of(order ? info : copy));
        assert_int_equal(rcuinfo_free(order ? &info : &copy), RCUINFO_SUCCESS);
        assert_int_equal(retired(), bytes + RECORD + 2 * SLOT);
        assert_int_equal(rcuinfo_store_drain(), 0);
    }
}

/* A snapshot keeps a block: it waits from the last close on, where the object has let go, and else not for it. */
static void a_closed_snapshot_counts_what_it_kept(void **state)
{
    const rcuinfo_snapshot_t *first, *second;
    rcuinfo_t info = make_object();
    (void)state;
    assert_int_equal(rcuinfo_snapshot_open(info, &first), RCUINFO_SUCCESS);
    rcuinfo_snapshot_close(first);
    assert_int_equal(retired(), 0);

    assert_int_equal(rcuinfo_snapshot_open(info, &first), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_snapshot_open(info, &second), RCUINFO_SUCCESS);
    size_t bytes = replace_block(info);
    assert_int_equal(retired(), RECORD);
    rcuinfo_snapshot_close(first);
    assert_int_equal(retired(), RECORD);
    rcuinfo_snapshot_close(second);
    assert_int_equal(retired(), bytes + RECORD);
    assert_int_equal(rcuinfo_store_drain(), 0);

    /* Its grace period is over: the block is free at once. */
    assert_int_equal(rcuinfo_snapshot_open(info, &first), RCUINFO_SUCCESS);
    (void)replace_block(info);
    assert_int_equal(rcuinfo_store_drain(), 0);
    rcuinfo_snapshot_close(first);
    assert_int_equal(retired(), 0);

    assert_int_equal(rcuinfo_snapshot_open(info, &first), RCUINFO_SUCCESS);
    bytes = rcuinfo__block_bytes(block_of(info));
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(retired(), SLOT);
    rcuinfo_snapshot_close(first);
    assert_int_equal(retired(), bytes + SLOT);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

static void an_allocation_fails_once(void **state)
{
    int faults = rcuinfo__alloc_faults();
    (void)state;
    rcuinfo__alloc_fail_at(2);
    for (int i = 1; i <= 3; i++) {
        void *memory = rcuinfo__alloc(1);
        assert_int_equal(memory == NULL, i == 2);
        rcuinfo__alloc_free(memory);
    }
    assert_int_equal(rcuinfo__alloc_faults(), faults + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_the_room_asked_for),
        cmocka_unit_test(pools_serve_every_size),
        cmocka_unit_test(too_large_a_block_is_refused),
        cmocka_unit_test(too_large_an_object_is_refused),
        cmocka_unit_test(pools_are_bounded_as_a_whole),
        cmocka_unit_test(the_drain_empties_the_pools),
        cmocka_unit_test(the_empty_version),
        cmocka_unit_test(a_set_that_copies_counts_its_block),
        cmocka_unit_test(a_shared_block_counts_once),
        cmocka_unit_test(a_closed_snapshot_counts_what_it_kept),
        cmocka_unit_test(an_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
