/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What comes into the environment's objects with time: the thread level that was asked for, and the keys that the real
 * library has beyond ours. White box: plays the MPI layer. The tests build on one another, as a process does.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <rcuinfo/rcuinfo.h>

#include "core/layer.h"
#include "support/threads.h"

static struct rcuinfo__env_shared shared; /* as an MPI layer has one */

static void ask(bool by_world, const char *level)
{
    rcuinfo__env_ask(&shared, RCUINFO__NATIVE_LIMITS, by_world, level);
}

static const char *level_of(rcuinfo_t info)
{
    static _Thread_local char value[RCUINFO_MAX_VALUE];
    int flag = 0;
    assert_int_equal(rcuinfo_get(info, "thread_level", RCUINFO_MAX_VALUE - 1, value, &flag), RCUINFO_SUCCESS);
    return flag ? value : "none";
}

/* The level is what everything says that describes the process from now on. */
static void assert_level(const char *level)
{
    rcuinfo_t made = RCUINFO_NULL;
    char key[RCUINFO_MAX_KEY];
    int nkeys = 0;
    assert_int_equal(rcuinfo_create_env(0, NULL, &made), RCUINFO_SUCCESS);
    assert_string_equal(level_of(made), level);
    if (strcmp(level, "none") != 0) {
        assert_int_equal(rcuinfo_get_nkeys(made, &nkeys), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get_nthkey(made, nkeys - 1, key), RCUINFO_SUCCESS);
        assert_string_equal(key, "thread_level");
    }
    assert_int_equal(rcuinfo_free(&made), RCUINFO_SUCCESS);
    assert_string_equal(level_of(rcuinfo_env()), level);
    assert_string_equal(level_of(rcuinfo__env_shared(&shared, RCUINFO__NATIVE_LIMITS)), level);
    assert_true(rcuinfo_env() == rcuinfo_env());
}

static void sessions_ask(void **state)
{
    rcuinfo_t first = rcuinfo_env(), made;
    (void)state;
    assert_level("none");
    ask(false, "MPI_THREAD_MULTI");
    ask(false, "");
    ask(true, "MPI_THREAD_MULTIPLE ");
    assert_level("none");
    assert_true(rcuinfo_env() == first);
    made = rcuinfo__env_made(&shared);
    ask(false, "MPI_THREAD_SERIALIZED");
    assert_true(rcuinfo__env_made(&shared) != made); /* made ahead, for readers */
    assert_level("MPI_THREAD_SERIALIZED");
    ask(false, "MPI_THREAD_FUNNELED");
    assert_level("MPI_THREAD_SERIALIZED");
    ask(false, "MPI_THREAD_MULTIPLE");
    assert_level("MPI_THREAD_MULTIPLE");
    /* Who has the one from before keeps it, as it was. */
    assert_string_equal(level_of(first), "none");
    assert_int_equal(rcuinfo_set(first, "a", "1"), RCUINFO_ERR_INFO);
    assert_int_equal(rcuinfo_free(&first), RCUINFO_ERR_INFO);
}

/* What is further known counts from the World Model's call on, behind our own keys and never in their place, nor for
 * one that is known to be absent: this program has no arguments. */
static void the_world_asks(void **state)
{
    static const rcuinfo_change_t pairs[] = {
        {"host", "theirs"}, {"x_first", "1"}, {"argv", "theirs"}, {"wdir", "theirs"}, {"x_second", "2"}};
    static const struct rcuinfo__env_more more = {5, pairs};
    static const char *const end[] = {"wdir", "thread_level", "x_first", "x_second"};
    static struct rcuinfo__env_shared early = {.more = &more};
    rcuinfo_t before, info;
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    int nkeys = 0, flag = 0;
    (void)state;
    atomic_store(&shared.more, &more);
    before = rcuinfo__env_shared(&early, RCUINFO__NATIVE_LIMITS);
    assert_int_equal(rcuinfo_get(before, "x_first", 9, value, &flag), RCUINFO_SUCCESS);
    assert_int_equal(flag, 0);
    before = rcuinfo__env_shared(&shared, RCUINFO__NATIVE_LIMITS);
    ask(true, "MPI_THREAD_FUNNELED");
    assert_level("MPI_THREAD_FUNNELED");
    ask(false, "MPI_THREAD_MULTIPLE");
    assert_level("MPI_THREAD_FUNNELED");
    info = rcuinfo__env_shared(&shared, RCUINFO__NATIVE_LIMITS);
    assert_true(info != before && rcuinfo__env_made(&shared) == info && info != rcuinfo_env());
    assert_int_equal(rcuinfo_get_nkeys(info, &nkeys), RCUINFO_SUCCESS);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(rcuinfo_get_nthkey(info, nkeys - 4 + i, key), RCUINFO_SUCCESS);
        assert_string_equal(key, end[i]);
    }
    assert_int_equal(rcuinfo_get(info, "host", 9, value, &flag), RCUINFO_SUCCESS);
    assert_string_not_equal(value, "theirs");
    assert_int_equal(rcuinfo_get(info, "x_second", 9, value, &flag), RCUINFO_SUCCESS);
    assert_string_equal(value, "2");
    assert_int_equal(rcuinfo_set(info, "x_second", "3"), RCUINFO_ERR_INFO);
}

enum { THREADS = 8, ROUNDS = 400 };
static const char *const rising[] = {"MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};

static int place_of(rcuinfo_t info)
{
    char value[RCUINFO_MAX_VALUE] = "";
    int flag = 0, place = 0;
    CHECK_OK(rcuinfo_get(info, "thread_level", RCUINFO_MAX_VALUE - 1, value, &flag));
    while (place < 3 && strcmp(rising[place], value) != 0)
        place++;
    CHECKF(place < 3, "%s", value);
    return place;
}

/* The level rises in steps, and never falls for a thread that has seen it; the further keys do not go either. */
static void watch(unsigned index, void *argument)
{
    int seen = 0;
    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        rcuinfo_t info = rcuinfo__env_shared(&shared, RCUINFO__NATIVE_LIMITS);
        int place = place_of(info), length, flag = 0;
        CHECK(place >= seen);
        seen = place;
        CHECK_OK(rcuinfo_get_valuelen(info, "x_second", &length, &flag));
        CHECK(flag == 1);
        if (round == ROUNDS / 2)
            ask(true, rising[index % 3]);
    }
}

static void threads_ask(void **state)
{
    (void)state;
    team_run(THREADS, watch, NULL);
    assert_level("MPI_THREAD_MULTIPLE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_ask),
        cmocka_unit_test(the_world_asks),
        cmocka_unit_test(threads_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
