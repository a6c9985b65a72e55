/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrong: a preloaded library that makes one kind of mistake in calls of the store, selected by BENCH_MISTAKE: "value"
 * (a wrong byte in a value, or a wrong number of a hint), "found" (finds a missing key), "lost" (a set has no effect),
 * "pair" (a snapshot returns another pair). Or in the calls of a plain MPI program: "mpi_value", "mpi_found",
 * "mpi_lost", "mpi_set" (sets a value with a wrong byte in the middle), "mpi_nth" and "mpi_nkeys" (return another key,
 * another number). Most mistakes are rare. MPI handles are passed on unchanged, in a register that has room for those
 * of either MPI.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/hints.h>
#include <rcuinfo/info.h>
#include <rcuinfo/snapshot.h>

#define SELDOM 10 /* calls; fewer than any program reads back at its end, however few it came to before */

/* Returns the next function with this name, which the one here overrides. */
#define REAL(NAME) ((__typeof__(&NAME))(uintptr_t)dlsym(RTLD_NEXT, #NAME))

static int is(const char *mistake)
{
    return strcmp(getenv("BENCH_MISTAKE"), mistake) == 0;
}

static int seldom(const char *mistake)
{
    static atomic_uint calls;
    return is(mistake) && atomic_fetch_add(&calls, 1) % SELDOM == SELDOM - 1;
}

static void change_found(const char *value_mistake, char *value, const char *found_mistake, int *flag)
{
    if (*flag && seldom(value_mistake))
        value[0] ^= 1;
    if (!*flag && seldom(found_mistake))
        *flag = 1;
}

RCUINFO_API rcuinfo_status_t rcuinfo_get(rcuinfo_t info, const char *key, int valuelen, char *value, int *flag)
{
    rcuinfo_status_t status = REAL(rcuinfo_get)(info, key, valuelen, value, flag);
    change_found("value", value, "found", flag);
    return status;
}

RCUINFO_API rcuinfo_status_t rcuinfo_set(rcuinfo_t info, const char *key, const char *value)
{
    return is("lost") ? RCUINFO_SUCCESS : REAL(rcuinfo_set)(info, key, value);
}

RCUINFO_API rcuinfo_status_t rcuinfo_snapshot_nth(const rcuinfo_snapshot_t *snapshot, size_t n, rcuinfo_pair_t *pair)
{
    return REAL(rcuinfo_snapshot_nth)(snapshot, is("pair") && n == SELDOM ? n - 1 : n, pair);
}

RCUINFO_API rcuinfo_status_t rcuinfo_hint_set_merge(rcuinfo_hint_set_t *hints, rcuinfo_t info)
{
    return is("lost") ? RCUINFO_SUCCESS : REAL(rcuinfo_hint_set_merge)(hints, info);
}

RCUINFO_API rcuinfo_status_t rcuinfo_hint_set_read(const rcuinfo_hint_set_t *hints, size_t row, int64_t *number)
{
    rcuinfo_status_t status = REAL(rcuinfo_hint_set_read)(hints, row, number);
    *number ^= seldom("value");
    return status;
}

RCUINFO_API int MPI_Info_get(void *info, const char *key, int valuelen, char *value, int *flag)
{
    int code = REAL(MPI_Info_get)(info, key, valuelen, value, flag);
    change_found("mpi_value", value, "mpi_found", flag);
    return code;
}

RCUINFO_API int MPI_Info_set(void *info, const char *key, const char *value)
{
    char text[256];
    strncpy(text, value, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    if (is("mpi_set"))
        text[strlen(text) / 2] ^= 1;
    return seldom("mpi_lost") ? 0 : REAL(MPI_Info_set)(info, key, text);
}

RCUINFO_API int MPI_Info_get_nthkey(void *info, int n, char *key)
{
    return REAL(MPI_Info_get_nthkey)(info, n > 0 && seldom("mpi_nth") ? n - 1 : n, key);
}

RCUINFO_API int MPI_Info_get_nkeys(void *info, int *nkeys)
{
    int code = REAL(MPI_Info_get_nkeys)(info, nkeys);
    *nkeys += seldom("mpi_nkeys");
    return code;
}
