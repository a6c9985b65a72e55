/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who gives a lock back wakes a thread that sleeps on it, at once: sleepers would wake by themselves, but late. White
 * box: watches the system calls of the lock.
 */
#include <dlfcn.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "core/lock.h"
#include "support/threads.h"

static atomic_int sleeps, wakes;

/* The C library's, counted. */
long syscall(long number, ...)
{
    static long (*_Atomic next)(long, ...);
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (!next) {
        long (*found)(long, ...);
        void *symbol = dlsym(RTLD_NEXT, "syscall");
        CHECK(symbol);
        memcpy(&found, &symbol, sizeof found);
        next = found;
    }
    if (number == SYS_futex && arguments[1] == FUTEX_WAIT_PRIVATE)
        atomic_fetch_add(&sleeps, 1);
    if (number == SYS_futex && arguments[1] == FUTEX_WAKE_PRIVATE)
        atomic_fetch_add(&wakes, 1);
    return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

static rcuinfo__lock_t lock;

static void *take_and_give(void *unused)
{
    CHECK(!rcuinfo__lock_take(&lock));
    rcuinfo__lock_give(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    unsigned spins = 0;
    CHECK(!rcuinfo__lock_take(&lock));
    CHECK(pthread_create(&thread, NULL, take_and_give, NULL) == 0);
    while (!atomic_load(&sleeps))
        team_relax(&spins);
    CHECK(atomic_load(&wakes) == 0);
    rcuinfo__lock_give(&lock);

    /* One wake for the sleeper, one by it: whoever has slept takes the lock as one on which others may sleep. */
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(atomic_load(&wakes) == 2);
    CHECK(!rcuinfo__lock_take(&lock));
    rcuinfo__lock_give(&lock);
    CHECK(atomic_load(&wakes) == 2);
    return 0;
}
