/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * update and compare_and_set: which changes apply, which change is named as the failed one, and that a refused one
 * leaves nothing behind. Also the small calls: status texts and counters of the store.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/model.h"

static char long_key[RCUINFO_MAX_KEY + 1], long_value[RCUINFO_MAX_VALUE + 1];

static rcuinfo_t sample(struct model *model)
{
    static const char *const pairs[][2] = {{"a", "1"}, {"b", "2"}, {"c", "3"}};
    rcuinfo_t info = RCUINFO_NULL;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    model_init(model);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(rcuinfo_set(info, pairs[i][0], pairs[i][1]), RCUINFO_SUCCESS);
        assert_int_equal(model_set(model, pairs[i][0], pairs[i][1]), RCUINFO_SUCCESS);
    }
    return info;
}

static void done(rcuinfo_t info, struct model *model)
{
    assert_int_equal(model_differs_from_object(model, info), 0);
    model_clear(model);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

/* Changes apply in their order: a key may be set, overridden, deleted and set again by one update. */
static void update_applies_in_order(void **state)
{
    const rcuinfo_change_t changes[] = {{"d", "4"}, {"a", NULL}, {"b", "two"}, {"d", "four"}, {"a", "back"},
                                        {"e", "5"}, {"c", NULL}, {"e", NULL},  {"f", ""},     {"b", "zwei"}};
    const rcuinfo_change_t nothing_new[] = {{"x", "1"}, {"x", NULL}};
    struct model model;
    rcuinfo_t info = sample(&model);
    size_t failed = 99;
    (void)state;
    assert_int_equal(rcuinfo_update(info, changes, 10, &failed), RCUINFO_SUCCESS);
    assert_int_equal(failed, 99);
    /* b, d, a, f: written out once, to test the model as well. */
    assert_int_equal(model_update(&model, changes, 10, &failed), RCUINFO_SUCCESS);
    assert_int_equal(model.count, 4);
    assert_string_equal(model.pairs[0].key, "b");
    assert_string_equal(model.pairs[0].value, "zwei");
    assert_string_equal(model.pairs[1].key, "d");
    assert_string_equal(model.pairs[1].value, "four");
    assert_string_equal(model.pairs[2].key, "a");
    assert_string_equal(model.pairs[2].value, "back");
    assert_string_equal(model.pairs[3].key, "f");
    assert_int_equal(model_differs_from_object(&model, info), 0);
    assert_int_equal(rcuinfo_update(info, nothing_new, 2, NULL), RCUINFO_SUCCESS);
    assert_int_equal(model_update(&model, nothing_new, 2, &failed), RCUINFO_SUCCESS);
    done(info, &model);
}

struct refused {
    rcuinfo_change_t bad;
    rcuinfo_status_t status;
};

/* Wherever it stands among good changes, a bad one refuses all of them and is the one that is named. */
static void update_refuses_all_or_nothing(void **state)
{
    const struct refused cases[] = {
        {{NULL, "1"}, RCUINFO_ERR_KEY},         {{"", "1"}, RCUINFO_ERR_KEY},     {{long_key, "1"}, RCUINFO_ERR_KEY},
        {{long_key, NULL}, RCUINFO_ERR_KEY},    {{NULL, NULL}, RCUINFO_ERR_KEY},  {{"", NULL}, RCUINFO_ERR_KEY},
        {{"a", long_value}, RCUINFO_ERR_VALUE}, {{"z", NULL}, RCUINFO_ERR_NOKEY},
    };
    struct model model;
    rcuinfo_t info = sample(&model);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t at = 0; at < 5; at++) {
            rcuinfo_change_t changes[5] = {{"a", "x"}, {"d", "4"}, {"b", NULL}, {"d", NULL}, {"c", "y"}};
            size_t failed = 99;
            changes[at] = cases[i].bad;
            if (at == 1)
                changes[3].value = "4";
            assert_int_equal(rcuinfo_update(info, changes, 5, &failed), cases[i].status);
            assert_int_equal(failed, at);
            assert_int_equal(rcuinfo_update(info, changes, 5, NULL), cases[i].status);
            assert_int_equal(model_differs_from_object(&model, info), 0);
        }
    }
    done(info, &model);
}

static void update_with_bad_arguments(void **state)
{
    const rcuinfo_change_t change = {"a", "x"};
    struct model model;
    rcuinfo_t info = sample(&model), stale = info;
    size_t failed = 99;
    (void)state;
    assert_int_equal(rcuinfo_update(info, NULL, 1, &failed), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_update(info, NULL, SIZE_MAX, &failed), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_update(info, NULL, 0, &failed), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_update(info, &change, 0, &failed), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_update(RCUINFO_NULL, &change, 1, &failed), RCUINFO_ERR_INFO);
    assert_int_equal(rcuinfo_update(RCUINFO_NULL, NULL, 0, &failed), RCUINFO_ERR_INFO);
    assert_int_equal(rcuinfo_update(rcuinfo_env(), &change, 1, &failed), RCUINFO_ERR_INFO);
    done(info, &model);
    assert_int_equal(rcuinfo_update(stale, &change, 1, &failed), RCUINFO_ERR_INFO);
    assert_int_equal(failed, 99);
}

/* Thousands of changes at once, larger than any object before. */
static void update_with_many_changes(void **state)
{
    enum { CHANGES = 3000 };
    rcuinfo_change_t *changes = test_calloc(CHANGES, sizeof *changes);
    char(*keys)[16] = test_calloc(CHANGES, sizeof *keys);
    struct model model;
    rcuinfo_t info = sample(&model);
    size_t failed = 0;
    (void)state;
    for (unsigned i = 0; i < CHANGES; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "key%u", i * 7 % 2000);
        changes[i] = (rcuinfo_change_t){keys[i], i < 2000 || i % 3 ? keys[i] : NULL};
    }
    assert_int_equal(rcuinfo_update(info, changes, CHANGES, NULL), RCUINFO_SUCCESS);
    assert_int_equal(model_update(&model, changes, CHANGES, &failed), RCUINFO_SUCCESS);
    assert_int_equal(model_differs_from_object(&model, info), 0);
    for (size_t i = 0; i < CHANGES; i++)
        changes[i].value = NULL;
    assert_int_equal(rcuinfo_update(info, changes, 3, NULL), model_update(&model, changes, 3, &failed));
    done(info, &model);
    test_free(changes);
    test_free(keys);
}

static void swap(rcuinfo_t info, struct model *model, const char *key, const char *expected, const char *desired)
{
    int swapped = 77, wanted_swapped = 77;
    rcuinfo_status_t wanted = model_compare_and_set(model, key, expected, desired, &wanted_swapped);
    assert_int_equal(rcuinfo_compare_and_set(info, key, expected, desired, &swapped), wanted);
    assert_int_equal(swapped, wanted_swapped);
    assert_int_equal(model_differs_from_object(model, info), 0);
}

static void compare_and_set(void **state)
{
    struct model model;
    rcuinfo_t info = sample(&model), stale = info;
    int swapped = 77;
    (void)state;
    swap(info, &model, "a", "1", "one");   /* as expected */
    swap(info, &model, "a", "1", "uno");   /* another value */
    swap(info, &model, "a", "on", "uno");  /* a prefix of it */
    swap(info, &model, "a", "onee", "un"); /* longer than it */
    swap(info, &model, "a", NULL, "uno");  /* there, expected absent */
    swap(info, &model, "z", "1", "uno");   /* absent, expected there */
    swap(info, &model, "z", NULL, "new");  /* absent as expected */
    swap(info, &model, "y", NULL, NULL);   /* absent, and stays so */
    swap(info, &model, "b", "3", NULL);    /* no delete of another value */
    swap(info, &model, "b", "2", NULL);    /* delete */
    swap(info, &model, "c", "3", "");
    swap(info, &model, "c", "", "3");
    swap(info, &model, "a", "one", "one"); /* to what it was */
    swap(info, &model, long_key, NULL, "x");
    swap(info, &model, "", NULL, "x");
    swap(info, &model, NULL, NULL, "x");
    swap(info, &model, "a", long_value, "x");
    swap(info, &model, "a", "one", long_value);
    assert_string_equal(model.pairs[0].value, "one");
    assert_int_equal(model.count, 3);
    assert_int_equal(rcuinfo_compare_and_set(info, "a", "one", "x", NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_compare_and_set(RCUINFO_NULL, "a", "1", "x", &swapped), RCUINFO_ERR_INFO);
    assert_int_equal(rcuinfo_compare_and_set(rcuinfo_env(), "maxprocs", "1", "x", &swapped), RCUINFO_ERR_INFO);
    done(info, &model);
    assert_int_equal(rcuinfo_compare_and_set(stale, "a", "1", "x", &swapped), RCUINFO_ERR_INFO);
    assert_int_equal(swapped, 77);
}

/* Arguments are looked at before the handle. */
static void order_of_checks(void **state)
{
    int flag = 77;
    (void)state;
    assert_int_equal(rcuinfo_set(RCUINFO_NULL, "", "x"), RCUINFO_ERR_KEY);
    assert_int_equal(rcuinfo_set(RCUINFO_NULL, "a", NULL), RCUINFO_ERR_VALUE);
    assert_int_equal(rcuinfo_delete(RCUINFO_NULL, NULL), RCUINFO_ERR_KEY);
    assert_int_equal(rcuinfo_get(RCUINFO_NULL, "a", 4, NULL, &flag), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_get_nkeys(RCUINFO_NULL, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_dup(RCUINFO_NULL, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(flag, 77);
}

static void status_texts(void **state)
{
    (void)state;
    for (int i = 0; i <= RCUINFO_ERR_IO; i++) {
        const char *text = rcuinfo_status_string((rcuinfo_status_t)i);
        assert_true(text != NULL && text[0] != '\0' && strcmp(text, "unknown status") != 0);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(text, rcuinfo_status_string((rcuinfo_status_t)j));
    }
    assert_string_equal(rcuinfo_status_string((rcuinfo_status_t)(RCUINFO_ERR_IO + 1)), "unknown status");
    assert_string_equal(rcuinfo_status_string((rcuinfo_status_t)1000), "unknown status");
}

static void store_counters(void **state)
{
    rcuinfo_stats_t before, after;
    struct model model;
    rcuinfo_t info;
    (void)state;
    rcuinfo_store_stats(&before);
    info = sample(&model);
    rcuinfo_store_stats(&after);
    assert_int_equal(after.live, before.live + 1);
    done(info, &model);
    assert_int_equal(rcuinfo_store_drain(), 0);
    rcuinfo_store_stats(&after);
    assert_int_equal(after.live, before.live);
    assert_int_equal(after.retired, 0);
    assert_true(after.grace_periods > before.grace_periods && after.peak_retired >= before.peak_retired);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(update_applies_in_order),
        cmocka_unit_test(update_refuses_all_or_nothing),
        cmocka_unit_test(update_with_bad_arguments),
        cmocka_unit_test(update_with_many_changes),
        cmocka_unit_test(compare_and_set),
        cmocka_unit_test(order_of_checks),
        cmocka_unit_test(status_texts),
        cmocka_unit_test(store_counters),
    };
    memset(long_key, 'k', sizeof long_key - 1);
    memset(long_value, 'v', sizeof long_value - 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
