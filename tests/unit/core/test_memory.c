/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of versions. Blocks have the requested room, and no more than their memory; too large requests fail; the
 * pools serve every size and are bounded in sum; and memory that waits for a grace period is counted to the byte, once,
 * by the last owner to release it. Also cases that the public interface reaches too rarely: handles that refer to a
 * slot while its first object is created, reference counts that would overflow, bytes that only open snapshots keep.
 * White box: looks into slots, blocks and pools.
 */
#include "core/layer.h"
#include "core/reclaim.h"
#include "core/recycle.h"
#include "support/inside.h"
#include "support/left.h"
#include "support/nomem.h"
#include "support/objects.h"
#include "support/scale.h"

enum { LARGEST_POOLED = 32768 - 8 };

/* The parts of a block in use: entries after the header, and then text up to the end. */
static void check_block(const struct rcuinfo__block *block, const struct rcuinfo__shape *shape)
{
    const char *memory = rcuinfo__block_memory((struct rcuinfo__block *)(uintptr_t)block);
    uint32_t finder = rcuinfo__block_finder_of(block);
    CHECK_EQUAL(atomic_load(&block->refcount), RCUINFO__BLOCK_REF);
    CHECK_EQUAL((uintptr_t)memory % 16, 0);
    CHECK_EQUAL((uintptr_t)block % _Alignof(struct rcuinfo__block), 0);
    CHECK(block->capacity >= shape->entries && rcuinfo__block_finder(block->capacity) <= finder);
    CHECK(block->bytes >=
          rcuinfo__block_text(block) + shape->text + (block->capacity - shape->entries) * (uint64_t)shape->average);
    CHECK(rcuinfo__block_fits(block, shape));
    CHECK(!rcuinfo__block_fits(block, &(struct rcuinfo__shape){.entries = (uint64_t)block->capacity + 1, .text = 0}));
    CHECK(!rcuinfo__block_fits(
        block, &(struct rcuinfo__shape){.entries = 1, .text = block->bytes - rcuinfo__block_text(block) + 1}));

    CHECK_EQUAL(block->mask == 0, block->capacity <= RCUINFO__BLOCK_SCANNED);
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
    struct rcuinfo__block *block = rcuinfo__recycle_alloc(shape);
    CHECK(block);
    check_block(block, shape);
    return block;
}

/* Fills the block except for its header, and puts it into its pool. */
static void use_and_put(struct rcuinfo__block *block)
{
    size_t pooled = rcuinfo__recycle_kept();
    uint64_t owners;
    char *memory = rcuinfo__block_memory(block);
    uint32_t finder = rcuinfo__block_finder_of(block);
    memset(memory, 0xa5, finder);
    memset(block + 1, 0xa5, block->bytes - sizeof *block);
    CHECK(rcuinfo__block_drop(block, true, &owners));
    rcuinfo__recycle_put(block, &pooled);
    CHECK_EQUAL(rcuinfo__recycle_kept(), pooled);
}

/* Blocks of every capacity, with room for no text or for more than any pair has, new and reused. */
static void blocks_have_the_room_asked_for(void)
{
    for (int round = 0; round < 2; round++) {
        for (uint32_t entries = 1; entries < 5000; entries += 1 + entries / 100) {
            for (uint32_t average = 0; average < 2000; average = 3 * average + 1) {
                use_and_put(make_block(&(struct rcuinfo__shape){entries, entries * (uint64_t)average, average}));
                use_and_put(make_block(&(struct rcuinfo__shape){entries, 0, average}));
            }
            use_and_put(make_block(&(struct rcuinfo__shape){entries, entries * UINT64_C(200), 0}));
        }
    }
    rcuinfo__recycle_trim();
    CHECK_EQUAL(rcuinfo__recycle_kept(), 0);
}

/* A pool returns a block for every size that the block was made for, and for no other. There are few sizes. */
static void pools_serve_every_size(void)
{
    size_t last = 0;
    unsigned sizes = 0;
    rcuinfo__recycle_trim();
    for (uint64_t text = 1; text < 40000; text += 1 + text / 64) {
        struct rcuinfo__shape shape = {1, text, 40000}; /* no spare memory is enough for one more entry */
        CHECK(!rcuinfo__recycle_reuse(&shape));
        struct rcuinfo__block *block = make_block(&shape);
        const void *memory = rcuinfo__block_memory(block);
        size_t bytes = rcuinfo__block_bytes(block);
        CHECK(bytes >= last && bytes < rcuinfo__block_size(&shape) * 5 / 4 + 64);
        sizes += bytes != last && bytes <= LARGEST_POOLED;
        last = bytes;
        use_and_put(block);
        CHECK_EQUAL(rcuinfo__recycle_kept(), bytes <= LARGEST_POOLED ? bytes : 0);
        block = rcuinfo__recycle_reuse(&shape);
        CHECK(bytes <= LARGEST_POOLED ? block && rcuinfo__block_memory(block) == memory : !block);
        if (block) {
            check_block(block, &shape);
            CHECK_EQUAL(rcuinfo__block_bytes(block), bytes);
            rcuinfo__recycle_free(block);
        }
        CHECK_EQUAL(rcuinfo__recycle_kept(), 0);
    }
    CHECK_EQUAL(sizes, RCUINFO__RECYCLE_POOLS - 1); /* no block is as small as those of the first pool */
}

static void refused(uint64_t entries, uint64_t text)
{
    nomem_arm(1);
    CHECK(!rcuinfo__recycle_reuse(&(struct rcuinfo__shape){entries, text, 1}));
    CHECK(!rcuinfo__recycle_alloc(&(struct rcuinfo__shape){entries, text, 1}));
    CHECK(!nomem_disarm()); /* no allocation was tried */
}

static void too_large_a_block_is_refused(void)
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
static void too_large_an_object_is_refused(void)
{
    enum { SETS = 4300000 };
    static char value[RCUINFO_MAX_VALUE];
    if (TEST_SCALE > 1) /* two hundred megabytes of changes */
        return;
    memset(value, 'v', sizeof value - 1);
    rcuinfo_change_t *changes = malloc(SETS * sizeof *changes);
    CHECK(changes);
    for (size_t i = 0; i < SETS; i++)
        changes[i] = (rcuinfo_change_t){"a", value};
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

static void pools_are_bounded_as_a_whole(void)
{
    enum { BLOCKS = 1024 };
    static const struct rcuinfo__shape shape = {1, 30000, 40000};
    static struct rcuinfo__block *blocks[BLOCKS];
    size_t pooled = rcuinfo__recycle_kept();
    uint64_t owners;
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = make_block(&shape);
    for (int i = 0; i < BLOCKS; i++) {
        CHECK(rcuinfo__block_drop(blocks[i], true, &owners));
        rcuinfo__recycle_put(blocks[i], &pooled);
    }
    CHECK(rcuinfo__recycle_kept() > RCUINFO__RECYCLE_MOST - 32768);
    CHECK(rcuinfo__recycle_kept() <= RCUINFO__RECYCLE_MOST + 32768);
    rcuinfo__recycle_trim();
    CHECK_EQUAL(rcuinfo__recycle_kept(), 0);
}

/* The version of all new objects: it has no pairs, and its references are not counted. */
static void the_empty_version(void)
{
    struct rcuinfo__block *block = &rcuinfo__empty.block;
    struct rcuinfo__record record = {0};
    uint64_t owners = 0;
    rcuinfo_t info = object_empty();
    const struct rcuinfo__entry *empty = rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS);
    CHECK(rcuinfo__block_of(empty) == block);
    CHECK(rcuinfo__block_memory(block) == &rcuinfo__empty);
    CHECK_EQUAL(rcuinfo__block_bytes(block), sizeof rcuinfo__empty);
    CHECK_EQUAL(empty->pairs, 0);
    CHECK_EQUAL(rcuinfo__log_version(empty), 0);
    CHECK(rcuinfo__log_valid(empty));
    for (uint32_t fingerprint = 0; fingerprint < 256; fingerprint++)
        CHECK(!rcuinfo__log_find(empty, "key", 3, fingerprint << 24));
    CHECK(empty == RCUINFO__EMPTY);
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo__block_take(block));
    CHECK_EQUAL(rcuinfo__block_announce(block, &record), 0);
    CHECK(!record.owner);
    CHECK(!rcuinfo__block_drop(block, true, &owners));
    CHECK(!rcuinfo__block_drop(block, false, &owners));
    CHECK(owners > 0);
    CHECK_EQUAL(atomic_load(&block->refcount), RCUINFO__BLOCK_REF);
}

static rcuinfo_t make_object(void)
{
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    rcuinfo_t info = OBJECT("key", "first");
    CHECK_EQUAL(retired(), 0); /* the empty version is not reclaimed */
    return info;
}

#define RECORD (sizeof(struct rcuinfo__record))
#define SLOT   (sizeof(struct rcuinfo__slot))

static void a_set_that_copies_counts_its_block(void)
{
    rcuinfo_t info = make_object();
    size_t bytes = replace_block(info, "key");
    CHECK_EQUAL(retired(), bytes + RECORD);
    bytes += replace_block(info, "key");
    CHECK_EQUAL(retired(), bytes + 2 * RECORD);
    bytes += rcuinfo__block_bytes(block_of(info));
    CHECK_OK(rcuinfo_free(&info));
    CHECK_EQUAL(retired(), bytes + 2 * RECORD + SLOT);
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_free(&info));
    CHECK_EQUAL(retired(), bytes + 2 * RECORD + 2 * SLOT);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
}

/* A block that two objects share waits from when the second releases it, in either order. */
static void a_shared_block_counts_once(void)
{
    for (int order = 0; order < 2; order++) {
        rcuinfo_t info = make_object(), copy = object_dup(info);
        rcuinfo_t first = order ? info : copy, second = order ? copy : info;
        size_t bytes = rcuinfo__block_bytes(block_of(info));
        CHECK(block_of(copy) == block_of(info));
        (void)replace_block(first, "key");
        CHECK_EQUAL(retired(), RECORD);
        object_free(second);
        CHECK_EQUAL(retired(), bytes + RECORD + SLOT);
        bytes += rcuinfo__block_bytes(block_of(first));
        object_free(first);
        CHECK_EQUAL(retired(), bytes + RECORD + 2 * SLOT);
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
    }
}

/* A snapshot keeps a block. If the object has released it, it waits from the last close on; else not. */
static void a_closed_snapshot_counts_what_it_kept(void)
{
    rcuinfo_t info = make_object();
    const rcuinfo_snapshot_t *first = object_open(info);
    rcuinfo_snapshot_close(first);
    CHECK_EQUAL(retired(), 0);

    CHECK_OK(rcuinfo_snapshot_open(info, &first));
    const rcuinfo_snapshot_t *second = object_open(info);
    size_t bytes = replace_block(info, "key");
    CHECK_EQUAL(retired(), RECORD);
    rcuinfo_snapshot_close(first);
    CHECK_EQUAL(retired(), RECORD);
    rcuinfo_snapshot_close(second);
    CHECK_EQUAL(retired(), bytes + RECORD);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);

    /* Its grace period is over, so the block is free at once. */
    CHECK_OK(rcuinfo_snapshot_open(info, &first));
    (void)replace_block(info, "key");
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    rcuinfo_snapshot_close(first);
    CHECK_EQUAL(retired(), 0);

    CHECK_OK(rcuinfo_snapshot_open(info, &first));
    bytes = rcuinfo__block_bytes(block_of(info));
    CHECK_OK(rcuinfo_free(&info));
    CHECK_EQUAL(retired(), SLOT);
    rcuinfo_snapshot_close(first);
    CHECK_EQUAL(retired(), bytes + SLOT);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
}

/* Simulates the moment between the two stores of rcuinfo__handle_open. */
static void number_meets_a_slot_that_is_being_opened(void)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_take();
    int nkeys = 77;
    CHECK(slot);
    CHECK(slot->index > 0);                     /* no narrow handle is 0 */
    CHECK((uintptr_t)slot % sizeof *slot == 0); /* readers touch one cache line */
    atomic_store_explicit(&slot->root, RCUINFO__EMPTY, memory_order_relaxed);
    rcuinfo_t never = slot->index;
    rcuinfo_t next = UINT64_C(1) << RCUINFO__INDEX_BITS | slot->index;
    const rcuinfo_t numbers[] = {never, next};
    for (size_t i = 0; i < 2; i++) {
        rcuinfo_t number = numbers[i];
        CHECK_STATUS(rcuinfo_get_nkeys(number, &nkeys), RCUINFO_ERR_INFO);
        CHECK_EQUAL(nkeys, 77);
        CHECK_STATUS(rcuinfo_set(number, "a", "b"), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_free(&number), RCUINFO_ERR_INFO);
        CHECK(rcuinfo__handle_widen((uint32_t)number & 0x3ffffff, 6) == RCUINFO_NULL);
    }
    rcuinfo_t info = rcuinfo__handle_open(slot, RCUINFO__EMPTY, false);
    CHECK(info == next);
    CHECK_STATUS(rcuinfo_get_nkeys(never, &nkeys), RCUINFO_ERR_INFO);
    CHECK_OK(rcuinfo_set(info, "a", "b"));
    CHECK_OK(rcuinfo_free(&info));
}

static void too_many_references_are_refused(void)
{
    const uint64_t most = UINT64_C(1) << 31, full = most << 32 | most;
    rcuinfo_t copy = 5;
    const rcuinfo_snapshot_t *snapshot = NULL;
    rcuinfo_t info = OBJECT("a", "b");
    struct rcuinfo__block *block = block_of(info);
    atomic_store_explicit(&block->refcount, full - RCUINFO__BLOCK_REF, memory_order_relaxed);
    const rcuinfo_snapshot_t *last = object_open(info);
    CHECK_STATUS(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_ERR_NO_MEM);
    CHECK(!snapshot);
    CHECK_STATUS(rcuinfo_dup(info, &copy), RCUINFO_ERR_NO_MEM);
    CHECK(copy == RCUINFO_NULL);
    CHECK(atomic_load_explicit(&block->refcount, memory_order_relaxed) == full);
    rcuinfo_snapshot_close(last);
    atomic_store_explicit(&block->refcount, RCUINFO__BLOCK_REF, memory_order_relaxed);
    CHECK_OK(rcuinfo_free(&info));
}

/*
 * Objects that are opened, changed until they have another block, and closed, in turn: the bytes wait because of the
 * close, not because of the set. The soft limit ends below the hard one; the blocks exceed four times the hard one.
 */
static void bytes_kept_by_snapshots_are_within_the_limits(void)
{
    enum { ROUNDS = 5000 };
    char value[RCUINFO_MAX_VALUE];
    char key[16];
    rcuinfo_t info = object_empty();
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    for (int i = 0; i < 15; i++) {
        snprintf(key, sizeof key, "key%d", i);
        CHECK_OK(rcuinfo_set(info, key, value));
    }
    (void)replace_block(info, "key7");
    size_t bytes = rcuinfo__block_bytes(block_of(info));
    CHECK(bytes > 15 * 1024);
    rcuinfo_stats_t stats = left_stats();
    uint64_t before = stats.grace_periods;
    for (int i = 0; i < ROUNDS; i++) {
        const rcuinfo_snapshot_t *snapshot = object_open(info);
        (void)replace_block(info, "key7");
        rcuinfo_snapshot_close(snapshot);
        rcuinfo_store_stats(&stats);
        CHECK(stats.retired <= RCUINFO__RECLAIM_MOST_SOFT + 2 * bytes);
        CHECK(stats.grace_periods == before || stats.peak_retired >= RCUINFO__RECLAIM_SOFT_LIMIT);
    }
    CHECK(stats.grace_periods - before >= ROUNDS * bytes / RCUINFO__RECLAIM_HARD_LIMIT);
    CHECK_OK(rcuinfo_free(&info));
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

/* The memory of 16 pairs of 24 bytes besides their text: little when each was set once, twice as much while they are
 * set repeatedly. */
static void memory_of_a_pair(void)
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
    CHECK_RANGE(rcuinfo__block_bytes(block_of(info)) - text, 24 * PAIRS, 100 * PAIRS);
    CHECK_OK(rcuinfo_free(&info));
}

/* An update counts as one set per edit: the next copy leaves room for twelve more sets, as 16 pairs may have. */
static void an_update_makes_an_object_hot(void)
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
    CHECK(block_of(info)->capacity >= PAIRS + 12);
    CHECK_OK(rcuinfo_free(&info));
}

/* The room of a hot object with one key: 27 sets between two copies, 4 KiB where values are long, 8 sets at least. */
static void a_hot_object_is_copied_seldom(void)
{
    CHECK_RANGE(blocks_of_sets(24, 280), 9, 11);
    CHECK_RANGE(blocks_of_sets(200, 280), 14, 20);
    CHECK_RANGE(blocks_of_sets(1000, 280), 28, 36);
}

/* The next thread to retire memory checks the bytes that snapshots have released, even if its own bytes are few. */
static void closed_bytes_are_looked_at(void)
{
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    rcuinfo_t info = OBJECT("a", "b");
    uint64_t before = rcuinfo__reclaim_grace_periods();
    rcuinfo__recycle_count(RCUINFO__RECLAIM_MOST_SOFT + 1);
    (void)replace_block(info, "a");
    CHECK(rcuinfo__reclaim_grace_periods() == before + 1);
    CHECK_OK(rcuinfo_free(&info));
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
}

/* Simulates a fork without a prepare handler while another thread processes a batch. The child loses the batch; its
 * bytes count until the next batch is done, and no longer. */
static void what_a_fork_loses_waits_for_the_next_batch(void)
{
    static struct rcuinfo__batch lost; /* static, like its block, so that it is not a leak */
    static const struct rcuinfo__block *block;
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    rcuinfo_t info = OBJECT("a", "parent");
    block = block_of(info);
    (void)replace_block(info, "a");
    rcuinfo__recycle_detach(&lost);
    (void)replace_block(info, "a");
    CHECK(rcuinfo__recycle_waiting() > 0);
    CHECK_OK(rcuinfo_free(&info));
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    CHECK_EQUAL((uint32_t)atomic_load(&block->refcount), 1);
}

int main(void)
{
    number_meets_a_slot_that_is_being_opened(); /* needs the very first slot */
    number_meets_a_slot_that_is_being_opened();
    too_many_references_are_refused();
    bytes_kept_by_snapshots_are_within_the_limits(); /* must be the first to reach the limits */
    closed_bytes_are_looked_at();
    memory_of_a_pair();
    an_update_makes_an_object_hot();
    a_hot_object_is_copied_seldom();
    what_a_fork_loses_waits_for_the_next_batch();
    blocks_have_the_room_asked_for();
    pools_serve_every_size();
    too_large_a_block_is_refused();
    too_large_an_object_is_refused();
    pools_are_bounded_as_a_whole();
    the_empty_version();
    a_set_that_copies_counts_its_block();
    a_shared_block_counts_once();
    a_closed_snapshot_counts_what_it_kept();
    return 0;
}
