/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * contents: compares the pairs of an object, read through the interface under test, one by one and in order.
 */
#pragma once

#include "support/flavour.h"

struct pair {
    const char *key;
    const char *value;
};

#define PAIRS(...) ((const struct pair[]){__VA_ARGS__})
#define CHECK_CONTENTS(info, ...)                                                                                      \
    contents_check(info, PAIRS(__VA_ARGS__), sizeof(PAIRS(__VA_ARGS__)) / sizeof(struct pair), __FILE__, __LINE__)
#define CHECK_EMPTY(info) contents_check(info, NULL, 0, __FILE__, __LINE__)

static inline void contents_check(MPI_Info info, const struct pair *pairs, size_t n, const char *file, int line)
{
    int nkeys = -1;
    if (MPI_Info_get_nkeys(info, &nkeys) != MPI_SUCCESS || nkeys != (int)n)
        check_failed(file, line, "get_nkeys", "%d keys, not %zu", nkeys, n);
    for (size_t i = 0; i < n; i++) {
        char key[MPI_MAX_INFO_KEY] = "", value[MPI_MAX_INFO_VAL] = "";
        int flag = 0, length = -1;
        if (MPI_Info_get_nthkey(info, (int)i, key) != MPI_SUCCESS || strcmp(key, pairs[i].key) != 0)
            check_failed(file, line, "get_nthkey", "key %zu is \"%s\", not \"%s\"", i, key, pairs[i].key);
        if (MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag) != MPI_SUCCESS || !flag ||
            strcmp(value, pairs[i].value) != 0)
            check_failed(file, line, "get", "\"%s\" is \"%s\", not \"%s\"", key, value, pairs[i].value);
        if (MPI_Info_get_valuelen(info, key, &length, &flag) != MPI_SUCCESS || !flag || length != (int)strlen(value))
            check_failed(file, line, "get_valuelen", "\"%s\": %d, not %zu", key, length, strlen(value));
    }
}

/* Checks that the object has that pair; it may have others. */
static inline void check_value(MPI_Info info, const char *key, const char *value)
{
    char found[MPI_MAX_INFO_VAL] = "";
    int flag = 0;
    CHECK_MPI(MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, found, &flag), MPI_SUCCESS);
    CHECK(flag);
    CHECK_TEXT(found, value);
}

/* Creates an object with these pairs. */
static inline MPI_Info contents_make(const struct pair *pairs, size_t n)
{
    MPI_Info info = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&info), MPI_SUCCESS);
    for (size_t i = 0; i < n; i++)
        CHECK_MPI(MPI_Info_set(info, pairs[i].key, pairs[i].value), MPI_SUCCESS);
    return info;
}

#define make_info(...) contents_make(PAIRS(__VA_ARGS__), sizeof(PAIRS(__VA_ARGS__)) / sizeof(struct pair))

static inline MPI_Info make_empty(void)
{
    return contents_make(NULL, 0);
}

static inline void free_info(MPI_Info info)
{
    CHECK_MPI(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK(info == MPI_INFO_NULL);
}

/* A former handle of the store. */
static inline MPI_Info make_stale(void)
{
    MPI_Info info = make_empty(), stale = info;
    free_info(info);
    return stale;
}

/* Allocates a string of n bytes and a NUL; it ends in `last` if n > 0. */
static inline char *make_text(size_t n, char fill, char last)
{
    char *text = malloc(n + 1);
    CHECK(text);
    memset(text, fill, n);
    if (n > 0)
        text[n - 1] = last;
    text[n] = '\0';
    return text;
}
