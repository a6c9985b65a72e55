/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of versions. Blocks have the requested room, and no more than their memory; too large requests fail; the
 * arenas keep blocks of every size, and a bounded number of bytes; and references in stock are counted. Also reference
 * counts that would overflow. White box: looks into slots, blocks and arenas.
 */
#include "core/memory/arena.h"
#include "core/calls/layer.h"
#include "core/memory/reclaim.h"
#include "support/inside.h"
#include "support/left.h"
#include "support/nomem.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/test.h"

enum { LARGEST_KEPT = 32768 - 8 };

/* The parts of a block in use: entries after the header, and then text up to the end. */
static void check_block(const struct rcuinfo__block *block, const struct rcuinfo__shape *shape)
{
    const char *memory = rcuinfo__block_memory((struct rcuinfo__block *)(uintptr_t)block);
    uint32_t finder = rcuinfo__block_finder_of(block);
    CHECK_EQUAL(atomic_load(&block->refcount), 1);
    CHECK_EQUAL((uintptr_t)memory % 16, 0);
    CHECK_EQUAL((uintptr_t)block % _Alignof(struct rcuinfo__block), 0);
    CHECK(block->capacity >= shape->entries && rcuinfo__block_finder(block->capacity) <= finder);
    CHECK(block->extent >=
          rcuinfo__block_text(block) + shape->text + (block->capacity - shape->entries) * (uint64_t)shape->average);
    CHECK(rcuinfo__block_fits(block, shape));
    CHECK(!rcuinfo__block_fits(block, &(struct rcuinfo__shape){.entries = (uint64_t)block->capacity + 1, .text = 0}));
    CHECK(!rcuinfo__block_fits(
        block, &(struct rcuinfo__shape){.entries = 1, .text = block->extent - rcuinfo__block_text(block) + 1}));

    CHECK_EQUAL(block->mask == 0, block->capacity <= RCUINFO__BLOCK_SMALL);
    if (block->mask) {
        CHECK_EQUAL(block->mask & (block->mask + 1), 0);
        CHECK(block->capacity <= (block->mask + 1) / 4 * 3); /* so that searches are short and end */
    } else {
        CHECK(finder >= block->capacity);
    }
    for (uint32_t i = 0; i < finder; i++)
        CHECK_EQUAL(memory[i], 0);
    CHECK(rcuinfo__block_bytes(block) >= rcuinfo__block_size(shape));
}

static struct rcuinfo__block *make_block(const struct rcuinfo__shape *shape)
{
    struct rcuinfo__block *block = rcuinfo__arena_alloc(shape);
    CHECK(block);
    check_block(block, shape);
    return block;
}

/* Retires the block; no thread reads, so it is free when the arena looks at it. */
static void retire(struct rcuinfo__block *block)
{
    CHECK(rcuinfo__block_drop(block, RCUINFO__BLOCK_UNMARKED));
    rcuinfo__reclaim_retire(block);
}

/* Fills the block except for its header, and makes it a free one. */
static void use_and_free(struct rcuinfo__block *block)
{
    char *memory = rcuinfo__block_memory(block);
    uint32_t finder = rcuinfo__block_finder_of(block);
    memset(memory, 0xa5, finder);
    memset(block + 1, 0xa5, block->extent - sizeof *block);
    retire(block);
    CHECK(rcuinfo__reclaim_flush());
}

/* Blocks of every capacity, with room for no text or for more than any pair has, new and reused. */
TEST(blocks_have_the_room_asked_for)
{
    for (int round = 0; round < 2; round++) {
        for (uint32_t entries = 1; entries < 5000; entries += 1 + entries * TEST_SCALE / 100) {
            for (uint32_t average = 0; average < 2000; average = 3 * average + 1) {
                use_and_free(make_block(&(struct rcuinfo__shape){entries, entries * (uint64_t)average, average}));
                use_and_free(make_block(&(struct rcuinfo__shape){entries, 0, average}));
            }
            use_and_free(make_block(&(struct rcuinfo__shape){entries, entries * UINT64_C(200), 0}));
        }
    }
    rcuinfo__reclaim_trim();
    CHECK_EQUAL(kept_bytes(), 0);
}

/* A free block is reused for every size that it was made for, and for no other. There are few sizes. */
TEST(arenas_keep_every_size)
{
    size_t last = 0;
    unsigned sizes = 0;
    rcuinfo__reclaim_trim();
    for (uint64_t text = 1; text < 40000; text += 1 + text / 64) {
        struct rcuinfo__shape shape = {1, text, 40000}; /* no spare memory is enough for one more entry */
        CHECK(!rcuinfo__arena_reuse(&shape));
        struct rcuinfo__block *block = make_block(&shape);
        const void *memory = rcuinfo__block_memory(block);
        size_t bytes = rcuinfo__block_bytes(block);
        CHECK(bytes >= last && bytes < rcuinfo__block_size(&shape) * 5 / 4 + 64);
        CHECK(bytes <= LARGEST_KEPT || bytes == rcuinfo__block_size(&shape)); /* malloc's sizes, not ours */
        sizes += bytes != last && bytes <= LARGEST_KEPT;
        last = bytes;
        use_and_free(block);
        CHECK_EQUAL(kept_bytes(), bytes <= LARGEST_KEPT ? bytes : 0);
        block = rcuinfo__arena_reuse(&shape);
        CHECK(bytes <= LARGEST_KEPT ? block && rcuinfo__block_memory(block) == memory : !block);
        if (block) {
            check_block(block, &shape);
            CHECK_EQUAL(rcuinfo__block_bytes(block), bytes);
            rcuinfo__arena_free(block);
        }
        CHECK_EQUAL(kept_bytes(), 0);
    }
    CHECK_EQUAL(sizes, RCUINFO__ARENA_SIZES - 1); /* no block is as small as the first size */
}

static void refused(uint64_t entries, uint64_t text)
{
    nomem_arm(1);
    CHECK(!rcuinfo__arena_reuse(&(struct rcuinfo__shape){entries, text, 1}));
    CHECK(!rcuinfo__arena_alloc(&(struct rcuinfo__shape){entries, text, 1}));
    CHECK(!nomem_disarm()); /* no allocation was tried */
}

TEST(too_large_a_block_is_refused)
{
    struct rcuinfo__shape least = {1, 0, 1};
    refused(1, UINT64_MAX / 2);
    refused(1, UINT32_MAX);
    refused(1, UINT32_MAX - rcuinfo__block_size(&least) + 1);
    refused(UINT32_MAX, 0);
    refused(UINT32_MAX / sizeof(struct rcuinfo__entry), 0);
    refused(UINT32_MAX / (sizeof(struct rcuinfo__entry) + 2 * sizeof(uint32_t)), 0); /* the finder counts too */
}

/* An update that needs such a block fails, and has no effect. */
TEST(too_large_an_object_is_refused)
{
    enum { SETS = 4300000 };
    static char keys[SETS][5];
    if (TEST_SCALE > 1) /* four hundred megabytes of changes */
        return;
    rcuinfo_change_t *changes = malloc(SETS * sizeof *changes);
    CHECK(changes);
    for (size_t i = 0; i < SETS; i++) {
        for (unsigned digit = 0; digit < 4; digit++)
            keys[i][digit] = (char)('0' + (i >> 6 * digit) % 64);
        changes[i] = (rcuinfo_change_t){keys[i], object_long};
    }
    rcuinfo_t info = OBJECT("a", "before");
    size_t failed = 77;
    CHECK_STATUS(rcuinfo_update(info, changes, SETS, &failed), RCUINFO_ERR_NO_MEM);
    CHECK_EQUAL(failed, 77);
    CHECK_EQUAL(object_version(info), 1);
    CHECK_VALUE(info, "a", "before");
    CHECK_OK(rcuinfo_set(info, "a", "after"));
    object_free(info);
    free(changes);
}

/* A large object that is full is copied even if there is no memory for half its pairs more. */
TEST(little_room_is_better_than_none)
{
    enum { PAIRS = 4096 };
    rcuinfo_t info = object_empty();
    object_fill(info, "", PAIRS, "value");
    for (int i = 0; i < 3; i++) { /* the second copy finds memory, the others find little */
        while (root_of(info)->position + 1 < block_of(info)->capacity)
            CHECK_OK(rcuinfo_set(info, "0", "value"));
        nomem_arm(i == 1 ? 0 : 1);
        CHECK_OK(i ? rcuinfo_set(info, "0", "short") : rcuinfo_delete(info, "1"));
        CHECK_EQUAL(nomem_disarm(), i != 1);
        CHECK_RANGE(block_of(info)->capacity, i == 1 ? PAIRS * 5 / 4 : PAIRS, i == 1 ? PAIRS * 2 : PAIRS * 33 / 32);
    }
    object_free(info);
}

/* Changes of one key, each of which overrides the one before, take no more memory than the last. Which of them deletes
 * a missing key is known all the same. */
TEST(an_update_of_one_key_makes_a_small_block)
{
    enum { SETS = 1000 };
    rcuinfo_change_t changes[SETS];
    rcuinfo_t info = object_empty();
    size_t failed = 77;
    for (int i = 0; i < SETS; i++)
        changes[i] = (rcuinfo_change_t){"a", i % 2 ? "longer" : "b"};
    for (int i = 0; i < 100; i++) {
        CHECK_OK(rcuinfo_update(info, changes, SETS, NULL));
        CHECK_VALUE(info, "a", "longer");
        CHECK(rcuinfo__block_bytes(block_of(info)) < 4096);
    }
    changes[SETS - 2].key = changes[SETS - 1].key = "c";
    changes[SETS - 2].value = changes[SETS - 1].value = NULL;
    CHECK_STATUS(rcuinfo_update(info, changes, SETS, &failed), RCUINFO_ERR_NOKEY);
    CHECK_EQUAL(failed, SETS - 2);
    object_free(info);
}

/* One thread uses one arena, which keeps its part. */
TEST(free_blocks_are_bounded)
{
    enum { BLOCKS = 1024 };
    static const struct rcuinfo__shape shape = {1, 30000, 40000};
    static struct rcuinfo__block *blocks[BLOCKS];
    size_t most = RCUINFO__ARENA_KEPT / rcuinfo__arena_count;
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = make_block(&shape);
    for (int i = 0; i < BLOCKS; i++)
        retire(blocks[i]);
    CHECK(rcuinfo__reclaim_flush());
    CHECK(kept_bytes() > most - 32768 && kept_bytes() <= most);
    rcuinfo__reclaim_trim();
    CHECK_EQUAL(kept_bytes(), 0);
    for (uint32_t i = 0; i < rcuinfo__arena_count * RCUINFO__ARENA_SIZES; i++)
        CHECK(!rcuinfo__arenas[i / RCUINFO__ARENA_SIZES].blocks[i % RCUINFO__ARENA_SIZES]);
}

static rcuinfo_t make_object(void)
{
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    rcuinfo_t info = OBJECT("key", "first");
    CHECK_EQUAL(retired(), 0); /* the empty version is not reclaimed */
    return info;
}

/* The mark of a block: which objects have left it while it was in use. */
TEST(marks)
{
    enum { A = 5, B = 6 };
    static const struct {
        uint32_t leave[3]; /* the slots of those that leave; 0: a snapshot is closed */
        uint32_t mark;
    } cases[] = {
        {{A, 0, A}, A},
        {{0, 0, A}, A},
        {{A, A, 0}, A},
        {{0, 0, 0}, RCUINFO__BLOCK_UNMARKED},
        {{A, B, 0}, RCUINFO__BLOCK_MANY},
        {{A, 0, B}, RCUINFO__BLOCK_MANY},
        {{A, B, A}, RCUINFO__BLOCK_MANY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rcuinfo__block *block = make_block(&(struct rcuinfo__shape){1, 100, 100});
        CHECK(rcuinfo__block_take(block, 1) && rcuinfo__block_take(block, 1));
        CHECK(!rcuinfo__block_is_sole(block));
        CHECK(!rcuinfo__block_drop(block, cases[i].leave[0]));
        CHECK(!rcuinfo__block_drop(block, cases[i].leave[1]));
        CHECK_EQUAL(rcuinfo__block_is_sole(block), !(cases[i].leave[0] | cases[i].leave[1]));
        CHECK(rcuinfo__block_drop(block, cases[i].leave[2]));
        CHECK_EQUAL(block->mark, cases[i].mark);
        CHECK(rcuinfo__block_is_sole(block)); /* the last reference remains, without a mark */
        rcuinfo__arena_free(block);
    }
}

TEST(too_many_references_are_refused)
{
    const uint64_t most = UINT64_C(1) << 31;
    rcuinfo_t copy = 5;
    const rcuinfo_snapshot_t *snapshot = NULL;
    rcuinfo_t info = OBJECT("a", "b");
    struct rcuinfo__block *block = block_of(info);
    atomic_store_explicit(&block->refcount, most - 1, memory_order_relaxed);
    const rcuinfo_snapshot_t *last = object_open(info);
    CHECK_STATUS(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_ERR_NO_MEM);
    CHECK(!snapshot);
    CHECK_STATUS(rcuinfo_dup(info, &copy), RCUINFO_ERR_NO_MEM);
    CHECK(copy == RCUINFO_NULL);
    CHECK(atomic_load_explicit(&block->refcount, memory_order_relaxed) == most);
    rcuinfo_snapshot_close(last);
    atomic_store_explicit(&block->refcount, 1, memory_order_relaxed);
    CHECK_OK(rcuinfo_free(&info));
}

/* A freed object leaves its small block with its slot, and a drain takes it from there. */
TEST(a_drain_takes_spare_blocks)
{
    enum { OBJECTS = 1000 };
    static rcuinfo_t infos[OBJECTS];
    for (int i = 0; i < OBJECTS; i++)
        infos[i] = make_object();
    CHECK(rcuinfo__block_bytes(block_of(infos[0])) <= RCUINFO__ARENA_SPARE);
    for (int i = 0; i < OBJECTS; i++)
        object_free(infos[i]);
    CHECK(rcuinfo__reclaim_flush());
    for (int i = 0; i < OBJECTS; i++)
        CHECK(rcuinfo__handle_slot(infos[i])->spare);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    for (int i = 0; i < OBJECTS; i++)
        CHECK(!rcuinfo__handle_slot(infos[i])->spare);
}

static uint32_t references(rcuinfo_t info)
{
    return (uint32_t)atomic_load(&block_of(info)->refcount);
}

/* Opens an object so often in a row that the arena has a stock of references; returns their number. */
static uint32_t open_often(rcuinfo_t info)
{
    enum { OPENS = 20 };
    const rcuinfo_snapshot_t *snapshots[OPENS];
    for (int i = 0; i < OPENS; i++)
        snapshots[i] = object_open(info);
    for (int i = 0; i < OPENS; i++)
        rcuinfo_snapshot_close(snapshots[i]);
    return references(info) - 1;
}

/* The stock of an arena: it counts in the block, serves snapshots and dups, and goes back with a drain. */
TEST(references_in_stock_are_counted)
{
    enum { MOST = 10000 };
    static rcuinfo_t copies[MOST];
    rcuinfo_t info = make_object();
    uint32_t stock = open_often(info);
    CHECK(stock > 0 && stock < MOST);
    for (uint32_t i = 0; i <= stock; i++) {
        CHECK_EQUAL(references(info), 1 + stock);
        copies[i] = object_dup(info);
    }
    CHECK(references(info) > 1 + stock);
    for (uint32_t i = 0; i <= stock; i++)
        object_free(copies[i]);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    CHECK_EQUAL(references(info), 1);

    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t copy = share(object_dup(info)), stale = copy;
    CHECK(open_often(info) > 0);
    object_free(copy); /* waits, with its root, and comes to its end when the stock has gone back */
    CHECK_STATUS(rcuinfo_snapshot_open(stale, &snapshot), RCUINFO_ERR_INFO);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    CHECK_EQUAL(references(info), 1);
    object_free(info);

    info = object_empty(); /* its block is not counted */
    CHECK_EQUAL(open_often(info), 0);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    CHECK_EQUAL(references(info), 1);
    object_free(info);
}

/* A block stays while it is in stock. It is retired when another block comes in stock, or at the second look of reclaim
 * since it was used. */
TEST(a_stock_keeps_its_block)
{
    for (int by_reclaim = 0; by_reclaim < 2; by_reclaim++) {
        rcuinfo_t info = make_object(), other = OBJECT("another", "object");
        struct rcuinfo__block *block = block_of(info);
        CHECK(open_often(info) > 0);
        size_t bytes = replace_block(info, "key");
        CHECK_EQUAL(retired(), 0);
        if (by_reclaim) {
            for (size_t i = 0; i < 4 * RCUINFO__RECLAIM_BATCH / RCUINFO__HANDLE_WAITING; i++)
                object_free(share(object_empty()));
            CHECK(is_free(block));
        } else {
            CHECK(open_often(other) > 0);
            CHECK_EQUAL(retired(), bytes);
        }
        object_free(info);
        object_free(other);
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
    }
}

/* A large block has no stock, which might keep it for long: neither has one that is too large only with its finder. */
TEST(the_finder_of_a_block_counts)
{
    enum { PAIRS = 420 };
    char value[64] = "";
    int found = 0;
    while (strlen(value) < sizeof value - 1) {
        rcuinfo_t info = object_empty();
        strcat(value, "v");
        object_fill(info, "", PAIRS, value);
        if (block_of(info)->extent <= RCUINFO__ARENA_STOCKED &&
            rcuinfo__block_bytes(block_of(info)) > RCUINFO__ARENA_STOCKED) {
            CHECK_EQUAL(open_often(info), 0);
            found++;
        }
        object_free(info);
    }
    CHECK(found > 0);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
}

/* Returns the number of blocks for a number of sets of one key in an object that has been set often. */
static int blocks_of_sets(size_t value_length, int sets)
{
    char value[RCUINFO_MAX_VALUE] = "";
    int blocks = 0;
    memset(value, 'v', value_length);
    rcuinfo_t info = object_empty();
    for (int i = 0; i < 100; i++)
        CHECK_OK(rcuinfo_set(info, "key", value));
    for (int i = 0; i < sets; i++) {
        const struct rcuinfo__block *block = block_of(info);
        CHECK_OK(rcuinfo_set(info, "key", value));
        blocks += block_of(info) != block;
    }
    CHECK_OK(rcuinfo_free(&info));
    return blocks;
}

/* The memory of 16 pairs of 24 bytes besides their text: little when each was set once, four times as much while they
 * are set repeatedly. */
TEST(memory_of_a_pair)
{
    enum { PAIRS = 16 };
    static const char value[] = "a value of 24 characters";
    char key[16];
    size_t text = 0;
    rcuinfo_t info = object_empty();
    for (int i = 0; i < PAIRS; i++) {
        text += (size_t)snprintf(key, sizeof key, "key_%d", i) + 1 + sizeof value;
        CHECK_OK(rcuinfo_set(info, key, value));
    }
    CHECK_RANGE(rcuinfo__block_bytes(block_of(info)) - text, 24 * PAIRS, 45 * PAIRS);
    for (int i = 0; i < 100 * PAIRS; i++) {
        (void)snprintf(key, sizeof key, "key_%d", i % PAIRS);
        CHECK_OK(rcuinfo_set(info, key, value));
    }
    CHECK_RANGE(rcuinfo__block_bytes(block_of(info)) - text, 24 * PAIRS, 220 * PAIRS);
    CHECK_OK(rcuinfo_free(&info));
}

/* An update counts as one set per edit: the next copy leaves room for sixteen more sets at least. */
TEST(an_update_makes_an_object_hot)
{
    enum { PAIRS = 16 };
    rcuinfo_change_t changes[PAIRS];
    char keys[PAIRS][16];
    for (int i = 0; i < PAIRS; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "key_%d", i);
        changes[i] = (rcuinfo_change_t){keys[i], "a value of 24 characters"};
    }
    rcuinfo_t info = object_empty();
    CHECK_OK(rcuinfo_update(info, changes, PAIRS, NULL));
    uint32_t capacity = block_of(info)->capacity;
    for (uint32_t i = PAIRS; i <= capacity; i++)
        CHECK_OK(rcuinfo_set(info, keys[0], "another one of 24 chars."));
    CHECK(block_of(info)->capacity >= PAIRS + 16);
    CHECK_OK(rcuinfo_free(&info));
}

/* The room of a hot object with one key: 63 sets between two copies, 4 KiB where values are long, 8 sets at least. */
TEST(a_hot_object_is_copied_seldom)
{
    CHECK_RANGE(blocks_of_sets(24, 280), 4, 5);
    CHECK_RANGE(blocks_of_sets(200, 280), 14, 20);
    CHECK_RANGE(blocks_of_sets(1000, 280), 28, 36);
}

TEST_MAIN()
