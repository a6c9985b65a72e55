/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * objects: creates objects of the native interface from pairs, and checks their pairs.
 */
#pragma once

#include <rcuinfo/rcuinfo.h>

#include "support/check.h"

/* Keys and values alternate, followed by NULL. */
static inline rcuinfo_t object_make(const char *const *texts)
{
    rcuinfo_t info;

    CHECK_OK(rcuinfo_create(&info));
    for (; texts[0]; texts += 2)
        CHECK_OK(rcuinfo_set(info, texts[0], texts[1]));
    return info;
}

#define OBJECT(...) object_make((const char *const[]){__VA_ARGS__, NULL})

static inline rcuinfo_t object_empty(void)
{
    return OBJECT(NULL);
}

static inline rcuinfo_t object_dup(rcuinfo_t info)
{
    rcuinfo_t copy;

    CHECK_OK(rcuinfo_dup(info, &copy));
    return copy;
}

/* A value of the maximum length. */
__extension__ static const char object_long[RCUINFO_MAX_VALUE] = {[0 ... RCUINFO_MAX_VALUE - 2] = 'v'};

/* Sets n keys: the prefix and their numbers, from 0 on. */
static inline void object_fill(rcuinfo_t info, const char *prefix, unsigned n, const char *value)
{
    char key[32];

    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(key, sizeof key, "%s%u", prefix, i);
        CHECK_OK(rcuinfo_set(info, key, value));
    }
}

static inline void object_free(rcuinfo_t info)
{
    CHECK_OK(rcuinfo_free(&info));
}

static inline const rcuinfo_snapshot_t *object_open(rcuinfo_t info)
{
    const rcuinfo_snapshot_t *snapshot;

    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
    return snapshot;
}

static inline int object_count(rcuinfo_t info)
{
    int nkeys = -1;

    CHECK_OK(rcuinfo_get_nkeys(info, &nkeys));
    return nkeys;
}

static inline uint64_t object_version(rcuinfo_t info)
{
    uint64_t version = UINT64_MAX;

    CHECK_OK(rcuinfo_object_version(info, &version));
    return version;
}

/* Checks that the key has that value; NULL: that it does not exist. */
#define CHECK_VALUE(info, key, wanted) object_check(info, key, wanted, __FILE__, __LINE__)

static inline void object_check(rcuinfo_t info, const char *key, const char *wanted, const char *file, int line)
{
    char value[RCUINFO_MAX_VALUE] = "";
    int flag = 0;
    rcuinfo_status_t status = rcuinfo_get(info, key, RCUINFO_MAX_VALUE - 1, value, &flag);

    if (status != RCUINFO_SUCCESS)
        check_failed(file, line, "get", "\"%s\": %s", key, rcuinfo_status_string(status));
    if (flag != (wanted != NULL) || (wanted && strcmp(value, wanted) != 0))
        check_failed(file, line, "get", "\"%s\" is \"%s\", not \"%s\"", key, flag ? value : "(absent)",
                     wanted ? wanted : "(absent)");
}
