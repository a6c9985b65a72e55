/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Releasing a lock wakes a thread that sleeps on it at once. By itself it would wake late, by a timeout. White box:
 * watches the futex calls: the holder of the lock makes those that wake, waiting threads those that sleep.
 */
#include "core/memory/lock.h"
#include "support/system_call.h"
#include "support/threads.h"

static atomic_int sleeps, wakes;
static _Thread_local bool has_lock;

static void at_system_call(long number)
{
    if (number == SYS_futex)
        atomic_fetch_add(has_lock ? &wakes : &sleeps, 1);
}

static rcuinfo__lock_t lock;

static void take(void)
{
    CHECK(!rcuinfo__lock_take(&lock));
    has_lock = true;
}

static void give(void)
{
    rcuinfo__lock_give(&lock);
    has_lock = false;
}

static void *take_and_give(void *unused)
{
    take();
    give();
    return unused;
}

int main(void)
{
    pthread_t thread;
    take();
    CHECK(pthread_create(&thread, NULL, take_and_give, NULL) == 0);
    TEAM_UNTIL(atomic_load(&sleeps));
    CHECK(atomic_load(&wakes) == 0);
    give();

    /* One wake for the sleeper, and one by it: a thread that has slept assumes that others sleep, too. */
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(atomic_load(&wakes) == 2);
    take();
    give();
    CHECK(atomic_load(&wakes) == 2);
    return 0;
}
