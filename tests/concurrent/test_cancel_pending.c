/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that is to be cancelled, and waits for a grace period inside a call, is not cancelled there: liburcu sleeps
 * in poll, a cancellation point, while the thread has the lock of those who reclaim. Nor does errno change.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <urcu/urcu-bp.h>

#include <rcuinfo/rcuinfo.h>

#include "support/threads.h"

static atomic_bool polled, returned;

/* The C library's, noted. */
__attribute__((visibility("default"))) int poll(struct pollfd *files, nfds_t count, int timeout)
{
    int (*next)(struct pollfd *, nfds_t, int);
    void *symbol = dlsym(RTLD_NEXT, "poll");
    CHECK(symbol);
    memcpy(&next, &symbol, sizeof next);
    atomic_store(&polled, true);
    int result = next(files, count, timeout);
    errno = EINTR;
    return result;
}

static void *drain_and_end(void *unused)
{
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL) == 0);
    CHECK(pthread_cancel(pthread_self()) == 0);
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL) == 0);
    errno = 0;
    CHECK(rcuinfo_store_drain() == 0);
    CHECK(errno == 0);
    atomic_store(&returned, true);
    pthread_testcancel();
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result = NULL;
    urcu_bp_read_lock();
    CHECK(pthread_create(&thread, NULL, drain_and_end, NULL) == 0);
    team_wait(&polled);
    urcu_bp_read_unlock();
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(atomic_load(&returned));
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
