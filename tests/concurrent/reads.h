/* SPDX-License-Identifier: BSD-3-Clause */
/* reads: every call that reads an object. */
#pragma once

#include "support/objects.h"

static inline long reads_get(rcuinfo_t info)
{
    CHECK_VALUE(info, "key", "before");
    return 1;
}

static inline long reads_get_string(rcuinfo_t info)
{
    char value[16] = "";
    int flag = 0, length = sizeof value;
    CHECK_OK(rcuinfo_get_string(info, "key", &length, value, &flag));
    CHECK_TEXT(value, "before");
    return flag ? length : 0;
}

static inline long reads_get_valuelen(rcuinfo_t info)
{
    int flag = 0, length = 0;
    CHECK_OK(rcuinfo_get_valuelen(info, "key", &length, &flag));
    return flag ? length : 0;
}

static inline long reads_get_nkeys(rcuinfo_t info)
{
    return object_count(info);
}

static inline long reads_get_nthkey(rcuinfo_t info)
{
    char key[RCUINFO_MAX_KEY];
    CHECK_OK(rcuinfo_get_nthkey(info, 0, key));
    CHECK_TEXT(key, "key");
    return 1;
}

static inline long reads_version(rcuinfo_t info)
{
    return (long)object_version(info);
}

/* `answer` is the result for OBJECT("key", "before"). With further keys, and changes to these, it is at least that. */
static const struct {
    const char *name;
    long (*call)(rcuinfo_t info);
    long answer;
} reads[] = {
    {"get", reads_get, 1},
    {"get_string", reads_get_string, 7},
    {"get_valuelen", reads_get_valuelen, 6},
    {"get_nkeys", reads_get_nkeys, 1},
    {"get_nthkey", reads_get_nthkey, 1},
    {"version", reads_version, 1},
};
enum { READS = sizeof reads / sizeof *reads };
