/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Typed values: errors beyond those of fuzz.value, which draws arbitrary texts, elements and numbers.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/objects.h"
#include "support/test.h"

/* A list that could not be read back is rejected. The longest list is accepted, and one byte more is rejected. */
TEST(lists_that_cannot_be)
{
    const char *halves[] = {object_long + 511, object_long + 512}; /* with the comma, one byte too many */
    static int64_t many[RCUINFO_MAX_VALUE];
    rcuinfo_t info = object_empty();
    int length = 0, flag;
    CHECK_STATUS(rcuinfo_set_list(info, "l", (const char *[]){"good", NULL}, 2, NULL), RCUINFO_ERR_TYPE);
    CHECK_STATUS(rcuinfo_set_list(info, "l", (const char *[]){""}, 1, NULL), RCUINFO_ERR_TYPE);
    CHECK_STATUS(rcuinfo_set_list(info, "l", halves, 2, NULL), RCUINFO_ERR_VALUE);
    CHECK_STATUS(rcuinfo_set_list_int64(info, "l", many, RCUINFO_MAX_VALUE / 2 + 1), RCUINFO_ERR_VALUE);
    CHECK_STATUS(rcuinfo_set_list_int64(info, "l", many, RCUINFO_MAX_VALUE), RCUINFO_ERR_VALUE);

    /* With 1025 bytes for each element that does not fit, the sum is 2 in 32 bits. */
    enum { WRAP = 4190723 };
    int64_t *zeros = calloc(WRAP, sizeof *zeros);
    CHECK_STATUS(rcuinfo_set_list_int64(info, "l", zeros, WRAP), RCUINFO_ERR_VALUE);
    free(zeros);

    CHECK_EQUAL(object_version(info), 0);
    halves[0] = halves[1];
    CHECK_OK(rcuinfo_set_list(info, "l", halves, 2, NULL));
    CHECK_OK(rcuinfo_get_valuelen(info, "l", &length, &flag));
    CHECK_EQUAL(length, RCUINFO_MAX_VALUE - 1);
    CHECK_OK(rcuinfo_set_list_int64(info, "l", many, RCUINFO_MAX_VALUE / 2));
    object_free(info);
}

TEST(absent_keys)
{
    rcuinfo_t info = object_empty(), stale = info;
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    static rcuinfo_list_t list;
    int number = 77;
    CHECK_STATUS(rcuinfo_get_bool(info, "none", &number, NULL), RCUINFO_ERR_NOKEY);
    CHECK_STATUS(rcuinfo_snapshot_get_int(snapshot, "none", &number, NULL), RCUINFO_ERR_NOKEY);
    CHECK_EQUAL(number, 77);
    list.opaque_length = 99;
    CHECK_STATUS(rcuinfo_get_list(info, "none", &list), RCUINFO_ERR_NOKEY);
    CHECK_STATUS(rcuinfo_snapshot_get_list(snapshot, "none", &list), RCUINFO_ERR_NOKEY);
    CHECK_EQUAL(list.opaque_length, 99);
    CHECK_STATUS(rcuinfo_get_int(info, "", &number, NULL), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_get_int(info, NULL, &number, NULL), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_get_list(info, NULL, &list), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_snapshot_get_bool(snapshot, NULL, &number, NULL), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_set_bool(info, NULL, 1), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_get_int(info, "none", NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_get_list(info, "none", NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_get_bool(NULL, "none", &number, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_get_bool(snapshot, "none", NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_snapshot_get_list(snapshot, "none", NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_value_parse_bool(NULL, 0, &number, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_value_parse_int("1", 1, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_value_parse_int64("1", 1, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_list_begin(NULL, 0, &list), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_list_begin("", 0, NULL), RCUINFO_ERR_ARG);
    CHECK_EQUAL(rcuinfo_list_next(NULL, NULL), 0);
    CHECK_STATUS(rcuinfo_set_list(info, "l", NULL, 1, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_set_list_int64(info, "l", NULL, 1), RCUINFO_ERR_ARG);
    rcuinfo_snapshot_close(snapshot);
    object_free(info);
    CHECK_STATUS(rcuinfo_get_bool(stale, "none", &number, NULL), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_get_list(stale, "none", &list), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_set_int64(stale, "n", 1), RCUINFO_ERR_INFO);
    CHECK_EQUAL(number, 77);
}

TEST_MAIN()
