/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A signal handler stops a thread at random moments of its calls, as a debugger or the scheduler may. Meanwhile the
 * others go on: each writes more than may ever wait. The bytes that wait, and the growth of the process, stay within
 * the bounds (bounds.h). The thread is not stopped inside malloc, whose lock it would keep.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>

#include "promise/bounds.h"
#include "promise/inside_malloc.h"
#include "support/left.h"
#include "support/objects.h"
#include "stress/random.h"
#include "support/resident.h"
#include "support/scale.h"
#include "support/threads.h"

enum { STOPPED, OTHERS = 3, CONTROL = STOPPED + OTHERS + 1, STOPS = 60 / TEST_SCALE, ROUNDS = 20000 / TEST_SCALE };
enum { VALUE = 1000 };

static rcuinfo_t objects[STOPPED + OTHERS + 1]; /* of each thread, which is the only one that writes to it */
static const char *const value = object_long + RCUINFO_MAX_VALUE - 1 - VALUE;
static atomic_ulong rounds[STOPPED + OTHERS + 1];
static atomic_bool stands, passed, goes_on, finished;
static pthread_t stopped;
static atomic_bool known; /* `stopped` is */

static void on_signal(int signal)
{
    int saved = errno;
    (void)signal;
    atomic_store(inside_malloc() ? &passed : &stands, true);
    while (atomic_load(&stands) && !atomic_load(&goes_on))
        sched_yield();
    atomic_store(&stands, false);
    errno = saved;
}

static void read_one(rcuinfo_t info)
{
    char got[RCUINFO_MAX_VALUE];
    int found;
    CHECK_OK(rcuinfo_get(info, "key", VALUE, got, &found));
    rcuinfo_snapshot_close(object_open(info));
}

static void view_two(rcuinfo_t info, rcuinfo_t other)
{
    rcuinfo_view_t view, inner;
    CHECK_OK(rcuinfo_view_begin(info, &view));
    CHECK_OK(rcuinfo_view_begin(other, &inner));
    read_one(info);
    rcuinfo_view_end(&view);
    rcuinfo_view_end(&inner);
}

static void do_round(unsigned index, struct random *r)
{
    rcuinfo_t own = objects[index], other = objects[random_below(r, STOPPED + OTHERS + 1)];
    CHECK_OK(rcuinfo_set(own, "key", value));
    read_one(other);
    object_free(object_dup(other));
    if (random_below(r, 4) == 0)
        view_two(other, objects[STOPPED]);
    atomic_fetch_add(&rounds[index], 1);
}

static void stop_and_go(void)
{
    for (int stops = 0; stops < STOPS;) {
        unsigned long before[STOPPED + OTHERS + 1];
        TEAM_UNTIL(atomic_load(&known));
        CHECK(pthread_kill(stopped, SIGUSR1) == 0);
        TEAM_UNTIL(atomic_load(&stands) || atomic_load(&passed));
        for (unsigned i = 0; i <= STOPPED + OTHERS; i++)
            before[i] = atomic_load(&rounds[i]);
        stops += atomic_load(&stands);
        for (unsigned i = 1; i <= STOPPED + OTHERS && atomic_load(&stands); i++)
            TEAM_UNTIL(atomic_load(&rounds[i]) >= before[i] + ROUNDS);
        atomic_store(&goes_on, true);
        TEAM_UNTIL(!atomic_load(&stands));
        atomic_store(&goes_on, false);
        atomic_store(&passed, false);
        TEAM_UNTIL(atomic_load(&rounds[STOPPED]) > before[STOPPED]);
    }
    atomic_store(&finished, true);
}

static void body(unsigned index, void *unused)
{
    struct random r = {index};
    (void)unused;
    if (index == CONTROL) {
        stop_and_go();
        return;
    }
    do_round(index, &r); /* the first read of a thread needs memory */
    if (index == STOPPED) {
        stopped = pthread_self();
        atomic_store(&known, true);
    }
    while (!atomic_load(&finished))
        do_round(index, &r);
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    const struct bounds_needs needs = {.block = bounds_block(1, VALUE),
                                       .threads = STOPPED + OTHERS + 1,
                                       .sections = 3 * (STOPPED + OTHERS + 1),
                                       .live = 3 * (STOPPED + OTHERS + 1)};
    CHECK(mallopt(M_ARENA_MAX, 1) == 1 && sigaction(SIGUSR1, &action, NULL) == 0);
    size_t before = resident_bytes();
    for (unsigned i = 0; i <= STOPPED + OTHERS; i++)
        objects[i] = OBJECT("key", value);
    team_run(CONTROL + 1, body, NULL);
    size_t waited = left_stats().peak_retired, growth = resident_peak() - before;
    printf("at most %zu KiB waited, and the process grew by %zu KiB\n", waited >> 10, growth >> 10);
    CHECK_RANGE(waited, 0, bounds_waiting(&needs));
    CHECK_RANGE(growth, 0, bounds_growth(&needs));
    for (unsigned i = 0; i <= STOPPED + OTHERS; i++)
        object_free(objects[i]);
    left_nothing();
    return 0;
}
