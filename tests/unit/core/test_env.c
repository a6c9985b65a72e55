/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The read-only objects that describe the process. Each interface has one, created by the first call, and its handle
 * never changes. A library adds pairs to it in a single version. White box: calls the functions of the MPI layers. The
 * tests depend on their order, because the objects last until the process ends.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/calls/layer.h"
#include "env/env.h"
#include "env/start.h"
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
enum { INTERFACES = sizeof interfaces / sizeof *interfaces };

static rcuinfo_t shared(unsigned i)
{
    return rcuinfo__env_shared(interfaces[i].which, interfaces[i].limits);
}

/* Checks that a shared object has the pairs of create_env. */
static void check_shared(unsigned i)
{
    rcuinfo_t made;
    rcuinfo_pair_t pair, wanted;
    CHECK_OK(rcuinfo__env_create(0, NULL, interfaces[i].limits, &made));
    const rcuinfo_snapshot_t *all = object_open(shared(i)), *first = object_open(made);
    size_t count = rcuinfo_snapshot_count(first);
    CHECK(count > 0);
    CHECK_EQUAL(rcuinfo_snapshot_count(all), count);
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
        check_shared(i);
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

/* The description of a process and that of its sources: both are created or neither. */
TEST(a_description_and_its_sources)
{
    rcuinfo_t info, sources;
    for (nomem_start(); nomem_next();) {
        rcuinfo_status_t status;
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
        NOMEM(status = rcuinfo__env_describe(rcuinfo__start(), 0, NULL, RCUINFO__NATIVE_LIMITS, &info, &sources));
        CHECK_STATUS(status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);
        CHECK_EQUAL(left_live(), nomem.met ? 0 : 2);
    }
    CHECK_EQUAL(nomem.count, 2); /* a block of each */
    object_free(info);
    object_free(sources);
}

TEST_MAIN(left_nothing())
