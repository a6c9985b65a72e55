/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI_Init and MPI_Init_thread leave in MPI_INFO_ENV and in the objects of create_env: the thread level that was
 * asked for, and, in MPI_INFO_ENV alone, what the real library's own has beyond our keys: behind them, to the end of
 * the process. A process has one such call, so there is one process for each:
 *
 * usage: test_init LEVEL K        a level by its place, or "init" for MPI_Init; the Kth allocation in it fails (0:
 * none)
 */
#include <stdbool.h>
#include <string.h>

#include <rcuinfo/rcuinfo.h>

#include "core/alloc.h"
#include "support/check.h"
#include "support/flavour.h"

static const char *const names[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                    "MPI_THREAD_MULTIPLE"};
static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};

enum { MOST_KEYS = 32 };

struct pairs {
    int count;
    char keys[MOST_KEYS][MPI_MAX_INFO_KEY + 1];
    char values[MOST_KEYS][MPI_MAX_INFO_VAL + 1];
};

static struct pairs before, native, now, after, created;

/* The functions are those of the store or of the real library. */
#define READ(prefix, info, pairs)                                                                                      \
    do {                                                                                                               \
        CHECK(prefix##MPI_Info_get_nkeys(info, &(pairs)->count) == MPI_SUCCESS && (pairs)->count <= MOST_KEYS);        \
        for (int n = 0; n < (pairs)->count; n++) {                                                                     \
            int flag = 0;                                                                                              \
            CHECK(prefix##MPI_Info_get_nthkey(info, n, (pairs)->keys[n]) == MPI_SUCCESS);                              \
            CHECK(prefix##MPI_Info_get(info, (pairs)->keys[n], MPI_MAX_INFO_VAL - 1, (pairs)->values[n], &flag) ==     \
                      MPI_SUCCESS &&                                                                                   \
                  flag);                                                                                               \
        }                                                                                                              \
    } while (0)

static void read_created(struct pairs *pairs)
{
    MPI_Info info;
    CHECK(MPI_Info_create_env(0, NULL, &info) == MPI_SUCCESS);
    READ(, info, pairs);
    CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
}

static bool has(const struct pairs *pairs, const char *key)
{
    for (int n = 0; n < pairs->count; n++) {
        if (strcmp(pairs->keys[n], key) == 0)
            return true;
    }
    return false;
}

static void check_pair(const struct pairs *pairs, int n, const char *key, const char *value)
{
    CHECKF(n < pairs->count, "there is no pair %d: \"%s\"", n, key);
    CHECKF(strcmp(pairs->keys[n], key) == 0 && strcmp(pairs->values[n], value) == 0, "pair %d is %s=%s, not %s=%s", n,
           pairs->keys[n], pairs->values[n], key, value);
}

/* What was there before, the level, and, with `more`, the native pairs of other keys. */
static void check_pairs(const struct pairs *pairs, const char *level, bool more)
{
    int next = 0;
    for (int n = 0; n < before.count; n++)
        check_pair(pairs, next++, before.keys[n], before.values[n]);
    check_pair(pairs, next++, "thread_level", level);
    for (int n = 0; more && n < native.count; n++) {
        if (!has(&before, native.keys[n]) && strcmp(native.keys[n], "thread_level") != 0)
            check_pair(pairs, next++, native.keys[n], native.values[n]);
    }
    CHECKF(pairs->count == next, "%d pairs, not %d", pairs->count, next);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    bool is_init = strcmp(argv[1], "init") == 0;
    int level = is_init ? 0 : atoi(argv[1]), provided = -1, failing = atoi(argv[2]);
    READ(, MPI_INFO_ENV, &before);
    CHECK(before.count > 0 && !has(&before, "thread_level"));
    read_created(&created);
    CHECK(memcmp(&created, &before, sizeof before) == 0);

    rcuinfo__alloc_fail_at(failing);
    CHECK((is_init ? MPI_Init(NULL, NULL) : MPI_Init_thread(NULL, NULL, levels[level], &provided)) == MPI_SUCCESS);
    CHECK(is_init || provided >= MPI_THREAD_SINGLE);
    CHECK((failing > 0) == (rcuinfo__alloc_faults() > 0));
    rcuinfo__alloc_fail_at(0);

    /* Open MPI's own has keys beyond ours, MPICH's has none. */
    READ(P, MPI_INFO_ENV, &native);
    CHECK((MPI_VERSION < 4) == has(&native, "ompi_np"));
    READ(, MPI_INFO_ENV, &now);
    check_pairs(&now, names[level], true);
    read_created(&created);
    check_pairs(&created, names[level], false);

#if defined(TEST_FLAVOUR_MPICH)
    /* A call that fails has asked for nothing. (Open MPI ends the process.) */
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    CHECK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS);
    READ(, MPI_INFO_ENV, &after);
    CHECK(memcmp(&after, &now, sizeof now) == 0);
#endif

    CHECK(MPI_Finalize() == MPI_SUCCESS);
    memset(&after, 0, sizeof after);
    READ(, MPI_INFO_ENV, &after);
    CHECK(memcmp(&after, &now, sizeof now) == 0);
    memset(&after, 0, sizeof after);
    read_created(&after);
    CHECK(memcmp(&after, &created, sizeof created) == 0);
    return 0;
}
