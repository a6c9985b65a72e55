/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation of every call fails once, in every state that changes what a call allocates: the call says
 * RCUINFO_ERR_NO_MEM and has changed nothing, nothing is lost, and the next one works. White box: linked with the
 * objects of the library, whose allocator can be told to fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/handle.h"
#include "core/reclaim.h"
#include "core/recycle.h"
#include "support/counts.h"
#include "support/model.h"
#include "support/left.h"
#include "support/nomem.h"

/* Sizes around which the finder of a block changes. Of 56 pairs there were many more. */
static const int SIZES[] = {0, 1, 2, 5, 12, 13, 16, 17, 28, 29, 31, 32, 33, 56, 104, 300};
enum { SHRUNK = 56, MORE = 300, LARGEST_POOLED = 32768 };

static char long_value[RCUINFO_MAX_VALUE];

struct sample {
    rcuinfo_t info;
    struct model model;
};

static const struct rcuinfo__entry *root_of(rcuinfo_t info)
{
    return rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS); /* one thread, so it stays */
}

/* With `full`, the block has no room for another entry. */
static void sample_make(struct sample *s, int size, int full)
{
    char key[32];
    assert_int_equal(rcuinfo_create(&s->info), RCUINFO_SUCCESS);
    model_init(&s->model);
    for (int i = 0; i < size; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        assert_int_equal(rcuinfo_set(s->info, key, i % 9 ? "value" : long_value), RCUINFO_SUCCESS);
        assert_int_equal(model_set(&s->model, key, i % 9 ? "value" : long_value), RCUINFO_SUCCESS);
    }
    for (int i = 0; i < 2 * MORE && size == SHRUNK; i++) {
        (void)snprintf(key, sizeof key, "key%d", i < MORE ? i + size : 2 * MORE - 1 - i + size);
        assert_int_equal(i < MORE ? rcuinfo_set(s->info, key, "value") : rcuinfo_delete(s->info, key), RCUINFO_SUCCESS);
        assert_int_equal(i < MORE ? model_set(&s->model, key, "value") : model_delete(&s->model, key), RCUINFO_SUCCESS);
    }
    while (size && root_of(s->info)->position + 1 < rcuinfo__block_of(root_of(s->info))->capacity - !full) {
        const char *value = size > 1 ? "short" : long_value;
        (void)snprintf(key, sizeof key, "key%d", size > 1);
        assert_int_equal(rcuinfo_set(s->info, key, value), RCUINFO_SUCCESS);
        assert_int_equal(model_set(&s->model, key, value), RCUINFO_SUCCESS);
    }
}

static void sample_free(struct sample *s)
{
    assert_int_equal(rcuinfo_free(&s->info), RCUINFO_SUCCESS);
    model_clear(&s->model);
}

/* The call under test; does the same to the model when it succeeds. */
typedef rcuinfo_status_t (*call_function)(struct sample *s);

/* What else there is while the call is made. */
enum state {
    ALONE,  /* nothing: no memory is at hand that needs no allocation */
    SHARED, /* a dup, which holds the same version */
    SECOND, /* the object is the dup, and may not append */
    OPEN,   /* an open snapshot */
    POOLED, /* memory in the pools, of the sizes that the call takes */
    STATES
};

struct company {
    rcuinfo_t dup;
    const rcuinfo_snapshot_t *snapshot;
    struct model model;
};

/* Leaves in the pools what the call frees when it is made on an object like this one. */
static void fill_pools(int size, int full, call_function call)
{
    struct sample twin;
    sample_make(&twin, size, full);
    assert_int_equal(call(&twin), RCUINFO_SUCCESS);
    sample_free(&twin);
    assert_true(rcuinfo__reclaim_flush());
    assert_true(rcuinfo__recycle_kept() > 0);
}

static void enter(enum state state, struct company *company, struct sample *s, int size, int full, call_function call)
{
    *company = (struct company){.dup = RCUINFO_NULL};
    model_copy(&company->model, &s->model);
    assert_int_equal(rcuinfo_store_drain(), 0);
    if (state == SHARED || state == SECOND)
        assert_int_equal(rcuinfo_dup(s->info, &company->dup), RCUINFO_SUCCESS);
    if (state == SECOND) {
        rcuinfo_t first = s->info;
        s->info = company->dup;
        company->dup = first;
    }
    if (state == OPEN)
        assert_int_equal(rcuinfo_snapshot_open(s->info, &company->snapshot), RCUINFO_SUCCESS);
    if (state == POOLED)
        fill_pools(size, full, call);
}

/* Nothing that the call did shows in the company. */
static void leave(struct company *company)
{
    if (company->dup) {
        assert_int_equal(model_differs_from_object(&company->model, company->dup), 0);
        assert_int_equal(rcuinfo_free(&company->dup), RCUINFO_SUCCESS);
    }
    if (company->snapshot)
        assert_int_equal(model_differs_from_snapshot(&company->model, company->snapshot), 0);
    rcuinfo_snapshot_close(company->snapshot);
    model_clear(&company->model);
}

/* Fails each allocation of the call. It makes `scratch` and, where the pairs are copied, one for the block, which a
 * pool can serve. */
static void fail_each(int size, int full, enum state state, call_function call, int scratch)
{
    struct sample s;
    const struct rcuinfo__block *block = NULL;
    sample_make(&s, size, full);
    for (nomem_start(); nomem_next();) {
        struct company company;
        rcuinfo_status_t status;
        enter(state, &company, &s, size, full, call);
        block = rcuinfo__block_of(root_of(s.info));
        NOMEM(status = call(&s));
        assert_int_equal(status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);
        assert_int_equal(model_differs_from_object(&s.model, s.info), 0);
        leave(&company);
    }
    const struct rcuinfo__block *now = rcuinfo__block_of(root_of(s.info));
    int pooled = state == POOLED && rcuinfo__block_bytes(now) <= LARGEST_POOLED;
    assert_true(now != block || (!full && state != SECOND));
    assert_int_equal(nomem.count, scratch + (now != block && !pooled));
    assert_int_equal(rcuinfo_set(s.info, "after", "all"), RCUINFO_SUCCESS);
    sample_free(&s);
}

static rcuinfo_status_t call_set_new(struct sample *s)
{
    rcuinfo_status_t status = rcuinfo_set(s->info, "new key", "value");
    return status ? status : model_set(&s->model, "new key", "value");
}

static rcuinfo_status_t call_set_long(struct sample *s)
{
    rcuinfo_status_t status = rcuinfo_set(s->info, "new key", long_value);
    return status ? status : model_set(&s->model, "new key", long_value);
}

static rcuinfo_status_t call_override(struct sample *s)
{
    rcuinfo_status_t status = rcuinfo_set(s->info, "key0", "another value");
    return status ? status : model_set(&s->model, "key0", "another value");
}

static rcuinfo_status_t call_delete(struct sample *s)
{
    rcuinfo_status_t status = rcuinfo_delete(s->info, "key0");
    return status ? status : model_delete(&s->model, "key0");
}

static rcuinfo_status_t call_update(struct sample *s)
{
    const rcuinfo_change_t changes[] = {
        {"one", "1"}, {"two", long_value}, {"one", NULL}, {"three", "3"}, {"two", "2"},
    };
    size_t failed = 99;
    rcuinfo_status_t status = rcuinfo_update(s->info, changes, 5, &failed);
    assert_int_equal(failed, 99);
    return status ? status : model_update(&s->model, changes, 5, &failed);
}

static rcuinfo_status_t compare_and_set(struct sample *s, const char *key, const char *expected, const char *desired)
{
    int swapped = 77;
    rcuinfo_status_t status = rcuinfo_compare_and_set(s->info, key, expected, desired, &swapped);
    assert_int_equal(swapped, status ? 77 : 1);
    return status ? status : model_compare_and_set(&s->model, key, expected, desired, &swapped);
}

static rcuinfo_status_t call_compare_and_set(struct sample *s)
{
    return compare_and_set(s, "new key", NULL, "value");
}

static rcuinfo_status_t call_compare_and_override(struct sample *s)
{
    return compare_and_set(s, "key0", long_value, "value");
}

static rcuinfo_status_t call_compare_and_delete(struct sample *s)
{
    return compare_and_set(s, "key0", long_value, NULL);
}

static void writes(void **cmocka_state)
{
    static const struct {
        call_function call;
        int smallest; /* object that it can be made on */
        int scratch;  /* allocations that no pool can serve */
    } calls[] = {
        {call_set_new, 0, 0},
        {call_set_long, 0, 0},
        {call_override, 1, 0},
        {call_delete, 1, 0},
        {call_update, 0, 1},
        {call_compare_and_set, 0, 0},
        {call_compare_and_override, 1, 0},
        {call_compare_and_delete, 1, 0},
    };
    (void)cmocka_state;
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
            for (int n = 0; SIZES[i] >= calls[c].smallest && n < 2 * STATES; n++)
                fail_each(SIZES[i], n % 2 || !SIZES[i], (enum state)(n / 2), calls[c].call, calls[c].scratch);
        }
    }
}

/* What needs no memory never fails for want of it: no allocation is even tried. */
static void reads_and_free_allocate_nothing(void **state)
{
    int before = rcuinfo__alloc_faults();
    (void)state;
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        const rcuinfo_snapshot_t *snapshot = NULL;
        char text[RCUINFO_MAX_VALUE];
        int flag = 0, number = RCUINFO_MAX_VALUE;
        uint64_t version;
        rcuinfo_pair_t pair;
        rcuinfo_stats_t stats;
        struct sample s;
        rcuinfo_t copy;
        rcuinfo_status_t first = SIZES[i] ? RCUINFO_SUCCESS : RCUINFO_ERR_ARG;
        sample_make(&s, SIZES[i], 1);
        rcuinfo__alloc_fail_at(1);
        assert_int_equal(rcuinfo_snapshot_open(s.info, &snapshot), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_snapshot_nth(snapshot, 0, &pair), first);
        assert_int_equal(rcuinfo_snapshot_find(snapshot, "absent", &pair), RCUINFO_ERR_NOKEY);
        assert_int_equal(rcuinfo_get(s.info, "key0", RCUINFO_MAX_VALUE - 1, text, &flag), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_string(s.info, "key0", &number, text, &flag), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_valuelen(s.info, "key0", &number, &flag), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_nkeys(s.info, &number), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_nthkey(s.info, 0, text), first);
        assert_int_equal(rcuinfo_version(s.info, &version), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_update(s.info, NULL, 0, NULL), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_compare_and_set(s.info, "key0", "no", "x", &flag), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_compare_and_set(s.info, "absent", NULL, NULL, &flag), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_delete(s.info, "absent"), RCUINFO_ERR_NOKEY);
        assert_int_equal(rcuinfo_dup(s.info, &copy), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_delete(copy, "absent"), RCUINFO_ERR_NOKEY); /* which may not append */
        assert_int_equal(rcuinfo_free(&copy), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_free(&s.info), RCUINFO_SUCCESS);
        rcuinfo_store_stats(&stats);
        assert_int_equal(stats.live, 0);
        (void)rcuinfo_store_drain();
        rcuinfo_snapshot_close(snapshot);
        assert_int_equal(rcuinfo_store_drain(), 0);
        rcuinfo__alloc_fail_at(0);
        model_clear(&s.model);
    }
    assert_int_equal(rcuinfo__alloc_faults(), before);
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
        cmocka_unit_test(writes),
        cmocka_unit_test(reads_and_free_allocate_nothing),
        cmocka_unit_test(nothing_is_left),
    };
    memset(long_value, 'l', sizeof long_value - 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    counts_report("core.nomem", "allocation points failed", (unsigned long)rcuinfo__alloc_faults());
    return failed;
}
