/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation of every call fails once: the call says RCUINFO_ERR_NO_MEM and has changed nothing, and the next one
 * works. White box: linked with the objects of the library, whose allocator can be told to fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/alloc.h"
#include "support/model.h"

/* Sizes around which the layout of a version changes. */
static const int SIZES[] = {0, 1, 5, 31, 32, 33, 300};
enum { MOST_ALLOCATIONS = 64 };

static char long_value[RCUINFO_MAX_VALUE];

struct sample {
    rcuinfo_t info;
    struct model model;
};

static void sample_make(struct sample *s, int size)
{
    char key[32];
    assert_int_equal(rcuinfo_create(&s->info), RCUINFO_SUCCESS);
    model_init(&s->model);
    for (int i = 0; i < size; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        assert_int_equal(rcuinfo_set(s->info, key, i % 9 ? "value" : long_value), RCUINFO_SUCCESS);
        assert_int_equal(model_set(&s->model, key, i % 9 ? "value" : long_value), RCUINFO_SUCCESS);
    }
}

static void sample_free(struct sample *s)
{
    assert_int_equal(rcuinfo_free(&s->info), RCUINFO_SUCCESS);
    model_clear(&s->model);
}

/* The call under test; does the same to the model when it succeeds. */
typedef rcuinfo_status_t (*call_function)(struct sample *s);

/*
 * Fails the first, the second, ... allocation of the call until it meets no failure. Returns how many failures it met.
 */
static int fail_each(int size, call_function call)
{
    struct sample s;
    int met = 0;
    sample_make(&s, size);
    for (int k = 1; k <= MOST_ALLOCATIONS; k++) {
        int before = rcuinfo__alloc_faults();
        rcuinfo_status_t status;
        (void)rcuinfo_store_drain(); /* so that no memory is at hand that needs no allocation */
        rcuinfo__alloc_fail_at(k);
        status = call(&s);
        rcuinfo__alloc_fail_at(0);
        assert_int_equal(model_differs_from_object(&s.model, s.info), 0);
        if (rcuinfo__alloc_faults() == before) {
            assert_int_equal(status, RCUINFO_SUCCESS);
            assert_int_equal(rcuinfo_set(s.info, "after", "all"), RCUINFO_SUCCESS);
            sample_free(&s);
            return met;
        }
        met++;
        /* A call may do without an allocation that failed, but then it has to succeed in full. */
        if (status == RCUINFO_SUCCESS) {
            sample_free(&s);
            sample_make(&s, size);
        } else {
            assert_int_equal(status, RCUINFO_ERR_NO_MEM);
        }
    }
    fail_msg("%d allocations in one call", MOST_ALLOCATIONS);
    return -1;
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

static rcuinfo_status_t call_compare_and_set(struct sample *s)
{
    int swapped = 77;
    rcuinfo_status_t status = rcuinfo_compare_and_set(s->info, "new key", NULL, "value", &swapped);
    if (status) {
        assert_int_equal(swapped, 77);
        return status;
    }
    assert_int_equal(swapped, 1);
    return model_compare_and_set(&s->model, "new key", NULL, "value", &swapped);
}

static void writes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        assert_true(fail_each(SIZES[i], call_set_new) >= 1);
        assert_true(fail_each(SIZES[i], call_set_long) >= 1);
        assert_true(fail_each(SIZES[i], call_update) >= 1);
        assert_true(fail_each(SIZES[i], call_compare_and_set) >= 1);
        if (SIZES[i] > 0)
            assert_true(fail_each(SIZES[i], call_override) >= 1);
        if (SIZES[i] > 1)
            assert_true(fail_each(SIZES[i], call_delete) >= 1);
    }
}

/* Objects until the table of slots has grown twice, the first allocation of each creation failing first. */
static void create_and_dup(void **state)
{
    enum { OBJECTS = 10000 };
    rcuinfo_t *infos = test_calloc(OBJECTS, sizeof *infos);
    int before = rcuinfo__alloc_faults();
    struct sample s;
    (void)state;
    sample_make(&s, 3);
    for (int i = 0; i < OBJECTS; i++) {
        rcuinfo_status_t status;
        int faults = rcuinfo__alloc_faults();
        infos[i] = 0x1234567;
        rcuinfo__alloc_fail_at(1);
        status = i % 2 ? rcuinfo_dup(s.info, &infos[i]) : rcuinfo_create(&infos[i]);
        rcuinfo__alloc_fail_at(0);
        if (status != RCUINFO_SUCCESS) {
            assert_int_equal(status, RCUINFO_ERR_NO_MEM);
            assert_int_equal(rcuinfo__alloc_faults(), faults + 1);
            assert_true(infos[i] == RCUINFO_NULL);
            status = i % 2 ? rcuinfo_dup(s.info, &infos[i]) : rcuinfo_create(&infos[i]);
        }
        assert_int_equal(status, RCUINFO_SUCCESS);
    }
    assert_true(rcuinfo__alloc_faults() > before);
    assert_int_equal(model_differs_from_object(&s.model, infos[1]), 0);
    assert_int_equal(model_differs_from_object(&s.model, s.info), 0);
    for (int i = 0; i < OBJECTS; i++)
        assert_int_equal(rcuinfo_free(&infos[i]), RCUINFO_SUCCESS);
    sample_free(&s);
    test_free(infos);
}

/* Runs before any other use of it: the one object of the process could not be made, and can be later. */
static void env_at_first_use(void **state)
{
    int met = 0;
    (void)state;
    for (int k = 1; k <= MOST_ALLOCATIONS; k++) {
        int before = rcuinfo__alloc_faults();
        rcuinfo_t env;
        rcuinfo__alloc_fail_at(k);
        env = rcuinfo_env();
        rcuinfo__alloc_fail_at(0);
        if (env != RCUINFO_NULL) {
            int nkeys = 0;
            assert_int_equal(rcuinfo_get_nkeys(env, &nkeys), RCUINFO_SUCCESS);
            assert_true(nkeys > 0 && rcuinfo_env() == env);
            if (rcuinfo__alloc_faults() == before)
                break;
            met++;
            break; /* it did without that allocation, and exists from now on */
        }
        assert_int_equal(rcuinfo__alloc_faults(), before + 1);
        met++;
    }
    assert_true(met > 0);
    assert_true(rcuinfo_env() != RCUINFO_NULL);
}

static void create_env(void **state)
{
    char command[] = "command", argument[] = "argument", *argv[] = {command, argument};
    int met = 0;
    (void)state;
    for (int k = 1; k <= MOST_ALLOCATIONS; k++) {
        int before = rcuinfo__alloc_faults();
        rcuinfo_t info = 0x1234567;
        rcuinfo_status_t status;
        (void)rcuinfo_store_drain();
        rcuinfo__alloc_fail_at(k);
        status = rcuinfo_create_env(2, argv, &info);
        rcuinfo__alloc_fail_at(0);
        if (status == RCUINFO_SUCCESS) {
            char value[16] = "";
            int flag = 0;
            assert_int_equal(rcuinfo_get(info, "argv", 15, value, &flag), RCUINFO_SUCCESS);
            assert_true(flag && strcmp(value, "argument") == 0);
            assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
            if (rcuinfo__alloc_faults() == before) {
                assert_true(met > 0);
                return;
            }
        } else {
            assert_int_equal(status, RCUINFO_ERR_NO_MEM);
            assert_true(info == RCUINFO_NULL);
        }
        met++;
    }
    fail();
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
        struct sample s;
        sample_make(&s, SIZES[i]);
        rcuinfo__alloc_fail_at(1);
        assert_int_equal(rcuinfo_snapshot_open(s.info, &snapshot), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get(s.info, "key0", RCUINFO_MAX_VALUE - 1, text, &flag), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_string(s.info, "key0", &number, text, &flag), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_valuelen(s.info, "key0", &number, &flag), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_nkeys(s.info, &number), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_nthkey(s.info, 0, text), SIZES[i] ? RCUINFO_SUCCESS : RCUINFO_ERR_ARG);
        assert_int_equal(rcuinfo_version(s.info, &version), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_update(s.info, NULL, 0, NULL), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_compare_and_set(s.info, "key0", "no", "x", &flag), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_delete(s.info, "absent"), RCUINFO_ERR_NOKEY);
        assert_int_equal(rcuinfo_free(&s.info), RCUINFO_SUCCESS);
        (void)rcuinfo_store_drain();
        rcuinfo_snapshot_close(snapshot);
        (void)rcuinfo_store_drain();
        rcuinfo__alloc_fail_at(0);
        model_clear(&s.model);
    }
    assert_int_equal(rcuinfo__alloc_faults(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(env_at_first_use),
        cmocka_unit_test(writes),
        cmocka_unit_test(create_and_dup),
        cmocka_unit_test(create_env),
        cmocka_unit_test(reads_and_free_allocate_nothing),
    };
    memset(long_value, 'l', sizeof long_value - 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
