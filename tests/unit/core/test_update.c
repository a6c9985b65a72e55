/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * update and compare_and_set: which changes apply, which change is named as the failed one, and that a refused one
 * leaves nothing behind. Also the small calls: status texts and counters of the store.
 */
#include <rcuinfo/version.h>

#include "support/model.h"
#include "support/check.h"

static char long_key[RCUINFO_MAX_KEY + 1], long_value[RCUINFO_MAX_VALUE + 1];

static void sample(struct modelled *m)
{
    modelled_create(m);
    CHECK_OK(modelled_set(m, "a", "1"));
    CHECK_OK(modelled_set(m, "b", "2"));
    CHECK_OK(modelled_set(m, "c", "3"));
}

static void done(struct modelled *m)
{
    modelled_check(m);
    modelled_free(m);
}

/* Changes apply in their order: a key may be set, overridden, deleted and set again by one update. */
static void update_applies_in_order(void)
{
    const rcuinfo_change_t changes[] = {{"d", "4"}, {"a", NULL}, {"b", "two"}, {"d", "four"}, {"a", "back"},
                                        {"e", "5"}, {"c", NULL}, {"e", NULL},  {"f", ""},     {"b", "zwei"}};
    const rcuinfo_change_t nothing_new[] = {{"x", "1"}, {"x", NULL}};
    static const char *const wanted[][2] = {{"b", "zwei"}, {"d", "four"}, {"a", "back"}, {"f", ""}};
    struct modelled m;
    sample(&m);
    CHECK_OK(modelled_update(&m, changes, 10));
    modelled_check(&m);
    CHECK_EQUAL(m.model.count, 4);
    for (size_t i = 0; i < 4; i++) { /* written out once, to test the model as well */
        CHECK_TEXT(m.model.pairs[i].key, wanted[i][0]);
        CHECK_TEXT(m.model.pairs[i].value, wanted[i][1]);
    }
    CHECK_OK(modelled_update(&m, nothing_new, 2));
    done(&m);
}

/* Wherever it stands among good changes, a bad one refuses all of them and is the one that is named. */
static void update_refuses_all_or_nothing(void)
{
    const struct {
        rcuinfo_change_t bad;
        rcuinfo_status_t status;
    } cases[] = {
        {{NULL, "1"}, RCUINFO_ERR_KEY},         {{"", "1"}, RCUINFO_ERR_KEY},     {{long_key, "1"}, RCUINFO_ERR_KEY},
        {{long_key, NULL}, RCUINFO_ERR_KEY},    {{NULL, NULL}, RCUINFO_ERR_KEY},  {{"", NULL}, RCUINFO_ERR_KEY},
        {{"a", long_value}, RCUINFO_ERR_VALUE}, {{"z", NULL}, RCUINFO_ERR_NOKEY},
    };
    struct modelled m;
    sample(&m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t at = 0; at < 5; at++) {
            rcuinfo_change_t changes[5] = {{"a", "x"}, {"d", "4"}, {"b", NULL}, {"d", NULL}, {"c", "y"}};
            size_t failed = 99;
            changes[at] = cases[i].bad;
            if (at == 1)
                changes[3].value = "4";
            CHECK_STATUS(rcuinfo_update(m.info, changes, 5, &failed), cases[i].status);
            CHECK_EQUAL(failed, at);
            CHECK_STATUS(rcuinfo_update(m.info, changes, 5, NULL), cases[i].status);
            modelled_check(&m);
        }
    }
    done(&m);
}

/* Of neither call anything is written when its arguments are bad. */
static void bad_arguments(void)
{
    const rcuinfo_change_t change = {"a", "x"};
    struct modelled m;
    size_t failed = 99;
    int swapped = 77;
    sample(&m);
    rcuinfo_t stale = m.info;
    CHECK_STATUS(rcuinfo_update(m.info, NULL, 1, &failed), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_update(m.info, NULL, SIZE_MAX, &failed), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_update(m.info, &change, SIZE_MAX, &failed), RCUINFO_ERR_NO_MEM); /* no array has so many */
    CHECK_OK(rcuinfo_update(m.info, NULL, 0, &failed));
    CHECK_OK(rcuinfo_update(m.info, &change, 0, &failed));
    CHECK_STATUS(rcuinfo_compare_and_set(m.info, "a", "1", "x", NULL), RCUINFO_ERR_ARG);
    done(&m);
    const rcuinfo_t none[] = {RCUINFO_NULL, rcuinfo_env(), stale};
    for (size_t i = 0; i < 3; i++) {
        CHECK_STATUS(rcuinfo_update(none[i], &change, 1, &failed), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_update(none[i], NULL, 0, &failed), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_compare_and_set(none[i], "a", NULL, "x", &swapped), RCUINFO_ERR_INFO);
    }
    CHECK(failed == 99 && swapped == 77);
}

/* Thousands of changes at once, larger than any object before. */
static void update_with_many_changes(void)
{
    enum { CHANGES = 3000 };
    static rcuinfo_change_t changes[CHANGES];
    static char keys[CHANGES][16];
    struct modelled m;
    sample(&m);
    for (unsigned i = 0; i < CHANGES; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "key%u", i * 7 % 2000);
        changes[i] = (rcuinfo_change_t){keys[i], i < 2000 || i % 3 ? keys[i] : NULL};
    }
    CHECK_OK(modelled_update(&m, changes, CHANGES));
    modelled_check(&m);
    for (size_t i = 0; i < CHANGES; i++)
        changes[i].value = NULL;
    (void)modelled_update(&m, changes, 3);
    done(&m);
}

static void compare_and_set(void)
{
    const struct {
        const char *key, *expected, *desired;
    } cases[] = {
        {"a", "1", "one"},                                           /* as expected */
        {"a", "1", "uno"},                                           /* another value */
        {"a", "on", "uno"},                                          /* a prefix of it */
        {"a", "onee", "un"},                                         /* longer than it */
        {"a", NULL, "uno"},                                          /* there, expected absent */
        {"z", "1", "uno"},                                           /* absent, expected there */
        {"z", NULL, "new"},                                          /* absent as expected */
        {"y", NULL, NULL},                                           /* absent, and stays so */
        {"b", "3", NULL},                                            /* no delete of another value */
        {"b", "2", NULL},                                            /* delete */
        {"c", "3", ""},        {"c", "", "3"},  {"a", "one", "one"}, /* to what it was */
        {long_key, NULL, "x"}, {"", NULL, "x"}, {NULL, NULL, "x"},   {"a", long_value, "x"}, {"a", "one", long_value},
    };
    struct modelled m;
    sample(&m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        (void)modelled_compare_and_set(&m, cases[i].key, cases[i].expected, cases[i].desired);
        modelled_check(&m);
    }
    CHECK_TEXT(m.model.pairs[0].value, "one");
    CHECK_EQUAL(m.model.count, 3);
    done(&m);
}

/* Arguments are looked at before the handle. */
static void order_of_checks(void)
{
    int flag = 77;
    CHECK_STATUS(rcuinfo_set(RCUINFO_NULL, "", "x"), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_set(RCUINFO_NULL, "a", NULL), RCUINFO_ERR_VALUE);
    CHECK_STATUS(rcuinfo_delete(RCUINFO_NULL, NULL), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_get(RCUINFO_NULL, "a", 4, NULL, &flag), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_get_nkeys(RCUINFO_NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_dup(RCUINFO_NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_EQUAL(flag, 77);
}

static void texts(void)
{
    for (int i = 0; i <= RCUINFO_ERR_IO; i++) {
        const char *text = rcuinfo_status_string((rcuinfo_status_t)i);
        CHECK(text != NULL && text[0] != '\0' && strcmp(text, "unknown status") != 0);
        for (int j = 0; j < i; j++)
            CHECK(strcmp(text, rcuinfo_status_string((rcuinfo_status_t)j)) != 0);
    }
    CHECK_TEXT(rcuinfo_status_string((rcuinfo_status_t)(RCUINFO_ERR_IO + 1)), "unknown status");
    CHECK_TEXT(rcuinfo_status_string((rcuinfo_status_t)1000), "unknown status");
    CHECK_TEXT(rcuinfo_version_string(), RCUINFO_VERSION);
}

static void store_counters(void)
{
    rcuinfo_stats_t before, after;
    struct modelled m;
    rcuinfo_store_stats(&before);
    sample(&m);
    rcuinfo_store_stats(&after);
    CHECK_EQUAL(after.live, before.live + 1);
    done(&m);
    CHECK(rcuinfo_store_drain() == 0);
    rcuinfo_store_stats(&after);
    CHECK_EQUAL(after.live, before.live);
    CHECK_EQUAL(after.retired, 0);
    CHECK(after.grace_periods > before.grace_periods && after.peak_retired >= before.peak_retired);
}

int main(void)
{
    memset(long_key, 'k', sizeof long_key - 1);
    memset(long_value, 'v', sizeof long_value - 1);
    update_applies_in_order();
    update_refuses_all_or_nothing();
    bad_arguments();
    update_with_many_changes();
    compare_and_set();
    order_of_checks();
    texts();
    store_counters();
    return 0;
}
