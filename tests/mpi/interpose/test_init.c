/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI_Init and MPI_Init_thread leave in MPI_INFO_ENV: behind what is there from the start, as one version, what
 * the real library's own has that create_env never does; to the end of the process, and by the same handle. Threads
 * read it all the while, at any level. A process has one such call, so there is one process for each:
 *
 * usage: test_init LEVEL K     a level by its place, or "init" for MPI_Init; the Kth allocation in it fails, and nobody
 *                              has read MPI_INFO_ENV before (0: none fails)
 */
#include <stdbool.h>
#include <string.h>

#include <rcuinfo/rcuinfo.h>

#include "support/describe.h"
#include "support/faults.h"
#include "support/threads.h"

static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};

enum { READERS = 4, MOST_KEYS = 32, IS_OPENMPI = sizeof(MPI_Info) == sizeof(void *) };

struct pairs {
    int count;
    char keys[MOST_KEYS][MPI_MAX_INFO_KEY + 1];
    char values[MOST_KEYS][MPI_MAX_INFO_VAL + 1];
};

static struct pairs before, native, now, after;
static rcuinfo_t handle; /* of MPI_INFO_ENV, from before MPI_Init */
static atomic_bool finished;
static atomic_int complete; /* how many pairs it has with those of the real library, once a reader has seen these */

/* The functions are those of the store or of the real library. */
#define READ(prefix, info, pairs)                                                                                      \
    do {                                                                                                               \
        memset(pairs, 0, sizeof *(pairs));                                                                             \
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

/* What was there before, and, with `more`, the native pairs of other keys, in their order. */
static void check_pairs(const struct pairs *pairs, bool more)
{
    int next = 0;
    for (int n = 0; n < before.count; n++)
        check_pair(pairs, next++, before.keys[n], before.values[n]);
    for (int n = 0; more && n < native.count; n++) {
        if (describe_position(native.keys[n]) < 0)
            check_pair(pairs, next++, native.keys[n], native.values[n]);
    }
    CHECKF(pairs->count == next, "%d pairs, not %d", pairs->count, next);
}

/* All that was there before is there as it was, and the rest all at once. `seen`: whether that has been there. */
static void read_once(bool *seen)
{
    char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1] = "";
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    int nkeys = 0, flag = 0, length = 0;
    CHECK(rcuinfo_from_mpi(MPI_INFO_ENV) == handle);
    CHECK(MPI_Info_get_nkeys(MPI_INFO_ENV, &nkeys) == MPI_SUCCESS);
    CHECKF(nkeys > before.count || (nkeys == before.count && !*seen), "%d keys", nkeys);
    for (int n = 0; n < before.count; n++) {
        CHECK(MPI_Info_get_nthkey(MPI_INFO_ENV, n, key) == MPI_SUCCESS && strcmp(key, before.keys[n]) == 0);
        CHECK(MPI_Info_get_valuelen(MPI_INFO_ENV, key, &length, &flag) == MPI_SUCCESS && flag);
        CHECK(MPI_Info_get(MPI_INFO_ENV, key, MPI_MAX_INFO_VAL - 1, value, &flag) == MPI_SUCCESS && flag);
        CHECK(strcmp(value, before.values[n]) == 0 && length == (int)strlen(value));
    }
    CHECK_OK(rcuinfo_snapshot_open(handle, &snapshot));
    bool more = rcuinfo_snapshot_find(snapshot, "ompi_np", &pair) == RCUINFO_SUCCESS;
    int count = (int)rcuinfo_snapshot_count(snapshot), wanted = before.count;
    if (more && (wanted = atomic_load(&complete)) == 0)
        atomic_store(&complete, wanted = count);
    CHECKF(count == wanted && more >= *seen, "%d keys, not %d", count, wanted);
    rcuinfo_snapshot_close(snapshot);
    *seen = more;
}

static const char *call; /* that initializes MPI */

static void initialize(void)
{
    bool is_init = strcmp(call, "init") == 0;
    int level = is_init ? 0 : atoi(call), provided = -1;
    CHECK((is_init ? MPI_Init(NULL, NULL) : MPI_Init_thread(NULL, NULL, levels[level], &provided)) == MPI_SUCCESS);
    CHECK(is_init || provided >= MPI_THREAD_SINGLE);
}

static void *reader(void *unused)
{
    bool seen = false;
    (void)unused;
    for (bool last = false; !last;) {
        last = atomic_load(&finished);
        read_once(&seen);
    }
    CHECK(seen == IS_OPENMPI);
    return NULL;
}

/* By this thread, as MPI wants it, with readers beside it. */
static void initialize_beside_readers(void)
{
    pthread_t readers[READERS];
    handle = rcuinfo_from_mpi(MPI_INFO_ENV);
    READ(, MPI_INFO_ENV, &now);
    CHECK(memcmp(&now, &before, sizeof before) == 0);
    for (int n = 0; n < READERS; n++)
        CHECK(pthread_create(&readers[n], NULL, reader, NULL) == 0);
    initialize();
    atomic_store(&finished, true);
    for (int n = 0; n < READERS; n++)
        CHECK(pthread_join(readers[n], NULL) == 0);
    CHECK(rcuinfo_from_mpi(MPI_INFO_ENV) == handle && rcuinfo_to_mpi(handle) == MPI_INFO_ENV);
}

/* The description takes its texts and a block; what Open MPI has more the edits and a block. */
static void initialize_failing(int k)
{
    CHECK(rcuinfo_store_drain() == 0);
    faults_fail_at(k);
    initialize();
    CHECKF(faults_met() == (k <= (IS_OPENMPI ? 4 : 2)), "allocation %d", k);
    faults_fail_at(0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    int failing = atoi(argv[2]);
    call = argv[1];
    read_created(&before);
    CHECK(before.count > 0 && !has(&before, "thread_level"));
    if (failing)
        initialize_failing(failing);
    else
        initialize_beside_readers();

    /* Open MPI's own has keys beyond ours, and a thread level that the program has asked for; MPICH's has none. */
    READ(P, MPI_INFO_ENV, &native);
    CHECK(IS_OPENMPI == has(&native, "ompi_np") && IS_OPENMPI == has(&native, "thread_level"));
    READ(, MPI_INFO_ENV, &now);
    check_pairs(&now, !faults_met());
    CHECK(!atomic_load(&complete) || atomic_load(&complete) == now.count);
    read_created(&after);
    CHECK(memcmp(&after, &before, sizeof before) == 0);

#if defined(TEST_FLAVOUR_MPICH)
    /* A call that fails leaves all as it was. (Open MPI ends the process.) */
    int provided;
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    CHECK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS);
    READ(, MPI_INFO_ENV, &after);
    CHECK(memcmp(&after, &now, sizeof now) == 0);
#endif

    CHECK(MPI_Finalize() == MPI_SUCCESS);
    READ(, MPI_INFO_ENV, &after);
    CHECK(memcmp(&after, &now, sizeof now) == 0);
    read_created(&after);
    CHECK(memcmp(&after, &before, sizeof before) == 0);
    return 0;
}
