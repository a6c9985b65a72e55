/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The read-only objects that describe the process. Each interface has one, created by the first call, and its handle
 * never changes. The pairs of a real MPI library are added to one of them in a single version. White box: calls the
 * functions of the MPI layers. The tests depend on their order, because the objects last until the process ends.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/calls/layer.h"
#include "env/env.h"
#include "support/left.h"
#include "support/nomem.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/test.h"
#include "support/threads.h"

enum { THREADS = 8, CHILDREN = SCALED(100) };

static const struct {
    enum rcuinfo__env which;
    struct rcuinfo__limits limits;
} interfaces[] = {
    {RCUINFO__ENV_NATIVE, {RCUINFO_MAX_KEY, RCUINFO_MAX_VALUE}},
    {RCUINFO__ENV_ABI, {256, 1024}},
    {RCUINFO__ENV_MPICH, {255, 1024}},
    {RCUINFO__ENV_OPENMPI, {36, 256}},
};
enum { INTERFACES = sizeof interfaces / sizeof *interfaces, OPENMPI = INTERFACES - 1 };

static rcuinfo_t shared(unsigned i)
{
    return rcuinfo__env_shared(interfaces[i].which, interfaces[i].limits);
}

/* Checks that a shared object has the pairs of create_env, followed by `more` further pairs. */
static void check_shared(unsigned i, int more)
{
    rcuinfo_t made;
    rcuinfo_pair_t pair, wanted;
    CHECK_OK(rcuinfo__env_create(0, NULL, interfaces[i].limits, &made));
    const rcuinfo_snapshot_t *all = object_open(shared(i)), *first = object_open(made);
    size_t count = rcuinfo_snapshot_count(first);
    CHECK(count > 0);
    CHECK_EQUAL(rcuinfo_snapshot_count(all), count + (size_t)more);
    for (size_t n = 0; n < count; n++) {
        CHECK_OK(rcuinfo_snapshot_nth(all, n, &pair));
        CHECK_OK(rcuinfo_snapshot_nth(first, n, &wanted));
        CHECK_TEXT(pair.key, wanted.key);
        CHECK_TEXT(pair.value, wanted.value);
    }
    rcuinfo_snapshot_close(all);
    rcuinfo_snapshot_close(first);
    CHECK_OK(rcuinfo_free(&made));
}

static rcuinfo_t asked[THREADS][INTERFACES];

static void ask(unsigned thread, void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < INTERFACES; i++) {
        asked[thread][i] = shared(i);
        CHECK(asked[thread][i] != RCUINFO_NULL);
        check_shared(i, 0);
    }
    CHECK(rcuinfo_env() == asked[thread][0]);
}

static void ask_at_once(void)
{
    team_run(THREADS, ask, NULL);
    for (unsigned thread = 1; thread < THREADS; thread++)
        CHECK(memcmp(asked[thread], asked[0], sizeof asked[0]) == 0);
    left_nothing();
}

/* Threads race for the first call, in many child processes. The losers must leave nothing behind: LeakSanitizer checks
 * each child when it exits. */
TEST(first_calls_at_once)
{
    for (int i = 0; i < CHILDREN; i++)
        spawn_child(ask_at_once);
}

TEST(one_for_each_interface)
{
    for (unsigned i = 0; i < INTERFACES; i++) {
        check_shared(i, 0);
        for (unsigned j = 0; j < i; j++)
            CHECK(shared(i) != shared(j));
        rcuinfo_t info = shared(i);
        CHECK_STATUS(rcuinfo_set(info, "host", "mine"), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_free(&info), RCUINFO_ERR_INFO);
        CHECK(info == shared(i));
    }
    CHECK(rcuinfo_env() == shared(0));
    CHECK_EQUAL(left_live(), 0);
}

static void add(const rcuinfo_change_t *pairs, size_t n)
{
    rcuinfo_change_t reordered[8];
    uint64_t sets = left_stats().sets;
    memcpy(reordered, pairs, n * sizeof *pairs);
    rcuinfo__env_learn(RCUINFO__ENV_OPENMPI, interfaces[OPENMPI].limits, reordered, n);
    CHECK(left_stats().sets == sets); /* not counted, although RCUINFO_STATS is set */
}

/* Keys that create_env may give are never added, even if it lacks them here: no launcher requests a thread level, and
 * the program has no arguments. */
TEST(standard_keys_are_never_added)
{
    static const rcuinfo_change_t pairs[] = {
        {"thread_level", "theirs"}, {"host", "theirs"}, {"x_first", "1"}, {"argv", "theirs"},
        {"file", "theirs"},         {"wdir", "theirs"}, {"x_second", ""}};
    static const rcuinfo_change_t known[] = {
        {"command", "theirs"}, {"maxprocs", "7"}, {"soft", "7"}, {"arch", "theirs"}};
    rcuinfo_t info = shared(OPENMPI);
    uint64_t version = object_version(info);
    char key[RCUINFO_MAX_KEY];
    const rcuinfo_snapshot_t *before = object_open(info);
    add(pairs, 0);
    add(known, 4);
    CHECK(NOMEM_AT(1, add(pairs, 7)));
    CHECK(object_version(info) == version);
    add(pairs, 7);
    CHECK(object_version(info) == version + 1 && shared(OPENMPI) == info);
    check_shared(OPENMPI, 2);

    int nkeys = object_count(info);
    CHECK_EQUAL(rcuinfo_snapshot_count(before), nkeys - 2);
    rcuinfo_snapshot_close(before);
    CHECK_OK(rcuinfo_get_nthkey(info, nkeys - 2, key));
    CHECK_TEXT(key, "x_first");
    CHECK_OK(rcuinfo_get_nthkey(info, nkeys - 1, key));
    CHECK_TEXT(key, "x_second");

    CHECK_STATUS(rcuinfo_set(info, "x_first", "2"), RCUINFO_ERR_INFO);
    for (unsigned i = 0; i < OPENMPI; i++)
        check_shared(i, 0);
    CHECK_EQUAL(left_live(), 0);
}

/* As an MPI library that contains the store does. */
TEST(a_library_adds_keys_of_its_own)
{
    static const rcuinfo_change_t pairs[] = {{"num_nics", "2"}, {"num_close_nics", "1"}};
    static const struct {
        rcuinfo_change_t pair;
        rcuinfo_status_t status;
    } refused[] = {{{"host", "mine"}, RCUINFO_ERR_KEY},
                   {{"argv", "mine"}, RCUINFO_ERR_KEY},
                   {{"", "1"}, RCUINFO_ERR_KEY},
                   {{NULL, "1"}, RCUINFO_ERR_KEY},
                   {{"a", NULL}, RCUINFO_ERR_VALUE}};
    rcuinfo_t info = rcuinfo_env();
    uint64_t version = object_version(info);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const rcuinfo_change_t both[] = {pairs[0], refused[i].pair};
        CHECK_STATUS(rcuinfo_env_add(both, 2), refused[i].status);
    }
    CHECK_STATUS(rcuinfo_env_add(NULL, 1), RCUINFO_ERR_ARG);
    CHECK_OK(rcuinfo_env_add(NULL, 0));
    rcuinfo_status_t status;
    CHECK(NOMEM_AT(1, status = rcuinfo_env_add(pairs, 2)));
    CHECK_STATUS(status, RCUINFO_ERR_NO_MEM);
    CHECK(object_version(info) == version);

    CHECK_OK(rcuinfo_env_add(pairs, 2));
    CHECK(object_version(info) == version + 1 && rcuinfo_env() == info);
    CHECK_VALUE(info, "num_nics", "2");
    CHECK_VALUE(info, "num_close_nics", "1");
    CHECK_STATUS(rcuinfo_set(info, "num_nics", "3"), RCUINFO_ERR_INFO);
    CHECK_EQUAL(left_live(), 0);
}

TEST_MAIN(left_nothing())
