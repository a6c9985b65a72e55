/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrong: preloaded, it makes one kind of mistake in the store's name, which BENCH_MISTAKE says: "value" (a byte of a
 * value, or the number of a hint, is wrong, seldom), "found" (a key is found that is not there, seldom), "lost" (a set
 * does nothing), "pair" (a snapshot gives one pair in place of another); "none".
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/hints.h>
#include <rcuinfo/info.h>
#include <rcuinfo/snapshot.h>

#define SELDOM 10 /* calls; fewer than any program reads back at its end, however few it came to before */

static rcuinfo_status_t (*real_get)(rcuinfo_t, const char *, int, char *, int *);
static rcuinfo_status_t (*real_set)(rcuinfo_t, const char *, const char *);
static rcuinfo_status_t (*real_nth)(const rcuinfo_snapshot_t *, size_t, rcuinfo_pair_t *);
static rcuinfo_status_t (*real_hints_set)(rcuinfo_hint_set_t *, rcuinfo_t);
static rcuinfo_status_t (*real_hints_read)(const rcuinfo_hint_set_t *, size_t, int64_t *);
static const char *mistake;
static atomic_uint calls;

static __attribute__((constructor)) void wrong_init(void)
{
    *(void **)&real_get = dlsym(RTLD_NEXT, "rcuinfo_get");
    *(void **)&real_set = dlsym(RTLD_NEXT, "rcuinfo_set");
    *(void **)&real_nth = dlsym(RTLD_NEXT, "rcuinfo_snapshot_nth");
    *(void **)&real_hints_set = dlsym(RTLD_NEXT, "rcuinfo_hint_set_merge");
    *(void **)&real_hints_read = dlsym(RTLD_NEXT, "rcuinfo_hint_set_read");
    mistake = getenv("BENCH_MISTAKE");
}

RCUINFO_API rcuinfo_status_t rcuinfo_get(rcuinfo_t info, const char *key, int valuelen, char *value, int *flag)
{
    rcuinfo_status_t status = real_get(info, key, valuelen, value, flag);
    if (atomic_fetch_add(&calls, 1) % SELDOM == SELDOM - 1) {
        if (*flag && strcmp(mistake, "value") == 0)
            value[0] ^= 1;
        if (!*flag && strcmp(mistake, "found") == 0)
            *flag = 1;
    }
    return status;
}

RCUINFO_API rcuinfo_status_t rcuinfo_set(rcuinfo_t info, const char *key, const char *value)
{
    return strcmp(mistake, "lost") == 0 ? RCUINFO_SUCCESS : real_set(info, key, value);
}

RCUINFO_API rcuinfo_status_t rcuinfo_snapshot_nth(const rcuinfo_snapshot_t *snapshot, size_t n, rcuinfo_pair_t *pair)
{
    return real_nth(snapshot, strcmp(mistake, "pair") == 0 && n == SELDOM ? n - 1 : n, pair);
}

RCUINFO_API rcuinfo_status_t rcuinfo_hint_set_merge(rcuinfo_hint_set_t *hints, rcuinfo_t info)
{
    return strcmp(mistake, "lost") == 0 ? RCUINFO_SUCCESS : real_hints_set(hints, info);
}

RCUINFO_API rcuinfo_status_t rcuinfo_hint_set_read(const rcuinfo_hint_set_t *hints, size_t row, int64_t *number)
{
    rcuinfo_status_t status = real_hints_read(hints, row, number);
    if (atomic_fetch_add(&calls, 1) % SELDOM == SELDOM - 1 && strcmp(mistake, "value") == 0)
        *number ^= 1;
    return status;
}
