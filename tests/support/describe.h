/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * describe: the pairs of an object of create_env, or of MPI_INFO_ENV, as one string, so that two of them can be
 * compared. With a real MPI the string ends before that MPI's own keys, which its initialization adds to MPI_INFO_ENV
 * after all others. Any thread may call these functions; a failure ends the process.
 */
#pragma once

#include <string.h>

#include "support/flavour.h"

#define DESCRIBE_MAX (8 * (MPI_MAX_INFO_VAL + 16))

/* The keys of the standard, in the order of an object. */
static const char *const describe_keys[] = {"command", "argv", "maxprocs", "soft",        "host",
                                            "arch",    "wdir", "file",     "thread_level"};
enum { DESCRIBE_KEYS = sizeof describe_keys / sizeof *describe_keys };

/* The index of a key among them; -1: not found. */
static inline int describe_position(const char *key)
{
    for (int i = 0; i < DESCRIBE_KEYS; i++) {
        if (strcmp(describe_keys[i], key) == 0)
            return i;
    }
    return -1;
}

/* Writes "key=value\n" for each pair, in order. */
static inline void describe(MPI_Info info, char text[DESCRIBE_MAX])
{
    int nkeys = 0, last = -1, flag = 0;
    size_t used = 0;
    text[0] = '\0';
    CHECK_MPI(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    for (int i = 0; i < nkeys; i++) {
        char key[MPI_MAX_INFO_KEY] = "", value[MPI_MAX_INFO_VAL] = "";
        CHECK_MPI(MPI_Info_get_nthkey(info, i, key), MPI_SUCCESS);
        int position = describe_position(key);
        if (TEST_REAL_MPI && position < 0)
            break;
        CHECKF(position > last, "\"%s\" at %d", key, i);
        last = position;
        CHECK_MPI(MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag), MPI_SUCCESS);
        CHECKF(flag == 1, "\"%s\" is gone", key);
        used += (size_t)snprintf(text + used, DESCRIBE_MAX - used, "%s=%s\n", key, value);
    }
    CHECK(used > 0 && used < DESCRIBE_MAX);
}

/* Describes the object that create_env makes for these arguments. */
static inline void describe_new(int argc, char *argv[], char text[DESCRIBE_MAX])
{
    MPI_Info info = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create_env(argc, argv, &info), MPI_SUCCESS);
    describe(info, text);
    CHECK_MPI(MPI_Info_free(&info), MPI_SUCCESS);
}

static inline void describe_same(const char *text, const char *wanted, const char *which)
{
    CHECKF(strcmp(text, wanted) == 0, "%s is\n%.2000s\nand should be\n%.2000s", which, text, wanted);
}
