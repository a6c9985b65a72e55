/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The read-only objects that describe the process: one for each interface, made by whoever asks first, with one handle
 * for good; and what another library knows of the process, which comes into one of them as one version. White box:
 * plays the MPI layers. The tests build on one another, as a process does.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/layer.h"
#include "env/env.h"
#include "support/left.h"
#include "support/nomem.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/threads.h"

enum { THREADS = 8, CHILDREN = SCALED(100) };

static const struct {
    enum rcuinfo__env which;
    struct rcuinfo__limits limits;
} interfaces[] = {
    {RCUINFO__ENV_NATIVE, {RCUINFO_MAX_KEY, RCUINFO_MAX_VALUE, RCUINFO__NATIVE_BITS}},
    {RCUINFO__ENV_ABI, {256, 1024, 11}},
    {RCUINFO__ENV_MPICH, {255, 1024, 6}},
    {RCUINFO__ENV_OPENMPI, {36, 256, 11}},
};
enum { INTERFACES = sizeof interfaces / sizeof *interfaces, OPENMPI = INTERFACES - 1 };

static rcuinfo_t shared(unsigned i)
{
    return rcuinfo__env_shared(interfaces[i].which, interfaces[i].limits);
}

/* The pairs of the one are the first of the other. */
static void check_begins(rcuinfo_t info, rcuinfo_t with)
{
    rcuinfo_pair_t pair, wanted;
    const rcuinfo_snapshot_t *all = object_open(info);
    const rcuinfo_snapshot_t *first = object_open(with);
    CHECK(rcuinfo_snapshot_count(first) > 0);
    for (size_t n = 0; n < rcuinfo_snapshot_count(first); n++) {
        CHECK_OK(rcuinfo_snapshot_nth(all, n, &pair));
        CHECK_OK(rcuinfo_snapshot_nth(first, n, &wanted));
        CHECKF(strcmp(pair.key, wanted.key) == 0 && strcmp(pair.value, wanted.value) == 0, "%s=%s, not %s=%s", pair.key,
               pair.value, wanted.key, wanted.value);
    }
    rcuinfo_snapshot_close(all);
    rcuinfo_snapshot_close(first);
}

/* It says what create_env does, and `more` pairs behind that. */
static void check_shared(unsigned i, int more)
{
    rcuinfo_t made;
    CHECK_OK(rcuinfo__env_create(0, NULL, interfaces[i].limits, &made));
    check_begins(shared(i), made);
    int nkeys = object_count(shared(i));
    int wanted = object_count(made);
    CHECKF(nkeys == wanted + more, "%d keys, not %d and %d", nkeys, wanted, more);
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

/* Threads that all come first, in many processes. Those that were too late have left nothing behind: LeakSanitizer
 * looks at what the child has when it exits. */
static void first_calls_at_once(void)
{
    for (int child = 0; child < CHILDREN; child++) {
        fflush(stdout);
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid > 0) {
            spawn_wait(pid, "child");
            continue;
        }
        team_run(THREADS, ask, NULL);
        for (unsigned thread = 1; thread < THREADS; thread++)
            CHECK(memcmp(asked[thread], asked[0], sizeof asked[0]) == 0);
        left_nothing();
        exit(0);
    }
}

static void one_for_each_interface(void)
{
    for (unsigned i = 0; i < INTERFACES; i++) {
        check_shared(i, 0);
        for (unsigned j = 0; j < i; j++)
            CHECK(shared(i) != shared(j));
    }
    CHECK(rcuinfo_env() == shared(0));
    CHECK_EQUAL(left_live(), 0);
}

static void none_can_be_changed(void)
{
    const rcuinfo_change_t change = {"host", "mine"};
    for (unsigned i = 0; i < INTERFACES; i++) {
        rcuinfo_t info = shared(i), copy = RCUINFO_NULL;
        int swapped = 7;
        size_t failed;
        CHECK_STATUS(rcuinfo_set(info, "host", "mine"), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_set(info, "new", "mine"), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_delete(info, "host"), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_update(info, &change, 1, &failed), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_update(info, NULL, 0, &failed), RCUINFO_ERR_INFO);
        CHECK_STATUS(rcuinfo_compare_and_set(info, "new", NULL, "mine", &swapped), RCUINFO_ERR_INFO);
        CHECK_EQUAL(swapped, 7);
        CHECK_STATUS(rcuinfo_free(&info), RCUINFO_ERR_INFO);
        CHECK(info == shared(i));
        check_shared(i, 0);
        CHECK_OK(rcuinfo_dup(info, &copy));
        CHECK_OK(rcuinfo_set(copy, "host", "mine"));
        CHECK_OK(rcuinfo_free(&copy));
        check_shared(i, 0);
    }
}

static void add(unsigned i, rcuinfo_change_t *pairs, size_t n)
{
    rcuinfo_stats_t before = left_stats();
    rcuinfo__env_add(interfaces[i].which, interfaces[i].limits, pairs, n);
    rcuinfo_stats_t after = left_stats();
    CHECK(after.sets == before.sets); /* the test runs with counting on */
}

/* Only of keys that create_env never has, also where it lacks one: nobody has asked for a thread level here, and this
 * program has no arguments. */
static void what_another_library_knows(void)
{
    rcuinfo_change_t pairs[] = {{"thread_level", "theirs"}, {"host", "theirs"}, {"x_first", "1"}, {"argv", "theirs"},
                                {"file", "theirs"},         {"wdir", "theirs"}, {"x_second", ""}};
    rcuinfo_change_t known[] = {{"command", "theirs"}, {"maxprocs", "7"}, {"soft", "7"}, {"arch", "theirs"}};
    rcuinfo_t info = shared(OPENMPI);
    uint64_t version = object_version(info);
    char key[RCUINFO_MAX_KEY];
    const rcuinfo_snapshot_t *before = object_open(info);
    add(OPENMPI, pairs, 0);
    add(OPENMPI, known, 4);
    CHECK(object_version(info) == version);
    add(OPENMPI, pairs, 7);
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

/* The round in which the key has got its value; 0: it is not there yet. */
static int round_of(rcuinfo_t info, const char *key)
{
    char value[RCUINFO_MAX_VALUE] = "0";
    int flag = 0;
    CHECK_OK(rcuinfo_get(info, key, RCUINFO_MAX_VALUE - 1, value, &flag));
    CHECK(flag == (value[0] != '0'));
    return atoi(value);
}

/* All or nothing, in the block that there is and in another one. */
static void without_memory(void)
{
    rcuinfo_t info = shared(OPENMPI);
    int copied = 0;
    for (int round = 1; copied < 3; round++) {
        char text[16];
        rcuinfo_change_t pairs[] = {{"x_first", text}, {"x_second", text}};
        int before = round == 1 ? 1 : round - 1, k = 0, now;
        (void)snprintf(text, sizeof text, "%d", round);
        CHECK(round < 1000);
        do {
            CHECK_EQUAL(rcuinfo_store_drain(), 0);
            (void)NOMEM_AT(++k, add(OPENMPI, pairs, 2));
            now = round_of(info, "x_first");
            CHECK(now == before || now == round);
            CHECK(round == 1 || round_of(info, "x_second") == now);
        } while (k < 3 && now == before);
        CHECK_EQUAL(now, round);
        copied += k == 3; /* the edits, a block, and none */
    }
    check_shared(OPENMPI, 2);
}

int main(void)
{
    first_calls_at_once();
    one_for_each_interface();
    none_can_be_changed();
    what_another_library_knows();
    without_memory();
    left_nothing();
    return 0;
}
