/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * liburcu-bp has one domain for the whole process. A program in its own read section may make every call, including a
 * million sets, and never waits for itself, nor for a thread that waits for the section. Such a section reads no
 * object, so their memory is reclaimed meanwhile. Old versions of hint sets wait for its end, as the drain reports. In
 * a view, writers of hint sets do not wait for a grace period either.
 *
 * A cancellation of that other thread does not act inside the call, although liburcu sleeps in poll, a cancellation
 * point. errno does not change either.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <urcu/urcu-bp.h>

#include <rcuinfo/rcuinfo.h>

#include "support/hints.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/threads.h"

enum { SETS = TEST_SANITIZED ? 200000 : 1000000 };

static rcuinfo_t info;
static atomic_bool returned;
static int errno_then;
static atomic_bool polled = TEST_SANITIZED; /* the runtimes of sanitizers have their own poll */

#if !TEST_SANITIZED
/* Records the call, and calls the C library's. */
__attribute__((visibility("default"))) int poll(struct pollfd *files, nfds_t count, int timeout)
{
    int (*next)(struct pollfd *, nfds_t, int);
    *(void **)&next = dlsym(RTLD_NEXT, "poll");
    CHECK(next);
    atomic_store(&polled, true);
    int result = next(files, count, timeout);
    errno = EINTR;
    return result;
}
#endif

static void *drain_and_end(void *unused)
{
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL) == 0);
    CHECK(pthread_cancel(pthread_self()) == 0);
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL) == 0);
    errno = 0;
    (void)rcuinfo_store_drain(); /* memory retired after it started may still wait */
    errno_then = errno;          /* reporting a failure is a cancellation point, too */
    atomic_store(&returned, true);
    pthread_testcancel();
    return unused;
}

/* More than 100 bytes per set exceed the hard limit in sum, at which a writer would wait. */
static void set_inside(void)
{
    char value[101];
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    for (int i = 0; i < SETS; i++) {
        value[i % 100] ^= 1;
        CHECK_OK(rcuinfo_set(info, "key", value));
    }
    object_free(object_dup(info));
    rcuinfo_stats_t stats = left_stats();
    CHECKF(stats.peak_retired < (size_t)16 << 20, "%llu bytes are retired", (unsigned long long)stats.peak_retired);
    for (int i = 0; i < SETS / 100; i++)
        CHECK_OK(rcuinfo_hint_set_impose(hints, "number", i % 2 ? "6" : "7"));
    CHECK(rcuinfo_store_drain() > 0);
    urcu_bp_read_lock(); /* sections nest */
    CHECK_OK(rcuinfo_set(info, "key", "nested"));
    urcu_bp_read_unlock();
    CHECK(rcuinfo_store_drain() > 0);
}

/* A view is no section of liburcu-bp, so old versions of hint sets are reclaimed also by a thread that has one open. */
static void set_in_view(void)
{
    rcuinfo_view_t view;
    uint64_t before = left_stats().grace_periods;
    CHECK_OK(rcuinfo_view_begin(info, &view));
    for (int i = 0; left_stats().grace_periods == before; i++) {
        CHECK_OK(rcuinfo_hint_set_impose(hints, "number", i % 2 ? "6" : "7"));
        CHECK(left_stats().retired < (size_t)1 << 20);
    }
    rcuinfo_view_end(&view);
}

int main(void)
{
    pthread_t thread;
    void *result = NULL;
    hints_begin();
    info = object_empty();
    urcu_bp_read_lock();
    set_inside(); /* no other thread holds the lock */
    CHECK(pthread_create(&thread, NULL, drain_and_end, NULL) == 0);
    team_wait(&polled);
    set_inside();
    CHECK(!atomic_load(&returned));
    urcu_bp_read_unlock();
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(atomic_load(&returned));
    CHECK_EQUAL(errno_then, 0);
    CHECK(rcuinfo_store_drain() == 0);
    set_in_view();
    object_free(info);
    hints_end();
    left_nothing();
    return 0;
}
