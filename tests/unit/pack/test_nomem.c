/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation of unpack and load fails once, for objects of several sizes, with and without memory at hand in the
 * pools: the call says so, makes no object and keeps nothing, and the next one works. pack and save allocate
 * nothing. White box: linked with the objects of the library, whose allocator can be told to fail.
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
#include "core/recycle.h"
#include "support/counts.h"
#include "support/left.h"

enum { LARGE = 200, MOST_BYTES = 1 << 15, MOST_ALLOCATIONS = 2048 };

/* The same object packed, and as a hint file. */
struct sample {
    rcuinfo_t info;
    const rcuinfo_snapshot_t *snapshot;
    char packed[MOST_BYTES];
    size_t packed_size;
    char text[MOST_BYTES];
    size_t text_size;
};

static void sample_make(struct sample *s, int pairs)
{
    char key[32], value[100];
    assert_int_equal(rcuinfo_create(&s->info), RCUINFO_SUCCESS);
    for (int i = 0; i < pairs; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        (void)snprintf(value, sizeof value, "%080d", i);
        assert_int_equal(rcuinfo_set(s->info, key, value), RCUINFO_SUCCESS);
    }
    assert_int_equal(rcuinfo_snapshot_open(s->info, &s->snapshot), RCUINFO_SUCCESS);
    FILE *file = fmemopen(s->text, sizeof s->text, "w");
    assert_non_null(file);
    rcuinfo__alloc_fail_at(1);
    s->packed_size = rcuinfo_pack_size(s->snapshot);
    assert_true(s->packed_size <= sizeof s->packed);
    assert_int_equal(rcuinfo_pack(s->snapshot, s->packed, sizeof s->packed), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_save(s->snapshot, file, NULL), RCUINFO_SUCCESS);
    rcuinfo__alloc_fail_at(0);
    s->text_size = (size_t)ftell(file);
    (void)fclose(file);
}

static void sample_free(struct sample *s)
{
    rcuinfo_snapshot_close(s->snapshot);
    assert_int_equal(rcuinfo_free(&s->info), RCUINFO_SUCCESS);
}

typedef rcuinfo_status_t (*call_function)(struct sample *s, rcuinfo_t *info, rcuinfo_fault_t *fault);

static rcuinfo_status_t unpack(struct sample *s, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    return rcuinfo_unpack(s->packed, s->packed_size, info, fault);
}

static rcuinfo_status_t load(struct sample *s, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    FILE *file = s->text_size ? fmemopen(s->text, s->text_size, "r") : fopen("/dev/null", "r");
    assert_non_null(file);
    rcuinfo_status_t status = rcuinfo_load(file, info, fault);
    (void)fclose(file);
    return status;
}

static void check_content(struct sample *s, rcuinfo_t info)
{
    static char again[MOST_BYTES];
    const rcuinfo_snapshot_t *snapshot;
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_pack_size(snapshot), s->packed_size);
    assert_int_equal(rcuinfo_pack(snapshot, again, sizeof again), RCUINFO_SUCCESS);
    assert_memory_equal(again, s->packed, s->packed_size);
    rcuinfo_snapshot_close(snapshot);
}

/* Fails the k-th allocation; returns whether there was one. */
static int fail_one(struct sample *s, call_function call, int k)
{
    rcuinfo_fault_t fault = {.what = "untouched"};
    rcuinfo_stats_t stats;
    rcuinfo_t info = 77;
    int before = rcuinfo__alloc_faults();
    rcuinfo__alloc_fail_at(k);
    rcuinfo_status_t status = call(s, &info, &fault);
    rcuinfo__alloc_fail_at(0);
    int failed = rcuinfo__alloc_faults() > before;
    rcuinfo_store_stats(&stats);
    assert_string_equal(fault.what, "untouched");
    if (failed) {
        assert_int_equal(status, RCUINFO_ERR_NO_MEM);
        assert_int_equal(info, RCUINFO_NULL);
        assert_int_equal(stats.live, 1);
    } else {
        assert_int_equal(status, RCUINFO_SUCCESS);
        check_content(s, info);
        assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    }
    return failed;
}

/* `scratch`: allocations that no pool can serve. An object that is not empty has a block besides. */
static void fail_all(call_function call, int scratch)
{
    static struct sample s;
    for (int i = 0, pairs = 0; pairs <= LARGE; pairs += i % 2 ? 1 + pairs / 16 : 0, i++) {
        int pooled = i % 2, failed = 1, k = 0;
        sample_make(&s, pairs);
        while (failed) {
            k++;
            if (!pooled)
                assert_int_equal(rcuinfo_store_drain(), 0);
            failed = fail_one(&s, call, k);
            assert_true(k < MOST_ALLOCATIONS);
        }
        assert_true(k - 1 >= scratch + (!pooled && pairs));
        sample_free(&s);
    }
}

static void unpacking(void **state)
{
    (void)state;
    fail_all(unpack, 0);
}

static void loading(void **state)
{
    (void)state;
    fail_all(load, 1);
}

static void nothing_is_left(void **state)
{
    (void)state;
    left_nothing();
    assert_int_equal(rcuinfo__recycle_kept(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacking),
        cmocka_unit_test(loading),
        cmocka_unit_test(nothing_is_left),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    counts_report("pack.nomem", "allocation points failed", (unsigned long)rcuinfo__alloc_faults());
    return failed;
}
