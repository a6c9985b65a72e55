/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads, snapshots, update and compare_and_set refuse invalid arguments and write nothing then. Arguments are checked
 * before the handle. Also tests the texts of statuses and of the version. (core.differential makes calls with arbitrary
 * keys, values and changes.)
 */
#include <rcuinfo/version.h>

#include "core/calls/layer.h"
#include "support/objects.h"
#include "support/test.h"

__extension__ static const char long_key[RCUINFO_MAX_KEY + 1] = {[0 ... RCUINFO_MAX_KEY - 1] = 'k'};

TEST(views)
{
    rcuinfo_t info = OBJECT("a", "1"), stale = object_empty();
    rcuinfo_view_t view, inner;
    rcuinfo_pair_t pair;
    int number = 0;
    CHECK_STATUS(rcuinfo_view_begin(info, NULL), RCUINFO_ERR_ARG);
    object_free(stale);
    CHECK_STATUS(rcuinfo_view_begin(stale, &view), RCUINFO_ERR_INFO);
    CHECK(!view.snapshot);
    rcuinfo_view_end(&view); /* none has begun */
    rcuinfo_view_end(NULL);

    CHECK_OK(rcuinfo_view_begin(info, &view));
    CHECK_OK(rcuinfo_set(info, "a", "2"));
    CHECK_OK(rcuinfo_view_begin(info, &inner));
    CHECK_OK(rcuinfo_snapshot_get_int(view.snapshot, "a", &number, NULL));
    CHECK_EQUAL(number, 1);
    CHECK_OK(rcuinfo_snapshot_get_int(inner.snapshot, "a", &number, NULL));
    CHECK_EQUAL(number, 2);
    object_free(info); /* in a view of it */
    CHECK_STATUS(rcuinfo_get_nkeys(info, &number), RCUINFO_ERR_INFO);
    CHECK(rcuinfo_store_drain() > 0); /* does not wait for its own thread */
    rcuinfo_view_end(&view);
    CHECK_OK(rcuinfo_snapshot_find(inner.snapshot, "a", &pair));
    CHECK_TEXT(pair.value, "2");
    rcuinfo_view_end(&inner);
    rcuinfo_view_end(&inner); /* is ignored */
    CHECK(rcuinfo_store_drain() == 0);
}

TEST(snapshots)
{
    rcuinfo_t info = OBJECT("a", "1", "bb", ""), stale = info;
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    rcuinfo_pair_t pair = {"#", "#", 77, 77};
    const uint64_t beyond[] = {2, UINT32_MAX, UINT32_MAX + UINT64_C(1), SIZE_MAX};
    for (size_t i = 0; i < 4; i++) {
        if (beyond[i] <= SIZE_MAX)
            CHECK_STATUS(rcuinfo_snapshot_nth(snapshot, (size_t)beyond[i], &pair), RCUINFO_ERR_ARG);
    }
    CHECK_STATUS(rcuinfo_snapshot_nth(snapshot, 0, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_nth(NULL, 0, &pair), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_find(snapshot, "b", &pair), RCUINFO_ERR_NOKEY);
    CHECK_STATUS(rcuinfo_snapshot_find(snapshot, "", &pair), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_snapshot_find(snapshot, NULL, &pair), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_snapshot_find(snapshot, long_key, &pair), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_snapshot_find(snapshot, "a", NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_find(NULL, "a", &pair), RCUINFO_ERR_ARG);
    CHECK(pair.key_length == 77 && pair.value_length == 77 && pair.key[0] == '#' && pair.value[0] == '#');

    CHECK_EQUAL(rcuinfo_snapshot_count(NULL), 0);
    CHECK_EQUAL(rcuinfo_snapshot_version(NULL), 0);
    rcuinfo_snapshot_close(NULL);
    rcuinfo_snapshot_close(snapshot);

    CHECK_STATUS(rcuinfo_object_version(info, NULL), RCUINFO_ERR_ARG);
    object_free(info);
    CHECK_STATUS(rcuinfo_snapshot_open(stale, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_open(stale, &snapshot), RCUINFO_ERR_INFO);
    CHECK(!snapshot);
}

TEST(updates)
{
    const rcuinfo_change_t change = {"a", "x"}, bad[] = {{"a", "x"}, {"", NULL}}, absent[] = {{"a", "x"}, {"b", NULL}};
    rcuinfo_t info = OBJECT("a", "1");
    const rcuinfo_t refused[] = {rcuinfo_env(), info}; /* `info` is freed before their use */
    size_t failed = 99;
    int swapped = 77;
    CHECK_STATUS(rcuinfo_update(info, NULL, 1, &failed), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_update(info, NULL, SIZE_MAX, &failed), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_update(info, &change, SIZE_MAX, &failed), RCUINFO_ERR_NO_MEM); /* longer than any array */
    CHECK_STATUS(rcuinfo_update(info, bad, 2, NULL), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_update(info, absent, 2, NULL), RCUINFO_ERR_NOKEY);
    CHECK_OK(rcuinfo_update(info, NULL, 0, &failed));
    CHECK_OK(rcuinfo_update(info, &change, 0, &failed));
    CHECK_STATUS(rcuinfo_compare_and_set(info, "a", "1", "x", NULL), RCUINFO_ERR_ARG);
    CHECK_EQUAL(object_version(info), 1);

    CHECK_OK(rcuinfo_compare_and_set(info, "a", NULL, "x", &swapped));
    CHECK_EQUAL(swapped, 0);
    CHECK_OK(rcuinfo_compare_and_set(info, "a", "1", "x", &swapped));
    CHECK_EQUAL(swapped, 1);
    CHECK_VALUE(info, "a", "x");
    object_free(info);

    swapped = 77;
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(rcuinfo_update(refused[i], &change, 1, &failed), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_update(refused[i], NULL, 0, &failed), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_compare_and_set(refused[i], "a", NULL, "x", &swapped), RCUINFO_ERR_INFO);
    }
    CHECK(failed == 99 && swapped == 77);
}

TEST(arguments_come_before_the_handle)
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

TEST(texts)
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

TEST_MAIN()
