/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrong_mpi: preloaded under a plain MPI program, it makes one kind of mistake in MPI's name, which BENCH_MISTAKE says:
 * "value" (a byte of a value is wrong), "found" (a key is found that is not there), "lost" (a set does nothing), "set"
 * (a byte in the middle of what is set is wrong), "nth", "nkeys" (those calls give another key, another number); each
 * but "set" seldom. A handle goes through as it came, in a register that has room for either MPI's.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SELDOM 10 /* calls */

static atomic_uint calls;

static bool is(const char *mistake)
{
    const char *wanted = getenv("BENCH_MISTAKE");
    return wanted && strcmp(wanted, mistake) == 0;
}

static bool seldom(const char *mistake)
{
    return is(mistake) && atomic_fetch_add(&calls, 1) % SELDOM == SELDOM - 1;
}

#define EXPORT __attribute__((visibility("default"))) int

EXPORT MPI_Info_get(void *info, const char *key, int valuelen, char *value, int *flag);
EXPORT MPI_Info_set(void *info, const char *key, const char *value);
EXPORT MPI_Info_get_nthkey(void *info, int n, char *key);
EXPORT MPI_Info_get_nkeys(void *info, int *nkeys);

EXPORT MPI_Info_get(void *info, const char *key, int valuelen, char *value, int *flag)
{
    int (*real)(void *, const char *, int, char *, int *);
    *(void **)&real = dlsym(RTLD_NEXT, __func__);
    int code = real(info, key, valuelen, value, flag);
    if (*flag && seldom("value"))
        value[0] ^= 1;
    if (!*flag && seldom("found"))
        *flag = 1;
    return code;
}

EXPORT MPI_Info_set(void *info, const char *key, const char *value)
{
    int (*real)(void *, const char *, const char *);
    char text[256];
    *(void **)&real = dlsym(RTLD_NEXT, __func__);
    strncpy(text, value, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    if (is("set"))
        text[strlen(text) / 2] ^= 1;
    return seldom("lost") ? 0 : real(info, key, text);
}

EXPORT MPI_Info_get_nthkey(void *info, int n, char *key)
{
    int (*real)(void *, int, char *);
    *(void **)&real = dlsym(RTLD_NEXT, __func__);
    return real(info, n > 0 && seldom("nth") ? n - 1 : n, key);
}

EXPORT MPI_Info_get_nkeys(void *info, int *nkeys)
{
    int (*real)(void *, int *);
    *(void **)&real = dlsym(RTLD_NEXT, __func__);
    int code = real(info, nkeys);
    *nkeys += seldom("nkeys");
    return code;
}
