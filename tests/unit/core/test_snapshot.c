/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots: what the calls of snapshot.h refuse, with nothing written, and the version number. What they show, and
 * that they outlive changes of their object and the object itself, core.differential watches.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/check.h"
#include "support/objects.h"

static void errors_write_nothing(void)
{
    rcuinfo_t info = OBJECT("a", "1", "bb", ""), stale = info;
    const rcuinfo_snapshot_t *none = NULL;
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    rcuinfo_pair_t pair = {"#", "#", 77, 77};
    char key[RCUINFO_MAX_KEY + 1] = "";
    memset(key, 'k', RCUINFO_MAX_KEY);
    const uint64_t beyond[] = {2, UINT32_MAX, UINT32_MAX + UINT64_C(1), SIZE_MAX};
    for (size_t i = 0; i < 4; i++) {
        if (beyond[i] <= SIZE_MAX)
            CHECK_STATUS(rcuinfo_snapshot_nth(snapshot, (size_t)beyond[i], &pair), RCUINFO_ERR_ARG);
    }
    CHECK_STATUS(rcuinfo_snapshot_nth(snapshot, 0, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_nth(NULL, 0, &pair), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_find(snapshot, "absent", &pair), RCUINFO_ERR_NOKEY);
    CHECK_STATUS(rcuinfo_snapshot_find(snapshot, "b", &pair), RCUINFO_ERR_NOKEY);
    CHECK_STATUS(rcuinfo_snapshot_find(snapshot, "", &pair), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_snapshot_find(snapshot, NULL, &pair), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_snapshot_find(snapshot, key, &pair), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_snapshot_find(snapshot, "a", NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_find(NULL, "a", &pair), RCUINFO_ERR_ARG);
    CHECK(pair.key_length == 77 && pair.value_length == 77 && pair.key[0] == '#' && pair.value[0] == '#');
    CHECK_EQUAL(rcuinfo_snapshot_count(NULL), 0);
    CHECK_EQUAL(rcuinfo_snapshot_version(NULL), 0);
    rcuinfo_snapshot_close(NULL);
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_free(&info));
    CHECK_STATUS(rcuinfo_snapshot_open(stale, NULL), RCUINFO_ERR_ARG);
    none = snapshot;
    CHECK_STATUS(rcuinfo_snapshot_open(stale, &none), RCUINFO_ERR_INFO);
    CHECK(!none);
    none = snapshot;
    CHECK_STATUS(rcuinfo_snapshot_open(RCUINFO_NULL, &none), RCUINFO_ERR_INFO);
    CHECK(!none);
}

static uint64_t version_of(rcuinfo_t info)
{
    uint64_t version = UINT64_MAX;
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_OK(rcuinfo_current_version(info, &version));
    CHECK_EQUAL(version, rcuinfo_snapshot_version(snapshot));
    rcuinfo_snapshot_close(snapshot);
    return version;
}

/* 0 for a new object, one more with each change that succeeded, kept by dup. */
static void versions_count_changes(void)
{
    const rcuinfo_change_t changes[] = {{"x", "1"}, {"y", "2"}, {"x", NULL}}, absent = {"absent", NULL};
    int swapped = 77;
    rcuinfo_t info = object_empty();
    CHECK_EQUAL(version_of(info), 0);
    CHECK_OK(rcuinfo_set(info, "a", "1"));
    CHECK_OK(rcuinfo_set(info, "a", "1"));
    CHECK_EQUAL(version_of(info), 2);
    CHECK_STATUS(rcuinfo_set(info, "", "1"), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_delete(info, "absent"), RCUINFO_ERR_NOKEY);
    CHECK_STATUS(rcuinfo_update(info, &absent, 1, NULL), RCUINFO_ERR_NOKEY);
    CHECK_OK(rcuinfo_update(info, NULL, 0, NULL));
    CHECK_OK(rcuinfo_compare_and_set(info, "a", "2", "3", &swapped));
    CHECK_EQUAL(version_of(info), 2);
    CHECK_OK(rcuinfo_update(info, changes, 3, NULL));
    CHECK_EQUAL(version_of(info), 3);
    CHECK_OK(rcuinfo_compare_and_set(info, "a", "1", "3", &swapped));
    CHECK_EQUAL(version_of(info), 4);
    rcuinfo_t copy = object_dup(info);
    CHECK_EQUAL(version_of(copy), 4);
    CHECK_OK(rcuinfo_delete(copy, "a"));
    CHECK_EQUAL(version_of(copy), 5);
    CHECK_EQUAL(version_of(info), 4);
    CHECK_STATUS(rcuinfo_current_version(info, NULL), RCUINFO_ERR_ARG);
    CHECK_OK(rcuinfo_free(&info));
    CHECK_OK(rcuinfo_free(&copy));
}

int main(void)
{
    errors_write_nothing();
    versions_count_changes();
    return 0;
}
