/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the public interface reaches too seldom to be tested through it: numbers that meet a slot while its first object
 * is being made, reference counts that would overflow, bytes that only open snapshots keep, and the room of blocks.
 */
#include "core/layer.h"
#include "core/reclaim.h"
#include "core/recycle.h"
#include "support/inside.h"
#include "support/left.h"
#include "support/objects.h"

/* The moment between the two stores of rcuinfo__handle_open, made by hand. */
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
 * An object that is opened, changed until its block is another, and closed in turn: the bytes wait because of the
 * close, not of the set. The soft limit ends below the hard one; the blocks are more than four times the hard one.
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

/* Of a handle's generation the low bits count that a layer has, each of them, and no other. */
static void each_bit_of_a_generation_counts(void)
{
    rcuinfo_t info = object_empty();
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    for (unsigned bits = 1; bits <= RCUINFO__NATIVE_BITS; bits++) {
        CHECK(rcuinfo__handle_matches(slot, info, bits));
        for (unsigned bit = 0; bit < RCUINFO__NATIVE_BITS; bit++) {
            rcuinfo_t other = info ^ UINT64_C(1) << (RCUINFO__INDEX_BITS + bit);
            CHECK_EQUAL(rcuinfo__handle_matches(slot, other, bits), bit >= bits);
        }
    }
    CHECK_OK(rcuinfo_free(&info));
    CHECK(!rcuinfo__handle_matches(slot, info, RCUINFO__NATIVE_BITS));
}

/* Blocks that so many sets of one key take, of an object that has been set often. */
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

/* What 16 pairs of 24 bytes cost beside their text: little when they were set once each, twice as much while they are
 * set over and over. */
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

/* An update counts as many sets as it has edits: the next copy leaves room for twelve sets more, as 16 pairs may have.
 */
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

/* Bytes that snapshots let go of are looked at by who retires next, also where its own bytes are few. */
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

/* A fork for which no handler could prepare, while another thread is at a batch, made by hand: the bytes of the batch
 * that is lost in the child count until the next one is worked off, and no longer. */
static void what_a_fork_loses_waits_for_the_next_batch(void)
{
    static struct rcuinfo__batch lost; /* static, as is its block: what stays is no leak that a test should find */
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

static void layers_count_nothing_while_counting_is_off(void)
{
    rcuinfo__store_add(RCUINFO__COUNT_CONVERSIONS, 5);
    rcuinfo_stats_t stats = left_stats();
    CHECK_EQUAL(stats.conversions, 0);
}

int main(void)
{
    number_meets_a_slot_that_is_being_opened(); /* the first slot of all */
    layers_count_nothing_while_counting_is_off();
    number_meets_a_slot_that_is_being_opened();
    too_many_references_are_refused();
    bytes_kept_by_snapshots_are_within_the_limits();
    closed_bytes_are_looked_at();
    each_bit_of_a_generation_counts();
    memory_of_a_pair();
    an_update_makes_an_object_hot();
    a_hot_object_is_copied_seldom();
    what_a_fork_loses_waits_for_the_next_batch();
    return 0;
}
