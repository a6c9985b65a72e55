/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the public interface reaches too seldom to be tested through it: numbers that meet a slot while its first object
 * is being made, counts of holders that would overflow, bytes that only open snapshots keep, more changes than there
 * can be, and the texts of statuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <rcuinfo/rcuinfo.h>
#include <rcuinfo/version.h>

#include "core/handle.h"
#include "core/reclaim.h"

/* The moment between the two stores of rcuinfo__handle_open, made by hand. */
static void number_meets_a_slot_that_is_being_opened(void **state)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_take();
    int nkeys = 77;
    (void)state;
    assert_non_null(slot);
    assert_true(slot->record.slot > 0);               /* no narrow handle is 0 */
    assert_true((uintptr_t)slot % sizeof *slot == 0); /* readers touch one cache line */
    atomic_store_explicit(&slot->root, &rcuinfo__cell_empty, memory_order_relaxed);
    rcuinfo_t never = slot->record.slot;
    rcuinfo_t next = UINT64_C(1) << RCUINFO__INDEX_BITS | slot->record.slot;
    const rcuinfo_t numbers[] = {never, next};
    for (size_t i = 0; i < 2; i++) {
        rcuinfo_t number = numbers[i];
        assert_int_equal(rcuinfo_get_nkeys(number, &nkeys), RCUINFO_ERR_INFO);
        assert_int_equal(nkeys, 77);
        assert_int_equal(rcuinfo_set(number, "a", "b"), RCUINFO_ERR_INFO);
        assert_int_equal(rcuinfo_free(&number), RCUINFO_ERR_INFO);
        assert_true(rcuinfo__handle_widen((uint32_t)number & 0x3ffffff, 6) == RCUINFO_NULL);
    }
    rcuinfo_t info = rcuinfo__handle_open(slot, &rcuinfo__cell_empty, false);
    assert_true(info == next);
    assert_int_equal(rcuinfo_get_nkeys(never, &nkeys), RCUINFO_ERR_INFO);
    assert_int_equal(rcuinfo_set(info, "a", "b"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

static void too_many_holders_are_refused(void **state)
{
    rcuinfo_t info;
    rcuinfo_t copy = 5;
    const rcuinfo_snapshot_t *snapshot = NULL;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(info, "a", "b"), RCUINFO_SUCCESS);
    struct rcuinfo__cell *cell = rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS);
    uint64_t many = (UINT64_C(1) << 31) - 1;
    uint64_t holders = (many + 1) << 32 | (many + 1);
    atomic_store_explicit(&cell->holders, holders, memory_order_relaxed);
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_ERR_NO_MEM);
    assert_null(snapshot);
    assert_int_equal(rcuinfo_dup(info, &copy), RCUINFO_ERR_NO_MEM);
    assert_true(copy == RCUINFO_NULL);
    assert_true(atomic_load_explicit(&cell->holders, memory_order_relaxed) == holders);
    atomic_store_explicit(&cell->holders, RCUINFO__CELL_HOLD, memory_order_relaxed);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

/*
 * An object, as large as a flat one can be, that is opened, changed and closed in turn: the bytes wait because of the
 * close, not of the set. The soft limit ends below the hard one; the versions are more than four times the hard one.
 */
static void bytes_kept_by_snapshots_are_within_the_limits(void **state)
{
    rcuinfo_t info;
    rcuinfo_stats_t stats;
    char value[RCUINFO_MAX_VALUE];
    char key[16];
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    for (int i = 0; i < 15; i++) {
        snprintf(key, sizeof key, "key%d", i);
        assert_int_equal(rcuinfo_set(info, key, value), RCUINFO_SUCCESS);
    }
    size_t version = ((struct rcuinfo__cell *)rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS))->capacity;
    assert_true(version > 15 * 1024);
    rcuinfo_store_stats(&stats);
    uint64_t before = stats.grace_periods;
    for (int i = 0; i < 5000; i++) {
        const rcuinfo_snapshot_t *snapshot;
        assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_set(info, "key7", i % 2 ? "odd" : "even"), RCUINFO_SUCCESS);
        rcuinfo_snapshot_close(snapshot);
        rcuinfo_store_stats(&stats);
        assert_true(stats.retired <= RCUINFO__RECLAIM_MOST_SOFT + 2 * version);
    }
    assert_true(stats.grace_periods - before >= 5000 * version / RCUINFO__RECLAIM_HARD_LIMIT);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

/* Bytes are counted ahead, never behind: each version but the last waits. */
static void all_that_waits_is_counted(void **state)
{
    enum { SETS = 100 };
    rcuinfo_t info;
    (void)state;
    assert_int_equal(rcuinfo_store_drain(), 0);
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int i = 0; i < SETS; i++)
        assert_int_equal(rcuinfo_set(info, "a", i % 2 ? "odd" : "even"), RCUINFO_SUCCESS);
    struct rcuinfo__cell *cell = rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS);
    size_t each = cell->capacity + sizeof cell->record;
    assert_in_range(rcuinfo__reclaim_waiting(), (SETS - 1) * each, 2 * SETS * each);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

/* Bytes that snapshots let go of are looked at by the next set, also by one whose own bytes are counted already. */
static void closed_bytes_are_looked_at(void **state)
{
    rcuinfo_t info;
    (void)state;
    assert_int_equal(rcuinfo_store_drain(), 0);
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int i = 0; i < 50; i++)
        assert_int_equal(rcuinfo_set(info, "a", "b"), RCUINFO_SUCCESS);
    assert_true(rcuinfo__handle_slot(info)->spare > 1024);
    uint64_t before = rcuinfo__reclaim_grace_periods();
    rcuinfo__reclaim_count(RCUINFO__RECLAIM_MOST_SOFT + 1);
    assert_int_equal(rcuinfo_set(info, "a", "b"), RCUINFO_SUCCESS);
    assert_true(rcuinfo__reclaim_grace_periods() == before + 1);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

/* A fork for which no handler could prepare, in the moment between the detaching of a record and the visit to its slot,
 * made by hand: what the object retires in the child does not wait behind the record that is lost there. */
static void object_queues_anew_after_a_loss(void **state)
{
    static struct rcuinfo__record lost;
    rcuinfo_t info;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rcuinfo_set(info, "a", "parent"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_store_drain(), 0);
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    slot->queued = &lost;
    rcuinfo__reclaim_after_fork(true, false);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rcuinfo_set(info, "a", "child"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_store_drain(), 0);
    assert_null(slot->queued);
    assert_null(slot->more);
    assert_null(slot->stash);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

/*
 * The same with a large object whose record was behind the one that is lost: its version is never settled with the one
 * before, which is never dropped. Both stay as they are for ever, whatever becomes of the object, and of a snapshot
 * that kept the one that is not settled.
 */
static void lose_version(bool kept, const struct rcuinfo__snapshot **before, struct rcuinfo__tree *unsettled)
{
    enum { PAIRS = 1000 };
    static struct rcuinfo__record lost;
    const rcuinfo_snapshot_t *snapshot = NULL;
    rcuinfo_t info;
    char key[16];
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int i = 0; i < PAIRS; i++) {
        snprintf(key, sizeof key, "key%d", i);
        assert_int_equal(rcuinfo_set(info, key, "parent"), RCUINFO_SUCCESS);
    }
    assert_int_equal(rcuinfo_store_drain(), 0);
    struct rcuinfo__cell *cell = rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS);
    *before = &cell->snapshot;
    rcuinfo__handle_slot(info)->queued = &lost;
    assert_int_equal(rcuinfo_set(info, "key7", "lost"), RCUINFO_SUCCESS);
    cell = rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS);
    *unsettled = *rcuinfo__snapshot_tree(&cell->snapshot);
    assert_true(cell->large && !cell->settled);
    if (kept)
        assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    rcuinfo__reclaim_after_fork(true, false);
    for (int i = 0; i < PAIRS; i += 3) {
        snprintf(key, sizeof key, "key%d", i);
        assert_int_equal(i % 2 ? rcuinfo_set(info, key, "child") : rcuinfo_delete(info, key), RCUINFO_SUCCESS);
    }
    assert_int_equal(rcuinfo_store_drain(), 0);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    if (kept)
        rcuinfo_snapshot_close(snapshot);
    assert_int_equal(rcuinfo_store_drain(), 0);
    assert_true(rcuinfo__snapshot_valid(*before));
    assert_true(rcuinfo__tree_valid(unsettled));
}

static void lost_versions_keep_their_nodes(void **state)
{
    /* Static: what stays is no leak that a test should find. */
    static const struct rcuinfo__snapshot *before_dropped, *before_kept;
    static struct rcuinfo__tree dropped, kept;
    (void)state;
    lose_version(false, &before_dropped, &dropped);
    lose_version(true, &before_kept, &kept);
    assert_true(rcuinfo__snapshot_valid(before_dropped));
    assert_true(rcuinfo__tree_valid(&dropped));
}

/* Refused before anything is looked at: there is no array of so many. */
static void too_many_changes_are_refused(void **state)
{
    const rcuinfo_change_t change = {"a", "b"};
    rcuinfo_t info;
    size_t failed = 77;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_update(info, &change, SIZE_MAX, &failed), RCUINFO_ERR_NO_MEM);
    assert_int_equal(failed, 77);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

static void update_of_nothing_says_whether_it_may(void **state)
{
    rcuinfo_t info;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_update(info, NULL, 0, NULL), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo__freeze(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_update(info, NULL, 0, NULL), RCUINFO_ERR_INFO);
    assert_non_null(rcuinfo__read_age(info));
    rcuinfo__discard(info);
    assert_int_equal(rcuinfo_update(info, NULL, 0, NULL), RCUINFO_ERR_INFO);
    assert_null(rcuinfo__read_age(info));
}

static void layers_count_nothing_while_counting_is_off(void **state)
{
    rcuinfo_stats_t stats;
    (void)state;
    rcuinfo__stats_add(RCUINFO__COUNT_CONVERSIONS, 5);
    rcuinfo_store_stats(&stats);
    assert_int_equal(stats.conversions, 0);
}

static void every_status_has_a_text(void **state)
{
    const char *unknown = rcuinfo_status_string((rcuinfo_status_t)99);
    (void)state;
    for (int status = RCUINFO_SUCCESS; status <= RCUINFO_ERR_IO; status++) {
        const char *text = rcuinfo_status_string((rcuinfo_status_t)status);
        assert_string_not_equal(text, unknown);
        for (int other = RCUINFO_SUCCESS; other < status; other++)
            assert_string_not_equal(text, rcuinfo_status_string((rcuinfo_status_t)other));
    }
    assert_string_equal(rcuinfo_version_string(), RCUINFO_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_meets_a_slot_that_is_being_opened), /* the first slot of all */
        cmocka_unit_test(too_many_changes_are_refused),
        cmocka_unit_test(update_of_nothing_says_whether_it_may),
        cmocka_unit_test(layers_count_nothing_while_counting_is_off),
        cmocka_unit_test(every_status_has_a_text),
        cmocka_unit_test(number_meets_a_slot_that_is_being_opened),
        cmocka_unit_test(too_many_holders_are_refused),
        cmocka_unit_test(bytes_kept_by_snapshots_are_within_the_limits),
        cmocka_unit_test(all_that_waits_is_counted),
        cmocka_unit_test(closed_bytes_are_looked_at),
        cmocka_unit_test(object_queues_anew_after_a_loss),
        cmocka_unit_test(lost_versions_keep_their_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
