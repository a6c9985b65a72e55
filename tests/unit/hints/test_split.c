/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views: the recognized pairs and the rest, each in the order of the info; objects of their own;
 * and both or none where memory is short. White box: linked with the objects of the library, whose allocator can be
 * told to fail.
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
#include "support/counts.h"

/* Keys "even_0", "odd_1", "even_2", ...: those of the schema are every third even one. */
enum { LARGE = 3000, MEDIUM = 900, MOST_ALLOCATIONS = 100 };

static char keys[LARGE][16];
static rcuinfo_schema_t *schema;

static int is_recognized(int i)
{
    return i % 6 == 0;
}

static int make_schema(void **state)
{
    static rcuinfo_hint_t rows[LARGE];
    size_t n = 0;
    (void)state;
    for (int i = 0; i < LARGE; i++) {
        (void)snprintf(keys[i], sizeof *keys, "%s_%d", i % 2 ? "odd" : "even", i);
        if (is_recognized(i))
            rows[n++] = (rcuinfo_hint_t){.key = keys[i], .type = RCUINFO_HINT_BOOL};
    }
    return rcuinfo_schema_create(NULL, rows, n, &schema, NULL) != RCUINFO_SUCCESS;
}

static int free_schema(void **state)
{
    (void)state;
    rcuinfo_schema_free(&schema);
    return 0;
}

/* The first n keys; the value is the key's number, which is of no recognized key's type. */
static rcuinfo_t make_info(int n)
{
    static rcuinfo_change_t changes[LARGE];
    static char values[LARGE][16];
    rcuinfo_t info;
    for (int i = 0; i < n; i++) {
        (void)snprintf(values[i], sizeof *values, "%d", i);
        changes[i] = (rcuinfo_change_t){.key = keys[i], .value = values[i]};
    }
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_update(info, changes, (size_t)n, NULL), RCUINFO_SUCCESS);
    return info;
}

/* The object must have the pairs of the first n that are recognized, or that are not, and is freed. */
static void check_view(rcuinfo_t view, int n, int recognized)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    char value[16];
    size_t at = 0;
    assert_int_equal(rcuinfo_snapshot_open(view, &snapshot), RCUINFO_SUCCESS);
    for (int i = 0; i < n; i++) {
        if (is_recognized(i) != recognized)
            continue;
        (void)snprintf(value, sizeof value, "%d", i);
        assert_int_equal(rcuinfo_snapshot_nth(snapshot, at++, &pair), RCUINFO_SUCCESS);
        assert_string_equal(pair.key, keys[i]);
        assert_string_equal(pair.value, value);
    }
    assert_int_equal(rcuinfo_snapshot_count(snapshot), at);
    rcuinfo_snapshot_close(snapshot);
    assert_int_equal(rcuinfo_set(view, "another", "key"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&view), RCUINFO_SUCCESS);
}

static uint64_t count_live(void)
{
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    return stats.live;
}

/* Versions that somebody has asked for; the test runs with counting on. */
static uint64_t count_sets(void)
{
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    return stats.sets;
}

static void check_split(int n)
{
    rcuinfo_t info = make_info(n), recognized, rest;
    int nkeys = 0;
    uint64_t live = count_live(), sets = count_sets();
    assert_true(sets > 0 || n == 0);
    assert_int_equal(rcuinfo_schema_split(schema, info, &recognized, &rest), RCUINFO_SUCCESS);
    assert_int_equal(count_live(), live + 2);
    assert_int_equal(count_sets(), sets);
    check_view(recognized, n, 1);
    check_view(rest, n, 0);
    assert_int_equal(rcuinfo_schema_split(schema, info, &recognized, NULL), RCUINFO_SUCCESS);
    check_view(recognized, n, 1);
    assert_int_equal(rcuinfo_schema_split(schema, info, NULL, &rest), RCUINFO_SUCCESS);
    check_view(rest, n, 0);
    assert_int_equal(count_live(), live);
    assert_int_equal(rcuinfo_get_nkeys(info, &nkeys), RCUINFO_SUCCESS);
    assert_int_equal(nkeys, n);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

static void every_size(void **state)
{
    (void)state;
    for (int n = 0; n < 70; n++)
        check_split(n);
    check_split(LARGE);
}

/* Nothing of the info is recognized, or everything is. */
static void one_sided(void **state)
{
    rcuinfo_schema_t *none = NULL;
    rcuinfo_t info, recognized, rest;
    int nkeys = -1;
    (void)state;
    assert_int_equal(rcuinfo_schema_create(NULL, NULL, 0, &none, NULL), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(info, keys[0], "v"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_schema_split(none, info, &recognized, &rest), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_get_nkeys(recognized, &nkeys), RCUINFO_SUCCESS);
    assert_int_equal(nkeys, 0);
    assert_int_equal(rcuinfo_get_nkeys(rest, &nkeys), RCUINFO_SUCCESS);
    assert_int_equal(nkeys, 1);
    assert_int_equal(rcuinfo_free(&recognized), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&rest), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_schema_split(schema, info, &recognized, &rest), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_get_nkeys(recognized, &nkeys), RCUINFO_SUCCESS);
    assert_int_equal(nkeys, 1);
    assert_int_equal(rcuinfo_get_nkeys(rest, &nkeys), RCUINFO_SUCCESS);
    assert_int_equal(nkeys, 0);
    assert_int_equal(rcuinfo_free(&recognized), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&rest), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    rcuinfo_schema_free(&none);
}

static void arguments(void **state)
{
    rcuinfo_t info = make_info(3), stale = info, recognized = 77, rest = 77;
    (void)state;
    assert_int_equal(rcuinfo_schema_split(NULL, info, &recognized, &rest), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_schema_split(schema, info, NULL, NULL), RCUINFO_ERR_ARG);
    assert_true(recognized == 77 && rest == 77);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_schema_split(schema, stale, &recognized, &rest), RCUINFO_ERR_INFO);
    assert_true(recognized == RCUINFO_NULL && rest == RCUINFO_NULL);
    rest = 77;
    assert_int_equal(rcuinfo_schema_split(schema, RCUINFO_NULL, NULL, &rest), RCUINFO_ERR_INFO);
    assert_true(rest == RCUINFO_NULL);
}

/* Each allocation fails in turn: both views come, or none. Returns how many there were. */
static int fail_each(rcuinfo_t info, int n)
{
    for (int k = 1; k <= MOST_ALLOCATIONS; k++) {
        rcuinfo_t recognized = 77, rest = 77;
        assert_int_equal(rcuinfo_store_drain(), 0);
        uint64_t live = count_live();
        int before = rcuinfo__alloc_faults();
        rcuinfo__alloc_fail_at(k);
        rcuinfo_status_t status = rcuinfo_schema_split(schema, info, &recognized, &rest);
        rcuinfo__alloc_fail_at(0);
        if (rcuinfo__alloc_faults() == before) {
            assert_int_equal(status, RCUINFO_SUCCESS);
            check_view(recognized, n, 1);
            check_view(rest, n, 0);
            return k - 1;
        }
        assert_int_equal(status, RCUINFO_ERR_NO_MEM);
        assert_true(recognized == RCUINFO_NULL && rest == RCUINFO_NULL);
        assert_int_equal(count_live(), live);
    }
    fail_msg("%d allocations in one call", MOST_ALLOCATIONS);
    return -1;
}

/* A block for each view that is not empty, and a larger one whenever it is full. */
static void no_memory(void **state)
{
    int last = 0;
    (void)state;
    for (int pairs = 0; pairs <= MEDIUM; pairs += 1 + pairs / 8) {
        rcuinfo_t info = make_info(pairs);
        last = fail_each(info, pairs);
        assert_in_range(last, (pairs > 0) + (pairs > 1), MOST_ALLOCATIONS);
        assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    }
    assert_true(last > 10);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size),
        cmocka_unit_test(one_sided),
        cmocka_unit_test(arguments),
        cmocka_unit_test(no_memory),
    };
    int failed = cmocka_run_group_tests(tests, make_schema, free_schema);
    counts_report("hints.split", "allocation points failed", (unsigned long)rcuinfo__alloc_faults());
    return failed;
}
