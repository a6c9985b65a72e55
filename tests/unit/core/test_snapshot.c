/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots: what the calls of snapshot.h return, the version number, and that a snapshot outlives changes of its
 * object and the object itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <rcuinfo/rcuinfo.h>

static rcuinfo_t sample(void)
{
    rcuinfo_t info = RCUINFO_NULL;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(info, "a", "1"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(info, "bb", ""), RCUINFO_SUCCESS);
    return info;
}

static const rcuinfo_snapshot_t *open_snapshot(rcuinfo_t info)
{
    const rcuinfo_snapshot_t *snapshot = NULL;
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    assert_non_null(snapshot);
    return snapshot;
}

static void assert_pair(const rcuinfo_pair_t *pair, const char *key, const char *value)
{
    assert_string_equal(pair->key, key);
    assert_string_equal(pair->value, value);
    assert_int_equal(pair->key_length, strlen(key));
    assert_int_equal(pair->value_length, strlen(value));
}

static void reads(void **state)
{
    rcuinfo_t info = sample();
    const rcuinfo_snapshot_t *snapshot = open_snapshot(info);
    rcuinfo_pair_t pair;
    (void)state;
    assert_int_equal(rcuinfo_snapshot_count(snapshot), 2);
    assert_int_equal(rcuinfo_snapshot_version(snapshot), 2);
    assert_int_equal(rcuinfo_snapshot_nth(snapshot, 0, &pair), RCUINFO_SUCCESS);
    assert_pair(&pair, "a", "1");
    assert_int_equal(rcuinfo_snapshot_nth(snapshot, 1, &pair), RCUINFO_SUCCESS);
    assert_pair(&pair, "bb", "");
    assert_int_equal(rcuinfo_snapshot_find(snapshot, "bb", &pair), RCUINFO_SUCCESS);
    assert_pair(&pair, "bb", "");
    assert_int_equal(rcuinfo_snapshot_find(snapshot, "a", &pair), RCUINFO_SUCCESS);
    assert_pair(&pair, "a", "1");
    rcuinfo_snapshot_close(snapshot);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

static void errors_write_nothing(void **state)
{
    rcuinfo_t info = sample(), stale = info;
    const rcuinfo_snapshot_t *snapshot = open_snapshot(info), *untouched = snapshot;
    rcuinfo_pair_t pair = {"#", "#", 77, 77};
    char key[RCUINFO_MAX_KEY + 1];
    (void)state;
    memset(key, 'k', RCUINFO_MAX_KEY);
    key[RCUINFO_MAX_KEY] = '\0';
    assert_int_equal(rcuinfo_snapshot_nth(snapshot, 2, &pair), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_snapshot_nth(snapshot, SIZE_MAX, &pair), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_snapshot_nth(snapshot, UINT32_MAX, &pair), RCUINFO_ERR_ARG);
#if SIZE_MAX > UINT32_MAX
    assert_int_equal(rcuinfo_snapshot_nth(snapshot, (size_t)UINT32_MAX + 1, &pair), RCUINFO_ERR_ARG);
#endif
    assert_int_equal(rcuinfo_snapshot_nth(snapshot, 0, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_snapshot_nth(NULL, 0, &pair), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_snapshot_find(snapshot, "absent", &pair), RCUINFO_ERR_NOKEY);
    assert_int_equal(rcuinfo_snapshot_find(snapshot, "b", &pair), RCUINFO_ERR_NOKEY);
    assert_int_equal(rcuinfo_snapshot_find(snapshot, "", &pair), RCUINFO_ERR_KEY);
    assert_int_equal(rcuinfo_snapshot_find(snapshot, NULL, &pair), RCUINFO_ERR_KEY);
    assert_int_equal(rcuinfo_snapshot_find(snapshot, key, &pair), RCUINFO_ERR_KEY);
    assert_int_equal(rcuinfo_snapshot_find(snapshot, "a", NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_snapshot_find(NULL, "a", &pair), RCUINFO_ERR_ARG);
    assert_true(pair.key_length == 77 && pair.value_length == 77);
    assert_string_equal(pair.key, "#");
    assert_string_equal(pair.value, "#");
    assert_int_equal(rcuinfo_snapshot_count(NULL), 0);
    assert_int_equal(rcuinfo_snapshot_version(NULL), 0);
    rcuinfo_snapshot_close(NULL);
    rcuinfo_snapshot_close(snapshot);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    snapshot = untouched;
    assert_int_equal(rcuinfo_snapshot_open(stale, &snapshot), RCUINFO_ERR_INFO);
    assert_int_equal(rcuinfo_snapshot_open(RCUINFO_NULL, &snapshot), RCUINFO_ERR_INFO);
    assert_int_equal(rcuinfo_snapshot_open(stale, NULL), RCUINFO_ERR_ARG);
    assert_ptr_equal(snapshot, untouched);
}

/* Open over 10,000 changes, a drain, and the end of the object. */
static void outlives_its_object(void **state)
{
    rcuinfo_t info = sample();
    const rcuinfo_snapshot_t *snapshot = open_snapshot(info), *same = open_snapshot(info);
    rcuinfo_pair_t before, after;
    char key[16];
    (void)state;
    assert_int_equal(rcuinfo_snapshot_nth(snapshot, 0, &before), RCUINFO_SUCCESS);
    for (int i = 0; i < 10000; i++) {
        (void)snprintf(key, sizeof key, "k%d", i % 100);
        assert_int_equal(rcuinfo_set(info, key, "x"), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_set(info, "a", "other"), RCUINFO_SUCCESS);
    }
    assert_int_equal(rcuinfo_store_drain(), 0);
    assert_int_equal(rcuinfo_snapshot_count(snapshot), 2);
    rcuinfo_snapshot_close(same);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_store_drain(), 0);
    assert_int_equal(rcuinfo_snapshot_count(snapshot), 2);
    assert_int_equal(rcuinfo_snapshot_version(snapshot), 2);
    assert_int_equal(rcuinfo_snapshot_nth(snapshot, 0, &after), RCUINFO_SUCCESS);
    assert_pair(&after, "a", "1");
    assert_ptr_equal(after.key, before.key);
    assert_ptr_equal(after.value, before.value);
    rcuinfo_snapshot_close(snapshot);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

static uint64_t version_of(rcuinfo_t info)
{
    const rcuinfo_snapshot_t *snapshot = open_snapshot(info);
    uint64_t version = UINT64_MAX;
    assert_int_equal(rcuinfo_version(info, &version), RCUINFO_SUCCESS);
    assert_int_equal(version, rcuinfo_snapshot_version(snapshot));
    rcuinfo_snapshot_close(snapshot);
    return version;
}

/* 0 for a new object, one more with each change that succeeded, kept by dup. */
static void versions_count_changes(void **state)
{
    const rcuinfo_change_t changes[] = {{"x", "1"}, {"y", "2"}, {"x", NULL}}, absent = {"absent", NULL};
    rcuinfo_t info = RCUINFO_NULL, copy = RCUINFO_NULL;
    int swapped = 77;
    (void)state;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(version_of(info), 0);
    assert_int_equal(rcuinfo_set(info, "a", "1"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_set(info, "a", "1"), RCUINFO_SUCCESS);
    assert_int_equal(version_of(info), 2);
    assert_int_equal(rcuinfo_set(info, "", "1"), RCUINFO_ERR_KEY);
    assert_int_equal(rcuinfo_delete(info, "absent"), RCUINFO_ERR_NOKEY);
    assert_int_equal(rcuinfo_update(info, &absent, 1, NULL), RCUINFO_ERR_NOKEY);
    assert_int_equal(rcuinfo_update(info, NULL, 0, NULL), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_compare_and_set(info, "a", "2", "3", &swapped), RCUINFO_SUCCESS);
    assert_int_equal(swapped, 0);
    assert_int_equal(version_of(info), 2);
    assert_int_equal(rcuinfo_update(info, changes, 3, NULL), RCUINFO_SUCCESS);
    assert_int_equal(version_of(info), 3);
    assert_int_equal(rcuinfo_compare_and_set(info, "a", "1", "3", &swapped), RCUINFO_SUCCESS);
    assert_int_equal(swapped, 1);
    assert_int_equal(version_of(info), 4);
    assert_int_equal(rcuinfo_dup(info, &copy), RCUINFO_SUCCESS);
    assert_int_equal(version_of(copy), 4);
    assert_int_equal(rcuinfo_delete(copy, "a"), RCUINFO_SUCCESS);
    assert_int_equal(version_of(copy), 5);
    assert_int_equal(version_of(info), 4);
    assert_int_equal(rcuinfo_version(info, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&copy), RCUINFO_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),
        cmocka_unit_test(errors_write_nothing),
        cmocka_unit_test(outlives_its_object),
        cmocka_unit_test(versions_count_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
