/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of versions: too large a cell is refused, the pools are bounded as a whole, the drain empties them, and
 * what waits is counted once. White box: looks into the pools.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <rcuinfo/rcuinfo.h>

#include "core/alloc.h"
#include "core/cell.h"

static void too_large_a_cell_is_refused(void **state)
{
    (void)state;
    assert_null(rcuinfo__cell_alloc(UINT64_MAX));
    assert_null(rcuinfo__cell_alloc((uint64_t)UINT32_MAX + 1));
    assert_null(rcuinfo__cell_alloc(UINT32_MAX));
    assert_null(rcuinfo__cell_alloc(UINT32_MAX - offsetof(struct rcuinfo__cell, snapshot) + 1));
}

/* Each cell is at least as large as asked for, up to the largest pool and beyond, and comes back from its pool so. */
static void cells_are_large_enough(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (uint64_t bytes = RCUINFO__SNAPSHOT_EMPTY; bytes < 40000; bytes += 1 + bytes / 64) {
            size_t pooled = 0;
            struct rcuinfo__cell *cell = rcuinfo__cell_alloc(bytes);
            assert_non_null(cell);
            assert_true(cell->capacity >= bytes);
            memset(&cell->snapshot, 0xa5, cell->capacity);
            assert_true(rcuinfo__cell_drop(cell, NULL, true, &pooled));
            rcuinfo__cell_recycle(cell, &pooled);
        }
    }
    rcuinfo__pool_trim();
    assert_int_equal(rcuinfo__pool_kept(), 0);
}

static void pools_are_bounded_as_a_whole(void **state)
{
    enum { CELLS = 1024, BYTES = 30000 };
    static struct rcuinfo__cell *cells[CELLS];
    size_t pooled = rcuinfo__pool_kept();
    (void)state;
    for (int i = 0; i < CELLS; i++) {
        cells[i] = rcuinfo__cell_alloc(BYTES);
        assert_non_null(cells[i]);
    }
    for (int i = 0; i < CELLS; i++) {
        assert_true(rcuinfo__cell_drop(cells[i], NULL, true, &pooled));
        rcuinfo__cell_recycle(cells[i], &pooled);
    }
    assert_true(rcuinfo__pool_kept() > ((size_t)16 << 20) - 32768);
    assert_true(rcuinfo__pool_kept() <= ((size_t)16 << 20) + 32768);
    rcuinfo__pool_trim();
    assert_int_equal(rcuinfo__pool_kept(), 0);
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
    assert_int_equal(rcuinfo__pool_kept(), 0);
}

/* Two objects share a version: its bytes wait from when the second lets go of it, and count once. */
static void a_shared_version_counts_once(void **state)
{
    char key[16], value[RCUINFO_MAX_VALUE];
    rcuinfo_stats_t stats;
    rcuinfo_t info, copy;
    (void)state;
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int i = 0; i < 100; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        assert_int_equal(rcuinfo_set(info, key, value), RCUINFO_SUCCESS);
    }
    assert_int_equal(rcuinfo_dup(info, &copy), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_store_drain(), 0);
    assert_int_equal(rcuinfo_set(info, "key0", ""), RCUINFO_SUCCESS);
    rcuinfo_store_stats(&stats);
    assert_true(stats.retired < 100 * 100);
    assert_int_equal(rcuinfo_free(&copy), RCUINFO_SUCCESS);
    rcuinfo_store_stats(&stats);
    assert_true(stats.retired > 100 * 1000 && stats.retired < 2 * 100 * 1000);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
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
        cmocka_unit_test(too_large_a_cell_is_refused),  cmocka_unit_test(cells_are_large_enough),
        cmocka_unit_test(pools_are_bounded_as_a_whole), cmocka_unit_test(the_drain_empties_the_pools),
        cmocka_unit_test(a_shared_version_counts_once), cmocka_unit_test(an_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
